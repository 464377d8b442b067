/** The destination of a lane: scheme, host and port, with templates expanded; the name of a target. */
import { isTargetDestination } from '@joinery/metadata/schema/events/targets';
import { LRUCache } from 'lru-cache';
import type { Environment } from '../../base/environment.ts';
import { maskUrls } from '../../base/telemetry/redact.ts';
import { originOf } from '../webhook/attempt.ts';

const CACHE_SIZE = 10_000;

/** Returns a function from lanes to destinations. A lane that is not a valid URL is its own destination. */
export function createDestinations(environment: Environment): (lane: string) => string {
  const cache = new LRUCache<string, string>({ max: CACHE_SIZE });
  return (lane) => {
    let destination = cache.get(lane);
    if (destination === undefined) {
      destination = isTargetDestination(lane) ? lane : (originOf(lane, environment)?.origin ?? maskUrls(lane));
      cache.set(lane, destination);
    }
    return destination;
  };
}
