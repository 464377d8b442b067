/**
 * Creates events for the next runs of cron triggers. The table `cron_plans` records the end of the planned time for each
 * trigger, so that each run becomes one event however many nodes plan.
 */

import type { CronTrigger } from '@joinery/metadata/schema/events/cron-triggers';
import type { Query } from '../../postgres/client/statement-run.ts';
import { isValueError } from '../../postgres/sql/errors.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { sql } from '../../postgres/sql/sql.ts';
import { readSchedule } from './schedule.ts';
import { definitionOf, templateOf } from './trigger.ts';

/** Number of future runs that are planned; when half of them are over, the next are planned. */
const AHEAD = 20;
/** Largest number of missed runs, the latest, that are created after a time without nodes. */
const MOST_MISSED = 1_000;
/** Largest number of runs of a trigger that are planned before the clock is advanced. */
const MOST_AHEAD = 1_000;

interface Plan {
  readonly name: string;
  readonly definition: string;
  /** End of the planned time, milliseconds since 1970. */
  readonly until: number;
}

const readPlanned = fixedStatement([], ['trigger_name', 'definition', 'until_ms', 'now_ms'], () => {
  return sql`select trigger_name, definition, extract(epoch from planned_until) * 1000 as until_ms,
      extract(epoch from joinery.event_now()) * 1000 as now_ms
    from (select) one left join joinery.cron_plans on true`;
});
const drop = fixedStatement(['names'], [], ({ names }) => {
  return sql`with future as (
      select id from joinery.scheduled_events
      where trigger_name = any (${names}::text[]) and tries = 0 and schedule_at > joinery.event_now()
        and (coalesce(lease, 0) = 0 or due_at > joinery.event_now() + interval '250 ms')
      for update
    ),
    dropped as (delete from joinery.scheduled_events e using future where e.id = future.id)
    delete from joinery.cron_plans where trigger_name = any (${names}::text[])`;
});
const runInputs = [
  'name',
  'definition',
  'webhook',
  'payload',
  'headers',
  'num_retries',
  'retry_interval_seconds',
  'timeout_seconds',
  'tolerance_seconds',
  'retry_policy',
  'comment',
  'catch_up_seconds',
  'times',
  'last',
  'delivery',
] as const;
type RunValues = Readonly<Record<(typeof runInputs)[number], unknown>>;
const insert = fixedStatement(runInputs, [], (given) => {
  return sql`with inserted as (
      insert into joinery.scheduled_events (
        webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds, timeout_seconds, tolerance_seconds,
        retry_policy, comment, trigger_name, catch_up_seconds, delivery
      )
      select ${given.webhook}, to_timestamp(time / 1000), ${given.payload}::json, ${given.headers}::json,
        ${given.num_retries}::integer, ${given.retry_interval_seconds}::integer, ${given.timeout_seconds}::integer,
        ${given.tolerance_seconds}::integer, ${given.retry_policy}::json, ${given.comment}, ${given.name}::text,
        ${given.catch_up_seconds}::integer, ${given.delivery}::json
      from unnest(${given.times}::double precision[]) as time
      on conflict (trigger_name, schedule_at) where trigger_name is not null do nothing
    )
    insert into joinery.cron_plans (trigger_name, definition, planned_until)
    values (${given.name}::text, ${given.definition}, to_timestamp(${given.last}::double precision / 1000))
    on conflict (trigger_name) do update set definition = excluded.definition, planned_until = excluded.planned_until`;
});
const savepoint = fixedStatement([], [], () => sql`savepoint runs`);
const releaseSavepoint = fixedStatement([], [], () => sql`release savepoint runs`);
const rollbackToSavepoint = fixedStatement([], [], () => sql`rollback to savepoint runs`);

/**
 * Plans the runs of these triggers in the transaction of `query`. Deletes the future runs of other triggers and of
 * triggers that have changed or are paused. Skips triggers with an invalid schedule. The caller holds the lock on the metadata, so that
 * only one node plans at a time.
 *
 * @param aheadMs plans all runs within this time, and the usual number of runs after it
 */
export async function planTriggers(query: Query, all: readonly CronTrigger[], aheadMs = 0): Promise<void> {
  const triggers = all.filter(({ paused }) => paused !== true);
  const { plans, now } = await readPlans(query);
  const current = new Map(triggers.map((trigger) => [trigger.name, definitionOf(trigger)]));
  const stale = plans.filter(({ name, definition }) => current.get(name) !== definition);
  if (stale.length > 0) await drop.run(query, { names: stale.map(({ name }) => name) });
  const plannedUntil = new Map(plans.filter((plan) => !stale.includes(plan)).map((plan) => [plan.name, plan.until]));
  for (const trigger of triggers) {
    await planOne(query, trigger, plannedUntil.get(trigger.name), { now, ahead: now + aheadMs });
  }
}

