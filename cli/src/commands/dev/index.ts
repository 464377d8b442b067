/** `joinery init` and `joinery dev`: a project, and all that it needs while it is worked on. */
import { type Command, InvalidArgumentError } from 'commander';
import { outcome } from '../../print.ts';
import type { DevFlags } from './run.ts';

export function addProjectCommands(program: Command): void {
  program
    .command('init [folder]')
    .description('write a project that runs: configuration, migration, metadata, a handler')
    .addHelpText(
      'after',
      `
Examples
  joinery init shop
  joinery init                                into this folder`,
    )
    .action((folder: string | undefined) =>
      outcome('init', async () => (await import('../init/run.ts')).init(folder ?? '.')),
    );

  program
    .command('dev')
    .description('run a project: database, service, handlers; apply what changes, show what happens')
    .option('--project <folder>', 'folder of the project, where config.yaml is', '.')
    .option('--envfile <file>', 'environment file, relative to the project (default: ".env")')
    .option('--port <port>', 'port of the service (default: that of the endpoint in config.yaml)', port)
    .option('--sink-port <port>', 'port of the webhook sink', port, '8090')
    .option('--open', 'open the console in a browser')
    .option('--no-seed', 'leave out the seeds; otherwise each is applied once')
    .option('--no-watch', 'apply once and leave changes of files alone')
    .addHelpText(
      'after',
      `
Examples
  joinery dev
  joinery dev --project shop --open
  joinery dev --port 9000 --sink-port 9001

The sink is a place to point webhooks at: {{SINK_URL}} in metadata and scheduled events. {{SINK_URL}}/500 answers with
that status, /slow/30 after so many seconds, /drop not at all. Every option of "joinery serve" can be set as an
environment variable or in .env.`,
    )
    .action((given: DevFlags) => outcome('dev', async () => (await import('./run.ts')).dev(given)));
}

function port(text: string): string {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('must be a port number.');
  return text;
}
