/** `joinery dev`: its options and help. */
import { type Command, InvalidArgumentError } from 'commander';
import { outcome } from '../../print.ts';
import type { DevFlags } from './run.ts';

export function addDev(program: Command): void {
  program
    .command('dev')
    .description('run a project with its database, service and handlers; apply changed files and log requests')
    .option('--project <folder>', 'folder of the project, where config.yaml is', '.')
    .option('--envfile <file>', 'environment file, relative to the project (default: ".env")')
    .option('--port <port>', 'port of the service (default: that of the endpoint in config.yaml)', port)
    .option('--sink-port <port>', 'port of the webhook sink', port, '8090')
    .option('--console-port <port>', 'port of the console (default: 9695, or a free one)', port)
    .option('--open', 'open the console in a browser')
    .option('--no-write-files', 'serve the console of the service, whose changes are not written to the project')
    .option('--no-seed', 'do not apply seeds; by default each is applied once')
    .option('--no-watch', 'apply once and ignore later changes of files')
    .addHelpText(
      'after',
      `
Examples
  joinery dev
  joinery dev --project shop --open
  joinery dev --port 9000 --sink-port 9001

The sink receives webhooks during development: use {{SINK_URL}} in metadata and scheduled events. {{SINK_URL}}/500
returns that status, /slow/30 responds after 30 seconds, /drop closes the connection. Set options of "joinery serve"
as environment variables or in .env.`,
    )
    .action((given: DevFlags) => outcome('dev', async () => (await import('./run.ts')).dev(given)));
}

function port(text: string): string {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('must be a port number.');
  return text;
}
