/** Reads counted traffic: adds the rows of each period and of each destination. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type GetTrafficHistory,
  type HistoryPercentiles,
  type TrafficDestination,
  type TrafficFigures,
  type TrafficHistory,
  TrafficKind,
  trafficPeriods,
} from '@joinery/metadata/api/events/traffic';
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement, type TextRow } from '../../postgres/sql/rows.ts';
import { sql } from '../../postgres/sql/sql.ts';
import { rejectArgument } from '../commands/rejected-argument.ts';
import { type Histogram, percentile } from './histogram.ts';

const numbers = ['count', 'delivered', 'retried', 'failed', 'dead', 'backlog', 'backlog_ms'] as const;
const columns = ['at', 'kind', 'destination', ...numbers, 'duration', 'lateness'] as const;
type Row = TextRow<Exclude<(typeof columns)[number], 'duration' | 'lateness'>> & {
  readonly duration: Histogram;
  readonly lateness: Histogram;
};

const read = fixedStatement(
  ['periodSeconds', 'from', 'until', 'kinds', 'destination'],
  columns,
  ({ periodSeconds, from, until, kinds, destination }) => {
    return sql`select extract(epoch from h.at)::bigint as at, h.kind, h.destination, h.count, h.delivered, h.retried, h.failed,
        h.dead, h.backlog, h.backlog_ms, h.duration, h.lateness
      from joinery.traffic_history h
      where h.period_seconds = ${periodSeconds}::integer
        and h.at >= to_timestamp(${from}::bigint) and h.at < to_timestamp(${until}::bigint)
        and h.kind = any (${kinds}::text[]) and (${destination}::text is null or h.destination = ${destination}::text)`;
  },
);

const clock = fixedStatement([], ['now'], () => sql`select extract(epoch from clock_timestamp()) as now`);

/** Rows of minutes are kept so long; those of hours for thirty days. */
export const minuteHours = 25;
export const hourDays = 30;

const MOST_PERIODS = 1_000;
const USUAL_PERIODS = 250;
const DEFAULT_SECONDS = 3_600;
/** A day of many destinations has some ten thousand rows, which must not delay requests. */
const ROWS_PER_TURN = 500;
const eventKinds = TrafficKind.options.filter((kind) => kind !== 'graphql');

/**
 * Returns the periods from `from` to `until`. The first begins at a multiple of their length. Throws `parse-failed` for a range that
 * ends before it begins or that has too many periods.
 */
export async function getTrafficHistory(query: Query, args: GetTrafficHistory): Promise<TrafficHistory> {
  const now = Number((await clock.row(query, {}))?.now);
  const until = args.until ? Date.parse(args.until) / 1_000 : now;
  const wanted = args.from ? Date.parse(args.from) / 1_000 : until - DEFAULT_SECONDS;
  if (wanted >= until) rejectArgument('must be before the end of the range', ['from']);
  const seconds = args.period_seconds ?? periodFor(until - wanted);
  const from = Math.floor(wanted / seconds) * seconds;
  const count = Math.ceil((until - from) / seconds);
  if (count > MOST_PERIODS) {
    rejectArgument(`makes ${count} periods; a range has at most ${MOST_PERIODS}`, ['period_seconds']);
  }
  const stored = seconds < 3_600 ? 60 : 3_600;
  const kinds = args.kinds ?? eventKinds;
  const destination = args.destination ?? null;
  const rows = await read.rows(query, { periodSeconds: stored, from, until: Math.ceil(until), kinds, destination });

  const total = createSum();
  const periods = Array.from({ length: count }, createSum);
  const destinations = new Map<string, { readonly kinds: Set<string>; readonly sum: Sum }>();
  for (const [index, printed] of rows.entries()) {
    if (index % ROWS_PER_TURN === ROWS_PER_TURN - 1) await nextTurn();
    const row = { ...printed, duration: histogramOf(printed.duration), lateness: histogramOf(printed.lateness) };
    const name = row.destination ?? '';
    const one = destinations.get(name) ?? { kinds: new Set(), sum: createSum() };
    destinations.set(name, one);
    one.kinds.add(row.kind ?? '');
    for (const sum of [total, periods[Math.floor((Number(row.at) - from) / seconds)], one.sum]) sum?.add(row);
  }
  const iso = (at: number): string => new Date(at * 1_000).toISOString();
  return {
    from: iso(from),
    until: iso(until),
    period_seconds: seconds,
    total: total.figures(),
    periods: periods.map((sum, index) => ({ at: iso(from + index * seconds), ...sum.figures() })),
    destinations: [...destinations]
      .map(([destination, { kinds: found, sum }]): TrafficDestination => {
        return { destination, kinds: TrafficKind.options.filter((kind) => found.has(kind)), ...sum.figures() };
      })
      .sort((one, other) => other.count - one.count || one.destination.localeCompare(other.destination)),
  };
}

function periodFor(seconds: number): number {
  return trafficPeriods.find((period) => seconds / period <= USUAL_PERIODS) ?? 86_400;
}

interface Sum {
  add(row: Row): void;
  figures(): TrafficFigures;
}

function createSum(): Sum {
  const counts = { count: 0, delivered: 0, retried: 0, failed: 0, dead: 0 };
  const duration: number[] = [];
  const lateness: number[] = [];
  /** The backlog of all destinations by sample. */
  const backlogs = new Map<string, number>();
  let backlogMs = 0;
  return {
    add(row) {
      for (const name of ['count', 'delivered', 'retried', 'failed', 'dead'] as const)
        counts[name] += Number(row[name]);
      addAll(duration, row.duration);
      addAll(lateness, row.lateness);
      const backlog = Number(row.backlog);
      if (backlog > 0) backlogs.set(row.at ?? '', (backlogs.get(row.at ?? '') ?? 0) + backlog);
      backlogMs = Math.max(backlogMs, Number(row.backlog_ms));
    },
    figures: () => ({
      ...counts,
      duration_ms: percentilesOf(duration),
      lateness_ms: percentilesOf(lateness),
      backlog: Math.max(0, ...backlogs.values()),
      backlog_seconds: backlogMs / 1_000,
    }),
  };
}

/** Parses an array as PostgreSQL prints it. */
function histogramOf(array: string | null): Histogram {
  return array === null || array === '{}' ? [] : array.slice(1, -1).split(',').map(Number);
}

function addAll(counts: number[], more: Histogram): void {
  for (const [index, count] of more.entries()) counts[index] = (counts[index] ?? 0) + count;
}

function percentilesOf(counts: Histogram): HistoryPercentiles | null {
  const at = (share: number): number => Math.round((percentile(counts, share) ?? 0) * 100) / 100;
  return counts.length === 0 ? null : { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
