/** Changes and drops the segments of triggers: the tables that store their events and the log of calls. */
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { sql } from '../../postgres/sql/sql.ts';

/** A segment with events that was opened earlier than this many seconds ago is replaced. */
export interface SegmentAge {
  readonly number: number;
  readonly segmentSeconds: number;
}

const full = fixedStatement(['numbers', 'seconds', 'mostBytes'], ['number', 'segment'], (limits) => {
  return sql`select s.number, s.segment from unnest(${limits.numbers}::integer[], ${limits.seconds}::double precision[]) as w (number, seconds)
    join joinery.triggers t on t.number = w.number
    join joinery.trigger_segments s on s.number = t.number and s.segment = t.segment
    cross join lateral (
      select pg_relation_size(to_regclass(format('joinery.trigger_%s_s%s', s.number, s.segment))) as bytes
    ) size
    where size.bytes > ${limits.mostBytes}
      or size.bytes > 0 and s.opened_at < clock_timestamp() - w.seconds * interval '1 second'`;
});

const old = fixedStatement(['number', 'seconds'], ['segment'], ({ number, seconds }) => {
  return sql`select s.segment from joinery.triggers t
    join joinery.trigger_segments s on s.number = t.number and s.segment = t.segment
    where t.number = ${number} and s.opened_at < clock_timestamp() - ${seconds} * interval '1 second'
      and pg_relation_size(to_regclass(format('joinery.trigger_%s_s%s', s.number, s.segment))) > 0`;
});

/** Does nothing where another node has replaced the segment. */
const replace = fixedStatement(['number', 'segment'], [], ({ number, segment }) => {
  return sql`select joinery.open_trigger_segment(t.number) from (
    select number from joinery.triggers where number = ${number} and segment = ${segment} for update
  ) t`;
});

// Claims do so for the triggers that are not paused.
const unpack = fixedStatement([], [], () => {
  return sql`select joinery.unpack_trigger_events(t.number, 10000) from joinery.triggers t where t.paused`;
});

const seal = fixedStatement([], [], () => sql`select joinery.seal_trigger_segments()`);

/**
 * Opens new segments where those of the triggers are old or have more than `mostBytes`, and advances closed ones. Each statement is
 * a transaction of its own.
 */
export async function advanceSegments(query: Query, ages: readonly SegmentAge[], mostBytes: number): Promise<void> {
  const numbers = ages.map(({ number }) => number);
  const seconds = ages.map(({ segmentSeconds }) => segmentSeconds);
  for (const row of await full.rows(query, { numbers, seconds, mostBytes })) await replace.run(query, row);
  await unpack.run(query, {});
  await seal.run(query, {});
}

/**
 * Opens a new segment for the trigger, if the present one has events and was opened more than `seconds` ago. Each statement is a
 * transaction of its own.
 */
export async function closeSegment(query: Query, number: number, seconds: number): Promise<void> {
  for (const { segment } of await old.rows(query, { number, seconds: bounded(seconds) })) {
    await replace.run(query, { number, segment });
  }
  // The first notes the transactions that may still write to the closed segment, the second finds that they have ended.
  await unpack.run(query, {});
  await seal.run(query, {});
  await unpack.run(query, {});
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
  /** Seconds from the end of a segment until the log of calls is dropped; at least `eventSeconds`; Infinity for no limit. */
  readonly logSeconds: number;
}

/**
 * Drops segments of a trigger whose retention is over and whose events are final. Returns the number of segments that were changed,
 * and of those that are dropped by a later call, because events are pending or readers lock them.
 */
export async function dropSegments(
  query: Query,
  { number, eventSeconds, logSeconds }: SegmentRetention,
): Promise<{ readonly dropped: number; readonly left: number }> {
  const times = { eventSeconds: bounded(eventSeconds), logSeconds: bounded(logSeconds) };
  let dropped = 0;
  const segments = await expired.rows(query, { number, ...times });
  for (const { segment, log } of segments) {
    if ((await drop.row(query, { number, segment, log }))?.dropped === 't') dropped += 1;
  }
  return { dropped, left: segments.length - dropped };
}

/** An interval of PostgreSQL is finite. */
const LONGEST_SECONDS = 1_000 * 366 * 86_400;

function bounded(seconds: number): number {
  return Math.min(seconds, LONGEST_SECONDS);
}
