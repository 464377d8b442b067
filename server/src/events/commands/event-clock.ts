/** Advances the clock of events, so that development can test "two weeks later" in a second. */
import type { AdvanceClock, EventClock } from '@joinery/metadata/api/event-lists';
import type { Query } from '../../postgres/client/statement-run.ts';
import { utc } from '../webhook/envelope.ts';

const nowText = `select to_char((clock_timestamp() + joinery.event_ahead()) at time zone 'UTC',
    'YYYY-MM-DD"T"HH24:MI:SS.US'), extract(epoch from joinery.event_ahead())`;

/**
 * Advances the clock of events on all nodes by `seconds`; 0 only reads it: `{ message: "success", now, ahead_seconds }`.
 * Events that become due are due at once and count as on time.
 *
 * @param prepare called with the seconds before the clock is advanced
 */
export async function advanceClock(
  query: Query,
  { seconds }: AdvanceClock,
  prepare: (seconds: number) => Promise<void>,
): Promise<EventClock> {
  if (seconds > 0) {
    await prepare(seconds);
    await query({ text: 'select joinery.advance_event_clock($1)', values: [seconds] });
  }
  return clockState(query);
}

/** Resets the clock of events to the database's clock. */
export async function resetClock(query: Query): Promise<EventClock> {
  await query({ text: 'delete from joinery.event_clock', values: [] });
  await query({ text: `select joinery.wake_event_nodes('clock')`, values: [] });
  return clockState(query);
}

async function clockState(query: Query): Promise<EventClock> {
  const [row] = (await query({ text: nowText, values: [] })).rows;
  return { message: 'success', now: utc(row?.[0] ?? ''), ahead_seconds: Number(row?.[1]) };
}
