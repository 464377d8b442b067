/** Checks the alerts at intervals, by one node for all, and creates an event for each that starts or ends. */
import type { Alert, AlertMessage } from '@joinery/metadata/api/events/alerts';
import { CreateScheduledEvent } from '@joinery/metadata/api/events/events';
import type { Environment } from '../../base/environment.ts';
import { createFailureLog } from '../../base/failure-log.ts';
import { createPeriodicTask, type PeriodicTask } from '../../base/periodic-task.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { Database } from '../../postgres/client/pool.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { sql } from '../../postgres/sql/sql.ts';
import { createScheduledEvent } from '../commands/create.ts';
import { takeSharedTask } from '../history/shared-tasks.ts';
import { isoTime } from '../types/pending-event.ts';
import { utc } from '../webhook/envelope.ts';
import { getAlerts } from './settings.ts';

export interface AlertChecksSettings {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly environment: Environment;
  readonly observe: Observe;
  /** Milliseconds between two checks; 15,000 unless given. */
  readonly everyMs?: number;
}

const EVERY_MS = 15_000;
/** A webhook that is unavailable is called for a day; the last delay repeats. */
const retries = { num_retries: 100, retry_delays_seconds: [5, 30, 120, 900], tolerance_seconds: 86_400 };

const failures = fixedStatement(['minutes', 'destination'], ['calls', 'failed'], ({ minutes, destination }) => {
  return sql`select sum(count + dead) as calls, sum(count - delivered + dead) as failed from joinery.traffic_history
    where period_seconds = 60 and at > clock_timestamp() - ${minutes} * interval '1 minute' and kind <> 'graphql'
      and (${destination}::text is null or destination = ${destination}::text)`;
});

const circuits = fixedStatement(['destination'], ['open'], ({ destination }) => {
  return sql`select count(*) as open from joinery.event_destinations
    where circuit_opened_at is not null and (${destination}::text is null or destination = ${destination}::text)`;
});

/** The samples of the last two minutes: one is taken each minute. */
const backlog = fixedStatement(['destination'], ['oldest_ms'], ({ destination }) => {
  return sql`select max(backlog_ms) as oldest_ms from joinery.traffic_history
    where period_seconds = 60 and at > clock_timestamp() - interval '2 minutes'
      and (${destination}::text is null or destination = ${destination}::text)`;
});

interface Reading {
  readonly isActive: boolean;
  readonly value: number | null;
  /** What is compared, such as `12 % of 250 calls failed within 5 minutes`. */
  readonly text: string;
}

async function readingOf(query: Query, { rule, destination }: Alert): Promise<Reading> {
  const to = destination === null ? '' : ` to ${destination}`;
  switch (rule.kind) {
    case 'failure_rate': {
      const { window_minutes: minutes, min_calls, percent } = rule;
      const row = await failures.row(query, { minutes, destination });
      const [calls, failed] = [Number(row?.calls ?? 0), Number(row?.failed ?? 0)];
      const value = calls === 0 ? null : Math.round((failed / calls) * 1_000) / 10;
      const text = `${failed} of ${calls} calls${to} failed within ${minutes} minutes (${value ?? 0} %, the limit is ${percent} %)`;
      return { isActive: calls >= min_calls && value !== null && value > percent, value, text };
    }
    case 'circuit_open': {
      const open = Number((await circuits.row(query, { destination }))?.open);
      const text =
        destination === null
          ? `${open} circuit${open === 1 ? ' is' : 's are'} open`
          : `the circuit of ${destination} is ${open > 0 ? 'open' : 'closed'}`;
      return { isActive: open > 0, value: open, text };
    }
    case 'backlog_age': {
      const value = Number((await backlog.row(query, { destination }))?.oldest_ms ?? 0) / 1_000;
      const text = `the oldest due event${to} has waited for ${Math.round(value)} s (the limit is ${rule.seconds} s)`;
      return { isActive: value > rule.seconds, value, text };
    }
    default:
      return rule satisfies never;
  }
}

/** Returns no row if the alert was changed, deleted or checked by another node meanwhile. */
const start = fixedStatement(['name', 'value'], ['started'], ({ name, value }) => {
  return sql`update joinery.alerts set active_since = clock_timestamp(), value = ${value}::float8, checked_at = clock_timestamp()
    where name = ${name} and enabled and active_since is null returning ${isoTime(sql`active_since`)} as started`;
});

const end = fixedStatement(['name', 'value', 'since'], ['started', 'ended'], ({ name, value, since }) => {
  return sql`update joinery.alerts a set active_since = null, value = ${value}::float8, checked_at = clock_timestamp()
    from (select name, active_since from joinery.alerts where name = ${name} and active_since = ${since}::timestamptz for update) b
    where a.name = b.name
    returning ${isoTime(sql`b.active_since`)} as started, ${isoTime(sql`a.checked_at`)} as ended`;
});

const keep = fixedStatement(['name', 'value'], [], ({ name, value }) => {
  return sql`update joinery.alerts set value = ${value}::float8, checked_at = clock_timestamp() where name = ${name}`;
});

/** Checks every enabled alert once. */
export async function checkAlerts({ database, environment }: Omit<AlertChecksSettings, 'observe'>): Promise<void> {
  const { alerts } = await getAlerts(database.query);
  for (const alert of alerts.filter(({ enabled }) => enabled)) {
    const reading = await readingOf(database.query, alert);
    const { name, active_since: since } = alert;
    const { value, isActive } = reading;
    if (isActive === (since !== null)) {
      await keep.run(database.query, { name, value });
      continue;
    }
    // The state and the event that reports it are written together.
    await database.transaction(async (query) => {
      const row = isActive
        ? { ...(await start.row(query, { name, value })), ended: null }
        : await end.row(query, { name, value, since });
      if (typeof row?.started !== 'string') return;
      const ended = typeof row.ended === 'string' ? utc(row.ended) : null;
      await createScheduledEvent(query, eventOf(alert, reading, utc(row.started), ended), environment);
    });
  }
}

function eventOf(
  alert: Alert,
  { value, text }: Reading,
  startedAt: string,
  endedAt: string | null,
): CreateScheduledEvent {
  const { name, rule, destination, webhook, headers } = alert;
  const message: AlertMessage = {
    alert: name,
    state: endedAt === null ? 'started' : 'ended',
    text: `Alert "${name}" ${endedAt === null ? 'started' : 'ended'}: ${text}.`,
    rule,
    destination,
    value,
    started_at: startedAt,
    ended_at: endedAt,
  };
  return CreateScheduledEvent.parse({
    webhook,
    headers,
    schedule_at: endedAt ?? startedAt,
    payload: message,
    body: 'payload',
    retry_conf: retries,
    comment: `alert ${name}`,
    // The end of an alert is sent after its start.
    ordering_key: `alert ${name}`.slice(0, 255),
  });
}

export function createAlertChecks(settings: AlertChecksSettings): PeriodicTask {
  const { database, observe, everyMs = EVERY_MS } = settings;
  const failureLog = createFailureLog(observe, 'alerts');
  return createPeriodicTask(async () => {
    try {
      // The timers of nodes differ by less than the tenth.
      if (await takeSharedTask(database.query, 'alerts', 0.9 * everyMs)) await checkAlerts(settings);
      failureLog.recovered();
    } catch (error) {
      failureLog.failed(error);
    }
  }, everyMs);
}
