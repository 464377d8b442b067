/** `joinery seed create`: writes a seed that is empty or inserts the rows of tables. */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { CliError } from '../../cli-error.ts';
import type { Connection } from '../../client/connection.ts';
import { printLine, warn } from '../../print.ts';
import { openDatabase } from './run.ts';
import type { SeedFlags } from './seed.ts';
import { readRows } from './state.ts';

export interface CreateSeedFlags extends SeedFlags {
  /** Names of tables, with or without a schema. */
  readonly fromTable?: readonly string[];
}

export async function seedCreate(name: string, given: CreateSeedFlags): Promise<number> {
  const { project, connection, database } = await openDatabase(given);
  if (!/^[\w.-]+$/.test(name)) throw new CliError(`"${name}" cannot be the name of a file`);
  const parts: string[] = [];
  for (const table of given.fromTable ?? []) parts.push(await insertsOf(connection, database, table));
  const empty = '-- Rows to begin with. Seeds may be applied again: use "on conflict do nothing".\n';
  const folder = join(project.seedsDirectory, database);
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${Date.now()}_${name}.sql`);
  await writeFile(path, parts.length === 0 ? empty : parts.join('\n'), { flag: 'wx' });
  printLine(`Created ${path}.`);
  const later = (await readdir(folder)).filter((file) => file > basename(path));
  if (later.length > 0) {
    warn(`Seeds are applied in the order of their names: ${later.join(', ')} will be applied after this file.`);
  }
  return 0;
}

/** Returns an insert for each row of the table, and the next values of its sequences. Generated columns are left out. */
async function insertsOf(connection: Connection, database: string, table: string): Promise<string> {
  const name = quoteName(table);
  const [found] = await readRows(connection, database, `select to_regclass(${literal(name)})`);
  if (found?.[0] === undefined || found[0] === 'NULL') {
    throw new CliError(`the source ${database} has no table ${table}; nothing was created`);
  }
  const columns = await readRows(
    connection,
    database,
    `select quote_ident(attname), attidentity, coalesce(pg_get_serial_sequence(${literal(name)}, attname), '')
     from pg_attribute
     where attrelid = ${literal(name)}::regclass and attnum > 0 and not attisdropped and attgenerated = ''
     order by attnum`,
  );
  const names = columns.map(([column = '']) => column);
  const override = columns.some(([, identity]) => identity === 'a') ? ' overriding system value' : '';
  const head = `insert into ${name} (${names.join(', ')})${override} values (`;
  const values = names.map((column) => `quote_nullable(${column}::text)`).join(` || ', ' || `);
  const order = await primaryKey(connection, database, name);
  const rows = await readRows(
    connection,
    database,
    `select ${literal(head)} || ${values} || ') on conflict do nothing;' from ${name}${order}`,
  );
  const sequences = columns.flatMap(([column = '', , sequence = '']) =>
    sequence === '' || rows.length === 0
      ? []
      : [`select setval(${literal(sequence)}, (select max(${column}) from ${name}));`],
  );
  return [`-- ${table}`, ...rows.map(([sql = '']) => sql), ...sequences, ''].join('\n');
}

/** Returns the `order by` of the primary key, so that the same rows give the same file. */
async function primaryKey(connection: Connection, database: string, name: string): Promise<string> {
  const keys = await readRows(
    connection,
    database,
    `select quote_ident(a.attname) from pg_index i
     cross join unnest(i.indkey) with ordinality as k (attnum, position)
     join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
     where i.indrelid = ${literal(name)}::regclass and i.indisprimary order by k.position`,
  );
  return keys.length === 0 ? '' : ` order by ${keys.map(([key = '']) => key).join(', ')}`;
}

/** Quotes `table` or `schema.table`; without a schema it is in `public`. */
function quoteName(table: string): string {
  const [first = '', second, third] = table.split('.');
  if (first === '' || second === '' || third !== undefined) {
    throw new CliError(`"${table}" is not the name of a table; write it as orders or as billing.invoice`);
  }
  const parts = second === undefined ? ['public', first] : [first, second];
  return parts.map((part) => `"${part.replaceAll('"', '""')}"`).join('.');
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
