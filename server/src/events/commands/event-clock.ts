/** The time that events go by, advanced: so that a test of "two weeks later" takes a second. For development alone. */
import { AdvanceClock } from '@joinery/metadata/api/event-lists';
import type { Query } from '../../postgres/client/pool.ts';
import { utc } from '../webhook/envelope.ts';
import { readArguments } from './arguments.ts';

type Answer = Readonly<Record<string, unknown>>;

const nowText = `select to_char((clock_timestamp() + joinery.event_ahead()) at time zone 'UTC',
    'YYYY-MM-DD"T"HH24:MI:SS.US'), extract(epoch from joinery.event_ahead())`;

/**
 * Advances the time of events, on all nodes, by the seconds that are given; 0 only tells it: `{ message: "success", now,
 * ahead_seconds }`. What comes due by that is due at once and counts as on time.
 *
 * @param prepare called before, with the seconds
 */
export async function advanceClock(
  query: Query,
  args: unknown,
  prepare: (seconds: number) => Promise<void>,
): Promise<Answer> {
  const { seconds } = readArguments(AdvanceClock, args);
  if (seconds > 0) {
    await prepare(seconds);
    await query({ text: 'select joinery.advance_event_clock($1)', values: [seconds] });
  }
  return tell(query);
}

/** Back to the time of the database. */
export async function resetClock(query: Query): Promise<Answer> {
  await query({ text: 'delete from joinery.event_clock', values: [] });
  await query({ text: `select joinery.wake_event_nodes('clock')`, values: [] });
  return tell(query);
}

async function tell(query: Query): Promise<Answer> {
  const [row] = (await query({ text: nowText, values: [] })).rows;
  return { message: 'success', now: utc(row?.[0] ?? ''), ahead_seconds: Number(row?.[1]) };
}
