/** Periodic maintenance of the event tables: deletes expired rows and repairs the order of ordering keys. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createFailureLog } from '../../base/failure-log.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { Query } from '../../postgres/client/statement-run.ts';

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
const deleteEventsText = `with deleted as (
    delete from joinery.processed_events where id = any (array(
      select id from joinery.processed_events where processed_at < $1::timestamptz
      order by processed_at limit ${batch.rows} for update skip locked
    )) returning id
  ),
  logs as (delete from joinery.event_invocations where event_id = any (array(select id from deleted)))
  select count(*) from deleted`;

const deleteLogsText = `with old as materialized (
    select event_id, id from joinery.event_invocations where created_at < $1::timestamptz
    order by created_at limit ${batch.rows} for update skip locked
  ),
  deleted as (
    delete from joinery.event_invocations
    where event_id = any (array(select event_id from old)) and id = any (array(select id from old))
    returning id
  )
  select count(*) from deleted`;

const cutoffText = `select clock_timestamp() - $1 * interval '1 day'`;
const surplusText = `select processed_at from joinery.processed_events order by processed_at desc offset $1 limit 1`;

export function createRetentionTask(settings: RetentionTaskSettings): RetentionTask {
  const { query, retention } = settings;
  const failureLog = createFailureLog(settings.observe, 'retention of events');
  const stopping = new AbortController();
  let running = Promise.resolve();

  const pause = (ms: number): Promise<void> =>
    sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined) as Promise<void>;

  async function firstValue(text: string, values: readonly unknown[]): Promise<string | undefined> {
    return (await query({ text, values })).rows[0]?.[0] ?? undefined;
  }

  /** Deletes batch by batch until a batch is not full. */
  async function deleteRows(text: string, cutoff: string | undefined): Promise<void> {
    if (cutoff === undefined) return;
    while (!stopping.signal.aborted) {
      if (Number(await firstValue(text, [cutoff])) < batch.rows) return;
      await pause(batch.pauseMs);
    }
  }

  async function round(): Promise<void> {
    await query({ text: 'select joinery.mend_event_order()', values: [] });
    const { eventDays, logDays, mostEvents } = retention;
    if (eventDays > 0) await deleteRows(deleteEventsText, await firstValue(cutoffText, [eventDays]));
    if (mostEvents > 0) await deleteRows(deleteEventsText, await firstValue(surplusText, [mostEvents - 1]));
    if (logDays > 0) await deleteRows(deleteLogsText, await firstValue(cutoffText, [logDays]));
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
