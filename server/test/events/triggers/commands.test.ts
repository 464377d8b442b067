/** The commands on events of triggers: invoke, redeliver, and the lists of events and calls. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { printJson } from '../../../src/base/json-value.ts';
import { deliveredTrigger } from '../../../src/events/triggers/trigger.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { type Sink, startSink } from '../../support/events/delivery-node.ts';
import { triggerDefinition } from '../../support/events/trigger-definitions.ts';
import { startTriggerNode, type TriggerNode } from '../../support/events/trigger-node.ts';
import { startServiceCore, type TestServiceCore } from '../../support/service/service-core.ts';
import { until } from '../../support/until.ts';

let db: TestDatabase;
let core: TestServiceCore;
let sink: Sink;
let node: TriggerNode;
let status = 200;

const created = { name: 'item_changed', table: 'item', insert: { columns: '*' }, enable_manual: true };

beforeAll(async () => {
  db = await testDatabase({ migrated: true });
  await db.database.query({ text: 'create table item (id int primary key, name text)', values: [] });
  core = await startServiceCore(db);
  sink = await startSink((_call, response) => response.writeHead(status).end('the response'));
  await core.run('pg_track_table', { table: 'item' });
  await core.run('pg_create_event_trigger', { ...created, webhook: `${sink.origin}/hook` });
  await core.run('pg_create_event_trigger', {
    ...created,
    name: 'no_manual',
    enable_manual: false,
    webhook: 'http://127.0.0.1:9',
  });
  await core.run('pause_event_trigger', { name: 'no_manual' });
  const definition = triggerDefinition({
    name: 'item_changed',
    table: { schema: 'public', name: 'item' },
    url: { template: `${sink.origin}/hook` },
  });
  const triggers = new Map([[1, deliveredTrigger(1, definition)]]);
  node = await startTriggerNode({ url: db.url, store: db, triggers: () => triggers });
});
afterAll(async () => {
  await node.close();
  await sink.close();
  await core.stop();
  await db.drop();
});
beforeEach(() => {
  status = 200;
});

interface ListedEvent {
  readonly id: string;
  readonly status: string;
}

const logs = async (args: Record<string, unknown> = {}): Promise<readonly ListedEvent[]> =>
  JSON.parse(print(await core.run('pg_get_event_logs', { name: 'item_changed', ...args })));
const invocations = async (): Promise<readonly Record<string, unknown>[]> =>
  JSON.parse(print(await core.run('pg_get_event_invocation_logs', { name: 'item_changed' })));

/** Results contain JSON text, which only printJson embeds. */
const print = (result: unknown): string => printJson(result);

async function invoke(payload: unknown): Promise<string> {
  const { event_id } = (await core.run('pg_invoke_event_trigger', { name: 'item_changed', payload })) as {
    event_id: string;
  };
  return event_id;
}

const called = (id: string, count = 1): Promise<unknown> =>
  until(
    'the webhook is called',
    async () => sink.callsOf(id).length >= count && (await logs()).every((one) => one.status !== 'pending'),
  );

describe('invoke_event_trigger', () => {
  test('creates an event MANUAL with any JSON as its new row, in the session of the caller', async () => {
    const id = await invoke([1, { a: 'b' }]);
    await called(id);
    expect(sink.callsOf(id)[0]?.body).toMatchObject({
      event: {
        op: 'MANUAL',
        data: { old: null, new: [1, { a: 'b' }] },
        session_variables: { 'x-service-role': 'admin' },
      },
      table: { schema: 'public', name: 'item' },
      trigger: { name: 'item_changed' },
    });
  });

  test.each([
    ['not-exists', 'absent', 'event trigger "absent" does not exist'],
    ['not-supported', 'no_manual', 'manual mode is not enabled for event trigger "no_manual"'],
  ])('is rejected with %s for the trigger %s', async (code, name, message) => {
    expect(await core.rejection('pg_invoke_event_trigger', { name, payload: 1 })).toMatchObject({ code, message });
  });
});

describe('get_event_logs and get_event_invocation_logs', () => {
  test('list events and calls in the format of Hasura v2', async () => {
    await db.database.query({ text: `insert into item values (7, 'seven')`, values: [] });
    await until(
      'the event is delivered',
      async () => (await logs({ data_contains: { new: { id: 7 } } }))[0]?.status === 'delivered',
    );
    const [event] = await logs({ data_contains: { new: { id: 7 } } });
    expect(event).toEqual({
      id: expect.any(String),
      schema_name: 'public',
      table_name: 'item',
      trigger_name: 'item_changed',
      payload: {
        op: 'INSERT',
        data: { new: { id: 7, name: 'seven' }, old: null },
        session_variables: null,
        trace_context: null,
      },
      delivered: true,
      error: false,
      status: 'delivered',
      tries: 1,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      locked: null,
      next_retry_at: null,
      archived: false,
    });
    const call = (await invocations()).find(({ event_id }) => event_id === event?.id);
    expect(call).toMatchObject({
      trigger_name: 'item_changed',
      http_status: 200,
      request: { version: '2', payload: sink.callsOf(event?.id ?? '')[0]?.body, headers: expect.any(Array) },
      response: { type: 'webhook_response', version: '2', data: { status: 200, body: 'the response' } },
    });
  });

  test('list the newest first, by pages and by status', async () => {
    const ids = [await invoke(1), await invoke(2)];
    for (const id of ids) await called(id);
    status = 500;
    const failed = await invoke(3);
    await called(failed);
    expect((await logs({ limit: 2 })).map(({ id }) => id)).toEqual([failed, ids[1]]);
    expect((await logs({ limit: 1, offset: 2 })).map(({ id }) => id)).toEqual([ids[0]]);
    expect((await logs({ status: 'error' })).map(({ id }) => id)).toEqual([failed]);
    expect(await logs({ status: 'pending' })).toEqual([]);
    expect(await logs({ status: 'processed' })).toHaveLength((await logs()).length);
  });

  test('reject the name of a trigger that does not exist', async () => {
    for (const command of ['pg_get_event_logs', 'pg_get_event_invocation_logs']) {
      expect(await core.rejection(command, { name: 'absent' })).toMatchObject({
        code: 'not-exists',
        path: '$.args.name',
      });
    }
  });
});

describe('redeliver_event', () => {
  test('calls the webhook again', async () => {
    const id = await invoke('again');
    await called(id);
    expect(await core.run('pg_redeliver_event', { event_id: id })).toEqual({ message: 'success' });
    await called(id, 2);
    const { event, invocations: calls } = JSON.parse(print(await core.run('pg_get_event_by_id', { event_id: id })));
    expect([event.id, event.tries, calls.length]).toEqual([id, 2, 2]);
  });

  test.each(['00000000-0000-4000-8000-000000000000', 'none'])(
    'is rejected with not-exists for the id %s',
    async (id) => {
      const error = { code: 'not-exists', message: 'event not found' };
      expect(await core.rejection('pg_redeliver_event', { event_id: id })).toMatchObject(error);
      expect(await core.rejection('pg_get_event_by_id', { event_id: id })).toMatchObject({
        message: `event id ${id} does not exist`,
      });
    },
  );
});
