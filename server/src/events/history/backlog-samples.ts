/** Samples the backlog of destinations once a minute, by one node for all. */
import { createFailureLog } from '../../base/failure-log.ts';
import { createPeriodicTask, type PeriodicTask } from '../../base/periodic-task.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { integer, type Sql, sql } from '../../postgres/sql/sql.ts';
import { OTHER } from './counts.ts';
import { takeSharedTask } from './shared-tasks.ts';

/** Due events of a destination that wait. */
export interface BacklogSample {
  readonly kind: 'one_off' | 'cron' | 'event_trigger' | 'async_action';
  readonly destination: string;
  readonly waiting: number;
  readonly oldestMs: number;
}

export interface BacklogSamplesSettings {
  readonly query: Query;
  readonly observe: Observe;
  /** Returns the destination of a lane. */
  readonly destinationOf: (lane: string) => string;
  /** Reads the backlog of event triggers, which is in the databases of sources. */
  readonly triggerBacklog: () => Promise<readonly BacklogSample[]>;
  /** Milliseconds between two samples; 60,000 unless given. */
  readonly everyMs?: number;
}

const EVERY_MS = 60_000;
/** Events that a sample counts. */
const MOST_COUNTED = integer(100_000);
const MOST_DESTINATIONS = 30;

const due = (key: Sql): Sql => sql`(select lane, trigger_name, due_at from joinery.scheduled_events
  where lease is null and ordering_key is ${key} and due_at <= joinery.event_now() order by due_at limit ${MOST_COUNTED})`;

const readBacklog = fixedStatement([], ['kind', 'lane', 'waiting', 'oldest_ms'], () => {
  return sql`select case when e.trigger_name is null then 'one_off' else 'cron' end as kind, e.lane, count(*) as waiting,
      extract(epoch from joinery.event_now() - min(e.due_at)) * 1000 as oldest_ms
    from (${due(sql`null`)} union all ${due(sql`not null`)}) e group by 1, 2
    union all
    select 'async_action', a.action_name, count(*), extract(epoch from clock_timestamp() - min(a.due_at)) * 1000
    from (select action_name, due_at from joinery.action_log where status = 'created' and due_at <= clock_timestamp()
      limit ${MOST_COUNTED}) a group by 2`;
});

const write = fixedStatement(['rows'], [], ({ rows }) => {
  return sql`insert into joinery.traffic_history as h (
      period_seconds, at, kind, destination, count, delivered, retried, failed, dead, duration, lateness, backlog, backlog_ms
    )
    select p.seconds, date_trunc(p.unit, clock_timestamp(), 'UTC'), r.kind, r.destination, 0, 0, 0, 0, 0, '{}', '{}', r.waiting,
      r.oldest_ms
    from json_to_recordset(${rows}::json) as r (kind text, destination text, waiting bigint, oldest_ms bigint)
      cross join (values (60, 'minute'), (3600, 'hour')) as p (seconds, unit)
    order by 1, 2, 3, 4
    on conflict (period_seconds, at, kind, destination) do update set
      backlog = greatest(h.backlog, excluded.backlog), backlog_ms = greatest(h.backlog_ms, excluded.backlog_ms)`;
});

export function createBacklogSamples(settings: BacklogSamplesSettings): PeriodicTask {
  const { query, destinationOf, triggerBacklog } = settings;
  const everyMs = settings.everyMs ?? EVERY_MS;
  const failureLog = createFailureLog(settings.observe, 'samples of the backlog');

  async function sample(): Promise<void> {
    try {
      // The timers of nodes differ by less than the tenth.
      if (!(await takeSharedTask(query, 'backlog samples', 0.9 * everyMs))) return;
      const rows = await readBacklog.rows(query, {});
      const stored = rows.map(({ kind, lane, waiting, oldest_ms }): BacklogSample => {
        const common = { waiting: Number(waiting), oldestMs: Math.max(0, Math.round(Number(oldest_ms))) };
        if (kind === 'async_action') return { kind, destination: lane ?? '', ...common };
        return { kind: kind === 'cron' ? 'cron' : 'one_off', destination: destinationOf(lane ?? ''), ...common };
      });
      const samples = merged([...stored, ...(await triggerBacklog())]);
      if (samples.length > 0) await write.run(query, { rows: JSON.stringify(samples) });
      failureLog.recovered();
    } catch (error) {
      failureLog.failed(error);
    }
  }

  return createPeriodicTask(sample, everyMs);
}

/** Merges samples of one destination, and the destinations with the shortest backlogs beyond the largest number. */
function merged(samples: readonly BacklogSample[]) {
  const sums = new Map<string, { kind: string; destination: string; waiting: number; oldest_ms: number }>();
  const add = ({ kind, destination, waiting, oldestMs }: BacklogSample): void => {
    const key = `${kind} ${destination}`;
    const known = sums.get(key) ?? { kind, destination, waiting: 0, oldest_ms: 0 };
    known.waiting += waiting;
    known.oldest_ms = Math.max(known.oldest_ms, oldestMs);
    sums.set(key, known);
  };
  const longest = samples.filter(({ waiting }) => waiting > 0).sort((one, other) => other.waiting - one.waiting);
  for (const [index, sample] of longest.entries()) {
    add(index < MOST_DESTINATIONS ? sample : { ...sample, destination: OTHER });
  }
  return [...sums.values()];
}
