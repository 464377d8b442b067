/** Statements on leases. A node with an expired lease counts as dead, and other nodes take over its work. */

import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { sql } from '../../postgres/sql/sql.ts';

export interface LeaseTimes {
  /** Duration of a lease from its last renewal, in milliseconds. */
  readonly lastsMs: number;
  /** Interval of renewals in milliseconds. */
  readonly renewEveryMs: number;
}

/** Work of a dead node is taken over after the duration of the lease and at most two intervals. */
export const leaseDefaults: LeaseTimes = { lastsMs: 8_000, renewEveryMs: 2_000 };

const take = fixedStatement(['node', 'lastsMs'], ['id'], ({ node, lastsMs }) => {
  return sql`insert into joinery.event_leases (node, expires_at)
    values (${node}, clock_timestamp() + ${lastsMs} * interval '1 ms') returning id`;
});

/** The statements on the leases of one database. */
export interface LeaseStore {
  /** Returns the id of a new lease. */
  take(node: string, lastsMs: number): Promise<string>;
  /**
   * Renews the leases and marks those in `draining`. Returns the leases that still exist; the others were taken over with
   * the work claimed under them.
   */
  renew(leases: readonly string[], draining: readonly string[], lastsMs: number): Promise<ReadonlySet<string>>;
  /** Deletes the lease, but not the claims under it. */
  remove(lease: string): Promise<void>;
}

/** Returns the leases of the database with the metadata, which scheduled events and asynchronous actions share. */
export function createLeaseStore(query: Query): LeaseStore {
  return {
    take: (node, lastsMs) => takeLease(query, node, lastsMs),
    renew: (leases, draining, lastsMs) => renewLeases(query, leases, draining, lastsMs),
    remove: async (lease) => {
      await remove.run(query, { lease });
    },
  };
}

/** Returns the id of a new lease. */
export async function takeLease(query: Query, node: string, lastsMs: number): Promise<string> {
  const id = (await take.row(query, { node, lastsMs }))?.id;
  if (typeof id !== 'string') throw new Error('the database returned no id for a lease');
  return id;
}

const renew = fixedStatement(['leases', 'draining', 'lastsMs'], ['id'], ({ leases, draining, lastsMs }) => {
  return sql`update joinery.event_leases
    set expires_at = clock_timestamp() + ${lastsMs} * interval '1 ms', draining = draining or id = any (${draining}::bigint[])
    where id = any (${leases}::bigint[]) returning id`;
});

async function renewLeases(
  query: Query,
  leases: readonly string[],
  draining: readonly string[],
  lastsMs: number,
): Promise<ReadonlySet<string>> {
  const rows = await renew.rows(query, { leases, draining, lastsMs });
  return new Set(rows.map(({ id }) => id ?? ''));
}

const sweep = fixedStatement([], ['released'], () => sql`select joinery.sweep_events() as released`);

/** Deletes expired leases, releases events of missing leases and returns the number of released events. */
export async function sweepLeases(query: Query): Promise<number> {
  return Number((await sweep.row(query, {}))?.released ?? 0);
}

const remove = fixedStatement(['lease'], [], ({ lease }) => sql`delete from joinery.event_leases where id = ${lease}`);

const clock = fixedStatement([], ['now', 'ahead_ms'], () => {
  return sql`select extract(epoch from clock_timestamp() + a.ahead) * 1000 as now, extract(epoch from a.ahead) * 1000 as ahead_ms
    from (select joinery.event_ahead() as ahead) a`;
});

export interface ClockReading {
  /** Milliseconds since 1970 by the database's clock, advanced by `aheadMs`. */
  readonly now: number;
  /** How far development mode has advanced the clock of events. */
  readonly aheadMs: number;
}

export async function readClock(query: Query): Promise<ClockReading> {
  const row = await clock.row(query, {});
  return { now: Number(row?.now), aheadMs: Number(row?.ahead_ms) };
}
