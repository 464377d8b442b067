/**
 * Histories of two nodes whose connections to the database and to clients are cut, stopped, slow and silent: no anomaly in what clients wrote and
 * read by GraphQL, REST and live queries, and a register of the metadata that is linearizable. CONSISTENCY_SEED and CONSISTENCY_SCALE
 * choose other operations and more of them.
 */
import { afterAll, beforeAll } from 'vitest';
import { type Proxy as NetworkProxy, startProxy } from '../support/database/postgres-proxy.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { type History, listsSql, type Running, recordHistory, scale } from './history.ts';
import { testHistory } from './history-rules.ts';

/** Operations of all clients between two changes of the network. */
const BETWEEN = 25;

let database: TestDatabase;
/** Between the nodes and the database. */
const proxies: NetworkProxy[] = [];
/** Between the clients and the nodes. */
const fronts: NetworkProxy[] = [];
const nodes: TestService[] = [];
let history: History;

const LATENCY_MS = 30;
type Failure = (proxy: NetworkProxy) => void;
const ofDatabase: readonly Failure[] = [
  (proxy) => proxy.cut(),
  (proxy) => proxy.pause(),
  (proxy) => proxy.stall('silent'),
  (proxy) => proxy.mute(),
  (proxy) => proxy.delay(LATENCY_MS),
  (proxy) => proxy.drip(),
];
const ofClients: readonly Failure[] = [
  (proxy) => proxy.mute(),
  (proxy) => proxy.delay(LATENCY_MS),
  (proxy) => proxy.drip(),
  // The node has connections whose peers have gone.
  (proxy) => proxy.abandon(),
];

/** All failures in a random order, each of the connections of one node until the clients have made more operations. */
async function disturb({ random, operations }: Running): Promise<void> {
  const left = [
    ...ofDatabase.map((fail) => ({ fail, among: proxies })),
    ...ofClients.map((fail) => ({ fail, among: fronts })),
  ];
  while (left.length > 0) {
    const [next] = left.splice(random(left.length), 1);
    const proxy = next?.among[random(nodes.length)];
    if (next === undefined || proxy === undefined) throw new Error('the node has no proxy');
    next.fail(proxy);
    await operations(BETWEEN);
    proxy.resume();
    proxy.restore();
    // Connections that were stalled, muted or abandoned stay so until they end.
    proxy.cut();
  }
}

beforeAll(async () => {
  database = await testDatabase({ migrated: true, sql: listsSql });
  for (let node = 0; node < 2; node++) {
    const proxy = await startProxy(database.url);
    proxies.push(proxy);
    const service = await startService({}, { ...database, url: proxy.url });
    nodes.push(service);
    fronts.push(await startProxy(service.url));
  }
  history = await recordHistory({
    database: database.database,
    nodes,
    urls: fronts.map(({ url }) => url.replace(/\/$/, '')),
    disturb: async (running) => {
      for (let done = 0; done < scale; done++) await disturb(running);
    },
    stop: () => Promise.all(nodes.map((node) => node.stop())),
  });
  await Promise.all([...proxies, ...fronts].map((proxy) => proxy.close()));
}, 600_000);
afterAll(() => database?.drop());

testHistory(() => history);
