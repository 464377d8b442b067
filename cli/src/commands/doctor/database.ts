/** Checks of a source: version, privileges, clock, and indexes for relationships. */
import type {
  ExportedMetadata,
  ExportedRelationshipUsing,
  QualifiedName,
} from '@joinery/metadata/document/exported-metadata';
import type { Connection } from '../../client/connection.ts';
import { readRows } from '../migrate/state.ts';
import { type Finding, finding } from './finding.ts';

const oldest = 120_000;
/** Seconds. */
const mostSkew = 5;

export async function checkDatabase(
  connection: Connection,
  metadata: ExportedMetadata,
  source: string,
): Promise<readonly Finding[]> {
  const check = `database ${source}`;
  const before = Date.now();
  const [row = []] = await readRows(
    connection,
    source,
    `select current_setting('server_version_num'), current_setting('server_version'), extract(epoch from clock_timestamp()),
       has_database_privilege(current_database(), 'create'), pg_is_in_recovery()`,
  );
  const after = Date.now();
  const [number = '0', version = '', epoch = '0', mayCreate, isCopy] = row;
  return [
    Number(number) >= oldest
      ? finding(check, 'ok', `PostgreSQL ${version}`)
      : finding(check, 'warning', `PostgreSQL ${version} is older than 12`, 'upgrade it'),
    mayCreate === 't'
      ? finding(check, 'ok', 'its user may create schemas')
      : finding(
          check,
          'warning',
          'its user may not create schemas',
          'grant create on the database, or create the schema "joinery" for it, before migrations are applied',
        ),
    ...(isCopy === 't' ? [finding(check, 'problem', 'it is a read-only copy', 'name the primary as the source')] : []),
    checkClock(check, Number(epoch) * 1000, before, after),
    ...(await checkRights(connection, metadata, source, check)),
    ...(await checkIndexes(connection, metadata, source, check)),
  ];
}

/** Compares the clocks; the database read its clock between `before` and `after`. */
function checkClock(check: string, database: number, before: number, after: number): Finding {
  const skew = database < before ? database - before : database > after ? database - after : 0;
  const seconds = Math.abs(skew / 1000);
  if (seconds <= mostSkew) return finding(check, 'ok', 'its clock is that of this machine');
  return finding(
    check,
    'warning',
    `its clock is ${Math.round(seconds)} s ${skew < 0 ? 'behind' : 'ahead of'} this machine's`,
    'let both follow NTP; events are called by the clock of the database',
  );
}

async function checkRights(
  connection: Connection,
  metadata: ExportedMetadata,
  source: string,
  check: string,
): Promise<readonly Finding[]> {
  const tables = (sourceOf(metadata, source)?.tables ?? []).map(({ table }) => table);
  if (tables.length === 0) return [finding(check, 'ok', 'no tables are tracked')];
  const rows = await readRows(
    connection,
    source,
    `select n.nspname, c.relname from (values ${tables.map((one) => `(${texts(one)})`).join(', ')}) wanted(sch, tab)
     join pg_namespace n on n.nspname = sch join pg_class c on c.relnamespace = n.oid and c.relname = tab
     where not has_table_privilege(c.oid, 'select') or not has_schema_privilege(n.oid, 'usage')`,
  );
  if (rows.length === 0) return [finding(check, 'ok', `its user may read the ${tables.length} tracked tables`)];
  return rows.map(([schema, name]) =>
    finding(
      check,
      'problem',
      `its user may not read ${schema}.${name}`,
      `grant usage on schema ${schema} and select on ${schema}.${name} to it`,
    ),
  );
}

interface Wanted {
  readonly table: QualifiedName;
  readonly columns: readonly string[];
  /** The relationship that reads by these columns. */
  readonly by: string;
}

async function checkIndexes(
  connection: Connection,
  metadata: ExportedMetadata,
  source: string,
  check: string,
): Promise<readonly Finding[]> {
  const wanted = wantedIndexes(metadata, source);
  if (wanted.length === 0) return [];
  const values = wanted.map(
    ({ table, columns }, index) => `(${index}, ${texts(table)}, array[${columns.map(literal).join(', ')}]::text[])`,
  );
  const rows = await readRows(
    connection,
    source,
    `select at from (values ${values.join(', ')}) wanted(at, sch, tab, cols)
     join pg_namespace n on n.nspname = sch join pg_class c on c.relnamespace = n.oid and c.relname = tab
     where c.relkind in ('r', 'p', 'm') and not exists (
       select from pg_index i where i.indrelid = c.oid and i.indisvalid and i.indpred is null and (
         select array_agg(a.attname::text) from unnest(i.indkey::int2[]) with ordinality key(number, place)
         join pg_attribute a on a.attrelid = c.oid and a.attnum = key.number where place <= cardinality(cols)
       ) @> cols)
     order by at`,
  );
  if (rows.length === 0) return [finding(check, 'ok', `${wanted.length} relationships read by an index`)];
  return rows.map(([at]) => {
    const { table, columns, by } = wanted[Number(at)] as Wanted;
    const name = `${quoted(table.schema)}.${quoted(table.name)}`;
    return finding(
      check,
      'warning',
      `${by} reads ${table.schema}.${table.name} by ${columns.join(', ')} without an index`,
      `create index concurrently on ${name} (${columns.map(quoted).join(', ')})`,
    );
  });
}

function wantedIndexes(metadata: ExportedMetadata, source: string): readonly Wanted[] {
  const found = new Map<string, Wanted>();
  const add = (wanted: Wanted | undefined): void => {
    if (wanted === undefined || wanted.columns.length === 0) return;
    const id = JSON.stringify([wanted.table, [...wanted.columns].sort()]);
    if (!found.has(id)) found.set(id, wanted);
  };
  for (const { table, object_relationships = [], array_relationships = [] } of sourceOf(metadata, source)?.tables ??
    []) {
    for (const { name, using } of [...object_relationships, ...array_relationships]) {
      add(wantedBy(using, `relationship "${name}" of ${table.name}`));
    }
  }
  for (const { name: type, relationships } of metadata.custom_types?.objects ?? []) {
    for (const relationship of relationships ?? []) {
      if (!('remote_table' in relationship) || (relationship.source ?? 'default') !== source) continue;
      const { name, remote_table: table, field_mapping } = relationship;
      const by = `relationship "${name}" of the action type ${type}`;
      add({ table, columns: Object.values(field_mapping), by });
    }
  }
  return [...found.values()];
}

/** The table and columns that a relationship reads by; undefined for a foreign key of the table itself, whose target has an index. */
function wantedBy(using: ExportedRelationshipUsing, by: string): Wanted | undefined {
  if ('manual_configuration' in using) {
    const { manual_configuration: manual } = using;
    if (!('remote_table' in manual)) return undefined;
    return { table: manual.remote_table, columns: Object.values(manual.column_mapping), by };
  }
  const key = using.foreign_key_constraint_on;
  if (typeof key !== 'object' || !('table' in key)) return undefined;
  const columns = 'column' in key ? [key.column] : key.columns;
  return { table: key.table, columns: typeof columns === 'string' ? [columns] : columns, by };
}

function sourceOf(metadata: ExportedMetadata, name: string) {
  return metadata.sources.find((one) => one.name === name);
}

function texts({ schema, name }: QualifiedName): string {
  return `${literal(schema)}, ${literal(name)}`;
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
