/** Scenarios of cron triggers: how they are defined, changed and paused, and how the clock of the database advances. */
import { randomOf } from '../engine/random.ts';
import { DESTINATIONS, type Failure, type Scenario, scenarioWith } from '../engine/scenario.ts';

export interface ScenarioTrigger {
  readonly name: string;
  readonly schedule: string;
  readonly destination: number;
  readonly retries: number;
  readonly retryIntervalSeconds: number;
  readonly timeoutSeconds: number;
  readonly toleranceSeconds: number;
  readonly catchUp: boolean;
}

/** A client replaces a trigger, pauses it or resumes it. */
export interface TriggerChange {
  readonly at: number;
  readonly kind: 'define' | 'pause';
  readonly trigger: ScenarioTrigger;
}

export interface CronScenario extends Scenario<TriggerChange> {
  /** Milliseconds of the clock of the database beyond a full minute at the start. */
  readonly clockMs: number;
  /** When all triggers are deleted. */
  readonly endsAt: number;
}

const schedules = ['* * * * *', '* * * * *', '*/2 * * * *', '*/5 * * * *', '1-59/3 * * * *'];

/** Returns the scenario of a seed. */
export function cronScenarioOf(seed: number): CronScenario {
  const random = randomOf(seed, 'cron');
  // Long enough after most jumps of the clock that nodes must have planned the missed runs.
  const endsAt = random.between(26_000, 34_000);
  const base = scenarioWith(seed, changesOf(seed));
  const jumps = base.failures.length === 0 ? [] : jumpsOf(seed);
  const failures = [...base.failures.filter(({ kind }) => kind !== 'clock'), ...jumps];
  const events = [...base.events, ...aroundLoss(seed, base.events, failures)].sort((one, other) => one.at - other.at);
  return { ...base, events, failures, clockMs: random.between(40_000, 58_000), endsAt };
}

/** A change that a failover loses, and one after it, which has the version of the lost one. */
function aroundLoss(seed: number, known: readonly TriggerChange[], failures: readonly Failure[]): TriggerChange[] {
  const random = randomOf(seed, 'cron changes around a loss');
  const failover = failures.find((one) => one.kind === 'failover');
  if (failover === undefined || failover.lossMs === 0) return [];
  const change = (at: number): TriggerChange => {
    const { trigger } = random.pick(known);
    const schedule = random.pick(schedules);
    return { at, kind: random.pick(['define', 'define', 'pause'] as const), trigger: { ...trigger, schedule } };
  };
  const { at, forMs, lossMs } = failover;
  return [change(at - random.between(0, lossMs)), change(at + forMs + random.between(10, 1_000))];
}

function changesOf(seed: number): TriggerChange[] {
  const random = randomOf(seed, 'cron triggers');
  return Array.from({ length: random.integer(1, 3) }, (_unused, number) => {
    const define = (): ScenarioTrigger => ({
      name: `trigger ${number}`,
      schedule: random.pick(schedules),
      destination: random.integer(0, DESTINATIONS - 1),
      retries: random.integer(0, 3),
      retryIntervalSeconds: random.integer(0, 2),
      timeoutSeconds: random.pick([1, 1, 3]),
      toleranceSeconds: random.pick([21_600, 21_600, 300, 5]),
      catchUp: random.chance(0.7),
    });
    const first: TriggerChange = { at: random.between(0, 2_000), kind: 'define', trigger: define() };
    const later = Array.from({ length: random.pick([0, 0, 1, 2]) }, (): TriggerChange => {
      const kind = random.pick(['define', 'pause'] as const);
      return { at: random.between(2_000, 14_000), kind, trigger: random.chance(0.5) ? define() : first.trigger };
    });
    return [first, ...later];
  }).flat();
}

/** The clock of the database is set forward, by less than a minute or as after hours without nodes. */
function jumpsOf(seed: number): Failure[] {
  const random = randomOf(seed, 'cron clock');
  const byMs = (): number =>
    random.pick([random.between(5_000, 55_000), random.between(60_000, 900_000), random.between(900_000, 2_400_000)]);
  return Array.from({ length: random.pick([0, 1, 1, 2]) }, (_unused, index) => {
    return { kind: 'clock', at: Math.round(random.between(2_500, 5_000) + index * 8_000), byMs: Math.round(byMs()) };
  });
}
