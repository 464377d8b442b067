/**
 * `get_event_orphans` and `remove_event_orphans`: what event triggers have left in a database, also in one that no source uses any
 * more. Only objects with the names that the service gives are listed, and none of another service whose nodes run.
 */
import { type EventOrphan, GetEventOrphans, RemoveEventOrphans } from '@joinery/metadata/api/events/maintenance';
import { DEFAULT_SOURCE, SourceName } from '@joinery/metadata/names';
import { isSupportedSource, type Source } from '@joinery/metadata/schema/sources';
import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../../postgres/client/pool.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { isPostgresError } from '../../postgres/sql/errors.ts';
import { fixedStatement, runStatement } from '../../postgres/sql/rows.ts';
import { literal, sql } from '../../postgres/sql/sql.ts';
import { readCommand } from '../commands/command.ts';
import type { CommandContext } from '../metadata/command-context.ts';
import type { State } from '../metadata/state.ts';
import { isUsedByOthers, triggerOwner } from './owner.ts';
import { hasTriggerTables } from './reconcile.ts';

interface Place {
  readonly source?: SourceName | null | undefined;
  readonly database_url?: string | { readonly from_env: string } | null | undefined;
}

export const getEventOrphans = readCommand(GetEventOrphans, async (args, { state }, context) => {
  const { database, isLeft } = await databaseOf(args, state, context);
  return { orphans: await findOrphans(database.query, state, context, isLeft) };
});

/** Milliseconds that the removal waits for transactions that use the objects. */
const LOCK_TIMEOUT_MS = 5_000;

export const removeEventOrphans = readCommand(RemoveEventOrphans, async ({ names, ...args }, { state }, context) => {
  const { database, isLeft } = await databaseOf(args, state, context);
  return database.transaction(async (query) => {
    const orphans = await findOrphans(query, state, context, isLeft);
    for (const [index, name] of names.entries()) {
      if (orphans.some((one) => one.name === name)) continue;
      throw new ServiceError('not-exists', `there is no orphan "${name}"`, { path: `$.args.names[${index}]` });
    }
    const removed = orphans.filter(({ name }) => names.includes(name));
    await runStatement(query, sql`set local lock_timeout = ${literal(`${LOCK_TIMEOUT_MS}ms`)}`);
    for (const { sql: text } of removed) await query({ text, values: [] });
    return { removed };
  });
});

interface OrphanDatabase {
  readonly database: Database;
  /** Whether no source uses the database. */
  readonly isLeft: boolean;
}

async function databaseOf(
  { source, database_url: url }: Place,
  state: State,
  context: CommandContext,
): Promise<OrphanDatabase> {
  const { sources } = context.tools;
  if (url == null) {
    const name = source ?? DEFAULT_SOURCE;
    const found = state.metadata.sources.find((one) => one.name === name);
    if (found !== undefined) return { database: sources.of(found), isLeft: false };
    throw new ServiceError('not-exists', `source with name "${name}" does not exist`, { path: '$.args.source' });
  }
  const left: Source = {
    name: SourceName.parse('database_url'),
    kind: 'postgres',
    tables: [],
    configuration: { connection_info: { database_url: url } },
  };
  const database = sources.of(left);
  const given = await identityOf(database);
  for (const one of state.metadata.sources.filter(isSupportedSource)) {
    if (!isSame(await identityOf(sources.of(one)), given)) continue;
    const message = `the database is that of source "${one.name}"; give the source instead of its URL`;
    throw new ServiceError('not-supported', message, { path: '$.args.database_url' });
  }
  // Closes the pool after the grace period.
  sources.retain(state.metadata);
  return { database, isLeft: true };
}

interface DatabaseIdentity {
  readonly oid: string | null;
  readonly started: string | null;
  /** Undefined where the role or the service of the database does not allow to read it. */
  readonly cluster: string | null | undefined;
}

const identity = fixedStatement([], ['oid', 'started'], () => {
  return sql`select d.oid, pg_postmaster_start_time() as started from pg_catalog.pg_database d where d.datname = current_database()`;
});

const cluster = fixedStatement(
  [],
  ['cluster'],
  () => sql`select c.system_identifier as cluster from pg_control_system() c`,
);

/** Insufficient privilege, not supported, undefined function: as in joinery.cluster_id, which not every database has. */
const UNREADABLE: ReadonlySet<string> = new Set(['42501', '0A000', '42883']);

async function identityOf({ query }: Database): Promise<DatabaseIdentity> {
  const row = await identity.row(query, {});
  const read = cluster.row(query, {}).catch((error: unknown) => {
    if (isPostgresError(error) && UNREADABLE.has(error.code)) return undefined;
    throw error;
  });
  return { oid: row?.oid ?? null, started: row?.started ?? null, cluster: (await read)?.cluster };
}

/** Whether both are the same database of a server, regardless of its address. */
function isSame(one: DatabaseIdentity, other: DatabaseIdentity): boolean {
  if (one.oid !== other.oid) return false;
  if (one.cluster === undefined || other.cluster === undefined) return one.started === other.started;
  return one.cluster === other.cluster;
}

