/** `joinery deploy`: its options and their help. */
import { type Command, InvalidArgumentError } from 'commander';
import { outcome } from '../../print.ts';
import { connectionOptions } from '../../project/flags.ts';
import type { DeployFlags } from './run.ts';

/** Seconds of `--wait` without a value. */
const WAIT_SECONDS = 60;

export function addDeploy(program: Command): void {
  connectionOptions(program.command('deploy'))
    .description('bring a service to the state of the project: sources, migrations, metadata, seeds')
    .option('--dir <folder>', 'metadata directory (default: that of config.yaml, or "metadata")')
    .option(
      '--wait [seconds]',
      `wait for the service, and for other deployments (without a value: ${WAIT_SECONDS})`,
      seconds,
    )
    .option('--in-process', 'without a running service: one in this process, with the settings of the environment')
    .option(
      '--database-url <url>',
      'the same, with this database; JOINERY_DATABASE_URL keeps it out of the process list',
    )
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
  joinery deploy --endpoint https://data.example.com --admin-secret "$SECRET"
  joinery deploy --wait 120 --endpoint http://joinery:8080     a release job that starts together with the service
  joinery deploy --wait --in-process                           an init container: no service runs yet

Exit codes: 0 deployed, or nothing to do; 1 an error, which names the file or the object; 3 the service or the database
was not ready in time. What was completed before an error stays: fix the error and run the command again.`,
    )
    .action(({ wait, ...given }: Omit<DeployFlags, 'wait'> & { readonly wait?: number | true }) => {
      const flags = { ...given, ...(wait !== undefined && { wait: wait === true ? WAIT_SECONDS : wait }) };
      return outcome('deploy', async () => (await import('./run.ts')).deploy(flags));
    });
}

function seconds(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('must be a number of seconds.');
  return Number(text);
}
