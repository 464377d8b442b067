/** Changes and drops the segments of triggers: the tables that store their events and the log of calls. */
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { sql } from '../../postgres/sql/sql.ts';

export interface SegmentLimits {
  /** A segment with more bytes is replaced. */
  readonly mostBytes: number;
  /** A segment that was opened earlier than this many seconds ago is replaced, if it has events. */
  readonly mostSeconds: number;
}

const full = fixedStatement(['mostBytes', 'mostSeconds'], ['number'], ({ mostBytes, mostSeconds }) => {
  return sql`select t.number from joinery.triggers t
    join joinery.trigger_segments s on s.number = t.number and s.segment = t.segment
    cross join lateral (
      select pg_relation_size(to_regclass(format('joinery.trigger_%s_s%s', s.number, s.segment))) as bytes
    ) size
    where size.bytes > ${mostBytes}
      or size.bytes > 0 and s.opened_at < clock_timestamp() - ${mostSeconds} * interval '1 second'`;
});

const old = fixedStatement(['number', 'seconds'], ['number'], ({ number, seconds }) => {
  return sql`select t.number from joinery.triggers t
    join joinery.trigger_segments s on s.number = t.number and s.segment = t.segment
    where t.number = ${number} and s.opened_at < clock_timestamp() - ${seconds} * interval '1 second'
      and pg_relation_size(to_regclass(format('joinery.trigger_%s_s%s', s.number, s.segment))) > 0`;
});

const open = fixedStatement(['number'], [], ({ number }) => {
  return sql`select joinery.open_trigger_segment(${number})`;
});

const seal = fixedStatement([], [], () => sql`select joinery.seal_trigger_segments()`);

/** Opens new segments where the limits are exceeded, and advances closed ones. Each statement is a transaction of its own. */
export async function advanceSegments(query: Query, limits: SegmentLimits): Promise<void> {
  for (const { number } of await full.rows(query, { ...limits })) await open.run(query, { number });
  await seal.run(query, {});
}

/**
 * Opens a new segment for the trigger, if the present one has events and was opened more than `seconds` ago. Each statement is a
 * transaction of its own.
 */
export async function closeSegment(query: Query, number: number, seconds: number): Promise<void> {
  for (const _old of await old.rows(query, { number, seconds })) await open.run(query, { number });
  // The first notes the transactions that may still write to the closed segment, the second finds that they have ended.
  await seal.run(query, {});
  await seal.run(query, {});
}

const expired = fixedStatement(
  ['number', 'eventSeconds', 'logSeconds'],
  ['segment', 'log'],
  ({ number, eventSeconds, logSeconds }) => {
    return sql`select s.segment, s.closed_at < clock_timestamp() - ${logSeconds} * interval '1 second' as log
      from joinery.trigger_segments s
      where s.number = ${number} and s.drained_at is not null
        and s.closed_at < clock_timestamp()
          - case when s.events_dropped_at is null then ${eventSeconds} else ${logSeconds} end * interval '1 second'
      order by s.segment`;
  },
);

const drop = fixedStatement(['number', 'segment', 'log'], ['dropped'], ({ number, segment, log }) => {
  return sql`select joinery.drop_trigger_segment(${number}, ${segment}, ${log}) as dropped`;
});

export interface SegmentRetention {
  readonly number: number;
  /** Seconds from the end of a segment until its events are dropped. */
  readonly eventSeconds: number;
  /** Seconds from the end of a segment until the log of calls is dropped; at least `eventSeconds`. Infinity keeps it. */
  readonly logSeconds: number;
}

/**
 * Drops segments of a trigger whose retention is over and whose events are final. Returns the number of segments that were changed.
 * Segments that readers lock are dropped by a later call.
 */
export async function dropSegments(
  query: Query,
  { number, eventSeconds, logSeconds }: SegmentRetention,
): Promise<number> {
  const times = { eventSeconds: bounded(eventSeconds), logSeconds: bounded(logSeconds) };
  let dropped = 0;
  for (const { segment, log } of await expired.rows(query, { number, ...times })) {
    if ((await drop.row(query, { number, segment, log }))?.dropped === 't') dropped += 1;
  }
  return dropped;
}

/** An interval of PostgreSQL is finite. */
const LONGEST_SECONDS = 1_000 * 366 * 86_400;

function bounded(seconds: number): number {
  return Math.min(seconds, LONGEST_SECONDS);
}
