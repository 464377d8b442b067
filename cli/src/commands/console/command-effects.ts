/** What a command of the console changes: the metadata, and the schema of databases by SQL. */
import type { MigrationRequest } from '@joinery/metadata/api/project';
import { commands as edits } from '@joinery/metadata/commands/registry';
import { isJsonObject } from '@joinery/metadata/json';
import { changesSchema, migrationName } from '@joinery/metadata/sql/undo';

/** A parsed command of the metadata API. */
export interface Command {
  readonly type: string;
  readonly args: unknown;
  readonly migration?: MigrationRequest | undefined;
}

/** SQL that becomes a migration. */
export interface SchemaSql {
  readonly source: string;
  readonly sql: string;
  /** Whether it runs outside of a transaction. */
  readonly outside: boolean;
}

export interface CommandEffects {
  /** Whether the metadata may be another one afterwards. */
  readonly metadata: boolean;
  /** In order; several of one source are one migration. */
  readonly sql: readonly SchemaSql[];
}

const others: ReadonlySet<string> = new Set(['clear_metadata', 'drop_inconsistent_metadata', 'set_api_limits']);
const bulks: ReadonlySet<string> = new Set(['bulk', 'bulk_keep_going', 'bulk_atomic']);

/** Returns undefined for a body that is no command; the service reports its error. */
export function readCommand(text: string): Command | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return commandOf(body);
  } catch {
    return undefined;
  }
}

export function effectsOf({ type, args, migration }: Command): CommandEffects {
  if (bulks.has(type)) {
    const all = (Array.isArray(args) ? args : []).flatMap((element) => {
      const command = commandOf(element);
      return command === undefined ? [] : [effectsOf({ migration, ...command })];
    });
    return { metadata: all.some(({ metadata }) => metadata), sql: all.flatMap(({ sql }) => sql) };
  }
  const given = isJsonObject(args) ? args : {};
  if (/^(?:pg_|postgres_|citus_|cockroach_)?run_sql$/.test(type)) return effectsOfSql(given, migration);
  if (type === 'replace_metadata') return { metadata: given.dry_run !== true, sql: [] };
  return { metadata: edits.has(type) || others.has(type), sql: [] };
}

function effectsOfSql(
  args: Readonly<Record<string, unknown>>,
  migration: MigrationRequest | undefined,
): CommandEffects {
  const { sql, source = 'default', read_only: isReadOnly, transaction, no_transaction: isOutside } = args;
  if (typeof sql !== 'string' || typeof source !== 'string' || isReadOnly === true) return { metadata: false, sql: [] };
  const isSchema = changesSchema(sql);
  const outside = transaction === false || isOutside === true;
  const isWritten = migration?.write ?? isSchema;
  return { metadata: isSchema || isWritten, sql: isWritten ? [{ source, sql, outside }] : [] };
}

/** Returns the command with its object, such as `pg_track_table public.author`. */
export function titleOf({ type, args }: Command): string {
  if (bulks.has(type)) {
    const list = (Array.isArray(args) ? args : []).flatMap((element) => commandOf(element) ?? []);
    const [first] = list;
    if (first === undefined) return type;
    return list.length === 1 ? titleOf(first) : `${titleOf(first)} and ${list.length - 1} more`;
  }
  const given = isJsonObject(args) ? args : {};
  if (typeof given.sql === 'string') return `SQL ${migrationName(given.sql)}`;
  const [first] = [given.table, given.function, given.name, given.source].filter((one) => one !== undefined);
  const name = isJsonObject(first) ? [first.schema, first.name].filter(Boolean).join('.') : first;
  return typeof name === 'string' && name !== '' ? `${type} ${name}` : type;
}

function commandOf(body: unknown): Command | undefined {
  if (!isJsonObject(body) || typeof body.type !== 'string') return undefined;
  const migration = isJsonObject(body.migration) ? (body.migration as MigrationRequest) : undefined;
  return { type: body.type, args: body.args, ...(migration !== undefined && { migration }) };
}
