/** Runs nodes that deliver events during a failure of their database or of a node, and counts the calls. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Database } from '../../../src/postgres/client/pool.ts';
import { startProxy } from '../../support/database/postgres-proxy.ts';
import { testDatabase } from '../../support/database/test-database.ts';
import { type Call, column, type Sink, startSink } from '../../support/events/delivery-node.ts';
import { untilRead } from '../../support/http/read-marker.ts';
import { until } from '../../support/until.ts';

export interface OutageOptions {
  readonly nodes: number;
  readonly events: number;
  /** Milliseconds over which the events are due, at equal intervals. */
  readonly spreadMs: number;
  /** Milliseconds from the first calls to the failure. */
  readonly afterMs: number;
  readonly outageMs: number;
  /** `outage`: no node reaches the database. `pause`: SIGSTOP for the first node. `kill`: SIGKILL for the first node. */
  readonly failure: 'outage' | 'pause' | 'kill';
  /** Number of ordering keys of the events; 0 for events without a key. */
  readonly keys: number;
  /** Duration of a lease in milliseconds; by default that of the service. */
  readonly leaseMs?: number;
  /** Response time of the webhook in milliseconds. */
  readonly responseMs: number;
}

export interface OutageReport {
  /** Events that were never called. */
  readonly missing: number;
  /** Events that were called more than once. */
  readonly repeated: number;
  /** Repeated events that were being called when the failure started, without a stored outcome. */
  readonly repeatedInFlight: number;
  readonly inFlight: number;
  /** Calls of events that preceded the first call of an earlier event with the same ordering key. */
  readonly outOfOrder: number;
  readonly early: number;
  readonly pending: number;
  /** Milliseconds from the end of the failure to the outcome of the last event. */
  readonly drainedMs: number;
  /** Milliseconds from the death of a node to the first call of an event that it had claimed. */
  readonly takeoverMs: number | undefined;
}

export async function runOutage(options: OutageOptions): Promise<OutageReport> {
  const db = await testDatabase({ migrated: true });
  const sink = await startSink((_call, response) => setTimeout(() => response.end('ok'), options.responseMs));
  const children: ChildProcess[] = [];
  let proxy = await startProxy(db.url);
  const port = Number(new URL(proxy.url).port);
  try {
    for (let index = 0; index < options.nodes; index += 1) {
      children.push(await startNodeProcess(proxy.url, `node-${index}`, options));
    }
    const ids = await column(
      db.database,
      `insert into joinery.scheduled_events (webhook, schedule_at, payload, ordering_key)
       select $1, clock_timestamp() + n * $3::float8 / $2 * interval '1 ms', to_json(n),
         case when $4::int > 0 then 'key ' || n % $4::int end
       from generate_series(1, $2::int) n returning id`,
      [sink.origin, options.events, options.spreadMs, options.keys],
    );
    await until('the first events are called', () => sink.calls.length >= 20);
    await sleep(options.afterMs);
    const [victim] = children;
    const startedAt = Date.now();
    if (options.failure === 'outage') await proxy.close();
    else if (victim !== undefined) await halt(victim, options.failure);
    // The victim may have sent calls that the webhook has not read.
    await untilRead(sink.origin);
    const failedAt = Date.now();
    const claimed = new Set(
      await column(
        db.database,
        `select e.id from joinery.scheduled_events e join joinery.event_leases l on l.id = e.lease
         where l.node like 'node-0 %'`,
      ),
    );
    const stored = new Set(await column(db.database, 'select event_id from joinery.event_invocations'));
    await sleep(options.outageMs);
    if (options.failure === 'outage') proxy = await startProxy(db.url, {}, port);
    if (options.failure === 'pause') victim?.kill('SIGCONT');
    const endedAt = Date.now();
    const pendingText = 'select count(*) from joinery.scheduled_events';
    let pending = ids.length;
    const isDone = async (): Promise<boolean> => {
      pending = Number((await column(db.database, pendingText))[0]);
      return pending === 0;
    };
    // The report has the number of pending events.
    await until('all events are processed', isDone, { seconds: 120, intervalMs: 100 }).catch(() => undefined);
    const drainedMs = Date.now() - endedAt;
    const alive = children.flatMap((child, index) => (child.signalCode === null ? [`node-${index}`] : []));
    const calls = await untilAllCall(db.database, sink, alive);
    const counts = new Map<string, number>();
    for (const { body } of calls) counts.set(body.id, (counts.get(body.id) ?? 0) + 1);
    const ofFailed = calls.filter((call) => options.failure === 'outage' || call.headers['user-agent'] === 'node-0');
    const started = ofFailed.filter((call) => call.startedAt <= failedAt);
    const inFlight = new Set(started.map((call) => call.body.id).filter((id) => !stored.has(id)));
    const repeated = [...counts].filter(([, count]) => count > 1).map(([id]) => id);
    const takeover = calls.find((call) => claimed.has(call.body.id) && call.headers['user-agent'] !== 'node-0');
    return {
      missing: ids.filter((id) => !counts.has(id)).length,
      repeated: repeated.length,
      repeatedInFlight: repeated.filter((id) => inFlight.has(id)).length,
      inFlight: inFlight.size,
      outOfOrder:
        options.keys === 0
          ? 0
          : countOutOfOrder(
              calls.map((call) => call.body),
              options.keys,
            ),
      early: calls.filter((call) => call.at < Math.floor(Date.parse(call.body.scheduled_time))).length,
      pending,
      drainedMs,
      takeoverMs: options.failure === 'kill' && takeover !== undefined ? takeover.at - startedAt : undefined,
    };
  } finally {
    for (const child of children) await endProcess(child);
    await proxy.close();
    await sink.close();
    await db.drop();
  }
}