const kinds: readonly EventOrphan['kind'][] = ['trigger', 'function', 'table', 'schema', 'hasura_trigger'];

async function findOrphans(
  query: Query,
  { metadata }: State,
  context: CommandContext,
  isLeft: boolean,
): Promise<readonly EventOrphan[]> {
  const { database: store } = context.tools.store;
  const triggers = metadata.sources.flatMap(({ name: source, tables }) =>
    tables.flatMap(({ event_triggers: list = [] }) => list.map(({ name }) => ({ source, name }))),
  );
  const names = isLeft ? [] : triggers.map(({ name }) => name);
  const rows = [...(await hasuraOrphans.rows(query, { names }))];
  if (await hasTriggerTables(query)) {
    const owners = await Promise.all(triggers.map(({ source }) => triggerOwner(store, source)));
    const wanted = isLeft ? [] : triggers.map(({ name }, index) => `${owners[index]} ${name}`);
    const own = await triggerOwner(store, DEFAULT_SOURCE);
    const all = isLeft && !(await isUsedByOthers(query, store));
    rows.push(...(await ownOrphans.rows(query, { wanted, all, prefix: own.slice(0, own.indexOf('/') + 1) })));
    if (all) rows.push(schemaOrphan);
  }
  const orphans = rows.map(({ kind, name, schema, table, sql: text }): EventOrphan => {
    const on = schema === null || table === null ? undefined : { schema, name: table };
    return {
      kind: kinds.find((one) => one === kind) ?? 'table',
      name: name ?? '',
      ...(on && { table: on }),
      sql: text ?? '',
    };
  });
  return orphans.sort((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind));
}

const columns = ['kind', 'name', 'schema', 'table', 'sql'] as const;

/** Triggers of this service, or of all, that are not wanted, and objects with the names of triggers that do not exist. */
const ownOrphans = fixedStatement(['wanted', 'all', 'prefix'], columns, ({ wanted, all, prefix }) => {
  return sql`select 'trigger' as kind, t.name, t.table_schema as schema, t.table_name as table,
      format('select joinery.remove_trigger(%s);', t.number) as sql
    from joinery.triggers t
    where (${all}::boolean or t.owner = '' or starts_with(t.owner, ${prefix}))
      and t.owner || ' ' || t.name <> all (${wanted}::text[])
    union all
    select 'function', p.proname, g.schema, g.table, format('drop function joinery.%I() cascade;', p.proname)
    from pg_catalog.pg_proc p
    left join lateral (
      select s.nspname as schema, c.relname as table from pg_catalog.pg_trigger g
      join pg_catalog.pg_class c on c.oid = g.tgrelid join pg_catalog.pg_namespace s on s.oid = c.relnamespace
      where g.tgfoid = p.oid and g.tgparentid = 0 limit 1
    ) g on true
    where p.pronamespace = 'joinery'::regnamespace and p.prorettype = 'trigger'::regtype
      and p.proname ~ '^joinery_[0-9]{1,8}_(insert|update|delete)$'
      and not exists (select from joinery.triggers t where t.number::text = split_part(p.proname, '_', 2))
    union all
    select 'table', c.relname, null, null,
      format(case c.relkind when 'S' then 'drop sequence joinery.%I;' else 'drop table joinery.%I;' end, c.relname)
    from pg_catalog.pg_class c
    where c.relnamespace = 'joinery'::regnamespace and (
      c.relkind = 'r' and c.relname ~ '^trigger_[0-9]{1,8}_(log_)?s[0-9]{1,9}$' and not exists (
        select from joinery.trigger_segments s
        where s.number::text = split_part(c.relname, '_', 2) and s.segment::text = substring(c.relname from '[0-9]+$')
      )
      or c.relkind = 'S' and c.relname ~ '^trigger_[0-9]{1,8}_seq$'
        and not exists (select from joinery.triggers t where t.number::text = split_part(c.relname, '_', 2))
    )
    order by 1, 2`;
});

/** The tables and functions of all event triggers, and the schema where it has nothing else. */
const schemaOrphan = {
  kind: 'schema',
  name: 'joinery',
  schema: null,
  table: null,
  sql: 'select joinery.remove_trigger(t.number) from joinery.triggers t; select joinery.remove_trigger_tables();',
};

const hasuraOrphans = fixedStatement(['names'], columns, ({ names }) => {
  return sql`select 'hasura_trigger' as kind, p.proname as name, g.schema, g.table,
      format('drop function hdb_catalog.%I() cascade;', p.proname) as sql
    from pg_catalog.pg_proc p
    left join lateral (
      select s.nspname as schema, c.relname as table from pg_catalog.pg_trigger g
      join pg_catalog.pg_class c on c.oid = g.tgrelid join pg_catalog.pg_namespace s on s.oid = c.relnamespace
      where g.tgfoid = p.oid and g.tgparentid = 0 limit 1
    ) g on true
    where p.pronamespace = to_regnamespace('hdb_catalog') and p.proname ~ '^notify_hasura_.*_(INSERT|UPDATE|DELETE)$'
      and substring(p.proname from '^notify_hasura_(.*)_[A-Z]+$') <> all (${names}::text[])
    order by p.proname`;
});
