/**
 * Circuit breakers: after consecutive failures no node calls a destination until a probe succeeds. Its events wait
 * meanwhile without using their retries.
 */

import { LRUCache } from 'lru-cache';
import type { FailureLog } from '../../base/failure-log.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { integer, type Sql, sql } from '../../postgres/sql/sql.ts';
import type { DestinationHealth } from '../webhook/attempt.ts';
import type { DestinationRules } from './rules.ts';
import type { Allowance } from './slots.ts';

export interface CircuitBreakers {
  /** Records the result of a call. */
  report(destination: string, health: DestinationHealth): void;
  /** Acquires due probes for this node. Rejects if the query fails. */
  takeProbes(): Promise<void>;
  /** Returns the limits by settings and circuit. */
  allowance(destination: string): Allowance;
  /** Returns the destinations whose limits may be below the defaults. */
  limited(): readonly string[];
  /** Resolves when all reports are written or have failed. */
  settled(): Promise<void>;
}

export interface CircuitBreakerSettings {
  readonly query: Query;
  readonly rules: DestinationRules;
  /** Consecutive failures that open a circuit; 0 disables circuit breakers. */
  readonly failures: number;
  /** The database's clock, milliseconds since 1970. */
  readonly now: () => number;
  readonly failureLog: FailureLog;
  /** Called when `allowance` has changed. */
  readonly onChange: () => void;
}

/** Delay until the first probe; each failed probe doubles it. */
const probeDelay = { firstMs: 1_000, longestMs: 60_000 };
/** How long a probe belongs to one node; afterwards another node may probe too. */
const PROBE_MS = 70_000;

const none: Allowance = { concurrency: 0, gapMs: 0 };
const after = (milliseconds: Sql): Sql => sql`clock_timestamp() + ${milliseconds} * interval '1 ms'`;
const firstMs = integer(probeDelay.firstMs);
const longestMs = integer(probeDelay.longestMs);

const open = fixedStatement(['destination', 'reason'], [], ({ destination, reason }) => {
  return sql`insert into joinery.event_destinations as d (destination, circuit_opened_at, probe_at, circuit_reason)
    values (${destination}, clock_timestamp(), ${after(firstMs)}, ${reason})
    on conflict (destination) do update
      set circuit_opened_at = excluded.circuit_opened_at, probe_at = excluded.probe_at, probes = 0,
        circuit_reason = excluded.circuit_reason
      where d.circuit_opened_at is null`;
});

const take = fixedStatement(['destination'], [], ({ destination }) => {
  return sql`update joinery.event_destinations set probe_at = ${after(integer(PROBE_MS))}
    where destination = ${destination} and probe_at <= clock_timestamp() returning 1`;
});

const fail = fixedStatement(['destination', 'reason'], [], ({ destination, reason }) => {
  const delay = sql`least(${firstMs} * power(2, least(probes, 30) + 1), ${longestMs})`;
  return sql`update joinery.event_destinations
    set probes = probes + 1, probe_at = ${after(delay)}, circuit_reason = ${reason}
    where destination = ${destination} and circuit_opened_at is not null`;
});

/** Closes the circuit and deletes a row that has only default settings. */
const close = fixedStatement(['destination'], [], ({ destination }) => {
  return sql`with closed as (
      delete from joinery.event_destinations
      where destination = ${destination} and concurrency is null and rate_per_second is null and not paused
    )
    update joinery.event_destinations
    set circuit_opened_at = null, probe_at = null, probes = 0, circuit_reason = null
    where destination = ${destination} and circuit_opened_at is not null
      and (concurrency is not null or rate_per_second is not null or paused)`;
});

/** Failing destinations that this node counts. The count of an evicted one starts again. */
const MOST_FAILING = 10_000;

export function createCircuitBreakers(settings: CircuitBreakerSettings): CircuitBreakers {
  const { query, rules, failures, now, failureLog } = settings;
  /** Consecutive failures by destination; healthy destinations are absent. Bounded, as events name any number of them. */
  const failing = new LRUCache<string, number>({ max: MOST_FAILING });
  /** Destinations that this node may probe, with the end of the permission. */
  const probing = new Map<string, number>();
  /** Destinations whose circuit is being opened; they count as open until the rules are read again. */
  const opening = new Set<string>();
  const writes = new Set<Promise<void>>();

  const isOpen = (destination: string): boolean => rules.of(destination)?.probeAt !== undefined;
  const mayProbe = (destination: string): boolean => (probing.get(destination) ?? 0) > now();

  function write(statement: Promise<unknown>, done: () => void = () => undefined): void {
    const writing = statement
      .then(
        () => failureLog.recovered(),
        (error) => failureLog.failed(error),
      )
      .finally(() => {
        writes.delete(writing);
        done();
      });
    writes.add(writing);
  }

  function failed(destination: string, reason: string): void {
    const count = (failing.get(destination) ?? 0) + 1;
    failing.set(destination, count);
    if (isOpen(destination)) {
      if (!probing.delete(destination)) return;
      write(fail.run(query, { destination, reason }));
      settings.onChange();
    } else if (failures > 0 && count >= failures && !opening.has(destination)) {
      opening.add(destination);
      write(open.run(query, { destination, reason }), () => {
        // A notification updates the rules; the next poll does if it is lost.
        const finish = (): void => {
          opening.delete(destination);
          settings.onChange();
        };
        setTimeout(finish, probeDelay.firstMs).unref();
      });
      settings.onChange();
    }
  }

  return {
    report(destination, { up, reason }) {
      if (!up) return failed(destination, reason);
      failing.delete(destination);
      if (!isOpen(destination) && !opening.has(destination)) return;
      probing.delete(destination);
      write(close.run(query, { destination }));
    },
    async takeProbes() {
      for (const destination of rules.open()) {
        const rule = rules.of(destination);
        if (rule?.probeAt === undefined || rule.probeAt > now() || mayProbe(destination)) continue;
        if (rules.allowance(destination).concurrency === 0) continue;
        const { rowCount } = await take.run(query, { destination });
        if (rowCount === 0) continue;
        probing.set(destination, now() + PROBE_MS);
        settings.onChange();
      }
    },
    allowance(destination) {
      const allowed = rules.allowance(destination);
      if (allowed.concurrency === 0) return none;
      if (!isOpen(destination)) return opening.has(destination) ? none : allowed;
      return mayProbe(destination) ? { ...allowed, concurrency: 1, limited: true } : none;
    },
    limited: () => [...rules.names(), ...opening],
    settled: async () => {
      await Promise.all(writes);
    },
  };
}
