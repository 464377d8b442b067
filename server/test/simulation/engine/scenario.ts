/** A scenario: what happens in a simulation. It follows from its seed, and can be reduced by leaving out events and failures. */
import { randomOf } from './random.ts';

/** What happens to one statement of a node. */
export type StatementFailure =
  /** The connection breaks before the server receives it. */
  | 'not sent'
  /** The connection breaks after the commit and before the result. */
  | 'result lost'
  /** The connection breaks, and the server executes it some time later. */
  | 'executed later'
  /** The server reports an error. */
  | 'canceled'
  /** The server takes long. */
  | 'slow';

export type Failure =
  | { readonly kind: 'statement'; readonly node: number; readonly number: number; readonly failure: StatementFailure }
  /** The process ends without notice, and starts again. */
  | { readonly kind: 'kill'; readonly node: number; readonly at: number; readonly forMs: number }
  /** The process stops as for a deployment, and starts again. */
  | {
      readonly kind: 'stop';
      readonly node: number;
      readonly at: number;
      readonly forMs: number;
      readonly drainMs: number;
    }
  /** The process does not run. */
  | { readonly kind: 'suspend'; readonly node: number; readonly at: number; readonly forMs: number }
  /** The process does not run from the response to its call of this number, from 0, until another process calls the same event. */
  | { readonly kind: 'outlived'; readonly node: number; readonly call: number }
  /** The node does not reach the database. */
  | { readonly kind: 'partition'; readonly node: number; readonly at: number; readonly forMs: number }
  /** The database restarts: no node reaches it, and then its start is recent. */
  | { readonly kind: 'restart'; readonly at: number; readonly forMs: number }
  /** Another server takes over, without the commits of the last `lossMs` milliseconds. */
  | { readonly kind: 'failover'; readonly at: number; readonly forMs: number; readonly lossMs: number }
  /** The clock of the database is set, as by a failover to a machine with another time. */
  | { readonly kind: 'clock'; readonly at: number; readonly byMs: number };

/** Notifications of the database that nodes receive. */
export interface Notifications {
  /** Probability that one is lost. */
  readonly lost: number;
  /** The longest delay, in milliseconds. */
  readonly delayMs: number;
}

/** What scenarios of all kinds have. `events` is what clients do, in order. */
export interface Scenario<Event = unknown> {
  readonly seed: number;
  readonly nodes: number;
  /** Concurrent calls to the first destination, of all nodes together; undefined for the default of each node. */
  readonly concurrency: number | undefined;
  readonly perDestination: number;
  /** Consecutive failures that open the circuit of a destination; 0 for no circuits. */
  readonly circuitFailures: number;
  /** Probability that a webhook fails. */
  readonly failingWebhooks: number;
  /** Undefined where nodes poll only. */
  readonly notifications: Notifications | undefined;
  readonly events: readonly Event[];
  readonly failures: readonly Failure[];
}

export const DESTINATIONS = 2;

/** The scheme and host of each destination. */
export const origins = Array.from({ length: DESTINATIONS }, (_unused, index) => `http://destination-${index}.test`);

const statementFailures: readonly StatementFailure[] = [
  'not sent',
  'result lost',
  'executed later',
  'canceled',
  'slow',
];
const processFailures = ['kill', 'kill', 'stop', 'suspend', 'suspend', 'partition', 'restart'] as const;

/**
 * Returns the scenario of a seed.
 *
 * @param events what clients do; at most in the first 10 seconds
 */
export function scenarioWith<Event>(seed: number, events: readonly Event[]): Scenario<Event> {
  const random = randomOf(seed, 'scenario');
  const nodes = random.integer(1, 3);
  // A tenth of the scenarios has no failures: they prove that events are called once and on time.
  const isCalm = random.chance(0.1);
  const failures = isCalm ? [] : failuresOf(seed, nodes);
  const more = randomOf(seed, 'limits and notifications');
  return {
    seed,
    nodes,
    concurrency: random.chance(0.3) ? random.integer(1, 4) : undefined,
    perDestination: random.integer(2, 6),
    circuitFailures: more.chance(0.3) ? more.integer(2, 4) : 0,
    failingWebhooks: isCalm ? 0 : random.pick([0, 0.1, 0.3, 0.5]),
    notifications: more.chance(0.5) ? { lost: more.pick([0, 0.3, 1]), delayMs: more.pick([5, 50, 2_000]) } : undefined,
    events,
    failures,
  };
}

function failuresOf(seed: number, nodes: number): Failure[] {
  const random = randomOf(seed, 'failures');
  const statements = Array.from({ length: random.integer(0, 10) }, (): Failure => {
    const node = random.integer(0, nodes - 1);
    return { kind: 'statement', node, number: random.integer(0, 90), failure: random.pick(statementFailures) };
  });
  const processes = Array.from({ length: random.integer(0, 4) }, (): Failure => {
    const node = random.integer(0, nodes - 1);
    const at = Math.round(random.between(200, 12_000));
    const forMs = Math.round(random.between(100, 6_000));
    const kind = random.pick(processFailures);
    if (kind === 'restart') return { kind, at, forMs: Math.min(forMs, 3_000) };
    return kind === 'stop'
      ? { kind, node, at, forMs, drainMs: random.pick([0, 500, 5_000]) }
      : { kind, node, at, forMs };
  });
  const clocks = random.chance(0.15) ? [clockChange(seed)] : [];
  const failovers = random.chance(0.25) ? [failover(seed)] : [];
  return [...statements, ...processes, ...clocks, ...failovers];
}

function clockChange(seed: number): Failure {
  const random = randomOf(seed, 'clock');
  return {
    kind: 'clock',
    at: Math.round(random.between(500, 10_000)),
    byMs: Math.round(random.between(-8_000, 8_000)),
  };
}

function failover(seed: number): Failure {
  const random = randomOf(seed, 'failover');
  return {
    kind: 'failover',
    at: Math.round(random.between(2_500, 10_000)),
    forMs: Math.round(random.between(50, 3_000)),
    lossMs: random.chance(0.6) ? Math.round(random.between(20, 2_000)) : 0,
  };
}
