/**
 * Circuits: a destination that fails time after time is left alone by all nodes until a probe gets through. Events wait
 * meanwhile, without using up their retries.
 */

import type { FailureLog } from '../../base/failure-log.ts';
import type { Query } from '../../postgres/client/pool.ts';
import type { Allowance } from './queues.ts';
import type { DestinationRules } from './rules.ts';

/** What a call says about its destination; undefined where it never came to a call. */
export interface DestinationHealth {
  readonly up: boolean;
  /** In words, for those who look at the circuit. */
  readonly reason: string;
}

export interface CircuitBreakers {
  /** A call has ended. */
  report(destination: string, health: DestinationHealth): void;
  /** Takes the right to probe where a probe is due. Rejects when the database does not answer. */
  takeProbes(): Promise<void>;
  /** By settings and circuit. */
  allowance(destination: string): Allowance;
  /** Destinations that have less than the usual allowance. */
  limited(): readonly string[];
  /** Resolves when what was reported has been written, or could not be. */
  settled(): Promise<void>;
}

export interface CircuitBreakerSettings {
  readonly query: Query;
  readonly rules: DestinationRules;
  /** Failures one after the other that open a circuit; 0: circuits never open. */
  readonly failures: number;
  /** The database's clock, milliseconds since 1970. */
  readonly now: () => number;
  readonly failureLog: FailureLog;
  /** `allowance` has another answer. */
  readonly onChange: () => void;
}

/** How long until the first probe; each that fails doubles it. */
const wait = { firstMs: 1_000, longestMs: 60_000 };
/** So long a probe is one node's; a call that takes longer may be joined by another node's. */
const PROBE_MS = 70_000;

const none: Allowance = { concurrency: 0, gapMs: 0 };
const after = (parameter: string): string => `clock_timestamp() + ${parameter} * interval '1 ms'`;

const openText = `insert into joinery.event_destinations as d (destination, circuit_opened_at, probe_at, circuit_reason)
  values ($1, clock_timestamp(), ${after('$2')}, $3)
  on conflict (destination) do update
    set circuit_opened_at = excluded.circuit_opened_at, probe_at = excluded.probe_at, probes = 0,
      circuit_reason = excluded.circuit_reason
    where d.circuit_opened_at is null`;

const takeText = `update joinery.event_destinations set probe_at = ${after('$2')}
  where destination = $1 and probe_at <= clock_timestamp() returning 1`;

const failText = `update joinery.event_destinations
  set probes = probes + 1, probe_at = ${after('least($2 * power(2, least(probes, 30) + 1), $3)')}, circuit_reason = $4
  where destination = $1 and circuit_opened_at is not null`;

/** A row that says nothing any more goes. */
const closeText = `with closed as (
    delete from joinery.event_destinations
    where destination = $1 and concurrency is null and rate_per_second is null and not paused
  )
  update joinery.event_destinations
  set circuit_opened_at = null, probe_at = null, probes = 0, circuit_reason = null
  where destination = $1 and circuit_opened_at is not null
    and (concurrency is not null or rate_per_second is not null or paused)`;

export function createCircuitBreakers(settings: CircuitBreakerSettings): CircuitBreakers {
  const { query, rules, failures, now, failureLog } = settings;
  /** Failures one after the other; destinations that work are not in it. */
  const failing = new Map<string, number>();
  /** Destinations that this node may probe, and until when. */
  const probing = new Map<string, number>();
  /** Being written: it counts as open, or as closed, until the rules say so too. */
  const opening = new Set<string>();
  const writes = new Set<Promise<void>>();

  const isOpen = (destination: string): boolean => rules.of(destination)?.probeAt !== undefined;
  const mayProbe = (destination: string): boolean => (probing.get(destination) ?? 0) > now();

  function write(text: string, values: readonly unknown[], done: () => void = () => undefined): void {
    const writing = query({ text, values })
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
      write(failText, [destination, wait.firstMs, wait.longestMs, reason]);
      settings.onChange();
    } else if (failures > 0 && count >= failures && !opening.has(destination)) {
      opening.add(destination);
      write(openText, [destination, wait.firstMs, reason], () => {
        // The nodes are told; should this one not hear, its next look finds it.
        const settled = (): void => {
          opening.delete(destination);
          settings.onChange();
        };
        setTimeout(settled, wait.firstMs).unref();
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
      write(closeText, [destination]);
    },
    async takeProbes() {
      for (const destination of rules.open()) {
        const rule = rules.of(destination);
        if (rule?.probeAt === undefined || rule.probeAt > now() || mayProbe(destination)) continue;
        if (rules.allowance(destination).concurrency === 0) continue;
        const { rowCount } = await query({ text: takeText, values: [destination, PROBE_MS] });
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
