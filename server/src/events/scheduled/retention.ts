/**
 * Periodic maintenance of the tables of events and of traffic: creates and drops partitions of the log of calls, deletes expired rows,
 * and repairs the order of ordering keys.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { createFailureLog } from '../../base/failure-log.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { type FixedStatement, fixedStatement, type TextRow } from '../../postgres/sql/rows.ts';
import { ident, integer, sql } from '../../postgres/sql/sql.ts';
import { hourDays, minuteHours } from '../history/read-traffic.ts';
import { dropLogPartition, openLogDays, readLogPartitions } from './log-days.ts';

export interface Retention {
  /** Days until a processed event is deleted with its log; 0 keeps it. */
  readonly eventDays: number;
  /** Days until the log of a call is deleted, with its day; 0 keeps it as long as its event. */
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
  /** Resolves when the log has its partitions, if they can be created now. Calls need none. */
  start(): Promise<void>;
  /** Resolves when the running statement has ended. */
  stop(): Promise<void>;
}

/** A batch takes milliseconds and locks no pending events; the pause lets other statements run. */
const batch = { rows: 1_000, pauseMs: 50 };

/**
 * Ids are passed as arrays, so that the planner looks up each row by its key and does not join. The log of an event is in the
 * partitions of the days from its creation to its end.
 */
const deleteEvents = fixedStatement(['before'], ['count'], ({ before }) => {
  return sql`with deleted as (
      delete from joinery.processed_events where id = any (array(
        select id from joinery.processed_events where processed_at < ${before}::timestamptz
        order by processed_at limit ${integer(batch.rows)} for update skip locked
      )) returning id, least(created_at, schedule_at, processed_at) as began_at, processed_at as ended_at
    ),
    logs as (
      delete from joinery.event_invocations where event_id = any (array(select id from deleted))
        and created_at >= (select min(began_at) - interval '1 day' from deleted)
        and created_at <= (select max(ended_at) + interval '1 day' from deleted)
    )
    select count(*) as count from deleted`;
});

/** Deletes calls of a partition that is not of one day. */
function deleteCalls(partition: string): FixedStatement<'before', 'count'> {
  const table = ident('joinery', partition);
  return fixedStatement(['before'], ['count'], ({ before }) => {
    return sql`with old as materialized (
        select event_id, id from ${table} where created_at < ${before}::timestamptz
        order by created_at limit ${integer(batch.rows)} for update skip locked
      ),
      deleted as (
        delete from ${table}
        where event_id = any (array(select event_id from old)) and id = any (array(select id from old))
        returning id
      )
      select count(*) as count from deleted`;
  });
}

/** Deletes rows of periods of a length. */
const deleteTraffic = fixedStatement(['periodSeconds', 'hours'], ['count'], ({ periodSeconds, hours }) => {
  return sql`with old as materialized (
      select period_seconds, at, kind, destination from joinery.traffic_history
      where period_seconds = ${periodSeconds}::integer and at < clock_timestamp() - ${hours} * interval '1 hour'
      order by at limit ${integer(batch.rows)} for update skip locked
    ),
    deleted as (
      delete from joinery.traffic_history h using old o
      where (h.period_seconds, h.at, h.kind, h.destination) = (o.period_seconds, o.at, o.kind, o.destination) returning 1
    )
    select count(*) as count from deleted`;
});

/** The numbers of the writes of former nodes. */
const deleteWrites = fixedStatement([], [], () => {
  return sql`delete from joinery.traffic_writes where at < clock_timestamp() - interval '1 day'`;
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
  const daysLog = createFailureLog(settings.observe, 'partitions of the log of calls');
  const stopping = new AbortController();
  let running: Promise<unknown> = Promise.resolve();

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

  async function deletePeriods(periodSeconds: number, hours: number): Promise<void> {
    while (!stopping.signal.aborted) {
      if (Number((await deleteTraffic.row(query, { periodSeconds, hours }))?.count) < batch.rows) return;
      await pause(batch.pauseMs);
    }
  }

  async function round(): Promise<void> {
    await repairOrder.run(query, {});
    const { eventDays, logDays, mostEvents } = retention;
    if (eventDays > 0) await deleteRows(deleteEvents, await cutoff.row(query, { days: eventDays }));
    if (mostEvents > 0) await deleteRows(deleteEvents, await surplus.row(query, { most: mostEvents - 1 }));
    for (const partition of await readLogPartitions(query, logDays)) {
      if (stopping.signal.aborted) return;
      if (partition.isExpired || partition.isEmptied) await dropLogPartition(query, partition);
      else if (partition.isMixed && logDays > 0) {
        await deleteRows(deleteCalls(partition.name), await cutoff.row(query, { days: logDays }));
      }
    }
    await deletePeriods(60, minuteHours);
    await deletePeriods(3_600, 24 * hourDays);
    await deleteWrites.run(query, {});
  }

  const openDays = (): Promise<void> => openLogDays(query).then(daysLog.recovered, daysLog.failed);

  async function run(work: () => Promise<void>): Promise<void> {
    const everyMs = settings.everyMs ?? 60_000;
    // The first delay is random, to spread the rounds of nodes that start together.
    for (let wait = everyMs * Math.random(); ; wait = everyMs) {
      await pause(wait);
      if (stopping.signal.aborted) return;
      await work();
    }
  }

  return {
    async start() {
      const opened = openDays();
      const rounds = (): Promise<void> => round().then(failureLog.recovered, failureLog.failed);
      // Apart from the rounds: the deletion of a long history takes hours.
      running = opened.then(() => Promise.all([run(openDays), run(rounds)]));
      await opened;
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
