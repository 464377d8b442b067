/** What calls of handlers share beyond one request: the places of each action, and the cached answers. */
import type { HttpClient } from '../../base/http-client/http-client.ts';
import type { Action } from '../../model/types/action.ts';
import type { ExecuteSettings } from '../context/context.ts';
import { HandlerCache } from './handler-cache.ts';
import { Gate } from './handler-slots.ts';

/** What is kept of an answer. */
export interface KeptAnswer {
  readonly value: unknown;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export interface HandlerState {
  readonly gateOf: (action: Action) => Gate;
  readonly cache: HandlerCache<KeptAnswer>;
}

const usualLimits = { entries: 10_000, bytes: 50_000_000 };

/** Whoever calls through the same connections shares them; an outbound that is gone takes its state along. */
const states = new WeakMap<HttpClient, HandlerState>();

export function handlerState(httpClient: HttpClient, settings: Pick<ExecuteSettings, 'actionCache'>): HandlerState {
  const known = states.get(httpClient);
  if (known !== undefined) return known;
  const gates = new Map<string, Gate>();
  const state: HandlerState = {
    gateOf: ({ name }) => {
      const gate = gates.get(name) ?? new Gate();
      gates.set(name, gate);
      return gate;
    },
    cache: new HandlerCache(settings.actionCache ?? usualLimits),
  };
  states.set(httpClient, state);
  return state;
}

/** Every change of the metadata makes new actions: what was kept for the old ones is never found again. */
const numbers = new WeakMap<Action, number>();
let lastNumber = 0;

/** Different for any two actions of one process. */
export function numberOf(action: Action): number {
  const known = numbers.get(action);
  if (known !== undefined) return known;
  lastNumber += 1;
  numbers.set(action, lastNumber);
  return lastNumber;
}
