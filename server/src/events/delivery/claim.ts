/** Puts free events that are due soon under a lease, asks whether they still are, and lets them go. */
import type { Query } from '../../postgres/client/pool.ts';
import { type PendingEvent, pendingColumns, readPending } from '../types/pending-event.ts';

export interface Claim {
  /** Milliseconds from now; later events are left for later. */
  readonly aheadMs: number;
  readonly most: number;
  /** DestinationQueues that are to get nothing now. */
  readonly exceptLanes: readonly string[];
  /** Set: at most so many events from each lane, found lane by lane, so that no backlog stands in front of another. */
  readonly mostEach?: number;
}

const claimText = `select ${pendingColumns} from joinery.claim_events($1, $2 * interval '1 ms', $3, $4::text[])`;
const claimByLaneText = `select ${pendingColumns}
  from joinery.claim_events_by_lane($1, $2 * interval '1 ms', $3, $4, $5::text[])`;

/** The claimed events, in no order. None unless the lease is valid. */
export async function claimEvents(
  query: Query,
  name: StatementNames,
  lease: string,
  claim: Claim,
): Promise<PendingEvent[]> {
  const { aheadMs, most, mostEach, exceptLanes } = claim;
  const text = mostEach === undefined ? claimText : claimByLaneText;
  const each = mostEach === undefined ? [] : [mostEach];
  const result = await query({ text, values: [lease, aheadMs, most, ...each, exceptLanes], name: name(text) });
  return result.rows.map(readPending);
}

/** The name to prepare a text under. */
export type StatementNames = (text: string) => string | undefined;

/**
 * Under "is not distinct from" the planner goes by the primary key: in the index of leases, that of a lone node matches
 * everything that is claimed.
 */
const heldText = `select e.id from joinery.scheduled_events e
  where e.id = any ($1::uuid[]) and e.lease is not distinct from $2::bigint
    and (select joinery.lease_is_valid($2::bigint))
    and (e.ordering_key is null or not exists (
      select from joinery.scheduled_events o where o.ordering_key = e.ordering_key and o.lease > 0 and o.id <> e.id
    ))`;

/**
 * Those of `ids` that are still there and under the lease, which is valid: neither deleted, nor changed, nor taken over;
 * and no other event of the same ordering key is under any lease.
 */
export async function stillClaimed(query: Query, lease: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const result = await query({ text: heldText, values: [ids, lease] });
  return new Set(result.rows.map((row) => row[0] ?? ''));
}

const releaseText =
  'update joinery.scheduled_events set lease = null where id = any ($1::uuid[]) and lease is not distinct from $2::bigint';

/** Lets other nodes have the events. */
export async function releaseEvents(query: Query, lease: string, ids: readonly string[]): Promise<void> {
  await query({ text: releaseText, values: [ids, lease] });
}

const releaseOthersText = `update joinery.scheduled_events set lease = null
  where lease = $1 and id <> all ($2::uuid[])`;

/** Frees what is under the lease without being among `known`: claimed by a statement whose answer never came. */
export async function releaseOthers(query: Query, lease: string, known: readonly string[]): Promise<void> {
  await query({ text: releaseOthersText, values: [lease, known] });
}

const payloadText =
  'select payload from joinery.scheduled_events where id = $1 and lease is not distinct from $2::bigint';

/** JSON text of the payload; undefined when the event is no longer claimed. */
export async function fetchPayload(query: Query, lease: string, id: string): Promise<string | undefined> {
  const result = await query({ text: payloadText, values: [id, lease] });
  return result.rows[0]?.[0] ?? undefined;
}
