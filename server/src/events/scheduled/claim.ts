/** Statements that claim events under a lease, confirm claims and release them. */

import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { sql } from '../../postgres/sql/sql.ts';
import type { Claim } from '../delivery/event-store.ts';
import { type PendingEvent, pendingColumns, readPending } from '../types/pending-event.ts';

/** Returns the name of the prepared statement for an SQL text; undefined if it is not prepared. */
export type StatementNames = (text: string) => string | undefined;

const claimInputs = ['lease', 'aheadMs', 'most', 'exceptQueues', 'mostEach', 'from'] as const;
const claimAny = fixedStatement(claimInputs, [], ({ lease, aheadMs, most, exceptQueues, from }) => {
  return sql`select ${pendingColumns.list}
    from joinery.claim_events(${lease}, ${aheadMs} * interval '1 ms', ${most}, ${exceptQueues}::text[], true,
      to_timestamp(${from}::double precision / 1000))`;
});
const claimByLane = fixedStatement(claimInputs, [], ({ lease, aheadMs, most, exceptQueues, mostEach, from }) => {
  return sql`select ${pendingColumns.list}
    from joinery.claim_events_by_lane(${lease}, ${aheadMs} * interval '1 ms', ${most}, ${mostEach}, ${exceptQueues}::text[], true,
      to_timestamp(${from}::double precision / 1000))`;
});

/**
 * Claims events and returns them in no particular order. Returns none if the lease is not valid.
 *
 * @param from skips events without an ordering key that are due before this time, in milliseconds since 1970
 */
export async function claimEvents(
  query: Query,
  name: StatementNames,
  lease: string,
  claim: Claim,
  from = Number.NEGATIVE_INFINITY,
): Promise<PendingEvent[]> {
  const { aheadMs, most, mostEach, exceptQueues } = claim;
  const statement = mostEach === undefined ? claimAny : claimByLane;
  const result = await statement.run(
    query,
    { lease, aheadMs, most, exceptQueues, mostEach, from },
    name(statement.text),
  );
  return result.rows.map(readPending);
}

const claimed = fixedStatement(['lease', 'ids'], [], ({ lease, ids }) => {
  return sql`select joinery.confirm_events(${lease}, ${ids}::uuid[])`;
});

/**
 * Returns those of `ids` that are still claimed under the lease: the lease is valid, the event was not deleted, changed
 * or claimed by another node, and no other event with its ordering key is claimed.
 */
export async function stillClaimed(
  query: Query,
  name: StatementNames,
  lease: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  // One column of up to 500 rows shortly before their calls, so that no object is built for each row.
  const { rows } = await claimed.run(query, { lease, ids }, name(claimed.text));
  return new Set(rows.map(([id]) => id ?? ''));
}

const release = fixedStatement(['lease', 'ids'], [], ({ lease, ids }) => {
  return sql`update joinery.scheduled_events set lease = null
    where id = any (${ids}::uuid[]) and lease is not distinct from ${lease}::bigint`;
});

/** Releases the events so that any node can claim them. */
export async function releaseEvents(query: Query, lease: string, ids: readonly string[]): Promise<void> {
  await release.run(query, { lease, ids });
}

const releaseUnknown = fixedStatement(['lease', 'known'], [], ({ lease, known }) => {
  return sql`update joinery.scheduled_events set lease = null where lease = ${lease} and id <> all (${known}::uuid[])`;
});

/** Releases events under the lease that are not in `known`: a claim whose result was lost left them there. */
export async function releaseOthers(query: Query, lease: string, known: readonly string[]): Promise<void> {
  await releaseUnknown.run(query, { lease, known });
}

const payload = fixedStatement(['lease', 'id'], ['payload'], ({ lease, id }) => {
  return sql`select payload from joinery.scheduled_events where id = ${id} and lease is not distinct from ${lease}::bigint`;
});

/** Returns the payload as JSON text; undefined if the event is no longer claimed. */
export async function fetchPayload(query: Query, lease: string, id: string): Promise<string | undefined> {
  return (await payload.row(query, { lease, id }))?.payload ?? undefined;
}
