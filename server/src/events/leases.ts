/** A node's lease: what other nodes go by to tell the living from the dead. */
import type { Query } from '../postgres/pool.ts';

/** A lease that is not renewed for so long is lost. Also how long a dead node's events wait, give or take a sweep. */
const LEASE_SECONDS = 8;
export const RENEW_EVERY_MS = 2_000;

const takeText = `insert into joinery.event_leases (node, expires_at)
  values ($1, clock_timestamp() + $2 * interval '1 second') returning id`;

/** The id of a new lease. */
export async function takeLease(query: Query, node: string): Promise<string> {
  const result = await query({ text: takeText, values: [node, LEASE_SECONDS] });
  const id = result.rows[0]?.[0];
  if (typeof id !== 'string') throw new Error('the database gave no id for a lease');
  return id;
}

const renewText = `update joinery.event_leases
  set expires_at = clock_timestamp() + $2 * interval '1 second' where id = $1`;

/** False when the lease is lost: others have taken it for dead and its events with it. */
export async function renewLease(query: Query, lease: string): Promise<boolean> {
  const result = await query({ text: renewText, values: [lease, LEASE_SECONDS] });
  return result.rowCount > 0;
}

/** Frees what dead nodes held. Gives the number of events. */
export async function sweepLeases(query: Query): Promise<number> {
  const result = await query({ text: 'select joinery.sweep_events()', values: [] });
  return Number(result.rows[0]?.[0] ?? 0);
}

const endText = 'delete from joinery.event_leases where id = $1';

/** Ends the lease and frees what is held under it. */
export async function endLease(query: Query, lease: string, sweep = sweepLeases): Promise<void> {
  await query({ text: endText, values: [lease] });
  await sweep(query);
}

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