/** Whether `planTriggers` would change anything. Runs one statement without locks. */
export async function needsPlanning(query: Query, all: readonly CronTrigger[], aheadMs = 0): Promise<boolean> {
  const triggers = all.filter(({ paused }) => paused !== true);
  const { plans, now } = await readPlans(query);
  const byName = new Map(plans.map((plan) => [plan.name, plan]));
  if (plans.some(({ name }) => !triggers.some((trigger) => trigger.name === name))) return true;
  return triggers.some((trigger) => {
    const plan = byName.get(trigger.name);
    if (plan === undefined) return !('reason' in readSchedule(trigger.schedule, trigger.timezone ?? undefined));
    return plan.definition !== definitionOf(trigger) || isRunningOut(trigger, plan.until, now + aheadMs);
  });
}

async function readPlans(query: Query): Promise<{ plans: readonly Plan[]; now: number }> {
  const rows = await readPlanned.rows(query, {});
  const plans = rows.flatMap(({ trigger_name: name, definition, until_ms }) =>
    name === null ? [] : [{ name, definition: definition ?? '', until: Number(until_ms) }],
  );
  return { plans, now: Number(rows[0]?.now_ms) };
}

function isRunningOut(trigger: CronTrigger, until: number, now: number): boolean {
  const schedule = readSchedule(trigger.schedule, trigger.timezone ?? undefined);
  if ('reason' in schedule) return false;
  const half = schedule.next(now, AHEAD / 2).at(-1);
  return half !== undefined && until < half;
}

/** The current time, and the time to plan for. Milliseconds since 1970. */
interface PlanningTimes {
  readonly now: number;
  readonly ahead: number;
}

async function planOne(
  query: Query,
  trigger: CronTrigger,
  until: number | undefined,
  { now, ahead }: PlanningTimes,
): Promise<void> {
  const schedule = readSchedule(trigger.schedule, trigger.timezone ?? undefined);
  if ('reason' in schedule || (until !== undefined && !isRunningOut(trigger, until, ahead))) return;
  const { webhook, payload, headers, retry, comment, catchUpSeconds, delivery } = templateOf(trigger);
  // Older runs would be dead at once.
  const oldest = now - 1_000 * Math.min(catchUpSeconds ?? retry.toleranceSeconds, retry.toleranceSeconds);
  const missed = until === undefined || until >= now ? [] : missedRuns(trigger, Math.max(until, oldest), now);
  const start = Math.max(until ?? now, now);
  const before = ahead > now ? schedule.next(start, MOST_AHEAD).filter((time) => time <= ahead) : [];
  const times = [...missed, ...before, ...schedule.next(before.at(-1) ?? start, AHEAD)];
  const last = times.at(-1);
  if (last === undefined) return;
  await insertRuns(query, {
    name: trigger.name,
    definition: definitionOf(trigger),
    webhook,
    payload,
    headers,
    num_retries: retry.numRetries,
    retry_interval_seconds: retry.retryIntervalSeconds,
    timeout_seconds: retry.timeoutSeconds,
    tolerance_seconds: retry.toleranceSeconds,
    retry_policy: retry.policy,
    comment,
    catch_up_seconds: catchUpSeconds,
    times,
    last,
    delivery,
  });
}

/** Inserts the runs of a trigger. A trigger with values that PostgreSQL rejects must not block the others. */
async function insertRuns(query: Query, values: RunValues): Promise<void> {
  await savepoint.run(query, {});
  try {
    await insert.run(query, values);
    await releaseSavepoint.run(query, {});
  } catch (error) {
    if (!isValueError(error)) throw error;
    await rollbackToSavepoint.run(query, {});
  }
}

function missedRuns(trigger: CronTrigger, from: number, now: number): number[] {
  const schedule = readSchedule(trigger.schedule, trigger.timezone ?? undefined);
  if ('reason' in schedule) return [];
  const missed: number[] = [];
  for (let start = from; ; ) {
    const next = schedule.next(start, 200);
    const over = next.filter((time) => time <= now);
    missed.push(...over);
    const last = over.at(-1);
    if (last === undefined || over.length < next.length) return missed.slice(-MOST_MISSED);
    start = last;
  }
}
