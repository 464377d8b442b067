/** The rules of cron triggers: one event for each of their times, called when it is due and not later than permitted. */
import { type CronSchedule, readSchedule } from '../../../src/events/cron/schedule.ts';
import { nameOf, ROUNDING_MS } from '../engine/call-rules.ts';
import type { DatabaseLink } from '../engine/database-link.ts';
import type { WebhookCall } from '../engine/webhook-call.ts';
import type { WorkloadContext } from '../engine/workload.ts';
import { createScheduledRules } from '../scheduled/rules.ts';
import type { ScenarioTrigger } from './scenario.ts';

export interface CronRules {
  atCall(call: WebhookCall, link: DatabaseLink): Promise<void>;
  atEnd(): Promise<void>;
  /** Notes a change that was committed at this time. */
  changed(trigger: ScenarioTrigger, isActive: boolean): void;
  removedAll(): void;
  /** Notes that a failover loses commits now. */
  lost(): void;
}

/** A committed change of the metadata. */
interface Change {
  /** Undefined where all triggers are deleted. */
  readonly trigger: ScenarioTrigger | undefined;
  readonly isActive: boolean;
  /** Milliseconds since the start. */
  readonly committedAt: number;
  /** Milliseconds since 1970 by the clock of the database. */
  readonly from: number;
}

/** A definition of a trigger, and when it was in use. Milliseconds since 1970 by the clock of the database. */
interface Period {
  readonly trigger: ScenarioTrigger;
  readonly from: number;
  to: number;
  /** Whether a failover has lost it. It may have been called before. */
  readonly isLost: boolean;
}

/** The clock of the database was set forward, as after a time without nodes. */
interface Jump {
  readonly from: number;
  readonly to: number;
}

/** Runs that a pause or a change in this time may drop or not, because they are being called. */
const BEING_CALLED_MS = 250;
/** Nodes plan within this time after a jump of the clock. */
const PLANNED_WITHIN_MS = 20_000;
/** Runs of a trigger that are planned at any time. */
const PLANNED = 10;
/** A run that is not caught up is called until then. */
const MISSED_MS = 60_000;

