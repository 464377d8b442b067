/** `joinery console`: its options and help. */
import { type Command, InvalidArgumentError } from 'commander';
import { outcome } from '../../print.ts';
import { connectionOptions } from '../../project/flags.ts';
import type { ConsoleFlags } from './run.ts';

export function addConsole(program: Command): void {
  connectionOptions(program.command('console'))
    .description('serve the console for a project, and write its changes to migrations/ and metadata/')
    .option('--port <port>', 'port of the console (default: 9695, or a free one)', port)
    .option('--no-open', 'do not open a browser')
    .option('--any-version', 'do not compare the version of the service with that of this command')
    .addHelpText(
      'after',
      `
Examples
  joinery console
  joinery console --project shop --endpoint https://shop.example.com --no-open

The console runs on this machine only and uses the admin secret of the project. Its address has a token: anyone who has it
can change the service and the files while the command runs. SQL that changes the schema becomes a migration with up.sql
and down.sql, recorded as applied; metadata is written to the metadata directory. The page "Project" shows each change as
a difference of files and undoes the last one.`,
    )
    .action((given: ConsoleFlags) => outcome('console', async () => (await import('./run.ts')).runConsole(given)));
}

function port(text: string): string {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new InvalidArgumentError('must be a port number.');
  return text;
}
