/** The limits of destinations, by settings and circuit breakers, for all delivery engines of a node. */
import type { Environment } from '../../base/environment.ts';
import type { FailureLog } from '../../base/failure-log.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import type { DestinationHealth } from '../webhook/attempt.ts';
import { createCircuitBreakers } from './circuit-breakers.ts';
import { createDestinations } from './destinations.ts';
import { createDestinationRules } from './rules.ts';
import { type Allowance, type CallSlots, createCallSlots } from './slots.ts';

export interface DestinationLimits {
  /** Concurrent calls to a destination without a configured limit. */
  readonly perDestination: number;
  readonly slots: CallSlots;
  /** Returns the destination of a lane; several lanes may have the same. */
  readonly destinationOf: (lane: string) => string;
  /** Whether the limits have been read. */
  known(): boolean;
  /** Reads the limits and acquires due probes, under a lease of event delivery. Rejects if a query fails. */
  load(lease: string): Promise<void>;
  allowance(destination: string): Allowance;
  /** Returns the destinations whose limits may be below the defaults. */
  limited(): readonly string[];
  /** Records the health of the destination of a lane after a call. */
  report(lane: string, health: DestinationHealth): void;
  /** Calls `listener` when `allowance` has changed. Returns a function that removes it. */
  onChange(listener: () => void): () => void;
  /** Resolves when all reports are written or have failed. */
  settled(): Promise<void>;
}

export interface DestinationLimitsSettings {
  /** Runs statements on the database with the schema `joinery`. */
  readonly query: Query;
  readonly environment: Environment;
  readonly perDestination: number;
  /** Concurrent calls of all engines. */
  readonly overall: number;
  /** Consecutive failures of a destination that open its circuit; 0 disables circuit breakers. */
  readonly circuitFailures: number;
  /** The clock of that database, milliseconds since 1970. */
  readonly now: () => number;
  /** Logs failed writes of circuits. */
  readonly failureLog: FailureLog;
}

export function createDestinationLimits(settings: DestinationLimitsSettings): DestinationLimits {
  const { query, perDestination } = settings;
  const listeners = new Set<() => void>();
  const onChange = (): void => {
    for (const listener of listeners) listener();
  };
  const destinationOf = createDestinations(settings.environment);
  const rules = createDestinationRules({ query, perDestination, onChange });
  const circuits = createCircuitBreakers({
    query,
    rules,
    failures: settings.circuitFailures,
    now: settings.now,
    failureLog: settings.failureLog,
    onChange,
  });
  return {
    perDestination,
    slots: createCallSlots({ allowance: circuits.allowance, overall: settings.overall }),
    destinationOf,
    known: rules.known,
    async load(lease) {
      await rules.load(lease);
      await circuits.takeProbes();
    },
    allowance: circuits.allowance,
    limited: circuits.limited,
    report: (lane, health) => circuits.report(destinationOf(lane), health),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    settled: circuits.settled,
  };
}

/** Returns the limits for an engine whose leases are in another database: another engine of the node reads them. */
export function followedLimits(limits: DestinationLimits): DestinationLimits {
  return { ...limits, load: async () => undefined };
}
