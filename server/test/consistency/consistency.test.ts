/**
 * Histories of two nodes whose connections to the database and to clients are cut, stopped, slow and silent, or end before the response to
 * a commit: no anomaly in what clients wrote and read by GraphQL, REST and live queries, and a register of the metadata that is
 * linearizable. CONSISTENCY_SEED and CONSISTENCY_SCALE choose other operations and more of them.
 */
import { afterAll, beforeAll } from 'vitest';
import { type Proxy as NetworkProxy, startProxy } from '../support/database/postgres-proxy.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { until } from '../support/until.ts';
import { type History, listsSql, type Running, recordHistory, scale } from './history.ts';
import { testHistory } from './history-rules.ts';

/** Operations of all clients between two changes of the network. */
const BETWEEN = 20;

let database: TestDatabase;
/** Between the nodes and the database. */
const proxies: NetworkProxy[] = [];
/** Between the clients and the nodes. */
const fronts: NetworkProxy[] = [];
const nodes: TestService[] = [];
let history: History;

const LATENCY_MS = 30;
/** Statements that end a transaction of several appends, and that store metadata. */
const commit = /Q.{4}commit|update joinery\.metadata/s;
/** The first parameter of an append: one of several in a transaction, or one that commits with its statement. */
const append = /^B.*\[\d+\]/s;

/** Returns a condition that is met when the failure has concerned a request. */
type Failure = (proxy: NetworkProxy) => () => boolean;
const always = (fail: (proxy: NetworkProxy) => void): Failure => {
  return (proxy) => {
    fail(proxy);
    return () => true;
  };
};
/** The database has made a change, and the node does not know it. */
const withoutResponse = (statement: RegExp): Failure => {
  return (proxy) => {
    const before = proxy.droppedResponses();
    proxy.dropResponses(statement);
    return () => proxy.droppedResponses() > before;
  };
};
const ofDatabase: readonly Failure[] = [
  always((proxy) => proxy.cut()),
  always((proxy) => proxy.pause()),
  always((proxy) => proxy.stall('silent')),
  always((proxy) => proxy.mute()),
  always((proxy) => proxy.delay(LATENCY_MS)),
  always((proxy) => proxy.drip()),
  withoutResponse(commit),
  withoutResponse(append),
];
const ofClients: readonly Failure[] = [
  always((proxy) => proxy.mute()),
  always((proxy) => proxy.delay(LATENCY_MS)),
  always((proxy) => proxy.drip()),
  // The node has connections whose peers have gone.
  always((proxy) => proxy.abandon()),
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
    const isMet = next.fail(proxy);
    await operations(BETWEEN);
    await until('the failure has met a request', isMet, { seconds: 60 });
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
