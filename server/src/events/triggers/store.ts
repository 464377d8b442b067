/**
 * Administration of the events of triggers in the database of a source: manual events and redelivery.
 *
 * Delivery uses these functions of the schema `joinery` (server/migrations/sources/functions):
 *
 * - `claim_trigger_events(lease bigint, ahead interval, most integer, most_each integer, limits json, except_triggers integer[],
 *   inline integer) returns setof claimed_trigger_event`: claims due events of `trigger_work`, then new ones. `limits` has the most
 *   events of a trigger by its number and may be null. Rows over `inline` bytes are `large` and have null in `old` and `new`.
 *   Returns none without a valid lease, and none of a trigger whose events another node claims at this moment.
 * - `claimed_trigger_event`: number, seq, segment, batch, id, op (`INSERT`, `UPDATE`, `DELETE`, `MANUAL`), old, new, large, outdated,
 *   session, trace, ordering_key (JSON array), created_at (`2026-09-01T08:00:00.250000`, UTC), created_ms, due_ms, tries,
 *   requeued_ms, requeued_tries. `batch` is null for an event in `trigger_work`: a retry, a released, redelivered or ordered event.
 *   `outdated`: the table had changed, or a condition failed, so that rows are whole and conditions were not applied.
 * - `trigger_event_rows(number, segment, seq) returns (old text, new text)`: the rows of a large event.
 * - `confirm_trigger_events(lease, numbers integer[], seqs bigint[], batches bigint[]) returns setof (number, seq)`: those still claimed.
 * - `release_trigger_events(lease, numbers integer[], seqs bigint[], chosen boolean) returns integer`: frees these events, or, where
 *   `chosen` is false, all under the lease but these.
 * - `settle_trigger_events(outcomes json, agent text) returns setof uuid`: `outcomes` is an array of objects with `id`, `number`,
 *   `seq`, `segment`, `batch` (as claimed; null once a retry was written or the event was released), `lease`, `attempt` (from 1),
 *   `started_ms`, `duration_ms`, `code`, `request`, `response`, and either `status` (`delivered`, `error`, `dead`) or `retry_ms` with
 *   `keep`; `unlogged` omits the log. Returns the ids of events whose claim was lost.
 * - `sweep_trigger_events() returns integer`: frees the events of expired leases in `joinery.source_leases`.
 * - `event_id(number, seq) returns uuid`, `event_seq(uuid) returns (number, seq)`.
 *
 * NOTIFY `joinery_triggers` has the number of the trigger. Servers with `max_prepared_transactions` over 0 do not notify.
 */
import type { RedeliveredEvents } from '@joinery/metadata/api/events/lists';
import type { RedeliverEvents } from '@joinery/metadata/api/events/triggers';
import { printJson } from '../../base/json-value.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { sql } from '../../postgres/sql/sql.ts';

const invoke = fixedStatement(['number', 'payload', 'session', 'trace'], ['id'], (given) => {
  return sql`select joinery.invoke_trigger(${given.number}, ${given.payload}, ${given.session}, ${given.trace}) as id`;
});

export interface ManualEvent {
  /** JSON text. */
  readonly payload: string;
  /** JSON strings of the session variables and the trace of the caller. */
  readonly session?: string | undefined;
  readonly trace?: string | undefined;
}

/** Adds a manual event to the trigger and returns its id. */
export async function invokeTrigger(query: Query, number: number, event: ManualEvent): Promise<string> {
  const { payload, session, trace } = event;
  const id = (await invoke.row(query, { number, payload, session, trace }))?.id;
  if (typeof id !== 'string') throw new Error('the database returned no id for a manual event');
  return id;
}

const redeliver = fixedStatement(['id'], ['result'], ({ id }) => {
  return sql`select joinery.redeliver_trigger_event(${id}) as result`;
});

/** `busy`: the event is claimed by a node. `not-exists`: the source has no such event. */
export type Redelivery = 'ok' | 'busy' | 'not-exists';

/** Makes a finished or waiting event due at once, with a new retry budget. */
export async function redeliverTriggerEvent(query: Query, id: string): Promise<Redelivery> {
  const result = (await redeliver.row(query, { id }))?.result;
  return result === 'ok' || result === 'busy' ? result : 'not-exists';
}

const redeliverMany = fixedStatement(
  ['number', 'statuses', 'from', 'until', 'data', 'most'],
  ['redelivered', 'more'],
  ({ number, statuses, from, until, data, most }) => {
    return sql`select r.redelivered, r.more from joinery.redeliver_trigger_events(
      ${number}, ${statuses}::text[], ${from}::timestamptz, ${until}::timestamptz, ${data}::jsonb, ${most}) r`;
  },
);

/** Redelivers the finished events of the trigger that match the search, the earliest first. */
export async function redeliverTriggerEvents(
  query: Query,
  number: number,
  { status, from, until, data_contains: data, limit }: Omit<RedeliverEvents, 'name' | 'source'>,
): Promise<RedeliveredEvents> {
  const json = data === undefined || data === null ? null : printJson(data);
  const search = { statuses: status, from: from ?? null, until: until ?? null, data: json, most: limit };
  const row = await redeliverMany.row(query, { number, ...search });
  return { message: 'success', redelivered: Number(row?.redelivered ?? 0), more: row?.more === 't' };
}
