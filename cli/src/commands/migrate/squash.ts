/** `joinery migrate squash`: combines several migrations into one. */
import { transactionsOf } from '@joinery/metadata/sql/statements';
import { CliError } from '../../cli-error.ts';
import { printLine } from '../../print.ts';
import {
  compareVersions,
  type Migration,
  readMigrations,
  readSql,
  removeMigration,
  requireMigrationName,
  titleOf,
  writeMigration,
} from './files.ts';
import { isWithoutTransaction } from './parts.ts';
import { type MigrateFlags, openDatabase } from './run.ts';
import { noteSquashed, prepareState, readApplied } from './state.ts';

export interface SquashFlags extends MigrateFlags {
  readonly from: string;
  readonly to?: string;
  readonly name: string;
  readonly deleteSource?: boolean;
}

/** Combines several migrations; where all of them are applied, the database records the new one instead. */
export async function migrateSquash(given: SquashFlags): Promise<number> {
  requireMigrationName(given.name);
  const { project, connection, database } = await openDatabase(given);
  const files = await readMigrations(project.migrationsDirectory, database);
  const indexOf = (wanted: string): number => files.findIndex(({ version }) => compareVersions(version, wanted) === 0);
  const from = indexOf(given.from);
  const to = given.to === undefined ? files.length - 1 : indexOf(given.to);
  if (from === -1 || to === -1)
    throw new CliError(`no migration has the number ${from === -1 ? given.from : given.to}`);
  const chosen = files.slice(from, to + 1);
  if (chosen.length < 2) throw new CliError('there is only one migration in that range; nothing to squash');
  const sql = await squashed(chosen);
  const known = await readApplied(connection, database);
  const applied = new Set(known.filter((one) => one.done).map(({ version }) => version));
  const has = chosen.filter(({ version }) => applied.has(BigInt(version).toString()));
  if (has.length > 0 && has.length < chosen.length) {
    throw new CliError(
      `${has.length} of the ${chosen.length} migrations are applied; apply the rest of them first, or choose a range`,
    );
  }
  // The number of the last one, which keeps the order.
  const version = String(BigInt(chosen.at(-1)?.version ?? '0') + 1n);
  if (indexOf(version) !== -1) throw new CliError(`the number ${version} is in use`);
  const folder = await writeMigration(project.migrationsDirectory, database, { version, name: given.name }, sql);
  if (has.length > 0) {
    await prepareState(connection, database);
    const old = chosen.map((one) => BigInt(one.version).toString());
    await connection.command('bulk', [noteSquashed(database, old, { version, name: given.name })], {
      api: '/v2/query',
    });
  }
  printLine(`Created ${folder} from ${chosen.length} migrations.`);
  if (given.deleteSource === true) {
    for (const one of chosen) await removeMigration(one);
    printLine('Removed the original migrations.');
  } else {
    printLine('The original migrations still exist. Remove them, otherwise they are applied as well.');
  }
  return 0;
}

async function squashed(chosen: readonly Migration[]): Promise<{ up: string; down: string }> {
  const part = async (migration: Migration, way: 'up' | 'down'): Promise<string> => {
    const path = migration[way];
    if (path === undefined) return `-- ${titleOf(migration)} has no ${way}.sql\n`;
    const sql = await readSql(path);
    const { transactions } = transactionsOf(sql);
    const [whole] = transactions;
    if (isWithoutTransaction(sql, true) || whole === undefined || transactions.length > 1)
      throw new CliError(`${path} is not one transaction and cannot be part of one migration with others`);
    const text = whole.sql.trimEnd();
    // Separates a file that ends without a semicolon or in a comment from the next.
    return `-- ${titleOf(migration)}\n${text}\n${text.endsWith(';') ? '' : ';\n'}`;
  };
  const ups = await Promise.all(chosen.map((one) => part(one, 'up')));
  const downs = await Promise.all([...chosen].reverse().map((one) => part(one, 'down')));
  return { up: ups.join('\n'), down: downs.join('\n') };
}
