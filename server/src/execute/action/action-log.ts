/** The log of asynchronous actions, `joinery.action_log`, with all of its statements. */

import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement, runStatement } from '../../postgres/sql/rows.ts';
import { integer, type Sql, sql, value } from '../../postgres/sql/sql.ts';

/** The channel on which new entries are announced. */
export const actionsChannel = 'joinery_actions';

/** A submitted action. Members other than the name are JSON texts. */
export interface NewEntry {
  readonly actionName: string;
  readonly input: string;
  readonly headers: string;
  readonly session: string;
}

const submit = fixedStatement(['actionName', 'input', 'headers', 'session'], ['id'], (entry) => {
  return sql`insert into joinery.action_log (action_name, input_payload, request_headers, session_variables)
    values (${entry.actionName}, ${entry.input}, ${entry.headers}, ${entry.session}) returning id`;
});

/** Adds an entry and returns its id. */
export async function submitEntry(query: Query, entry: NewEntry): Promise<string> {
  const { actionName, input, headers, session } = entry;
  return (await submit.row(query, { actionName, input, headers, session }))?.id ?? '';
}

/**
 * Reads entries for many readers, from lists of known marks, ids and action names. Returns `position`, the JSON text of an
 * `EntryRead` and its mark. The text is null if the mark is known. The statuses `created` and `processing` have the same
 * mark, so a change between them is not reported.
 */
export const readEntries = fixedStatement(
  ['known', 'ids', 'names'],
  ['position', 'entry', 'mark'],
  ({ known, ids, names }) => sql`
    select a.position, case when m.mark is distinct from a.known then m.entry end as entry, m.mark
    from unnest(${known}::text[], ${ids}::text[], ${names}::text[]) with ordinality as a (known, id, name, position)
    left join joinery.action_log l on l.id = a.id::uuid and l.action_name = a.name
    cross join lateral (
      select
        case when l.id is null then 'null' else json_build_object(
          'id', l.id, 'createdAt', l.created_at, 'status', l.status, 'session', l.session_variables,
          'response', l.response_payload, 'errors', l.errors
        )::text end as entry,
        case when l.status in ('created', 'processing') then 'open' else coalesce(l.status, '') end as mark
      offset 0
    ) m`,
);

/** An entry as returned to readers. */
export interface EntryRead {
  readonly id: string;
  readonly createdAt: string;
  readonly status: 'created' | 'processing' | 'completed' | 'error';
  readonly session: Readonly<Record<string, string>>;
  readonly response: unknown;
  readonly errors: Readonly<Record<string, unknown>> | null;
}

/** An entry claimed by a node. */
export interface ClaimedEntry {
  readonly id: string;
  readonly actionName: string;
  /** JSON texts. */
  readonly input: string;
  readonly headers: string;
  readonly session: string;
  /** Number of previous calls. */
  readonly tries: number;
  /** The time of the claim minus the time when the entry was due. */
  readonly lateMs: number;
}

const claimColumns = [
  'id',
  'action_name',
  'input_payload',
  'request_headers',
  'session_variables',
  'tries',
  'late_ms',
] as const;
const claim = fixedStatement(['lease', 'names', 'rooms', 'max'], claimColumns, ({ lease, names, rooms, max }) => {
  return sql`with due as materialized (
    select c.id from unnest(${names}::text[], ${rooms}::int[]) as w (name, room) cross join lateral (
      select l.id from joinery.action_log l
      where l.status = 'created' and l.action_name = w.name and l.due_at <= clock_timestamp()
      order by l.due_at limit w.room
      for update of l skip locked
    ) c
    where (select joinery.lease_is_valid(${lease}))
    limit ${max}
  )
  update joinery.action_log l set status = 'processing', lease = ${lease}
  from due where l.id = due.id
  returning l.id, l.action_name, l.input_payload, l.request_headers, l.session_variables, l.tries,
    extract(epoch from clock_timestamp() - l.due_at) * 1000 as late_ms`;
});

/**
 * Claims due entries under the lease: for each action at most the number in `slots`, and at most `max` in total. Claims
 * none if the lease is not valid.
 */
