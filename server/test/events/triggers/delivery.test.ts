/** Delivery of captured events: one engine with the storage of a source. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deliveredTrigger, type TriggerDefinition } from '../../../src/events/triggers/trigger.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { type Call, type Respond, type Sink, startSink } from '../../support/events/delivery-node.ts';
import { type SceneDefinition, triggerDefinition } from '../../support/events/trigger-definitions.ts';
import { startTriggerNode, type TriggerNode, type TriggerNodeOptions } from '../../support/events/trigger-node.ts';
import { type SceneTrigger, type TriggerScene, triggerScene } from '../../support/events/trigger-scene.ts';
import { until } from '../../support/until.ts';

let store: TestDatabase;
let scene: TriggerScene;
let definitions: Map<number, ReturnType<typeof deliveredTrigger>>;
const closing: { close(): Promise<unknown> }[] = [];

beforeAll(async () => {
  store = await testDatabase({ migrated: true });
});
beforeEach(async () => {
  scene = await triggerScene('create table item (id int primary key, name text, secret text)');
  definitions = new Map();
});
afterEach(async () => {
  for (const one of closing.splice(0).reverse()) await one.close();
  await scene.drop();
});
afterAll(() => store.drop());

async function sinkFor(respond?: Respond): Promise<Sink> {
  const sink = await startSink(respond);
  closing.push(sink);
  return sink;
}

async function deliver(options: Partial<TriggerNodeOptions> = {}): Promise<TriggerNode> {
  const node = await startTriggerNode({ url: scene.url, store, triggers: () => definitions, ...options });
  closing.push(node);
  return node;
}

/** Captures changes of `item` and sends them to the sink. */
async function trigger(
  { origin }: Sink,
  definition: SceneDefinition = {},
  capture: Partial<SceneTrigger> = {},
): Promise<number> {
  const number = await scene.capture({ table: 'item', ...capture });
  define(number, triggerDefinition({ url: { template: `${origin}/hook` }, ...definition }));
  return number;
}

function define(number: number, definition: TriggerDefinition): void {
  definitions = new Map(definitions).set(number, deliveredTrigger(number, definition));
}

const insert = (from: number, to = from): Promise<void> =>
  scene.run(`insert into item select n, 'name ' || n, 'secret' from generate_series(${from}, ${to}) n`);

const called = (sink: Sink, count: number): Promise<unknown> =>
  until(`the webhook is called ${count} times`, () => sink.calls.length >= count);

/** Waits until no event is claimed, waits for a retry or is unclaimed. */
const finished = (): Promise<unknown> =>
  until('all outcomes are written', async () => {
    const [left] = await scene.column(
      'select (select count(*) from joinery.trigger_work) + (select count(*) from joinery.trigger_batches)',
    );
    return left === '0';
  });

const newId = ({ body }: Call): unknown => (body as { event?: { data: { new: { id: number } } } }).event?.data.new.id;

