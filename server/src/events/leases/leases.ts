/** A node's lease: what other nodes go by to tell the living from the dead. */
import type { Query } from '../../postgres/client/pool.ts';

export interface LeaseTimes {
  /** Milliseconds that a lease lasts from its last renewal. */
  readonly lastsMs: number;
  /** Milliseconds between two renewals. */
  readonly renewEveryMs: number;
}

/** The events of a dead node are taken over after the lease and at most two intervals. */
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
 * Renews the leases and marks those in `draining`. Returns the leases that still exist; the others were taken over, and
 * the events that were under them.
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

/** Removes expired leases and frees what is under leases that do not exist. Returns the number of freed events. */
export async function sweepLeases(query: Query): Promise<number> {
  const result = await query({ text: 'select joinery.sweep_events()', values: [] });
  return Number(result.rows[0]?.[0] ?? 0);
}

const endText = 'delete from joinery.event_leases where id = $1';

/** Removes the lease, then frees what is under it. */
export async function endLease(query: Query, lease: string, free: FreeLease): Promise<void> {
  await query({ text: endText, values: [lease] });
  await free(query, lease);
}

/** Frees what is under the lease. */
export type FreeLease = (query: Query, lease: string) => Promise<void>;

const clockText = `select extract(epoch from clock_timestamp() + a.ahead) * 1000, extract(epoch from a.ahead) * 1000
  from (select joinery.event_ahead() as ahead) a`;

export interface ClockReading {
  /** Milliseconds since 1970 by the database's clock, plus what development mode has advanced it by. */
  readonly now: number;
  readonly aheadMs: number;
}

export async function readClock(query: Query): Promise<ClockReading> {
  const [row] = (await query({ text: clockText, values: [] })).rows;
  return { now: Number(row?.[0]), aheadMs: Number(row?.[1]) };
}
