/**
 * Delivers events while nodes are killed and the database is restarted, and counts the outcomes. `chaos.test.ts` and `soak.ts`
 * compare the counts.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createDatabase, type Database } from '../../../server/src/postgres/client/pool.ts';
import { type EmbeddedPostgres, startEmbedded } from '../../../server/src/postgres/embedded/embedded.ts';
import { migrate } from '../../../server/src/postgres/migrations/migrate.ts';
import { untilRead } from '../../../server/test/support/http/read-marker.ts';
import { until } from '../../../server/test/support/until.ts';
import { addressOf } from './service-address.ts';

export interface ChaosOptions {
  readonly nodes: number;
  readonly events: number;
  /** The events are scheduled evenly over this many seconds. */
  readonly seconds: number;
  /** The number of nodes that are killed with SIGKILL, one after the other, and replaced at once. */
  readonly kills: number;
  /** The number of restarts of the database. */
  readonly restarts: number;
  /** The response time of the webhook in milliseconds. */
  readonly responseMs: number;
  /** Receives each step. */
  readonly log?: (step: string) => void;
}

export interface ChaosReport {
  readonly events: number;
  /** Events that were never called. */
  readonly missing: number;
  /** Calls before their scheduled time. */
  readonly early: number;
  /** Repeated calls. */
  readonly repeated: number;
  /** Repeated calls whose earlier call was not made by a node that was killed within the next seconds. */
  readonly unexplained: number;
  /** The most calls repeated after one kill. */
  readonly mostAfterKill: number;
  /** The number of events by status. */
  readonly ended: Readonly<Record<string, number>>;
  readonly pending: number;
  /** Rows of the invocation log. */
  readonly logged: number;
  /** Milliseconds from the scheduled time to the first call, over all events. */
  readonly lateness: { readonly p50: number; readonly p99: number; readonly max: number };
  readonly seconds: number;
}

interface Call {
  readonly node: string;
  readonly at: number;
}

interface Sink {
  readonly url: string;
  readonly calls: Map<string, Call[]>;
  readonly due: Map<string, number>;
  count: number;
  close(): void;
}

