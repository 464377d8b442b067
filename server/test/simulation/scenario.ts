/** A scenario: what happens in a simulation. It follows from its seed, and can be reduced by leaving out events and failures. */
import { createHash } from 'node:crypto';
import { randomOf } from './random.ts';

export interface ScenarioEvent {
  readonly id: string;
  /** When the client inserts it. Times are milliseconds since the start of the simulation. */
  readonly insertedAt: number;
  readonly scheduledAt: number;
  readonly destination: number;
  readonly orderingKey: string | undefined;
  readonly retries: number;
  readonly retryIntervalSeconds: number;
  readonly timeoutSeconds: number;
  readonly toleranceSeconds: number;
}

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
  /** The node does not reach the database. */
  | { readonly kind: 'partition'; readonly node: number; readonly at: number; readonly forMs: number }
  /** The database restarts: no node reaches it, and then its start is recent. */
  | { readonly kind: 'restart'; readonly at: number; readonly forMs: number }
  /** The clock of the database is set, as by a failover to a machine with another time. */
  | { readonly kind: 'clock'; readonly at: number; readonly byMs: number };

export interface Scenario {
  readonly seed: number;
  readonly nodes: number;
  /** Concurrent calls to the first destination, of all nodes together; undefined for the default of each node. */
  readonly concurrency: number | undefined;
  readonly perDestination: number;
  /** Probability that a webhook fails. */
  readonly failingWebhooks: number;
  readonly events: readonly ScenarioEvent[];
  readonly failures: readonly Failure[];
}

export const DESTINATIONS = 2;

const statementFailures: readonly StatementFailure[] = [
  'not sent',
  'result lost',
  'executed later',
  'canceled',
  'slow',
];
const processFailures = ['kill', 'kill', 'stop', 'suspend', 'suspend', 'partition', 'restart'] as const;

/** Returns the scenario of a seed. */
export function scenarioOf(seed: number): Scenario {
  const random = randomOf(seed, 'scenario');
  const nodes = random.integer(1, 3);
  // A tenth of the scenarios has no failures: they prove that events are called once and on time.
  const isCalm = random.chance(0.1);
  const failures = isCalm ? [] : failuresOf(seed, nodes);
  return {
    seed,
    nodes,
    concurrency: random.chance(0.3) ? random.integer(1, 4) : undefined,
    perDestination: random.integer(2, 6),
    failingWebhooks: isCalm ? 0 : random.pick([0, 0.1, 0.3, 0.5]),
    events: eventsOf(seed),
    failures,
  };
}

function eventsOf(seed: number): ScenarioEvent[] {
  const random = randomOf(seed, 'events');
  const keys = random.pick([0, 0, 1, 2]);
  const events = Array.from({ length: random.integer(5, 25) }, (_unused, index): ScenarioEvent => {
    const insertedAt = random.between(0, 8_000);
    return {
      id: idOf(seed, index),
      insertedAt,
      scheduledAt: Math.round(insertedAt + random.pick([-500, 0, 100, 1_000, 2_500, 4_000]) + random.between(0, 200)),
      destination: random.integer(0, DESTINATIONS - 1),
      orderingKey: keys > 0 && random.chance(0.6) ? `key ${random.integer(1, keys)}` : undefined,
      retries: random.integer(0, 4),
      retryIntervalSeconds: random.integer(0, 2),
      timeoutSeconds: random.pick([1, 1, 3]),
      toleranceSeconds: random.chance(0.2) ? random.integer(0, 10) : 21_600,
    };
  });
  return inOrder(events);
}

/** Gives events of a key distinct times in the order of their insertion: an earlier event that is inserted later is not in order. */
function inOrder(events: readonly ScenarioEvent[]): ScenarioEvent[] {
  const last = new Map<string, number>();
  const sorted = [...events].sort((a, b) => a.insertedAt - b.insertedAt);
  return sorted.map((event) => {
    const { orderingKey } = event;
    if (orderingKey === undefined) return event;
    const scheduledAt = Math.max(event.scheduledAt, (last.get(orderingKey) ?? Number.NEGATIVE_INFINITY) + 1);
    last.set(orderingKey, scheduledAt);
    return { ...event, scheduledAt };
  });
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
  return [...statements, ...processes, ...clocks];
}

function clockChange(seed: number): Failure {
  const random = randomOf(seed, 'clock');
  return {
    kind: 'clock',
    at: Math.round(random.between(500, 10_000)),
    byMs: Math.round(random.between(-8_000, 8_000)),
  };
}

/** Returns an id that follows from the seed, in the format of a UUID. */
function idOf(seed: number, index: number): string {
  const digits = createHash('sha256').update(`${seed}/${index}`).digest('hex');
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`, `8${digits.slice(17, 20)}`];
  return `${parts.join('-')}-${digits.slice(20, 32)}`;
}
