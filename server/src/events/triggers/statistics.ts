/** Reads the backlog and the recent calls of the triggers of a source. */
import type { EventTriggerStats } from '@joinery/metadata/api/events/triggers';
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { integer, sql } from '../../postgres/sql/sql.ts';
import { isoTime } from '../types/pending-event.ts';
import { utc } from '../webhook/envelope.ts';

/** The members of the statistics that the database has. */
export type TriggerStatistics = Pick<
  EventTriggerStats,
  | 'outdated_at'
  | 'pending'
  | 'pending_is_capped'
  | 'retrying'
  | 'waiting_in_order'
  | 'oldest_pending_at'
  | 'last_call_at'
  | 'last_day'
>;

/** The largest exact number of pending events. */
const MOST_COUNTED = 10_000;

const isInstalled = fixedStatement([], ['installed'], () => {
  return sql`select to_regclass('joinery.triggers') is not null as installed`;
});

const read = fixedStatement(
  ['owner'],
  [
    'name',
    'outdated_at',
    'pending',
    'is_capped',
    'retrying',
    'waiting',
    'oldest_at',
    'last_call_at',
    'calls',
    'delivered',
    'failed',
    'dead',
    'p50',
    'p95',
    'seconds',
  ],
  ({
    owner,
  }) => sql`select t.name, ${isoTime(sql`t.outdated_at`)} as outdated_at, s.pending, s.is_capped, s.retrying, s.waiting,
      ${isoTime(sql`s.oldest_at`)} as oldest_at, ${isoTime(sql`s.last_call_at`)} as last_call_at, s.calls, s.delivered, s.failed,
      s.dead, s.p50, s.p95, s.seconds
    from joinery.triggers t cross join lateral joinery.trigger_statistics(t.number, ${integer(MOST_COUNTED)}) s
    where t.owner = ${owner}`,
);

/** Returns the statistics of the triggers of the owner by name. The work is bounded, whatever the number of events. */
export async function readTriggerStatistics(
  query: Query,
  owner: string,
): Promise<ReadonlyMap<string, TriggerStatistics>> {
  if ((await isInstalled.row(query, {}))?.installed !== 't') return new Map();
  const rows = await read.rows(query, { owner });
  return new Map(
    rows.map((row) => [
      row.name ?? '',
      {
        outdated_at: timeOf(row.outdated_at),
        pending: Number(row.pending),
        pending_is_capped: row.is_capped === 't',
        retrying: Number(row.retrying),
        waiting_in_order: Number(row.waiting),
        oldest_pending_at: timeOf(row.oldest_at),
        last_call_at: timeOf(row.last_call_at),
        last_day: {
          seconds: Number(row.seconds),
          calls: Number(row.calls),
          delivered: Number(row.delivered),
          error: Number(row.failed),
          dead: Number(row.dead),
          p50_ms: numberOf(row.p50),
          p95_ms: numberOf(row.p95),
        },
      },
    ]),
  );
}

function timeOf(text: string | null): string | null {
  return text === null ? null : utc(text);
}

function numberOf(text: string | null): number | null {
  return text === null ? null : Number(text);
}
