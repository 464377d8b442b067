/** Which destination a lane leads to: scheme, host and port, once the templates in it are filled in. */
import type { Environment } from '../../base/environment.ts';
import { maskUrls } from '../../base/telemetry/log.ts';
import { originOf } from '../webhook/attempt.ts';

const REMEMBERED = 10_000;

/** Equal results mean one destination. A lane that makes no URL is a destination of its own. */
export function createDestinations(environment: Environment): (lane: string) => string {
  const known = new Map<string, string>();
  return (lane) => {
    let destination = known.get(lane);
    if (destination === undefined) {
      destination = originOf(lane, environment)?.origin ?? maskUrls(lane);
      if (known.size >= REMEMBERED) known.clear();
      known.set(lane, destination);
    }
    return destination;
  };
}
