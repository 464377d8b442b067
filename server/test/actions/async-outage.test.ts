/** Asynchronous actions on two nodes during a database outage longer than their leases. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createHttpClient } from '../../src/base/http-client/http-client.ts';
import { type LeaseTimes, leaseDefaults, takeLease } from '../../src/events/leases/leases.ts';
import { claimEntries, settleEntry } from '../../src/execute/action/action-log.ts';
import type { Model } from '../../src/model/model.ts';
import { createActionWorker } from '../../src/service/async-actions/worker.ts';
import { startProxy } from '../support/database/postgres-proxy.ts';
import { connect, type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { column } from '../support/events/delivery-node.ts';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { until } from '../support/until.ts';
import { actionAt, contextWith } from './action-run.ts';

let db: TestDatabase;
let handlers: HandlerServer;
const cleanups: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  db = await testDatabase({ migrated: true });
  handlers = await startHandlerServer({ '/act': () => sleep(20).then(() => 7) });
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  await handlers.close();
  await db.drop();
});

/** Starts a worker on the database at `url`. */
async function workerOn(url: string, node: string, leaseTimes: LeaseTimes): Promise<void> {
  const action = actionAt(`${handlers.url}/act`, {
    kind: 'asynchronous',
    arguments: [{ name: 'n', type: 'Int!' }],
    output_type: 'Int',
  });
  const httpClient = createHttpClient({ connections: 50 });
  const database = connect(url);
  const { handlers: state, observe, environment, settings } = contextWith(httpClient);
  const worker = createActionWorker({
    database,
    httpClient,
    handlers: state,
    observe,
    environment,
    settings,
    node,
    model: () => ({ actions: new Map([[action.name, action]]) }) as Pick<Model, 'actions'> as Model,
    pollMs: 100,
    perAction: 20,
    overall: 20,
    retentionDays: 0,
    leaseTimes,
  });
  cleanups.push(async () => {
    await worker.stop({ drainMs: 0 });
    await httpClient.close();
    await database.close();
  });
  await worker.start();
}

const insertText = `insert into joinery.action_log (action_name, input_payload, session_variables, due_at)
  select 'act', json_build_object('n', n), '{}', clock_timestamp() + n * interval '4 ms'
  from generate_series(1, 1000) n`;

it.each([
  ['short leases', { lastsMs: 2_000, renewEveryMs: 500 }],
  ['leases of the default duration', leaseDefaults],
])(
  'with %s, only calls in flight are repeated after a database outage',
  async (_what, leaseTimes) => {
    let proxy = await startProxy(db.url);
    cleanups.push(() => proxy.close());
    await workerOn(proxy.url, 'a', leaseTimes);
    await workerOn(proxy.url, 'b', leaseTimes);
    await column(db.database, insertText);
    await until('100 calls are made', () => handlers.calls.length >= 100);
    await proxy.close();
    const completed = new Set(
      await column(db.database, "select input_payload->>'n' from joinery.action_log where status = 'completed'"),
    );
    const numberOf = (body: (typeof handlers.calls)[number]['body']): string =>
      String((body.input as { readonly n: number }).n);
    const inFlight = new Set(handlers.calls.map(({ body }) => numberOf(body)).filter((n) => !completed.has(n)));
    const validText = 'select count(*) from joinery.event_leases where expires_at >= clock_timestamp()';
    await until('all leases have expired', async () => (await column(db.database, validText))[0] === '0');
    proxy = await startProxy(db.url, {}, Number(new URL(proxy.url).port));
    const openText = "select count(*) from joinery.action_log where status <> 'completed'";
    await until('all entries are completed', async () => (await column(db.database, openText))[0] === '0');
    const counts = new Map<string, number>();
    for (const { body } of handlers.calls) counts.set(numberOf(body), (counts.get(numberOf(body)) ?? 0) + 1);
    expect(counts.size).toBe(1_000);
    const repeated = [...counts].filter(([, count]) => count > 1).map(([n]) => n);
    expect(repeated.filter((n) => !inFlight.has(n))).toEqual([]);
  },
  120_000,
);

it.each([
  ['expired', "expires_at = clock_timestamp() - interval '1 ms'"],
  ['draining', 'draining = true'],
])('a lease that is %s claims no entry', async (_what, change) => {
  const { query } = db.database;
  await column(db.database, insertText);
  const lease = await takeLease(query, 'test', 60_000);
  const due = 'select count(*) from joinery.action_log where due_at <= clock_timestamp()';
  await until('more are due than one claim takes', async () => Number((await column(db.database, due))[0]) > 2);
  const claim = () => claimEntries(query, lease, new Map([['act', 2]]), 2);
  expect(await claim()).toHaveLength(2);
  await column(db.database, `update joinery.event_leases set ${change}`);
  expect(await claim()).toEqual([]);
});

it('an outcome that is written again, because its result was lost, does not change the entry that is claimed for the next call', async () => {
  const { query } = db.database;
  await column(
    db.database,
    `insert into joinery.action_log (action_name, input_payload, session_variables) values ('act', '{}', '{}')`,
  );
  const lease = await takeLease(query, 'test', 60_000);
  const claim = () => claimEntries(query, lease, new Map([['act', 1]]), 1);
  const [first] = await claim();
  if (first === undefined) throw new Error('the entry was not claimed');
  const outcome = { kind: 'retry', inMs: 0, call: '{"attempt":1}' } as const;
  expect(await settleEntry(query, lease, first, outcome)).toBe(true);
  expect(await claim()).toMatchObject([{ id: first.id, tries: 1 }]);
  expect(await settleEntry(query, lease, first, outcome)).toBe(false);
  const text = "select concat_ws(' ', status, tries, lease, calls) from joinery.action_log";
  expect(await column(db.database, text)).toEqual([`processing 1 ${lease} [{"attempt": 1}]`]);
});
