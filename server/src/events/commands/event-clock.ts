/** Advances the clock of events, so that development can test "two weeks later" in a second. */

import type { AdvanceClock, EventClock } from '@joinery/metadata/api/events/lists';
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { sql } from '../../postgres/sql/sql.ts';
import { isoTime } from '../types/pending-event.ts';
import { utc } from '../webhook/envelope.ts';

const readClock = fixedStatement([], ['now', 'ahead_seconds'], () => {
  return sql`select ${isoTime(sql`(clock_timestamp() + joinery.event_ahead())`)} as now,
    extract(epoch from joinery.event_ahead()) as ahead_seconds`;
});
const advance = fixedStatement(['seconds'], [], ({ seconds }) => sql`select joinery.advance_event_clock(${seconds})`);
const reset = fixedStatement([], [], () => sql`delete from joinery.event_clock`);
const wakeNodes = fixedStatement([], [], () => sql`select joinery.wake_event_nodes('clock')`);

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
    await advance.run(query, { seconds });
  }
  return clockState(query);
}

/** Resets the clock of events to the database's clock. */
export async function resetClock(query: Query): Promise<EventClock> {
  await reset.run(query, {});
  await wakeNodes.run(query, {});
  return clockState(query);
}

async function clockState(query: Query): Promise<EventClock> {
  const row = await readClock.row(query, {});
  return { message: 'success', now: utc(row?.now ?? ''), ahead_seconds: Number(row?.ahead_seconds) };
}
