/** The options by which a command finds its project and its service. */
import type { Command } from 'commander';

/** Options of the command line, which override all other settings. */
export interface ProjectFlags {
  readonly project?: string;
  /** Name of a profile. */
  readonly env?: string;
  readonly envfile?: string;
  readonly endpoint?: string;
  readonly adminSecret?: string;
  readonly headerPrefix?: string;
}

/** Adds the options of commands that call a service. */
export function connectionOptions(command: Command): Command {
  return command
    .option('--project <folder>', 'folder of the project, where config.yaml is', '.')
    .option('--env <name>', 'profile: ".env.<name>" and "environments.<name>" of config.yaml [JOINERY_ENV]')
    .option('--envfile <file>', 'environment file, relative to the project (default: ".env")')
    .option('--endpoint <url>', 'the running service [JOINERY_ENDPOINT] (default: http://127.0.0.1:8080)')
    .option('--admin-secret <secret>', 'admin secret of the service [JOINERY_ADMIN_SECRET]')
    .option('--header-prefix <prefix>', 'prefix of its headers [JOINERY_HEADER_PREFIX] (default: that of the service)');
}
