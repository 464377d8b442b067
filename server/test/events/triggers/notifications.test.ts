/** Captured changes are announced once for each transaction, and delivered also by nodes that receive no notifications. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DeliveredTrigger, deliveredTrigger } from '../../../src/events/triggers/trigger.ts';
import { listen } from '../../../src/postgres/client/listen.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { type Sink, startSink } from '../../support/events/delivery-node.ts';
import { triggerDefinition } from '../../support/events/trigger-definitions.ts';
import { startTriggerNode, type TriggerNodeOptions } from '../../support/events/trigger-node.ts';
import { type TriggerScene, triggerScene } from '../../support/events/trigger-scene.ts';
import { until } from '../../support/until.ts';

let store: TestDatabase;
let scene: TriggerScene;
let sink: Sink;
let triggers: ReadonlyMap<number, DeliveredTrigger>;
const closing: { close(): Promise<unknown> }[] = [];

beforeEach(async () => {
  store = await testDatabase({ migrated: true });
  scene = await triggerScene('create table t (id int)');
  sink = await startSink();
  const number = await scene.capture({ table: 't' });
  triggers = new Map([[number, deliveredTrigger(number, triggerDefinition({ url: { template: sink.origin } }))]]);
});
afterEach(async () => {
  for (const one of closing.splice(0).reverse()) await one.close();
  await sink.close();
  await scene.drop();
  await store.drop();
});

async function deliver(options: Partial<TriggerNodeOptions> = {}): Promise<void> {
  closing.push(await startTriggerNode({ url: scene.url, store, triggers: () => triggers, ...options }));
}

test('a transaction notifies once, whatever the number of its statements and rows', async () => {
  const received: string[] = [];
  const listener = await listen({
    url: scene.url,
    channels: ['joinery_triggers'],
    onNotify: (_channel, payload) => received.push(payload),
    onReconnect: () => undefined,
  });
  closing.push(listener);
  await scene.run('insert into t select generate_series(1, 100)');
  await scene.run('begin; insert into t values (101); insert into t values (102); update t set id = id; commit');
  await scene.run(`notify joinery_triggers, 'end'`);
  await until('the last notification arrives', () => received.at(-1) === 'end');
  expect(received).toHaveLength(3);
});

test('a node without notifications delivers by polling', async () => {
  await deliver({ listens: false });
  await scene.run('insert into t select generate_series(1, 3)');
  await until('the events are sent', () => sink.calls.length === 3);
});

test('a node whose listener was lost listens again, and delivers what was captured meanwhile', async () => {
  await deliver();
  const listeners = (): Promise<(string | null)[]> =>
    scene.column(
      `select pid from pg_stat_activity where application_name = 'joinery listen' and datname = current_database()`,
    );
  await until('the node listens', async () => (await listeners()).length === 1);
  const [lost] = await listeners();
  await scene.run(`select pg_terminate_backend(${lost})`);
  await scene.run('insert into t values (1)');
  await until('the event is sent', () => sink.calls.length === 1);
  await until('the node listens again', async () => {
    const present = await listeners();
    return present.length === 1 && present[0] !== lost;
  });
  await scene.run('insert into t values (2)');
  await until('the next event is sent', () => sink.calls.length === 2);
});