/**
 * Waits until each node has called a new event, so that a late call of an earlier event would have been made, and returns
 * the calls of earlier events.
 */
async function untilAllCall(database: Database, sink: Sink, agents: readonly string[]): Promise<readonly Call[]> {
  const path = '/afterwards';
  await until(
    `${agents.join(' and ')} have called a new event`,
    async () => {
      await column(
        database,
        `insert into joinery.scheduled_events (webhook, schedule_at) select $1, now() from generate_series(1, 20)`,
        [sink.origin + path],
      );
      const callers = new Set(
        sink.calls.filter((call) => call.path === path).map((call) => call.headers['user-agent']),
      );
      return agents.every((agent) => callers.has(agent));
    },
    { intervalMs: 200 },
  );
  return sink.calls.filter((call) => call.path !== path);
}

/** Counts only first calls, because a repeated call may follow the call of a later event. */
function countOutOfOrder(bodies: readonly Readonly<Record<string, unknown>>[], keys: number): number {
  const last = new Map<number, number>();
  const seen = new Set<number>();
  let count = 0;
  for (const { payload } of bodies) {
    const n = Number(payload);
    if (seen.has(n)) continue;
    seen.add(n);
    if (n < (last.get(n % keys) ?? 0)) count += 1;
    last.set(n % keys, n);
  }
  return count;
}

async function startNodeProcess(url: string, agent: string, { leaseMs }: OutageOptions): Promise<ChildProcess> {
  const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(
    process.execPath,
    [file('../../support/service/run-typescript.mjs'), file('../../support/events/delivery-process-main.ts')],
    {
      env: {
        ...process.env,
        EVENTS_URL: url,
        EVENTS_AGENT: agent,
        EVENTS_PER_DESTINATION: '50',
        ...(leaseMs !== undefined && { EVENTS_LEASE_MS: String(leaseMs) }),
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  await once(child.stdout, 'data');
  child.stdout.resume();
  return child;
}

/** Kills or stops the process. Resolves when it has ended or is stopped, so that it sends nothing more. */
async function halt(child: ChildProcess, failure: 'pause' | 'kill'): Promise<void> {
  if (failure === 'kill') {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
    return;
  }
  child.kill('SIGSTOP');
  // The state follows the name of the program, which is in parentheses.
  const state = (): string | undefined => /\) (\w)/.exec(readFileSync(`/proc/${child.pid}/stat`, 'utf8'))?.[1];
  await until('the node is stopped', () => state() === 'T');
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
