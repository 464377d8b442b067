/** Statements that claim events under a lease, confirm claims and release them. */
import type { Query } from '../../postgres/client/statement-run.ts';
import { type PendingEvent, pendingColumns, readPending } from '../types/pending-event.ts';

export interface Claim {
  /** Claims events that are due within this many milliseconds. */
  readonly aheadMs: number;
  readonly most: number;
  /** Destination queues whose events are not claimed. */
  readonly exceptQueues: readonly string[];
  /** If set, claims at most this many events of each lane, lane by lane, so that one backlog does not block another. */
  readonly mostEach?: number;
}

const claimText = `select ${pendingColumns} from joinery.claim_events($1, $2 * interval '1 ms', $3, $4::text[])`;
const claimByLaneText = `select ${pendingColumns}
  from joinery.claim_events_by_lane($1, $2 * interval '1 ms', $3, $4, $5::text[])`;

/** Claims events and returns them in no particular order. Returns none if the lease is not valid. */
export async function claimEvents(
  query: Query,
  name: StatementNames,
  lease: string,
  claim: Claim,
): Promise<PendingEvent[]> {
  const { aheadMs, most, mostEach, exceptQueues } = claim;
  const text = mostEach === undefined ? claimText : claimByLaneText;
  const each = mostEach === undefined ? [] : [mostEach];
  const result = await query({ text, values: [lease, aheadMs, most, ...each, exceptQueues], name: name(text) });
  return result.rows.map(readPending);
}

/** Returns the name of the prepared statement for an SQL text; undefined if it is not prepared. */
export type StatementNames = (text: string) => string | undefined;

/**
 * `is not distinct from` makes the planner use the primary key. The index of leases would match every claimed event if
 * only one node runs.
 */
const claimedText = `select e.id from joinery.scheduled_events e
  where e.id = any ($1::uuid[]) and e.lease is not distinct from $2::bigint
    and (select joinery.lease_is_valid($2::bigint))
    and (e.ordering_key is null or not exists (
      select from joinery.scheduled_events o where o.ordering_key = e.ordering_key and o.lease > 0 and o.id <> e.id
    ))`;

/**
 * Returns those of `ids` that are still claimed under the lease: the lease is valid, the event was not deleted, changed
 * or claimed by another node, and no other event with its ordering key is claimed.
 */
export async function stillClaimed(query: Query, lease: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const result = await query({ text: claimedText, values: [ids, lease] });
  return new Set(result.rows.map((row) => row[0] ?? ''));
}

const releaseText =
  'update joinery.scheduled_events set lease = null where id = any ($1::uuid[]) and lease is not distinct from $2::bigint';

/** Releases the events so that any node can claim them. */
export async function releaseEvents(query: Query, lease: string, ids: readonly string[]): Promise<void> {
  await query({ text: releaseText, values: [ids, lease] });
}

const releaseOthersText = `update joinery.scheduled_events set lease = null
  where lease = $1 and id <> all ($2::uuid[])`;

/** Releases events under the lease that are not in `known`: a claim whose result was lost left them there. */
export async function releaseOthers(query: Query, lease: string, known: readonly string[]): Promise<void> {
  await query({ text: releaseOthersText, values: [lease, known] });
}

const payloadText =
  'select payload from joinery.scheduled_events where id = $1 and lease is not distinct from $2::bigint';

/** Returns the payload as JSON text; undefined if the event is no longer claimed. */
export async function fetchPayload(query: Query, lease: string, id: string): Promise<string | undefined> {
  const result = await query({ text: payloadText, values: [id, lease] });
  return result.rows[0]?.[0] ?? undefined;
}
