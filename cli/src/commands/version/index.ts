/** `joinery version`: the versions of the command and of the service. */
import type { Command } from 'commander';
import { outcome, outputOption } from '../../print.ts';
import { connectionOptions } from '../../project/flags.ts';
import type { VersionFlags } from './run.ts';

export function addVersion(program: Command): void {
  outputOption(connectionOptions(program.command('version')))
    .description('print the versions of this command and of the service')
    .addHelpText(
      'after',
      `
Examples
  joinery version
  joinery version --env prod -o json`,
    )
    .action((given: VersionFlags) => outcome('version', async () => (await import('./run.ts')).version(given), given));
}
