/** State that calls of handlers share across requests: the concurrency slots of each action, and cached responses. */
import type { Action } from '../../model/types/action.ts';
import { HandlerCache } from './handler-cache.ts';
import { Slots } from './handler-slots.ts';

/** The cached part of a response. */
export interface CachedResponse {
  readonly value: unknown;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export interface HandlerState {
  readonly slotsOf: (action: Action) => Slots;
  readonly cache: HandlerCache<CachedResponse>;
  /** Returns a number that is different for any two actions. */
  readonly numberOf: (action: Action) => number;
}

const defaultLimits = { entries: 10_000, bytes: 50_000_000 };

/** Creates the state of one process. `limits` are those of the response cache. */
export function createHandlerState(
  limits: { readonly entries: number; readonly bytes: number } = defaultLimits,
): HandlerState {
  const slots = new Map<string, Slots>();
  // Every change of the metadata builds new actions, so responses cached for the old ones are not found again.
  const numbers = new WeakMap<Action, number>();
  let lastNumber = 0;
  return {
    slotsOf: ({ name }) => {
      const known = slots.get(name) ?? new Slots();
      slots.set(name, known);
      return known;
    },
    cache: new HandlerCache(limits),
    numberOf: (action) => {
      const known = numbers.get(action);
      if (known !== undefined) return known;
      lastNumber += 1;
      numbers.set(action, lastNumber);
      return lastNumber;
    },
  };
}
