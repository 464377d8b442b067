/** `joinery doctor`: its options and their help. */
import type { Command } from 'commander';
import { outcome, outputOption } from '../../print.ts';
import { connectionOptions } from '../../project/flags.ts';
import type { DoctorFlags } from './run.ts';

export function addDoctor(program: Command): void {
  outputOption(connectionOptions(program.command('doctor')))
    .description('check a project, its service and its databases, and suggest fixes')
    .option('--strict', 'exit with 1 for warnings as well')
    .option('--hasura-catalog', 'only create views of the schema hdb_catalog, for SQL that was written for Hasura v2')
    .option('--remove-hasura-catalog', 'only remove these views')
    .option('--orphans', 'only list what event triggers have left in databases')
    .option('--remove', 'with --orphans: remove it, if this service made it')
    .option('--database-name <name>', 'the source of these views or of the orphans (default: each)')
    .option(
      '--database-url-env <name>',
      'with --orphans: a variable of the service with the URL of a database that it has left',
    )
    .addHelpText(
      'after',
      `
Examples
  joinery doctor
  joinery doctor --endpoint https://data.example.com --admin-secret "$SECRET"
  joinery doctor --hasura-catalog
  joinery doctor --orphans --remove
  joinery doctor --orphans --database-url-env FORMER_DATABASE_URL
  joinery doctor -o json | jq '.findings[] | select(.status != "ok")'

Exits with 1 if there is a problem.`,
    )
    .action((given: DoctorFlags) => outcome('doctor', async () => (await import('./run.ts')).doctor(given), given));
}