export async function claimEntries(
  query: Query,
  lease: string,
  slots: ReadonlyMap<string, number>,
  max: number,
): Promise<readonly ClaimedEntry[]> {
  const rows = await claim.rows(query, { lease, names: [...slots.keys()], rooms: [...slots.values()], max });
  return rows.map((row) => ({
    id: row.id ?? '',
    actionName: row.action_name ?? '',
    input: row.input_payload ?? '{}',
    headers: row.request_headers ?? '{}',
    session: row.session_variables ?? '{}',
    tries: Number(row.tries),
    lateMs: Number(row.late_ms),
  }));
}

/** The outcome of a call. Members are JSON texts. */
export type EntryOutcome = (
  | { readonly kind: 'completed'; readonly response: string }
  | { readonly kind: 'error'; readonly errors: string }
  | { readonly kind: 'retry'; readonly inMs: number }
) & {
  /** The call for the log. */
  readonly call?: string | undefined;
};

/** Calls of an entry that are logged: the last ones. */
const MAX_CALLS = 20;

/** The column `calls` with one more call. */
const withCall = (call: Sql): Sql => sql`case when ${call}::jsonb is null then calls else
  case when jsonb_array_length(calls) >= ${integer(MAX_CALLS)} then calls - 0 else calls end || ${call}::jsonb end`;

const complete = fixedStatement(['id', 'lease', 'tries', 'status', 'response', 'errors', 'call'], [], (given) => {
  return sql`update joinery.action_log set status = ${given.status}, response_payload = ${given.response},
      errors = ${given.errors}, lease = null, tries = tries + 1, response_received_at = clock_timestamp(),
      request_headers = request_headers - 'authorization' - 'cookie', calls = ${withCall(given.call)}
    where id = ${given.id} and lease = ${given.lease} and tries = ${given.tries}`;
});

const retry = fixedStatement(['id', 'lease', 'tries', 'inMs', 'call'], [], ({ id, lease, tries, inMs, call }) => {
  return sql`update joinery.action_log set status = 'created', lease = null, tries = tries + 1,
      due_at = clock_timestamp() + ${inMs} * interval '1 ms', calls = ${withCall(call)}
    where id = ${id} and lease = ${lease} and tries = ${tries}`;
});

/**
 * Records the outcome of a call. Returns false and changes nothing if the entry was deleted, is claimed under another lease, or has the
 * outcome of this call already, also where it is claimed for the next one.
 */
export async function settleEntry(
  query: Query,
  lease: string,
  { id, tries }: Pick<ClaimedEntry, 'id' | 'tries'>,
  outcome: EntryOutcome,
): Promise<boolean> {
  const call = outcome.call ?? null;
  if (outcome.kind === 'retry') {
    return (await retry.run(query, { id, lease, tries, inMs: outcome.inMs, call })).rowCount > 0;
  }
  const response = outcome.kind === 'completed' ? outcome.response : null;
  const errors = outcome.kind === 'error' ? outcome.errors : null;
  return (await complete.run(query, { id, lease, tries, status: outcome.kind, response, errors, call })).rowCount > 0;
}

const release = fixedStatement(['lease', 'except'], [], ({ lease, except }) => {
  return sql`update joinery.action_log set status = 'created', lease = null
    where lease = ${lease} and id <> all (${except}::uuid[])`;
});

/** Releases the entries claimed under the lease, except those with the ids `except`. */
export async function releaseEntries(query: Query, lease: string, except: readonly string[]): Promise<void> {
  await release.run(query, { lease, except });
}

const sweep = fixedStatement([], ['released'], () => sql`select joinery.sweep_actions() as released`);

/** Removes expired leases and releases entries whose lease does not exist. Returns the number of released entries. */
export async function sweepEntries(query: Query): Promise<number> {
  return Number((await sweep.row(query, {}))?.released ?? 0);
}

const expire = fixedStatement(['days', 'max'], [], ({ days, max }) => {
  return sql`delete from joinery.action_log where id in (
      select id from joinery.action_log where response_received_at < clock_timestamp() - ${days} * interval '1 day'
      limit ${max} for update skip locked
    )`;
});

/** Deletes at most `max` entries that were completed more than `days` days ago. Returns their number. */
export async function expireEntries(query: Query, days: number, max: number): Promise<number> {
  return (await expire.run(query, { days, max })).rowCount;
}

/** Deletes all entries of an action. */
export async function clearEntries(query: Query, actionName: string): Promise<void> {
  await runStatement(query, sql`delete from joinery.action_log where action_name = ${value(actionName)}`);
}
