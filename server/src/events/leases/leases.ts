/** Statements on leases. A node with an expired lease counts as dead, and other nodes take over its work. */

import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { type Sql, sql } from '../../postgres/sql/sql.ts';

export interface LeaseTimes {
  /** Duration of a lease from its last renewal, in milliseconds. */
  readonly lastsMs: number;
  /** Interval of renewals in milliseconds. */
  readonly renewEveryMs: number;
}

/** Work of a dead node is taken over after the duration of the lease and at most two intervals. */
export const leaseDefaults: LeaseTimes = { lastsMs: 8_000, renewEveryMs: 2_000 };

/** A new lease. */
export interface TakenLease {
  readonly id: string;
  /** Identifies the server that took it and its start. */
  readonly server: string;
}

export interface RenewedLeases {
  /** The leases that still exist; the others were taken over with the work claimed under them. */
  readonly alive: ReadonlySet<string>;
  /** See `TakenLease`; undefined where no lease exists. */
  readonly server: string | undefined;
}

/** The statements on the leases of one database. */
export interface LeaseStore {
  take(node: string, lastsMs: number): Promise<TakenLease>;
  /** Renews the leases and marks those in `draining`. */
  renew(leases: readonly string[], draining: readonly string[], lastsMs: number): Promise<RenewedLeases>;
  /** Deletes the lease, but not the claims under it. */
  remove(lease: string): Promise<void>;
}

/**
 * Microseconds since 1970, and not a number of the sequence, which is given again: by a failover that loses commits, by a restored backup, and
 * in tables of triggers, which are dropped with the last trigger. A node would renew the lease of another one, release its claims and
 * write outcomes of its events.
 */
const newId = sql`(extract(epoch from clock_timestamp()) * 1000000)::bigint`;

/** The start of the server, in seconds, whose text no setting of a session changes: another after each restart and each failover. */
const server = sql`extract(epoch from pg_postmaster_start_time())`;

function statementsOn(table: Sql) {
  return {
    take: fixedStatement(['node', 'lastsMs'], ['id', 'server'], ({ node, lastsMs }) => {
      return sql`insert into ${table} (id, node, expires_at) overriding system value
    values (${newId}, ${node}, clock_timestamp() + ${lastsMs} * interval '1 ms') returning id, ${server} as server`;
    }),
    renew: fixedStatement(['leases', 'draining', 'lastsMs'], ['id', 'server'], ({ leases, draining, lastsMs }) => {
      return sql`update ${table}
    set expires_at = clock_timestamp() + ${lastsMs} * interval '1 ms', draining = draining or id = any (${draining}::bigint[])
    where id = any (${leases}::bigint[]) returning id, ${server} as server`;
    }),
    remove: fixedStatement(['lease'], [], ({ lease }) => sql`delete from ${table} where id = ${lease}`),
  };
}

/** The leases of scheduled events and asynchronous actions are in the database with the metadata, those of triggers in sources. */
const statements = {
  events: statementsOn(sql`joinery.event_leases`),
  triggers: statementsOn(sql`joinery.source_leases`),
};

/** Returns the leases of a database. */
export function createLeaseStore(query: Query, kind: keyof typeof statements = 'events'): LeaseStore {
  const { take, renew, remove } = statements[kind];
  return {
    async take(node, lastsMs) {
      const row = await take.row(query, { node, lastsMs });
      if (typeof row?.id !== 'string' || typeof row.server !== 'string') {
        throw new Error('the database returned no id for a lease');
      }
      return { id: row.id, server: row.server };
    },
    async renew(leases, draining, lastsMs) {
      const rows = await renew.rows(query, { leases, draining, lastsMs });
      return { alive: new Set(rows.map(({ id }) => id ?? '')), server: rows[0]?.server ?? undefined };
    },
    async remove(lease) {
      await remove.run(query, { lease });
    },
  };
}

/** Returns the id of a new lease of scheduled events. */
export async function takeLease(query: Query, node: string, lastsMs: number): Promise<string> {
  return (await createLeaseStore(query).take(node, lastsMs)).id;
}

const sweep = fixedStatement([], ['released'], () => sql`select joinery.sweep_events() as released`);

/** Deletes expired leases, releases events of missing leases and returns the number of released events. */
export async function sweepLeases(query: Query): Promise<number> {
  return Number((await sweep.row(query, {}))?.released ?? 0);
}

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
