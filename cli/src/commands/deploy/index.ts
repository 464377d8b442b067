/** `joinery deploy`: its options and their help. */
import type { Command } from 'commander';
import { outcome } from '../../print.ts';
import { connectionOptions } from '../../project/flags.ts';
import type { DeployFlags } from './run.ts';

export function addDeploy(program: Command): void {
  connectionOptions(program.command('deploy'))
    .description('bring a service to the state of the project: sources, migrations, metadata, seeds')
    .option('--dir <folder>', 'metadata directory (default: that of config.yaml, or "metadata")')
    .option('--seed', 'apply the seeds at the end')
    .option('--with-seeds', 'the same')
    .option('--check', 'compare the metadata with the database after each migration, and reject what breaks it')
    .option('--strict', 'reject metadata with objects that cannot be used or members that have no effect')
    .option('--any-version', 'even if the service has another version than this command')
    .addHelpText(
      'after',
      `
Examples
  joinery deploy
  joinery deploy --seed
  joinery deploy --env prod --strict
  joinery deploy --endpoint https://data.example.com --admin-secret "$SECRET"`,
    )
    .action((given: DeployFlags) => outcome('deploy', async () => (await import('./run.ts')).deploy(given)));
}
