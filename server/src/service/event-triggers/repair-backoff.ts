/** Delays repairs of triggers whose functions fail again after each repair, such as those with a condition that fails for each row. */
import type { SourceName } from '@joinery/metadata/names';

interface RepairedTrigger {
  readonly source: SourceName;
  readonly name: string;
  /** Of the definition. A trigger with another one is repaired at once. */
  readonly hash: string;
}

export interface RepairBackoff {
  /** Whether the trigger was repaired recently. */
  wasRepaired(trigger: RepairedTrigger): boolean;
  /** Whether it is too early for the next repair. */
  isDelayed(trigger: RepairedTrigger): boolean;
  /** Notes a repair. The delay doubles with each one. */
  repaired(trigger: RepairedTrigger): void;
}

/** The longest delay, in multiples of the first. */
const MOST_DELAY = 64;

interface Repairs {
  readonly hash: string;
  readonly at: number;
  readonly delayMs: number;
}

/** `firstMs`: the delay after the first repair. A trigger without a repair for the longest delay and its own begins again. */
export function createRepairBackoff(firstMs: number, now: () => number = () => performance.now()): RepairBackoff {
  const repairs = new Map<string, Repairs>();
  const longestMs = firstMs * MOST_DELAY;

  function known({ source, name, hash }: RepairedTrigger): Repairs | undefined {
    const last = repairs.get(keyOf(source, name));
    const isKnown = last !== undefined && last.hash === hash && now() - last.at < last.delayMs + longestMs;
    return isKnown ? last : undefined;
  }

  return {
    wasRepaired: (trigger) => known(trigger) !== undefined,
    isDelayed: (trigger) => {
      const last = known(trigger);
      return last !== undefined && now() - last.at < last.delayMs;
    },
    repaired: (trigger) => {
      const { source, name, hash } = trigger;
      const former = known(trigger)?.delayMs;
      const delayMs = former === undefined ? firstMs : Math.min(former * 2, longestMs);
      repairs.set(keyOf(source, name), { hash, at: now(), delayMs });
    },
  };
}

function keyOf(source: SourceName, name: string): string {
  return JSON.stringify([source, name]);
}
