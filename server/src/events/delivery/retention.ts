/** What a node does for the tables of events now and then: removes what is old, and mends the order of keys. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createFailureLog } from '../../base/failure-log.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { Query } from '../../postgres/client/pool.ts';

export interface Retention {
  /** Days that processed events are kept, with their logs; 0 keeps them. */
  readonly eventDays: number;
  /** Days that logs of calls are kept, at most as long as their events; 0 keeps them. */
  readonly logDays: number;
  /** Processed events that are kept at most, the latest; 0 for no limit. */
  readonly mostEvents: number;
}

export interface RetentionTaskSettings {
  readonly query: Query;
  readonly observe: Observe;
  readonly retention: Retention;
  /** Milliseconds from the end of one round to the next; a minute unless given. */
  readonly everyMs?: number;
}

export interface RetentionTask {
  start(): void;
  /** Resolves when no statement is under way. */
  stop(): Promise<void>;
}

/** A batch takes milliseconds and locks nothing that delivery wants; the pause lets others in between. */
const batch = { rows: 1_000, pauseMs: 50 };

/** The conditions stand in an array, so that the planner looks each row up by its key and joins nothing. */
const removeEventsText = `with gone as (
    delete from joinery.processed_events where id = any (array(
      select id from joinery.processed_events where processed_at < $1::timestamptz
      order by processed_at limit ${batch.rows} for update skip locked
    )) returning id
  ),
  logs as (delete from joinery.event_invocations where event_id = any (array(select id from gone)))
  select count(*) from gone`;

const removeLogsText = `with old as materialized (
    select event_id, id from joinery.event_invocations where created_at < $1::timestamptz
    order by created_at limit ${batch.rows} for update skip locked
  ),
  gone as (
    delete from joinery.event_invocations
    where event_id = any (array(select event_id from old)) and id = any (array(select id from old))
    returning id
  )
  select count(*) from gone`;

const beforeText = `select clock_timestamp() - $1 * interval '1 day'`;
const surplusText = `select processed_at from joinery.processed_events order by processed_at desc offset $1 limit 1`;

export function createRetentionTask(settings: RetentionTaskSettings): RetentionTask {
  const { query, retention } = settings;
  const failureLog = createFailureLog(settings.observe, 'upkeep of events');
  const stopping = new AbortController();
  let running = Promise.resolve();

  const pause = (ms: number): Promise<void> =>
    sleep(ms, undefined, { signal: stopping.signal }).catch(() => undefined) as Promise<void>;

  async function first(text: string, values: readonly unknown[]): Promise<string | undefined> {
    return (await query({ text, values })).rows[0]?.[0] ?? undefined;
  }

  /** Removes until less than a batch is left. */
  async function remove(text: string, before: string | undefined): Promise<void> {
    if (before === undefined) return;
    while (!stopping.signal.aborted) {
      if (Number(await first(text, [before])) < batch.rows) return;
      await pause(batch.pauseMs);
    }
  }

  async function round(): Promise<void> {
    await query({ text: 'select joinery.mend_event_order()', values: [] });
    const { eventDays, logDays, mostEvents } = retention;
    if (eventDays > 0) await remove(removeEventsText, await first(beforeText, [eventDays]));
    if (mostEvents > 0) await remove(removeEventsText, await first(surplusText, [mostEvents - 1]));
    if (logDays > 0) await remove(removeLogsText, await first(beforeText, [logDays]));
  }

  async function run(): Promise<void> {
    const everyMs = settings.everyMs ?? 60_000;
    // Nodes that start together need not all begin at once.
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
