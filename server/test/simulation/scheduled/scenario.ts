/** Scenarios of one-off events. */
import { createHash } from 'node:crypto';
import { randomOf } from '../engine/random.ts';
import { DESTINATIONS, type Scenario, scenarioWith } from '../engine/scenario.ts';

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

/** Returns the scenario of a seed. */
export function scheduledScenarioOf(seed: number): Scenario<ScenarioEvent> {
  return scenarioWith(seed, eventsOf(seed));
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

/** Returns an id that follows from the seed, in the format of a UUID. */
function idOf(seed: number, index: number): string {
  const digits = createHash('sha256').update(`${seed}/${index}`).digest('hex');
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`, `8${digits.slice(17, 20)}`];
  return `${parts.join('-')}-${digits.slice(20, 32)}`;
}
