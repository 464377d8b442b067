/** Event triggers during failures: nodes that are killed, a source that crashes or does not respond, connections that break. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { pooled } from '../../support/database/pooler.ts';
import { type SourceServer, startSourceServer } from '../../support/database/source-server.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import {
  committedChanges,
  compareCalls,
  countedTables,
  startCountedWriters,
} from '../../support/events/counted-writers.ts';
import { type Sink, startSink } from '../../support/events/delivery-node.ts';
import { type ServiceProcess, startServiceProcess } from '../../support/service/service-process.ts';
import { until } from '../../support/until.ts';

vi.setConfig({ testTimeout: 300_000 });

let source: SourceServer;
let store: TestDatabase;
let sink: Sink;
let nodes: ServiceProcess[] = [];

const startNode = (): Promise<ServiceProcess> =>
  startServiceProcess({
    JOINERY_DATABASE_URL: pooled(store.url),
    JOINERY_PORT: '0',
    JOINERY_LOG_LEVEL: 'error',
    SOURCE_URL: source.url,
  });

beforeAll(async () => {
  let calls = 0;
  sink = await startSink((_call, response) => {
    calls += 1;
    // Some calls fail and are repeated.
    if (calls % 50 === 0) response.statusCode = 503;
    setTimeout(() => response.end(), 5);
  });
  [source, store] = await Promise.all([startSourceServer(), testDatabase({ migrated: true })]);
  await run(countedTables);
  nodes = await Promise.all([startNode(), startNode()]);
  await command('pg_add_source', {
    name: 'shop',
    configuration: { connection_info: { database_url: { from_env: 'SOURCE_URL' } } },
  });
  await command('pg_track_table', { source: 'shop', table: 'item' });
  const change = { columns: '*' };
  const trigger = (name: string, more: object = {}): Promise<void> =>
    command('pg_create_event_trigger', {
      ...{ source: 'shop', name, table: 'item', insert: change, update: change, delete: change },
      ...{ webhook: `${sink.origin}/${name}`, retry_conf: { num_retries: 20, interval_sec: 1 }, ...more },
    });
  await trigger('plain');
  await trigger('ordered', { ordering_key: ['key'] });
  await trigger('batched', { batch: { max_events: 20, max_wait_ms: 50 } });
}, 300_000);

afterAll(async () => {
  await Promise.all(nodes.map((node) => node.kill()));
  await source?.stop();
  await store?.drop();
  await sink?.close();
});

async function command(type: string, args: object, node = nodes[0]): Promise<void> {
  const body = JSON.stringify({ type, args });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${node?.url}/v1/metadata`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`${type}: ${await response.text()}`);
}

async function run(text: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: source.url });
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(text);
    return rows;
  } finally {
    await client.end();
  }
}

/** Nodes that start. The failures do not wait for them. */
const starting: Promise<unknown>[] = [];

async function replaceNode(index: number): Promise<void> {
  await nodes[index]?.kill();
  starting.push(
    startNode().then((node) => {
      nodes[index] = node;
    }),
  );
}

const breakConnections = (): Promise<unknown> =>
  run(
    `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'`,
  );

async function stall(): Promise<void> {
  source.stall();
  await sleep(2_000);
  source.restore();
}

const callsOf = (name: string) => sink.calls.filter(({ path }) => path === `/${name}`);

/** Waits until each committed change has been called, and nothing is claimed or waits. */
async function expectDelivered(rolledBack: ReadonlySet<string>): Promise<void> {
  const committed = await committedChanges(source.url);
  const compared = (name: string) => compareCalls(callsOf(name), committed, rolledBack);
  const names = ['plain', 'ordered', 'batched'];
  await until(
    () =>
      `each committed change is called; missing: ${JSON.stringify(names.map((name) => compared(name).missing.length))}`,
    () => names.every((name) => compared(name).missing.length === 0),
    { seconds: 60, intervalMs: 200 },
  );
  await until('no event is pending', async () => {
    const [left] =
      await run(`select (select count(*) from joinery.trigger_work) + (select count(*) from joinery.trigger_batches)
      + (select count(*) from joinery.trigger_stamps) as events`);
    return (left as { readonly events: string }).events === '0';
  });
  for (const name of names) expect(compared(name)).toMatchObject({ missing: [], uncommitted: [], rolledBack: 0 });
  expect(compared('ordered')).toMatchObject({ outOfOrder: 0 });
}

describe('committed changes are called at least once, in commit order, and changes that are rolled back never', () => {
  test('while nodes are killed and the source crashes, does not respond and breaks connections', async () => {
    const writers = startCountedWriters(source.url, 3);
    const failures: readonly (() => Promise<unknown>)[] = [
      () => replaceNode(0),
      source.crash,
      () => replaceNode(1),
      breakConnections,
      stall,
      source.crash,
    ];
    for (const fail of failures) {
      const before = writers.committed();
      await until('changes are committed and called', () => writers.committed() > before + 50);
      await fail();
    }
    await Promise.all(starting);
    const before = writers.committed();
    await until('changes are committed after the last failure', () => writers.committed() > before + 50);
    await writers.stop();
    expect(writers.rolledBack.size).toBeGreaterThan(50);
    await expectDelivered(writers.rolledBack);
  });
});