describe('a captured change', () => {
  test('is sent once, in the format of Hasura v2, and its call is logged', async () => {
    const sink = await sinkFor();
    const number = await trigger(sink, { name: 'item_added' });
    await deliver();
    await insert(7);
    await called(sink, 1);
    await finished();
    const [call] = sink.calls;
    const [[id], [createdAt]] = [
      await scene.column(`select joinery.event_id(${number}, seq) from joinery.trigger_${number}_s1`),
      await scene.column(
        `select rtrim(to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0') from joinery.trigger_${number}_s1`,
      ),
    ];
    expect(call?.text).toBe(
      `{"created_at":"${createdAt}","delivery_info":{"current_retry":0,"max_retries":0},` +
        '"event":{"data":{"new":{"id":7,"name":"name 7","secret":"secret"},"old":null},"op":"INSERT",' +
        `"session_variables":null,"trace_context":null},"id":"${id}",` +
        '"table":{"name":"order","schema":"public"},"trigger":{"name":"item_added"}}',
    );
    expect(call?.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'joinery/test',
      'webhook-id': id,
      'webhook-attempt': '1',
    });
    const logged = await scene.column(
      `select json_build_array(seq, attempt, agent, status, outcome, request, response #> '{data,body}') from joinery.trigger_${number}_log_s1`,
    );
    const request = {
      headers: expect.any(Array),
      max_retries: 0,
      sent: expect.objectContaining({ url: expect.stringMatching(/hook$/) }),
      waited_ms: expect.any(Number),
    };
    expect(logged.map((entry) => JSON.parse(entry ?? ''))).toEqual([
      [1, 1, 'joinery/test', 200, 'delivered', request, 'ok'],
    ]);
    expect(sink.calls).toHaveLength(1);
  });

  test('has the session and the trace of the transaction that made it', async () => {
    const sink = await sinkFor();
    await trigger(sink);
    await deliver();
    await scene.run(`begin; select set_config('hasura.user', '{"x-hasura-user-id":"3","x-hasura-role":"user"}', true),
      set_config('hasura.tracecontext', '{"trace_id":"4a000000000000000000000000000001","span_id":"9f00000000000001"}', true);
      insert into item values (1); commit`);
    await called(sink, 1);
    const [call] = sink.calls;
    expect(call?.text).toContain('"session_variables":{"x-hasura-role":"user","x-hasura-user-id":"3"}');
    expect(call?.headers.traceparent).toMatch(/^00-4a000000000000000000000000000001-[0-9a-f]{16}-01$/);
  });

  test('is sent with rows that are longer than a claim fetches', async () => {
    const sink = await sinkFor();
    await trigger(sink);
    await deliver();
    await scene.run(`insert into item values (1, repeat('x', 100000))`);
    await called(sink, 1);
    expect(sink.calls[0]?.text).toContain(`"name":"${'x'.repeat(100_000)}"`);
  });

  test('of a table that has changed since is sent with the delivered columns only', async () => {
    const sink = await sinkFor();
    const payload = ['id', 'name'];
    await trigger(
      sink,
      { operations: new Map([['insert', { payload: payload.map((name) => ({ name })) }]]) },
      { operations: { insert: { payload } } },
    );
    await scene.run('alter table item alter column name type varchar(50)');
    await deliver();
    await insert(1);
    await called(sink, 1);
    expect(sink.calls[0]?.text).toContain('"data":{"new":{"id":1,"name":"name 1"},"old":null}');
  });

  test('is retried within num_retries; the last call ends it as an error', async () => {
    const sink = await sinkFor((_call, response) => response.writeHead(503).end());
    const number = await trigger(sink, { retry: { num_retries: 2, interval_sec: 0 } });
    await deliver();
    await insert(1);
    await called(sink, 3);
    await finished();
    expect(sink.calls.map(({ body }) => body.delivery_info)).toEqual([
      { current_retry: 0, max_retries: 2 },
      { current_retry: 1, max_retries: 2 },
      { current_retry: 2, max_retries: 2 },
    ]);
    expect(new Set(sink.calls.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(await scene.column(`select outcome from joinery.trigger_${number}_log_s1 order by attempt`)).toEqual([
      null,
      null,
      'error',
    ]);
  });

  test('is sent again when it is redelivered, with a new retry budget', async () => {
    const sink = await sinkFor();
    const number = await trigger(sink);
    await deliver();
    await insert(1);
    await called(sink, 1);
    await finished();
    const [id] = await scene.column(`select joinery.event_id(${number}, seq) from joinery.trigger_${number}_s1`);
    await scene.column('select joinery.redeliver_trigger_event($1)', [id]);
    await called(sink, 2);
    expect(sink.calls[1]?.body.delivery_info).toEqual({ current_retry: 0, max_retries: 0 });
    expect(sink.calls[1]?.headers['webhook-attempt']).toBe('2');
  });

  test('is sent as it is presently defined', async () => {
    const sink = await sinkFor();
    const number = await trigger(sink, { headers: [{ name: 'X-Version', value: '1' }] });
    await deliver();
    define(
      number,
      triggerDefinition({ url: { template: `${sink.origin}/new` }, headers: [{ name: 'X-Version', value: '2' }] }),
    );
    await insert(1);
    await called(sink, 1);
    expect([sink.calls[0]?.path, sink.calls[0]?.headers['x-version']]).toEqual(['/new', '2']);
  });
});

describe('many changes', () => {
  test('are all sent, each once, by two nodes', async () => {
    const sink = await sinkFor();
    await trigger(sink);
    await deliver({ nodeId: 'one' });
    await deliver({ nodeId: 'two' });
    for (let from = 1; from <= 1_500; from += 300) await insert(from, from + 299);
    await called(sink, 1_500);
    await finished();
    expect(sink.calls).toHaveLength(1_500);
    expect(new Set(sink.calls.map(newId)).size).toBe(1_500);
  });

  test('of one key are sent one after the other in commit order', async () => {
    const open = new Map<unknown, number>();
    let overlapping = 0;
    const sink = await sinkFor((call, response) => {
      const key = (call.body as { event?: { data: { new: { name: string } } } }).event?.data.new.name;
      const running = (open.get(key) ?? 0) + 1;
      open.set(key, running);
      if (running > 1) overlapping += 1;
      setTimeout(() => {
        open.set(key, (open.get(key) ?? 1) - 1);
        response.end('ok');
      }, 5);
    });
    await trigger(sink, {}, { orderingKey: ['name'] });
    await deliver();
    for (let id = 1; id <= 12; id += 1) await scene.run(`insert into item values (${id}, 'key ${id % 3}')`);
    await called(sink, 12);
    expect(overlapping).toBe(0);
    for (const key of [0, 1, 2]) {
      const sent = sink.calls.map(newId).filter((id) => Number(id) % 3 === key);
      expect(sent).toEqual([...sent].sort((one, other) => Number(one) - Number(other)));
    }
  });

  test('of an unknown trigger are left to nodes that know it', async () => {
    const sink = await sinkFor();
    const number = await trigger(sink);
    const known = definitions;
    definitions = new Map();
    await deliver({ nodeId: 'old' });
    await insert(1);
    const free = 'select count(*) from joinery.trigger_work where lease is null';
    await until('the event is released', async () => (await scene.column(free))[0] === '1');
    expect(sink.calls).toEqual([]);
    const sight = known.get(number);
    await deliver({ nodeId: 'new', triggers: () => (sight === undefined ? known : known) });
    await called(sink, 1);
  });
});

describe('a batch', () => {
  const idsIn = ({ body }: Call): unknown[] =>
    (body as unknown as { event: { data: { new: { id: number } } } }[]).map(({ event }) => event.data.new.id);

  test('has at most max_events, and all events are sent once', async () => {
    const sink = await sinkFor();
    const number = await trigger(sink, { batch: { maxEvents: 100, maxWaitMs: 0 } });
    await insert(1, 1_050);
    await deliver();
    await until('all events are sent', () => sink.calls.flatMap(idsIn).length >= 1_050);
    await finished();
    const sizes = sink.calls.map((call) => idsIn(call).length);
    expect(Math.max(...sizes)).toBe(100);
    expect(new Set(sink.calls.flatMap(idsIn)).size).toBe(1_050);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(1_050);
    const logged = `select count(*) from joinery.trigger_${number}_log_s1 where outcome = 'delivered'`;
    expect(await scene.column(logged)).toEqual(['1050']);
  });

  test('waits up to max_wait_ms for further events', async () => {
    const sink = await sinkFor();
    await trigger(sink, { batch: { maxEvents: 100, maxWaitMs: 1_500 } });
    await deliver();
    await insert(1);
    await until('the event is claimed', async () => {
      return (await scene.column('select count(*) from joinery.trigger_batches'))[0] !== '0';
    });
    await insert(2, 3);
    await called(sink, 1);
    expect(sink.calls.flatMap(idsIn)).toEqual([1, 2, 3]);
  });

  test('that is full does not wait', async () => {
    const sink = await sinkFor();
    await trigger(sink, { batch: { maxEvents: 3, maxWaitMs: 3_600_000 } });
    await deliver();
    await insert(1, 3);
    await called(sink, 1);
    expect(sink.calls.flatMap(idsIn)).toEqual([1, 2, 3]);
  });

  test('is retried as a whole', async () => {
    let first = true;
    const sink = await sinkFor((_call, response) => {
      response.writeHead(first ? 500 : 200).end();
      first = false;
    });
    await trigger(sink, { batch: { maxEvents: 10, maxWaitMs: 0 }, retry: { num_retries: 1, interval_sec: 0 } });
    await insert(1, 3);
    await deliver();
    await called(sink, 2);
    await finished();
    expect(sink.calls.map(idsIn)).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  test('that waits is released when the node stops', async () => {
    const sink = await sinkFor();
    await trigger(sink, { batch: { maxEvents: 100, maxWaitMs: 3_600_000 } });
    const node = await deliver();
    await insert(1, 2);
    await until('the events are claimed', async () => {
      return (await scene.column('select count(*) from joinery.trigger_batches'))[0] !== '0';
    });
    await node.close();
    expect(await scene.column('select count(*) from joinery.trigger_batches')).toEqual(['0']);
    expect(await scene.column('select count(*) from joinery.trigger_work where lease is null')).toEqual(['2']);
  });

  test('whose last call fails ends all its events, also for a status 4xx, and later events follow', async () => {
    const sink = await sinkFor((call, response) => response.writeHead(idsIn(call).includes(2) ? 400 : 200).end());
    const number = await trigger(
      sink,
      { batch: { maxEvents: 10, maxWaitMs: 0 }, retry: { num_retries: 1, interval_sec: 0 } },
      { orderingKey: ['name'] },
    );
    await insert(1, 3);
    await deliver();
    await called(sink, 2);
    await scene.run(`insert into item values (10, 'name 1'), (11, 'name 2')`);
    await called(sink, 3);
    await finished();
    expect(sink.calls.map(idsIn)).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [10, 11],
    ]);
    const outcomes = `select outcome from joinery.trigger_${number}_log_s1 where outcome is not null order by seq`;
    expect(await scene.column(outcomes)).toEqual(['error', 'error', 'error', 'delivered', 'delivered']);
  });

  test('has at most one event of an ordering key', async () => {
    const sink = await sinkFor();
    await trigger(sink, { batch: { maxEvents: 10, maxWaitMs: 0 } }, { orderingKey: ['name'] });
    await scene.run(`insert into item values (1, 'a'), (2, 'b'), (3, 'a'), (4, 'b'), (5, 'a')`);
    await deliver();
    await until('all events are sent', () => sink.calls.flatMap(idsIn).length === 5);
    for (const ids of sink.calls.map(idsIn)) expect(new Set(ids.map((id) => Number(id) % 2)).size).toBe(ids.length);
    expect(sink.calls.flatMap(idsIn).filter((id) => Number(id) % 2 === 1)).toEqual([1, 3, 5]);
  });

  test('has one id and one number of the call in its headers, and each event its own id and log', async () => {
    const sink = await sinkFor((_call, response) => response.end('x'.repeat(5_000)));
    const number = await trigger(sink, { batch: { maxEvents: 10, maxWaitMs: 0 } });
    await insert(1, 2);
    await deliver();
    await called(sink, 1);
    await finished();
    const [call] = sink.calls;
    const sent = sink.calls.flatMap(({ body }) => body as unknown as { id: string }[]).map(({ id }) => id);
    expect(sent).toEqual(await scene.column(`select joinery.event_id(${number}, n) from generate_series(1, 2) n`));
    expect(sent).not.toContain(call?.headers['webhook-id']);
    expect(call?.headers['webhook-attempt']).toBe('1');
    // A long response is stored once.
    const log = `select coalesce(length(response -> 'data' ->> 'body')::text, response -> 'data' ->> 'message')
      from joinery.trigger_${number}_log_s1 order by seq`;
    expect(await scene.column(log)).toEqual(['5000', `logged with the first event of the batch, ${sent[0]}`]);
  });

  test('of which one event is redelivered is not sent again with it', async () => {
    const sink = await sinkFor();
    const number = await trigger(sink, { batch: { maxEvents: 10, maxWaitMs: 0 } });
    await insert(1, 3);
    await deliver();
    await called(sink, 1);
    await finished();
    const [id] = await scene.column(`select joinery.event_id(${number}, 2)`);
    await scene.column('select joinery.redeliver_trigger_event($1)', [id]);
    await called(sink, 2);
    expect(sink.calls.map(idsIn)).toEqual([[1, 2, 3], [2]]);
  });

  test('of a paused trigger is not made; its events are sent when it is resumed', async () => {
    const sink = await sinkFor();
    const number = await trigger(sink, { batch: { maxEvents: 10, maxWaitMs: 0 } });
    const other = await trigger(sink, { name: 'other', url: { template: `${sink.origin}/other` } });
    await scene.run(`update joinery.triggers set paused = true where number = ${number}`);
    await deliver();
    await insert(1, 3);
    await until('the other trigger is called', () => sink.calls.filter(({ path }) => path === '/other').length === 3);
    expect(sink.calls.filter(({ path }) => path === '/hook')).toEqual([]);
    await scene.run(`update joinery.triggers set paused = number = ${other}`);
    await until('the batch is sent', () => sink.calls.some(({ path }) => path === '/hook'));
    expect(sink.calls.filter(({ path }) => path === '/hook').map(idsIn)).toEqual([[1, 2, 3]]);
  });
});
