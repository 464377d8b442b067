/** Tests of a service with several processes: real processes, on one port and one database. */
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { identifyProcess } from '../../server/src/postgres/embedded/process-identity.ts';
import { pooled } from '../../server/test/support/database/pooler.ts';
import { type TestDatabase, testDatabase } from '../../server/test/support/database/test-database.ts';
import { startHandlerServer } from '../../server/test/support/http/handler-server.ts';
import { connectedClient, type FrameClient } from '../../server/test/support/http/websocket-clients.ts';
import { until } from '../../server/test/support/until.ts';
import { RunningCommand } from './support/running-command.ts';

let database: TestDatabase;
let service: RunningCommand;
let url: string;

// Four processes start at once.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** Starts two processes for requests and one for delivery. */
async function start(): Promise<void> {
  service = new RunningCommand(['serve', '--port', '0', '--processes', '2', '--log-format', 'json'], {
    JOINERY_DATABASE_URL: pooled(database.url),
  });
  // The last process starts after the others.
  await service.until(/"kind":"started","url":"(http[^"]+)"/);
  [, url = ''] = /"kind":"started","url":"(http[^"]+)"/.exec(service.text) ?? [];
  await ready();
}

beforeAll(async () => {
  database = await testDatabase();
  await start();
});
afterAll(async () => {
  await service?.stop('SIGKILL');
  await database?.drop();
});

/** Waits until all processes have started. */
async function ready(): Promise<void> {
  await until('the service is ready', async () => (await get('/readyz')).status === 200 || undefined);
}

async function get(path: string): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${url}${path}`, { headers: { connection: 'close' } });
  return { status: response.status, text: await response.text() };
}

async function command(type: string, args: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/v1/metadata`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({ type, args }),
  });
  const body = (await response.json()) as Record<string, unknown>;
  if (response.status !== 200) throw new Error(`${type}: ${JSON.stringify(body)}`);
  return body;
}

/** Returns the ids of processes with these components that are alive. */
async function pids(component: 'api' | 'events'): Promise<readonly number[]> {
  const { rows } = await database.database.query({
    text: `select pid from joinery.nodes where '${component}' = any(components) and seen_at > clock_timestamp() - interval '20 seconds' order by started_at`,
    values: [],
  });
  return rows.map(([pid]) => Number(pid)).filter(isAlive);
}

function isAlive(pid: number): boolean {
  return identifyProcess(pid) !== undefined;
}

interface Load {
  readonly done: () => number;
  /** The errors until now: of connections, and of responses with another status than 200. */
  readonly errors: readonly string[];
  stop(): Promise<void>;
}

/** Sends requests one after the other, each of `clients` on a connection that it keeps. */
function load(clients: number): Load {
  const errors: string[] = [];
  let [done, stopped] = [0, false];
  const agents = Array.from({ length: clients }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const once = (agent: Agent): Promise<void> =>
    new Promise((resolve) => {
      const body = JSON.stringify({ query: '{ __typename }' });
      const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
      const sent = request(`${url}/v1/graphql`, { method: 'POST', agent, headers }, (response) => {
        response.resume();
        response.on('end', () => {
          if (response.statusCode === 200) done += 1;
          else errors.push(`status ${response.statusCode}`);
          resolve();
        });
        response.on('error', () => undefined);
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        errors.push(error.code ?? error.message);
        resolve();
      });
      sent.end(body);
    });
  const running = agents.map(async (agent) => {
    while (!stopped) await once(agent);
    agent.destroy();
  });
  return {
    done: () => done,
    errors,
    stop: async () => {
      stopped = true;
      await Promise.all(running);
    },
  };
}

test('/metrics returns the sum of all processes, and keeps the counts of a process that has ended', async () => {
  for (let sent = 0; sent < 10; sent += 1) await get('/v1/version');
  const { text } = await get('/metrics');
  const counted = /^joinery_http_requests_total\{method="GET",path="\/v1\/version",status="200"\} 10$/m;
  expect(text).toMatch(counted);
  expect(text).toMatch(/^joinery_http_request_duration_seconds_count\{method="GET",path="\/v1\/version"\} 10$/m);
  expect(text.match(/^process_resident_memory_bytes\{process="(1|2|delivery)"\} \d+$/gm)).toHaveLength(3);
  expect(text.match(/^joinery_inconsistent_objects /gm)).toHaveLength(1);
  expect(text).toMatch(/^joinery_pool_size\{pool="default"\} 10$/m);
  const [first = 0] = await pids('api');
  process.kill(first, 'SIGKILL');
  const after = await until('the metrics of another process in its place', async () => {
    const { text: now } = await get('/metrics');
    return (now.match(/^process_resident_memory_bytes/gm)?.length === 3 && !isAlive(first) && now) || undefined;
  });
  expect(after).toMatch(counted);
});

test('a process that is killed under load is replaced, and only its requests under way fail', async () => {
  const before = await pids('api');
  const requests = load(8);
  await until('some responses', () => requests.done() > 50 || undefined);
  process.kill(before[0] ?? 0, 'SIGKILL');
  await service.until(/ended: SIGKILL; starting another in 0\.1 s/);
  await until('another process serves', async () => {
    const now = await pids('api');
    return (now.length === 2 && now.some((pid) => !before.includes(pid))) || undefined;
  });
  const done = requests.done();
  await until('more responses', () => requests.done() > done + 50 || undefined);
  await requests.stop();
  // At most one request of each client was under way.
  expect(requests.errors.length).toBeLessThanOrEqual(8);
  expect(requests.errors.filter((error) => !/ECONNRESET|EPIPE|socket hang up/.test(error))).toEqual([]);
});

test('SIGHUP replaces all processes without a failed request', async () => {
  const before = [...(await pids('api')), ...(await pids('events'))];
  const requests = load(8);
  await until('some responses', () => requests.done() > 50 || undefined);
  service.signal('SIGHUP');
  await service.until(/all processes are replaced/);
  const done = requests.done();
  await until('more responses', () => requests.done() > done + 50 || undefined);
  await requests.stop();
  expect(requests.errors).toEqual([]);
  expect(before.filter(isAlive)).toEqual([]);
  expect([...(await pids('api')), ...(await pids('events'))]).toHaveLength(3);
});

test('each scheduled event is delivered once, also after the delivery process was replaced', async () => {
  const sink = await startHandlerServer({ '/called': () => ({}) });
  try {
    const schedule = (count: number): Promise<unknown> =>
      command(
        'bulk',
        Array.from({ length: count }, () => ({
          type: 'create_scheduled_event',
          args: { webhook: `${sink.url}/called`, schedule_at: new Date().toISOString(), payload: {} },
        })),
      );
    const processed = (): Promise<true> =>
      until('all outcomes are stored', async () => {
        const { rows } = await database.database.query({ text: 'select from joinery.scheduled_events', values: [] });
        return rows.length === 0 || undefined;
      });
    await schedule(50);
    await processed();
    const [delivery = 0] = await pids('events');
    process.kill(delivery, 'SIGKILL');
    await until('its end', () => !isAlive(delivery) || undefined);
    await schedule(20);
    await processed();
    expect(sink.calls).toHaveLength(70);
  } finally {
    await sink.close();
  }
});

/** Returns the sum of a metric over all processes. */
async function metric(name: string): Promise<number> {
  const { text } = await get('/metrics');
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1]);
}