export function createCronRules(context: WorkloadContext): CronRules {
  const { world } = context;
  const { violate } = world;
  const committed: Change[] = [];
  /** When a failover has lost commits, by the clock of the database. */
  const lossesAt: number[] = [];
  const called = new Map<string, ScenarioTrigger>();
  const idsOfRuns = new Map<string, { readonly id: string; readonly at: number }>();
  const scheduled = createScheduledRules(context, (id) => {
    const trigger = called.get(id);
    return trigger && { orderingKey: undefined, retryIntervalSeconds: trigger.retryIntervalSeconds };
  });
  const jumps: Jump[] = [];
  world.onClockSet((from, to) => {
    if (to > from) jumps.push({ from, to });
  });

  /** Returns what the changes have defined; a change that was lost has ended nothing. */
  function periods(): readonly Period[] {
    const found: Period[] = [];
    for (const { trigger, isActive, committedAt, from } of committed) {
      const isLost = world.isLost(committedAt);
      for (const period of found) {
        const isChanged = trigger === undefined || period.trigger.name === trigger.name;
        if (isChanged && !isLost) period.to = Math.min(period.to, from);
      }
      if (trigger === undefined || !isActive) continue;
      const lossAt = lossesAt.find((at) => at >= from) ?? Number.POSITIVE_INFINITY;
      found.push({ trigger, from, to: isLost ? lossAt : Number.POSITIVE_INFINITY, isLost });
    }
    return found;
  }

  /** Returns the definition that a run of the trigger at this time may have. */
  function definitionOf(name: string, runAt: number): ScenarioTrigger | undefined {
    return periods().find(({ trigger, from, to }) => {
      return trigger.name === name && runAt > from && runAt <= to + BEING_CALLED_MS && isTimeOf(trigger, runAt);
    })?.trigger;
  }

  async function atCall(call: WebhookCall, link: DatabaseLink): Promise<void> {
    const { name, scheduled_time: text } = JSON.parse(call.content);
    const runAt = Date.parse(text);
    const trigger = definitionOf(name, runAt);
    if (trigger === undefined)
      return violate(`phantom: the ${nameOf(call)} is for ${text}, which is no time of ${name}`);
    called.set(call.id, trigger);
    const run = `${name} ${text}`;
    const known = idsOfRuns.get(run);
    if (known !== undefined && known.id !== call.id && !world.isLost(known.at)) {
      violate(`doubled: the ${nameOf(call)} is for ${run}, which event ${known.id} was called for`);
    }
    idsOfRuns.set(run, { id: call.id, at: world.time.now() });
    if (link.clockReadAt('events') > world.clockSetAt()) {
      const lateMs = world.databaseNow() - runAt;
      if (lateMs < -ROUNDING_MS) violate(`early: the ${nameOf(call)} is ${-lateMs} ms before ${text}`);
      checkLateness(call, trigger, lateMs);
    }
    await scheduled.atCall(call, link);
  }

  function checkLateness(call: WebhookCall, { catchUp, toleranceSeconds }: ScenarioTrigger, lateMs: number): void {
    const mostMs = Math.min(
      toleranceSeconds * 1_000,
      catchUp || call.attempt > 1 ? Number.POSITIVE_INFINITY : MISSED_MS,
    );
    // Lateness counts in whole seconds, and is compared some time before the call is sent.
    if (lateMs > mostMs + 2_000 && call.process.resumedAt() < world.time.now() - 2_000) {
      violate(`late: the ${nameOf(call)} is ${lateMs} ms late, and ${mostMs} ms are permitted`);
    }
  }

  async function atEnd(): Promise<void> {
    const text = `select id, trigger_name, extract(epoch from schedule_at) * 1000, status from joinery.processed_events
      order by trigger_name, schedule_at`;
    const { rows } = await world.execute({ text, values: [] });
    await scheduled.atEnd(rows.map(([id]) => ({ id: id ?? '', mayBeLost: false })));
    const runs = new Map<string, number>();
    for (const [, name, at] of rows) {
      const run = `${name} ${Number(at)}`;
      runs.set(run, (runs.get(run) ?? 0) + 1);
      if (definitionOf(name ?? '', Number(at)) === undefined) violate(`phantom: ${run} is no time of the trigger`);
    }
    for (const [run, count] of runs) if (count > 1) violate(`doubled: ${run} has ${count} events`);
    for (const period of periods().filter(({ isLost }) => !isLost)) {
      for (const at of timesOf(period)) {
        const { name } = period.trigger;
        if (!runs.has(`${name} ${at}`) && !mayBeMissing(period, at)) {
          violate(`lost: ${name} has no event for ${new Date(at).toISOString()}`);
        }
      }
    }
  }

  /** Whether the run was not planned before it was missed, and then was too late, or the trigger was changed before nodes planned it. */
  function mayBeMissing({ trigger, from, to }: Period, at: number): boolean {
    const mostMs = Math.min(trigger.toleranceSeconds * 1_000, trigger.catchUp ? Number.POSITIVE_INFINITY : MISSED_MS);
    return jumps.some((jump) => {
      // Nodes may not have planned since an earlier jump.
      const before = jumps.filter((one) => one.to <= jump.from && one.to + PLANNED_WITHIN_MS > jump.from);
      const plannedFrom = Math.min(jump.from, ...before.map((one) => one.from));
      const planned = timesAfter(trigger, Math.max(plannedFrom, from), PLANNED).at(-1) ?? 0;
      const plannedBy = jump.to + PLANNED_WITHIN_MS;
      return at > jump.from && at < jump.to && at > planned && (plannedBy - at > mostMs || to < plannedBy);
    });
  }

  function note(trigger: ScenarioTrigger | undefined, isActive: boolean): void {
    committed.push({ trigger, isActive, committedAt: world.time.now(), from: world.databaseNow() });
  }

  return {
    atCall,
    atEnd,
    changed: note,
    removedAll: () => note(undefined, false),
    lost() {
      lossesAt.push(world.databaseNow());
    },
  };
}

const parsed = new Map<string, CronSchedule>();

function timesAfter({ schedule }: ScenarioTrigger, from: number, most: number): number[] {
  const read = parsed.get(schedule) ?? readSchedule(schedule);
  if ('reason' in read) throw new Error(read.reason);
  parsed.set(schedule, read);
  return read.next(from, most);
}

function isTimeOf(trigger: ScenarioTrigger, at: number): boolean {
  return timesAfter(trigger, at - 1, 1)[0] === at;
}

function timesOf({ trigger, from, to }: Period): number[] {
  return timesAfter(trigger, from, 200).filter((at) => at <= to);
}
