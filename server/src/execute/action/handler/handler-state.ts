/** State that calls of handlers share across requests: the concurrency slots of each action, and cached responses. */
import { LRUCache } from 'lru-cache';
import type { Action } from '../../../model/types/action.ts';
import type { OutputMismatch } from '../check-output.ts';
import { Slots } from './handler-slots.ts';

export interface HandlerResponse {
  /** JSON as the handler sent it, transformed; not yet checked against the output type. */
  readonly value: unknown;
  /** Response headers. Empty if the call was deduplicated. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Returns the error for a value that `checkOutput` rejects. It shows the exchange to admins. */
  readonly mismatch: (error: OutputMismatch) => Error;
}

/** The cached part of a response. */
export interface CachedResponse {
  readonly value: unknown;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Limited in entries and bytes, with a time to live for each entry. Evicts the least recently used. */
export interface ResponseCache {
  get(key: string): CachedResponse | undefined;
  delete(key: string): void;
  size(): { readonly entries: number; readonly bytes: number };
  /** Caches a response of `bytes` for `ttlMs`. A response larger than the whole cache is not cached. */
  add(key: string, response: CachedResponse, bytes: number, ttlMs: number): void;
}

export interface HandlerState {
  readonly slotsOf: (action: Action) => Slots;
  readonly cache: ResponseCache;
  /** Returns a number that is different for any two actions. */
  readonly numberOf: (action: Action) => number;
}

export interface CacheLimits {
  readonly entries: number;
  readonly bytes: number;
}

const defaultLimits: CacheLimits = { entries: 10_000, bytes: 50_000_000 };

/** Creates the state of one process. `limits` are those of the response cache. */
export function createHandlerState(limits: CacheLimits = defaultLimits): HandlerState {
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
    cache: createResponseCache(limits),
    numberOf: (action) => {
      const known = numbers.get(action);
      if (known !== undefined) return known;
      lastNumber += 1;
      numbers.set(action, lastNumber);
      return lastNumber;
    },
  };
}

/** `clock` returns monotonic milliseconds. */
export function createResponseCache(
  { entries, bytes: maxSize }: CacheLimits,
  clock: { now(): number } = performance,
): ResponseCache {
  // With `max`, the cache would allocate memory for all entries in advance.
  const cache = new LRUCache<string, CachedResponse>({ maxSize, perf: clock, ttlResolution: 0 });
  return {
    get: (key) => cache.get(key),
    delete: (key) => {
      cache.delete(key);
    },
    size: () => ({ entries: cache.size, bytes: cache.calculatedSize }),
    add(key, response, bytes, ttl) {
      cache.set(key, response, { size: bytes + key.length, ttl });
      if (cache.size > entries) cache.pop();
    },
  };
}
