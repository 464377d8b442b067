/** The engines of a node share the limits of destinations: one-off events, and events of triggers. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DeliveredTrigger, deliveredTrigger } from '../../../src/events/triggers/trigger.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { type Call, type Respond, type Sink, startNode, startSink } from '../../support/events/delivery-node.ts';
import { triggerDefinition } from '../../support/events/trigger-definitions.ts';
import { startTriggerNode } from '../../support/events/trigger-node.ts';
import { type TriggerScene, triggerScene } from '../../support/events/trigger-scene.ts';
import { until } from '../../support/until.ts';

let store: TestDatabase;
let scene: TriggerScene;
let definitions: Map<number, DeliveredTrigger>;
const closing: { close(): Promise<unknown> }[] = [];

beforeEach(async () => {
  store = await testDatabase({ migrated: true });
  scene = await triggerScene('create table t (id int); create table u (id int)');
  definitions = new Map();
});
afterEach(async () => {
  for (const one of closing.splice(0).reverse()) await one.close();
  await scene.drop();
  await store.drop();
});

async function sinkFor(respond?: Respond): Promise<Sink> {
  const sink = await startSink(respond);
  closing.push(sink);
  return sink;
}

async function trigger(name: string, table: string, { origin }: Sink): Promise<void> {
  const number = await scene.capture({ table });
  definitions.set(
    number,
    deliveredTrigger(number, triggerDefinition({ name, url: { template: `${origin}/${name}` } })),
  );
}

/** Starts a node with an engine of one-off events and one of the source. */
async function startBoth(
  settings: { readonly perDestination?: number; readonly circuitFailures?: number } = {},
): Promise<void> {
  const scheduled = await startNode(store, { settings });
  closing.push(scheduled);
  const { limits } = scheduled;
  closing.push(await startTriggerNode({ url: scene.url, store, triggers: () => definitions, limits }));
}

const schedule = (sink: Sink, count: number): Promise<unknown> =>
  store.database.query({
    text: `insert into joinery.scheduled_events (webhook, schedule_at, tolerance_seconds)
      select $1, now(), 3600 from generate_series(1, $2::int)`,
    values: [`${sink.origin}/once`, count],
  });

/** Returns the position of the first call of the path; -1 without one. */
const indexOf = (sink: Sink, path: string): number => sink.calls.findIndex((call: Call) => call.path === path);

test('calls of one-off events and of triggers together do not exceed the concurrency of a destination', async () => {
  let most = 0;
  const sink = await sinkFor((_call, response) => {
    most = Math.max(most, sink.open());
    setTimeout(() => response.end('ok'), 3);
  });
  await store.database.query({
    text: 'insert into joinery.event_destinations (destination, concurrency) values ($1, 3)',
    values: [sink.origin],
  });
  await trigger('t', 't', sink);
  await schedule(sink, 60);
  await scene.run('insert into t select generate_series(1, 60)');
  await startBoth();
  await until('all events are called', () => sink.calls.length >= 120);
  expect(most).toBe(3);
});

test('a circuit that one engine opens stops the calls of the other', async () => {
  let up = false;
  const sink = await sinkFor((_call, response) => response.writeHead(up ? 200 : 503).end());
  await trigger('t', 't', sink);
  await startBoth({ circuitFailures: 5 });
  await schedule(sink, 5);
  const opened = async (): Promise<boolean> => {
    const { rows } = await store.database.query({
      text: 'select 1 from joinery.event_destinations where circuit_opened_at is not null',
      values: [],
    });
    return rows.length === 1;
  };
  await until('the circuit opens', opened);
  const before = sink.calls.length;
  await scene.run('insert into t select generate_series(1, 100)');
  await until('a probe is sent', () => sink.calls.length > before);
  // Without the circuit all events of the trigger would fail at once.
  expect(sink.calls.length).toBeLessThan(before + 50);
  up = true;
  await until('all events are sent', () => sink.calls.filter(({ path }) => path === '/t').length >= 100);
});

describe('the backlog of a trigger', () => {
  const backlog = 100_000;

  test('delays neither the events of another trigger nor one-off events of the same destination', async () => {
    const sink = await sinkFor();
    await trigger('t', 't', sink);
    await trigger('u', 'u', sink);
    await scene.run(`insert into t select generate_series(1, ${backlog})`);
    await scene.run('insert into u values (1)');
    await schedule(sink, 1);
    await startBoth();
    await until('the other events are called', () => indexOf(sink, '/u') >= 0 && indexOf(sink, '/once') >= 0);
    expect(indexOf(sink, '/u')).toBeLessThan(backlog / 20);
    expect(indexOf(sink, '/once')).toBeLessThan(backlog / 20);
  });
});
