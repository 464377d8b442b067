/** Counts traffic in memory by minute and by hour, until it is written. */
import type { TrafficKind } from '@joinery/metadata/api/events/traffic';
import { addTo } from './histogram.ts';

/** What happened to a call: `dead` was too late to be called. */
export type CallResult = 'delivered' | 'retried' | 'failed' | 'dead';

export interface CountedCall {
  readonly kind: TrafficKind;
  readonly destination: string;
  readonly result: CallResult;
  readonly durationMs: number;
  /** Undefined for operations of clients. */
  readonly latenessMs: number | undefined;
}

/** One row of the table, as JSON. */
export interface CountedPeriod extends Record<CallResult, number> {
  readonly period_seconds: number;
  /** Seconds since 1970. */
  readonly at: number;
  readonly kind: TrafficKind;
  readonly destination: string;
  count: number;
  readonly duration: number[];
  readonly lateness: number[];
}

/** Destinations that a node counts by name in an hour; the others are counted together. */
const MOST_NAMED = 30;
export const OTHER = 'other';
/** Rows that wait for a database that does not respond: about an hour of them. Later calls are not counted. */
const MOST_WAITING = 2_000;

const periods = [60, 3_600] as const;

export interface TrafficCounts {
  add(call: CountedCall): void;
  /** Returns the rows and starts again. The destinations keep their names for the hour. */
  take(): readonly CountedPeriod[];
  isEmpty(): boolean;
}

/** @param now milliseconds since 1970 */
export function createTrafficCounts(now: () => number): TrafficCounts {
  let rows = new Map<string, CountedPeriod>();
  const names = createDestinationNames();

  function rowOf(
    periodSeconds: number,
    seconds: number,
    kind: TrafficKind,
    destination: string,
  ): CountedPeriod | undefined {
    const at = seconds - (seconds % periodSeconds);
    const key = `${periodSeconds} ${at} ${kind} ${destination}`;
    let row = rows.get(key);
    if (row === undefined && rows.size < MOST_WAITING) {
      const counts = { count: 0, delivered: 0, retried: 0, failed: 0, dead: 0 };
      row = { period_seconds: periodSeconds, at, kind, destination, ...counts, duration: [], lateness: [] };
      rows.set(key, row);
    }
    return row;
  }

  return {
    add({ kind, destination, result, durationMs, latenessMs }) {
      const seconds = Math.floor(now() / 1_000);
      const name = names.of(kind, destination, seconds);
      for (const period of periods) {
        const row = rowOf(period, seconds, kind, name);
        if (row === undefined) return;
        row[result] += 1;
        if (result === 'dead') continue;
        row.count += 1;
        addTo(row.duration, durationMs);
        if (latenessMs !== undefined) addTo(row.lateness, latenessMs);
      }
    },
    take() {
      const taken = [...rows.values()];
      rows = new Map();
      return taken;
    },
    isEmpty: () => rows.size === 0,
  };
}

/** In each hour the busiest destinations of the hour before have their names, and further ones while there is room. */
function createDestinationNames() {
  let hour = 0;
  let calls = new Map<string, number>();

  function startHour(next: number): void {
    const busiest = [...calls].sort(([, one], [, other]) => other - one).slice(0, MOST_NAMED / 2);
    calls = new Map(busiest.map(([name]) => [name, 0]));
    hour = next;
  }

  return {
    of(kind: TrafficKind, destination: string, seconds: number): string {
      const current = Math.floor(seconds / 3_600);
      if (current !== hour) startHour(current);
      const name = `${kind} ${destination}`;
      const known = calls.get(name);
      if (known === undefined && calls.size >= MOST_NAMED) return OTHER;
      calls.set(name, (known ?? 0) + 1);
      return destination;
    },
  };
}
