/** The index of the payloads of scheduled events. There is none by default, because it slows down every insert. */
import type { PayloadIndex } from '@joinery/metadata/api/events/search';
import { printJson } from '../../base/json-value.ts';
import type { Database } from '../../postgres/client/pool.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement, queryRows } from '../../postgres/sql/rows.ts';
import { ident, integer, type Sql, sql, value } from '../../postgres/sql/sql.ts';

const tables = ['scheduled_events', 'processed_events'] as const;

/** The indexes of payloads, also those with a name of the user. */
const read = fixedStatement([], ['table_name', 'index_name', 'is_valid', 'is_built'], () => {
  return sql`select c.relname as table_name, i.indexrelid::regclass as index_name, i.indisvalid as is_valid,
      exists (select from pg_catalog.pg_stat_progress_create_index p where p.index_relid = i.indexrelid) as is_built
    from pg_catalog.pg_index i join pg_catalog.pg_class c on c.oid = i.indrelid
    where i.indrelid in ('joinery.scheduled_events'::regclass, 'joinery.processed_events'::regclass)
      and i.indpred is null and pg_get_indexdef(i.indexrelid) like '% USING gin (joinery.event_payload(payload)%'`;
});

/** The database whose index this process is creating. */
const creating = new WeakSet<Database>();

/** Between the indexes of the two tables none is being built: then the state is that of this process. */
export async function readPayloadIndex(database: Database): Promise<PayloadIndex> {
  if (creating.has(database)) return { state: 'building' };
  return stateIn(database.query);
}

async function stateIn(query: Query): Promise<PayloadIndex> {
  const indexes = await read.rows(query, {});
  const isValid = (table: string): boolean =>
    indexes.some(({ table_name, is_valid }) => table_name === table && is_valid === 't');
  if (tables.every(isValid)) return { state: 'present' };
  return { state: indexes.some(({ is_built }) => is_built === 't') ? 'building' : 'absent' };
}

/** Starts to create the index where it is absent. Writes continue meanwhile. */
export async function createPayloadIndex(database: Database): Promise<PayloadIndex> {
  const { state } = await readPayloadIndex(database);
  if (state === 'present') return { state };
  if (state === 'absent') {
    creating.add(database);
    // The next command that reads the state reports an index that was not created.
    create(database)
      .catch(() => undefined)
      .finally(() => creating.delete(database));
  }
  return { state: 'building' };
}

async function create({ session }: Database): Promise<void> {
  await session(async (query) => {
    await query({ text: 'set statement_timeout = 0', values: [] });
    const indexes = await read.rows(query, {});
    for (const table of tables) {
      if (indexes.some(({ table_name, is_valid }) => table_name === table && is_valid === 't')) continue;
      // Left by a creation that was interrupted.
      await query({ text: `drop index concurrently if exists joinery.${table}_payload`, values: [] });
      await query({
        text: `create index concurrently ${table}_payload on joinery.${table}
          using gin (joinery.event_payload(payload) jsonb_path_ops)`,
        values: [],
      });
    }
  });
}

/** Events that are found by the index at once, at most. More of them are found sooner in order of time. */
const MOST_MATCHES = 10_000;

/** Returns the ids of all events with the payload, by the index. Undefined without the index, and where there are too many. */
export async function findByPayload(query: Query, payload: unknown): Promise<readonly string[] | undefined> {
  if ((await stateIn(query)).state !== 'present') return undefined;
  const contained = value(printJson(payload));
  const matches = (table: Sql): Sql => sql`(select e.id from ${table} e
    where joinery.event_payload(e.payload) @> ${contained}::jsonb limit ${integer(MOST_MATCHES + 1)})`;
  const [one, other] = tables.map((table) => matches(ident('joinery', table)));
  if (one === undefined || other === undefined) return undefined;
  const rows = await queryRows(query, sql`${one} union all ${other}`, ['id']);
  return rows.length > MOST_MATCHES ? undefined : rows.map(({ id }) => id ?? '');
}