test('subscribers of a live query on two processes share its polls, and those that remain lose no change when one ends', async () => {
  await database.database.query({ text: 'create table price (id int primary key, amount int not null)', values: [] });
  await database.database.query({ text: 'insert into price values (1, 0), (2, 0)', values: [] });
  await command('pg_track_table', { source: 'default', table: 'price' });
  const [killed = 0] = await pids('api');
  const query = 'subscription ($id: Int!) { price_by_pk(id: $id) { amount } }';
  const subscribe = (id: number): Promise<FrameClient> =>
    until('the process knows the table', async () => {
      const client = await connectedClient(url);
      client.send({ id: '1', type: 'subscribe', payload: { query, variables: { id } } });
      if ((await client.next()).type === 'next') return client;
      await client.close();
      return undefined;
    });
  const change = (amount: number) =>
    database.database.query({ text: `update price set amount = ${amount}`, values: [] });
  const clients = await Promise.all(Array.from({ length: 16 }, (_, index) => subscribe(1 + (index % 2))));
  const next = (amount: number) => ({ id: '1', type: 'next', payload: { data: { price_by_pk: { amount } } } });
  // A process that did not know the table yet polls later.
  await until('one process polls', async () => (await metric('joinery_live_cohorts')) === 1 || undefined);
  await change(1);
  expect(await Promise.all(clients.map((client) => client.next()))).toEqual(clients.map(() => next(1)));

  const lost = new Set<FrameClient>();
  for (const client of clients) void client.closed.then(() => lost.add(client));
  process.kill(killed, 'SIGKILL');
  await until('another process serves', async () => {
    const now = await pids('api');
    return (now.length === 2 && !now.includes(killed)) || undefined;
  });
  const rest = clients.filter((client) => !lost.has(client));
  await change(2);
  expect(await Promise.all(rest.map((client) => client.next()))).toEqual(rest.map(() => next(2)));
  expect(rest.flatMap(({ unread }) => unread).filter(({ type }) => type === 'next')).toEqual([]);
  for (const client of rest) await client.close();
  await until('nothing is polled', async () => (await metric('joinery_live_cohorts')) === 0 || undefined);
});

test('two processes serve one port; each line of the log has its process, and SIGTERM stops all', async () => {
  expect(await pids('api')).toHaveLength(2);
  expect(await pids('events')).toHaveLength(1);
  const all = [...(await pids('api')), ...(await pids('events'))];
  const lines = service.text.split('\n').filter((line) => line.startsWith('{'));
  const logged = new Set(lines.map((line) => (JSON.parse(line) as { pid?: number }).pid));
  expect([...logged]).toEqual(expect.arrayContaining(all));
  expect(logged).not.toContain(undefined);
  const requests = load(4);
  await until('some responses', () => requests.done() > 20 || undefined);
  const stopping = service.stop('SIGTERM');
  await requests.stop();
  expect(await stopping).toBe(0);
  expect(all.filter(isAlive)).toEqual([]);
  expect(service.text).toMatch(/"kind":"stopped"/);
});

test('the service ends with an error when a process ends again and again', async () => {
  await start();
  for (let killed = 0; killed < 5; killed += 1) {
    const [pid = 0] = await until('a delivery process', async () => {
      const found = await pids('events');
      return found.length > 0 ? found : undefined;
    });
    process.kill(pid, 'SIGKILL');
    await until('its end', () => !isAlive(pid) || undefined);
  }
  await service.until(/joinery serve: process delivery \(pid \d+\) ended: SIGKILL, the last of 5 times in a row/);
  expect(await service.stop()).toBe(1);
});
