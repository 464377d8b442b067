/** `joinery migrate delete`: removes migrations from the database's record and from the project. The data stays. */
import { CliError } from '../../cli-error.ts';
import { printLine } from '../../print.ts';
import { compareVersions, readMigrations, removeMigration, titleOf } from './files.ts';
import { send } from './parts.ts';
import { type MigrateFlags, openDatabase } from './run.ts';
import { forget, readApplied } from './state.ts';

export interface DeleteFlags extends MigrateFlags {
  readonly version?: string;
  readonly all?: boolean;
  /** Removes the record only. */
  readonly server?: boolean;
  /** Confirms `all`. */
  readonly yes?: boolean;
}

export async function migrateDelete(given: DeleteFlags): Promise<number> {
  const { version } = given;
  if ((version === undefined) === (given.all !== true)) throw new CliError('give either --version or --all');
  const { project, connection, database } = await openDatabase(given);
  if (given.all === true && given.yes !== true) {
    throw new CliError(`this removes all migrations of ${database}; confirm with --yes`);
  }
  const isChosen = (one: { readonly version: string }): boolean =>
    version === undefined || compareVersions(one.version, version) === 0;
  const files = (await readMigrations(project.migrationsDirectory, database)).filter(isChosen);
  const applied = (await readApplied(connection, database)).filter(isChosen);
  if (version !== undefined && files.length + applied.length === 0) {
    throw new CliError(`no migration of ${database} has the number ${version}`);
  }
  const records = applied.map((one) => forget(database, one));
  if (records.length > 0) await send(connection, records);
  printLine(`Removed ${count(records.length, 'record')} from ${database}; its tables and rows are unchanged.`);
  if (given.server === true) return 0;
  for (const file of files) {
    await removeMigration(file);
    printLine(`Removed ${titleOf(file)} from the project.`);
  }
  return 0;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
