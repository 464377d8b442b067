/** The latest errors that this node returned to callers, in memory. */
import type { RecentError } from '@joinery/metadata/api/recent-errors';
import type { Observation } from '../base/telemetry/observe.ts';

export interface RecentErrors {
  observe(observation: Observation): void;
  /** Returns the errors, latest first. */
  list(): readonly RecentError[];
  /** Returns the number of errors since the start, by code. */
  counts(): Readonly<Record<string, number>>;
}

const MOST = 500;
/** Characters. Messages may quote values of the request. */
const LONGEST_MESSAGE = 500;

export function createRecentErrors(redacted: (text: string) => string): RecentErrors {
  const latest: RecentError[] = [];
  const counts = new Map<string, number>();
  let next = 0;
  return {
    observe: (observation) => {
      if (observation.kind !== 'refused') return;
      const { error, requestId, role = null } = observation;
      counts.set(error.code, (counts.get(error.code) ?? 0) + 1);
      latest[next] = {
        time: new Date().toISOString(),
        request_id: requestId,
        role,
        code: error.code,
        path: redacted(error.path.slice(0, LONGEST_MESSAGE)),
        message: redacted(error.message.slice(0, LONGEST_MESSAGE)),
      };
      next = (next + 1) % MOST;
    },
    list: () => [...latest.slice(next), ...latest.slice(0, next)].reverse(),
    counts: () => Object.fromEntries([...counts].sort(([one], [other]) => (one < other ? -1 : 1))),
  };
}
