/** Statements on leases. A node with an expired lease counts as dead, and other nodes take over its work. */
import type { Query } from '../../postgres/client/statement-run.ts';

export interface LeaseTimes {
  /** Duration of a lease from its last renewal, in milliseconds. */
  readonly lastsMs: number;
  /** Interval of renewals in milliseconds. */
  readonly renewEveryMs: number;
}

/** Work of a dead node is taken over after the duration of the lease and at most two intervals. */
export const leaseDefaults: LeaseTimes = { lastsMs: 8_000, renewEveryMs: 2_000 };

const takeText = `insert into joinery.event_leases (node, expires_at)
  values ($1, clock_timestamp() + $2 * interval '1 ms') returning id`;

/** Returns the id of a new lease. */
export async function takeLease(query: Query, node: string, lastsMs: number): Promise<string> {
  const result = await query({ text: takeText, values: [node, lastsMs] });
  const id = result.rows[0]?.[0];
  if (typeof id !== 'string') throw new Error('the database returned no id for a lease');
  return id;
}

const renewText = `update joinery.event_leases
  set expires_at = clock_timestamp() + $2 * interval '1 ms', draining = draining or id = any ($3::bigint[])
  where id = any ($1::bigint[]) returning id`;

/**
 * Renews the leases and marks those in `draining`. Returns the leases that still exist; the others were taken over with
 * the events claimed under them.
 */
export async function renewLeases(
  query: Query,
  leases: readonly string[],
  draining: readonly string[],
  lastsMs: number,
): Promise<ReadonlySet<string>> {
  const result = await query({ text: renewText, values: [leases, lastsMs, draining] });
  return new Set(result.rows.map((row) => row[0] ?? ''));
}

/** Deletes expired leases, releases events of missing leases and returns the number of released events. */
export async function sweepLeases(query: Query): Promise<number> {
  const result = await query({ text: 'select joinery.sweep_events()', values: [] });
  return Number(result.rows[0]?.[0] ?? 0);
}

const endText = 'delete from joinery.event_leases where id = $1';

/** Deletes the lease, then releases its claims. */
export async function endLease(query: Query, lease: string, free: FreeLease): Promise<void> {
  await query({ text: endText, values: [lease] });
  await free(query, lease);
}

/** Releases the claims under a lease. */
export type FreeLease = (query: Query, lease: string) => Promise<void>;

const clockText = `select extract(epoch from clock_timestamp() + a.ahead) * 1000, extract(epoch from a.ahead) * 1000
  from (select joinery.event_ahead() as ahead) a`;

export interface ClockReading {
  /** Milliseconds since 1970 by the database's clock, advanced by `aheadMs`. */
  readonly now: number;
  /** How far development mode has advanced the clock of events. */
  readonly aheadMs: number;
}

export async function readClock(query: Query): Promise<ClockReading> {
  const [row] = (await query({ text: clockText, values: [] })).rows;
  return { now: Number(row?.[0]), aheadMs: Number(row?.[1]) };
}
