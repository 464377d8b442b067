/**
 * Histories of two nodes whose connections to the database are cut, stopped, delayed and silenced: no anomaly in what clients wrote and
 * read by GraphQL, REST and live queries, and a register of the metadata that is linearizable. CONSISTENCY_SEED and CONSISTENCY_SCALE
 * choose other operations and more of them.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Proxy as NetworkProxy, startProxy } from '../support/database/postgres-proxy.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { until } from '../support/until.ts';
import { type AnomalyKind, findAnomalies } from './checker.ts';
import { appendOnce, keys, type Recorder, readOnce, seeded, subscribe, useRegister } from './clients.ts';
import { findContradiction } from './register.ts';

const seed = Number(process.env.CONSISTENCY_SEED ?? 1);
const scale = Number(process.env.CONSISTENCY_SCALE ?? 1);
const CLIENTS = 6;
const DISTURBANCES = 6 * scale;
/** Operations of all clients between two changes of the network. */
const BETWEEN = 25;

const recorder: Recorder & { used: number; operations: number } = {
  history: [],
  register: [],
  used: 0,
  operations: 0,
  next: () => {
    recorder.used += 1;
    return recorder.used;
  },
};

let database: TestDatabase;
const proxies: NetworkProxy[] = [];
const nodes: TestService[] = [];
let finals: ReadonlyMap<string, readonly number[]>;

async function finalLists(): Promise<ReadonlyMap<string, readonly number[]>> {
  const { rows } = await database.database.query({ text: 'select key, elements from list', values: [] });
  return new Map(rows.map(([key, elements]) => [key ?? '', JSON.parse(elements ?? '[]') as readonly number[]]));
}

async function prepare(): Promise<void> {
  const [node] = nodes;
  if (node === undefined) throw new Error('no node has started');
  await node.command('pg_track_table', { table: 'list' });
  const query = 'query lists { list(order_by: {key: asc}) { key elements } }';
  await node.command('create_query_collection', {
    name: 'stored',
    definition: { queries: [{ name: 'lists', query }] },
  });
  await node.command('create_rest_endpoint', {
    name: 'lists',
    url: 'lists',
    methods: ['GET'],
    definition: { query: { collection_name: 'stored', query_name: 'lists' } },
  });
  for (const { url } of nodes) {
    await until('each node serves the endpoint', async () => {
      const { ok } = await fetch(`${url}/api/rest/lists`, { headers: { 'x-service-role': 'admin' } });
      return ok;
    });
  }
}

/** One failure of the connections of a node, until the clients have made more operations. */
async function disturb(random: (limit: number) => number): Promise<void> {
  const proxy = proxies[random(proxies.length)];
  const kind = random(5);
  if (kind === 0) proxy?.cut();
  if (kind === 1) proxy?.pause();
  if (kind === 2) proxy?.stall('silent');
  if (kind === 3) proxy?.mute();
  if (kind === 4) for (const one of proxies) one.cut();
  const target = recorder.operations + BETWEEN;
  await until('the clients continue', () => recorder.operations >= target, { seconds: 300 });
  proxy?.resume();
  proxy?.restore();
  // Connections that were stalled or muted stay so until they end.
  if (kind === 2 || kind === 3) proxy?.cut();
}

async function useNode(random: (limit: number) => number): Promise<void> {
  const url = nodes[random(nodes.length)]?.url ?? '';
  const kind = random(10);
  if (kind < 4) await appendOnce(url, recorder, random);
  else if (kind < 8) await readOnce(url, recorder, random);
  else await useRegister(url, recorder, random);
  recorder.operations += 1;
}

beforeAll(async () => {
  const rows = keys.map((key) => `('${key}')`).join(', ');
  database = await testDatabase({
    migrated: true,
    sql: `create table list (key text primary key, elements jsonb not null default '[]'); insert into list values ${rows}`,
  });
  for (let node = 0; node < 2; node++) {
    const proxy = await startProxy(database.url);
    proxies.push(proxy);
    nodes.push(await startService({}, { ...database, url: proxy.url }));
  }
  await prepare();
  let ended = false;
  const subscriptions = nodes.map(({ url }) => subscribe(url, recorder, () => ended));
  const clients = Array.from({ length: CLIENTS }, async (_, index) => {
    const random = seeded(seed * 100 + index);
    while (!ended) await useNode(random);
  });
  const random = seeded(seed);
  for (let done = 0; done < DISTURBANCES; done++) await disturb(random);
  ended = true;
  await Promise.all(clients);
  finals = await finalLists();
  await Promise.all(nodes.map((node) => node.stop()));
  await Promise.all(subscriptions);
  await Promise.all(proxies.map((proxy) => proxy.close()));
}, 600_000);
afterAll(() => database?.drop());

test('the clients have written and read enough to find anomalies', () => {
  const count = (outcome: string) => recorder.history.filter((one) => one.outcome === outcome).length;
  expect(count('committed')).toBeGreaterThan(50);
});

test.each<AnomalyKind>([
  'duplicate',
  'incompatible-order',
  'lost-append',
  'aborted-read',
  'intermediate-read',
  'G0',
  'G1c',
  'G-single',
])('the history has no anomaly of the kind %s', (kind) => {
  const found = findAnomalies(recorder.history, finals).filter((anomaly) => anomaly.kind === kind);
  expect(found, `seed ${seed}`).toEqual([]);
});

test('the metadata register is linearizable', () => {
  expect(findContradiction(recorder.register, 0), `seed ${seed}`).toBeUndefined();
});