const bin = fileURLToPath(new URL('../../bin/joinery.mjs', import.meta.url));
/** The outcome of a call is stored within this time, so that a kill repeats only calls of the last milliseconds before it. */
const UNWRITTEN_MS = 5_000;

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const began = performance.now();
  const log = options.log ?? (() => undefined);
  const directory = mkdtempSync(join(tmpdir(), 'joinery-chaos-'));
  const children = new Set<ChildProcess>();
  const sink = await startSink(options.responseMs);
  let postgres: EmbeddedPostgres | undefined;
  let database: Database | undefined;
  try {
    postgres = await startEmbedded({ directory, settings: { fsync: 'off' } });
    const { url } = postgres;
    database = openDatabase(url);
    await migrate(database);
    const launch = async (name: string) => ({ name, child: await serve(name, url, sink.url, children) });
    const names = Array.from({ length: options.nodes }, (_unused, index) => `node ${index + 1}`);
    const nodes = await Promise.all(names.map(launch));
    const limit = { seconds: 120 + 3 * options.seconds };
    await schedule(database, options);
    log(`${options.events} events, due within ${options.seconds} s`);

    const killed = new Map<string, number>();
    const acts = [...plan('kill', options.kills), ...plan('restart', options.restarts)].sort(
      (a, b) => a.share - b.share,
    );
    for (const { what, share } of acts) {
      const many = options.events * share;
      await until(`${many} events are called`, () => sink.calls.size >= many, limit);
      if (what === 'restart') {
        await postgres.stop();
        postgres = await startEmbedded({ directory, settings: { fsync: 'off', port: new URL(url).port } });
        log('the database was restarted');
        continue;
      }
      const victim = nodes.shift();
      if (victim === undefined) throw new Error('no node is left to kill');
      victim.child.kill('SIGKILL');
      await once(victim.child, 'exit');
      // The victim may have sent calls that the webhook has not read.
      await untilRead(sink.url);
      killed.set(victim.name, Date.now());
      log(`${victim.name} was killed after calls of ${sink.calls.size} events`);
      nodes.push(await launch(`${victim.name}'`));
    }
    const processed = database;
    const pendingText = 'select count(*) from joinery.scheduled_events';
    // While the database restarts it cannot be read.
    const isDone = () =>
      numberOf(processed, pendingText).then(
        (count) => count === 0,
        () => false,
      );
    await until('all events are processed', isDone, limit);
    return { ...(await read(database, sink, killed, options)), seconds: Math.round(performance.now() - began) / 1_000 };
  } finally {
    for (const child of children) child.kill('SIGKILL');
    sink.close();
    await database?.close();
    await postgres?.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The steps, at evenly distributed shares of delivered events, without the first and the last. */
function plan(what: 'kill' | 'restart', count: number): { what: 'kill' | 'restart'; share: number }[] {
  const shift = what === 'kill' ? 0.5 : 0.85;
  return Array.from({ length: count }, (_unused, index) => ({ what, share: ((index + shift) / (count + 0.5)) * 0.9 }));
}

function openDatabase(url: string): Database {
  return createDatabase({
    url,
    poolSize: 2,
    statementTimeoutMs: 60_000,
    prepare: false,
    applicationName: 'joinery chaos',
  });
}

/** Starts a process that only delivers events. Its calls have its name in a header. */
async function serve(name: string, url: string, sink: string, all: Set<ChildProcess>): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    [bin, 'serve', '--port', '0', '--components', 'events', '--log-format', 'json'],
    {
      env: { PATH: process.env.PATH, JOINERY_DATABASE_URL: url, NODE_NAME: name, SINK: sink },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  all.add(child);
  child.once('exit', () => all.delete(child));
  await addressOf(child);
  return child;
}

async function schedule(database: Database, { events, seconds }: ChaosOptions): Promise<void> {
  const text = `insert into joinery.scheduled_events (webhook, schedule_at, payload, headers)
    select '{{SINK}}/', now() + interval '2 s' + n * $2::float8 / $1::int * interval '1 s', to_json(n),
      '[{"name":"X-Node","value_from_env":"NODE_NAME"}]'
    from generate_series(1, $1::int) n`;
  await database.query({ text, values: [events, seconds] });
}

async function startSink(responseMs: number): Promise<Sink> {
  const server = createServer((request, response) => {
    const at = Date.now();
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      const { id, scheduled_time } = JSON.parse(text) as { id: string; scheduled_time: string };
      const calls = sink.calls.get(id) ?? [];
      calls.push({ node: String(request.headers['x-node']), at });
      sink.calls.set(id, calls);
      sink.due.set(id, Date.parse(scheduled_time));
      sink.count += 1;
      setTimeout(() => response.end('{}'), responseMs);
    });
  });
  const sink: Sink = {
    url: '',
    calls: new Map(),
    due: new Map(),
    count: 0,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(sink, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

async function numberOf(database: Database, text: string): Promise<number> {
  return Number((await database.query({ text, values: [] })).rows[0]?.[0]);
}

async function read(
  database: Database,
  sink: Sink,
  killed: ReadonlyMap<string, number>,
  { events }: ChaosOptions,
): Promise<Omit<ChaosReport, 'seconds'>> {
  const ends = await database.query({
    text: 'select status, count(*) from joinery.processed_events group by 1',
    values: [],
  });
  const afterKill = new Map<string, number>();
  let early = 0;
  let unexplained = 0;
  const lateness: number[] = [];
  for (const [id, calls] of sink.calls) {
    const due = sink.due.get(id) ?? 0;
    early += calls.filter(({ at }) => at < Math.floor(due)).length;
    lateness.push((calls[0]?.at ?? due) - due);
    for (const { node, at } of calls.slice(0, -1)) {
      const killedAt = killed.get(node) ?? Number.NEGATIVE_INFINITY;
      if (at <= killedAt && killedAt - at < UNWRITTEN_MS) afterKill.set(node, (afterKill.get(node) ?? 0) + 1);
      else unexplained += 1;
    }
  }
  lateness.sort((a, b) => a - b);
  const percentile = (share: number): number => lateness[Math.floor((lateness.length - 1) * share)] ?? 0;
  return {
    events,
    missing: events - sink.calls.size,
    early,
    repeated: sink.count - sink.calls.size,
    unexplained,
    mostAfterKill: Math.max(0, ...afterKill.values()),
    ended: Object.fromEntries(ends.rows.map(([status, count]) => [status, Number(count)])),
    pending: await numberOf(database, 'select count(*) from joinery.scheduled_events'),
    logged: await numberOf(database, 'select count(*) from joinery.event_invocations'),
    lateness: { p50: percentile(0.5), p99: percentile(0.99), max: percentile(1) },
  };
}
