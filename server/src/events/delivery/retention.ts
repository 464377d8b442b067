/** Periodic maintenance of the event tables: deletes expired rows and repairs the order of ordering keys. */

import { setTimeout as sleep } from 'node:timers/promises';
import { createFailureLog } from '../../base/failure-log.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { type FixedStatement, fixedStatement, type TextRow } from '../../postgres/sql/rows.ts';
import { integer, sql } from '../../postgres/sql/sql.ts';

export interface Retention {
  /** Days until a processed event is deleted with its log; 0 keeps it. */
  readonly eventDays: number;
  /** Days until the log of a call is deleted; 0 keeps it as long as its event. */
  readonly logDays: number;
  /** Largest number of processed events; older ones are deleted. 0 for no limit. */
  readonly mostEvents: number;
}

export interface RetentionTaskSettings {
  readonly query: Query;
  readonly observe: Observe;
  readonly retention: Retention;
  /** Milliseconds from the end of one round to the start of the next; 60,000 by default. */
  readonly everyMs?: number;
}

export interface RetentionTask {
  start(): void;
  /** Resolves when the running statement has ended. */
  stop(): Promise<void>;
}

/** A batch takes milliseconds and locks no pending events; the pause lets other statements run. */
const batch = { rows: 1_000, pauseMs: 50 };

/** Ids are passed as arrays, so that the planner looks up each row by its key and does not join. */
const deleteEvents = fixedStatement(['before'], ['count'], ({ before }) => {
  return sql`with deleted as (
      delete from joinery.processed_events where id = any (array(
        select id from joinery.processed_events where processed_at < ${before}::timestamptz
        order by processed_at limit ${integer(batch.rows)} for update skip locked
      )) returning id
    ),
    logs as (delete from joinery.event_invocations where event_id = any (array(select id from deleted)))
    select count(*) as count from deleted`;
});

const deleteLogs = fixedStatement(['before'], ['count'], ({ before }) => {
  return sql`with old as materialized (
      select event_id, id from joinery.event_invocations where created_at < ${before}::timestamptz
      order by created_at limit ${integer(batch.rows)} for update skip locked
    ),
    deleted as (
      delete from joinery.event_invocations
      where event_id = any (array(select event_id from old)) and id = any (array(select id from old))
      returning id
    )
    select count(*) as count from deleted`;
});

const cutoff = fixedStatement(['days'], ['before'], ({ days }) => {
  return sql`select clock_timestamp() - ${days} * interval '1 day' as before`;
});

/** The time of the first event beyond the number to keep. */
const surplus = fixedStatement(['most'], ['before'], ({ most }) => {
  return sql`select processed_at as before from joinery.processed_events order by processed_at desc offset ${most} limit 1`;
});

const repairOrder = fixedStatement([], [], () => sql`select joinery.mend_event_order()`);

export function createRetentionTask(settings: RetentionTaskSettings): RetentionTask {
  const { query, retention } = settings;
  const failureLog = createFailureLog(settings.observe, 'retention of events');
  const stopping = new AbortController();
  let running = Promise.resolve();

  const pause = (ms: number): Promise<void> =>
    sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined) as Promise<void>;

  /** Deletes batch by batch until a batch is not full. */
  async function deleteRows(
    statement: FixedStatement<'before', 'count'>,
    limit: TextRow<'before'> | undefined,
  ): Promise<void> {
    if (typeof limit?.before !== 'string') return;
    while (!stopping.signal.aborted) {
      if (Number((await statement.row(query, limit))?.count) < batch.rows) return;
      await pause(batch.pauseMs);
    }
  }

  async function round(): Promise<void> {
    await repairOrder.run(query, {});
    const { eventDays, logDays, mostEvents } = retention;
    if (eventDays > 0) await deleteRows(deleteEvents, await cutoff.row(query, { days: eventDays }));
    if (mostEvents > 0) await deleteRows(deleteEvents, await surplus.row(query, { most: mostEvents - 1 }));
    if (logDays > 0) await deleteRows(deleteLogs, await cutoff.row(query, { days: logDays }));
  }

  async function run(): Promise<void> {
    const everyMs = settings.everyMs ?? 60_000;
    // The first delay is random, to spread the rounds of nodes that start together.
    for (let wait = everyMs * Math.random(); ; wait = everyMs) {
      await pause(wait);
      if (stopping.signal.aborted) return;
      await round().then(failureLog.recovered, failureLog.failed);
    }
  }

  return {
    start() {
      running = run();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
