/** Writes the counted traffic of a node to the database, a few times a minute and only while there is any. */
import { createFailureLog } from '../../base/failure-log.ts';
import type { Observation, Observe } from '../../base/telemetry/observe.ts';
import type { Query } from '../../postgres/client/statement-run.ts';
import { fixedStatement } from '../../postgres/sql/rows.ts';
import { type Sql, sql } from '../../postgres/sql/sql.ts';
import { type CountedCall, type CountedPeriod, createTrafficCounts } from './counts.ts';

export interface TrafficRecorder {
  record(call: CountedCall): void;
  /** Counts GraphQL operations. */
  observe(observation: Observation): void;
  /** Starts writing to the database with the schema `joinery`. */
  start(target: WriteTarget): void;
  /** Writes what was counted. */
  stop(): Promise<void>;
}

interface WriteTarget {
  readonly query: Query;
  /** The name of this node. */
  readonly node: string;
  readonly observe: Observe;
  /** Milliseconds from a call to the write with it; 10,000 unless given. */
  readonly everyMs?: number;
}

/** The longest time of calls that are lost with the process. */
const WRITE_MS = 10_000;

/** Adds two histograms. A class beyond the largest integer stays there. */
const sum = (one: Sql, other: Sql): Sql => sql`array(
  select least(coalesce(u.x, 0)::bigint + coalesce(u.y, 0), 2147483647)::integer
  from unnest(${one}, ${other}) with ordinality as u (x, y, n) order by u.n)`;

/** Rows are added in order of their key, so that nodes do not wait for each other in a circle. */
const write = fixedStatement(['node', 'number', 'rows'], [], ({ node, number, rows }) => {
  return sql`with first as (
      insert into joinery.traffic_writes as w (node, number, at) values (${node}, ${number}, clock_timestamp())
      on conflict (node) do update set number = excluded.number, at = excluded.at where w.number < excluded.number
      returning 1
    )
    insert into joinery.traffic_history as h (
      period_seconds, at, kind, destination, count, delivered, retried, failed, dead, duration, lateness, backlog, backlog_ms
    )
    select r.period_seconds, to_timestamp(r.at), r.kind, r.destination, r.count, r.delivered, r.retried, r.failed, r.dead,
      r.duration, r.lateness, 0, 0
    from json_to_recordset(${rows}::json) as r (
      period_seconds integer, at bigint, kind text, destination text, count bigint, delivered bigint, retried bigint,
      failed bigint, dead bigint, duration integer[], lateness integer[]
    )
    where exists (select from first)
    order by 1, 2, 3, 4
    on conflict (period_seconds, at, kind, destination) do update set
      count = h.count + excluded.count, delivered = h.delivered + excluded.delivered,
      retried = h.retried + excluded.retried, failed = h.failed + excluded.failed, dead = h.dead + excluded.dead,
      duration = ${sum(sql`h.duration`, sql`excluded.duration`)},
      lateness = ${sum(sql`h.lateness`, sql`excluded.lateness`)}`;
});

/** One for each process. Counts from the beginning, and writes after `start`. */
export function createTrafficRecorder(now: () => number = Date.now): TrafficRecorder {
  const counts = createTrafficCounts(now);
  let target: WriteTarget | undefined;
  let failureLog: ReturnType<typeof createFailureLog> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let writes = 0;
  /** Rows of a write whose result is not known. */
  let unwritten: { readonly number: number; readonly rows: readonly CountedPeriod[] } | undefined;

  function schedule(): void {
    if (timer !== undefined || target === undefined) return;
    timer = setTimeout(() => {
      writing = writing.then(writeCounts);
    }, target.everyMs ?? WRITE_MS);
    timer.unref();
  }

  async function writeCounts(): Promise<void> {
    timer = undefined;
    if (target === undefined) return;
    try {
      while (unwritten !== undefined || !counts.isEmpty()) {
        if (unwritten === undefined) {
          writes += 1;
          unwritten = { number: writes, rows: counts.take() };
        }
        const { number, rows } = unwritten;
        await write.run(target.query, { node: target.node, number, rows: JSON.stringify(rows) });
        unwritten = undefined;
      }
      failureLog?.recovered();
    } catch (error) {
      failureLog?.failed(error);
      schedule();
    }
  }

  function record(call: CountedCall): void {
    counts.add(call);
    schedule();
  }

  return {
    record,
    observe(observation) {
      if (observation.kind !== 'operation') return;
      const { type, code, durationMs } = observation;
      const result = code === undefined ? 'delivered' : 'failed';
      record({ kind: 'graphql', destination: type, result, durationMs, latenessMs: undefined });
    },
    start(given) {
      target = given;
      failureLog = createFailureLog(given.observe, 'history of traffic');
      if (!counts.isEmpty()) schedule();
    },
    async stop() {
      clearTimeout(timer);
      writing = writing.then(writeCounts);
      await writing;
      clearTimeout(timer);
      target = undefined;
    },
  };
}
