/** The responses of the commands on event triggers, under both names and on both endpoints, and what they change. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTriggerService, type TriggerService } from '../../../support/events/trigger-service.ts';

let s: TriggerService;

const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;
const success = { message: 'success' };
const sinkUrl = '{{HOOKS}}/called';

beforeAll(async () => {
  s = await startTriggerService({
    sql: 'create table item (id int primary key, name text); create table note (id int primary key)',
    tables: ['item', 'note'],
  });
});
afterAll(() => s.stop());

const created = (name: string, more: object = {}): object => ({
  ...{ name, table: 'item', insert: { columns: '*' }, enable_manual: true, webhook: sinkUrl },
  ...more,
});

const exported = async (name: string): Promise<unknown> => {
  const metadata = (await s.run('export_metadata', {})) as {
    readonly sources: readonly {
      readonly tables: readonly { readonly event_triggers?: readonly { name: string }[] }[];
    }[];
  };
  const triggers = metadata.sources.flatMap(({ tables }) =>
    tables.flatMap(({ event_triggers = [] }) => event_triggers),
  );
  return triggers.find((one) => one.name === name);
};

const names = [
  ['pg_', '/v1/metadata'],
  ['', '/v1/metadata'],
  ['pg_', '/v1/query'],
  ['', '/v1/query'],
] as const;

describe.each(names)('the commands with the prefix "%s" on %s', (prefix, endpoint) => {
  const name = `of${prefix}${endpoint.replaceAll('/', '_')}`;
  const call = async (command: string, args: object): Promise<unknown> => {
    const { status, body } = await s.post(`${prefix}${command}`, args, endpoint);
    expect({ status, body }).toMatchObject({ status: 200 });
    return body;
  };

  test('respond in the format of Hasura v2', async () => {
    expect(await call('create_event_trigger', created(name))).toEqual(success);
    const invoked = (await call('invoke_event_trigger', { name, payload: { id: 1 } })) as { readonly event_id: string };
    expect(invoked).toEqual({ event_id: expect.stringMatching(uuid) });
    const { event_id } = invoked;
    await expect.poll(() => s.sink.callsOf(event_id).length).toBe(1);
    await expect
      .poll(async () => ((await call('get_event_logs', { name })) as readonly { status: string }[])[0]?.status)
      .toBe('delivered');
    const found = (await call('get_event_by_id', { event_id })) as {
      readonly event: object;
      readonly invocations: object[];
    };
    expect(Object.keys(found.event)).toEqual([
      ...['id', 'schema_name', 'table_name', 'trigger_name', 'payload', 'delivered', 'error', 'status', 'tries'],
      ...['created_at', 'locked', 'next_retry_at', 'archived'],
    ]);
    const calls = await call('get_event_invocation_logs', { name });
    expect(calls).toEqual(found.invocations);
    expect(Object.keys(found.invocations[0] ?? {})).toEqual([
      ...[
        'id',
        'trigger_name',
        'event_id',
        'attempt',
        'duration_ms',
        'waited_ms',
        'http_status',
        'created_at',
        'request',
      ],
      'response',
    ]);
    expect(await call('redeliver_event', { event_id })).toEqual(success);
    expect(await call('delete_event_trigger', { name })).toEqual(success);
    expect(await exported(name)).toBeUndefined();
  });
});

describe('create_event_trigger', () => {
  test.each(['a', 'A-_9', 'a'.repeat(43), 'b'.repeat(63)])('accepts the name %s', async (name) => {
    expect(await s.run('pg_create_event_trigger', created(name))).toEqual(success);
    const { event_id } = (await s.run('pg_invoke_event_trigger', { name, payload: 1 })) as {
      readonly event_id: string;
    };
    await expect.poll(() => s.sink.callsOf(event_id)[0]?.body.trigger).toEqual({ name });
    await s.run('pg_delete_event_trigger', { name });
  });

  test('stores the defaults of Hasura v2', async () => {
    await s.run('pg_create_event_trigger', {
      name: 'defaults',
      table: 'item',
      insert: { columns: '*' },
      webhook: sinkUrl,
    });
    expect(await exported('defaults')).toEqual({
      name: 'defaults',
      definition: { enable_manual: false, insert: { columns: '*' } },
      retry_conf: { interval_sec: 10, num_retries: 0, timeout_sec: 60 },
      webhook: sinkUrl,
    });
    await s.run('pg_delete_event_trigger', { name: 'defaults' });
  });

  test('with replace returns omitted members to their defaults, and keeps the events', async () => {
    const first = created('replaced', {
      retry_conf: { num_retries: 5, interval_sec: 1 },
      headers: [{ name: 'A', value: 'b' }],
      cleanup_config: { schedule: '0 0 * * *', clear_older_than: 1 },
      paused: true,
    });
    await s.run('pg_create_event_trigger', first);
    await s.sql('insert into item values (100)');
    await s.run('pg_create_event_trigger', {
      ...{ name: 'replaced', table: 'item', update: { columns: ['name'] }, replace: true, paused: false },
      webhook: '{{HOOKS}}/replacement',
    });
    expect(await exported('replaced')).toEqual({
      name: 'replaced',
      definition: { enable_manual: false, update: { columns: ['name'] } },
      retry_conf: { interval_sec: 10, num_retries: 0, timeout_sec: 60 },
      webhook: '{{HOOKS}}/replacement',
    });
    // The stored event is sent as the trigger is defined now.
    const [call] = await s.called('replacement');
    expect(call?.body).toMatchObject({
      event: { op: 'INSERT', data: { new: { id: 100 } } },
      delivery_info: { max_retries: 0 },
    });
    await s.sql(`insert into item values (101); update item set name = 'a' where id = 101`);
    const calls = await s.called('replacement', 2);
    expect(calls[1]?.body).toMatchObject({ event: { op: 'UPDATE' } });
    await s.run('pg_delete_event_trigger', { name: 'replaced' });
  });
});

describe('delete_event_trigger', () => {
  test('ends the events of the trigger, also for a new one of its name', async () => {
    await s.run('pg_create_event_trigger', created('deleted', { paused: true }));
    await s.sql('insert into item values (200)');
    await s.run('pg_delete_event_trigger', { name: 'deleted' });
    await s.sql('insert into item values (201)');
    await s.run('pg_create_event_trigger', created('deleted', { webhook: '{{HOOKS}}/deleted' }));
    await s.sql('insert into item values (202)');
    const calls = await s.called('deleted');
    expect(calls[0]?.body).toMatchObject({ event: { data: { new: { id: 202 } } } });
    expect(await s.run('pg_get_event_logs', { name: 'deleted' })).toHaveLength(1);
    await s.run('pg_delete_event_trigger', { name: 'deleted' });
  });
});

describe('the lists', () => {
  const ids = async (args: object): Promise<unknown[]> => {
    const events = (await s.run('pg_get_event_logs', { name: 'listed', ...args })) as readonly {
      readonly payload: { readonly data: { readonly new: unknown } };
    }[];
    return events.map(({ payload }) => payload.data.new);
  };

  test('of events are limited to 100, begin with the newest, and skip an offset', async () => {
    await s.run('pg_create_event_trigger', created('listed', { paused: true, insert: undefined }));
    const payloads = Array.from({ length: 105 }, (_unused, index) => index + 1);
    await s.run(
      'bulk',
      payloads.map((payload) => ({ type: 'pg_invoke_event_trigger', args: { name: 'listed', payload } })),
    );
    expect(await ids({})).toEqual([...payloads].reverse().slice(0, 100));
    expect(await ids({ limit: 2 })).toEqual([105, 104]);
    expect(await ids({ limit: 2, offset: 2 })).toEqual([103, 102]);
    expect(await ids({ limit: 10, offset: 102 })).toEqual([3, 2, 1]);
    expect(await ids({ limit: 0 })).toEqual([]);
    expect(await ids({ offset: 105 })).toEqual([]);
    expect(await ids({ status: 'pending', limit: 1 })).toEqual([105]);
    expect(await ids({ status: 'processed' })).toEqual([]);
  });
});

describe('a bulk', () => {
  test.each(['bulk', 'bulk_atomic'])('of the kind %s creates and deletes triggers', async (type) => {
    const list = [
      { type: 'pg_create_event_trigger', args: created('in_bulk') },
      { type: 'create_event_trigger', args: created('in_bulk_too', { table: 'note' }) },
    ];
    expect((await s.post(type, list)).status).toBe(200);
    expect(await exported('in_bulk')).toMatchObject({ name: 'in_bulk' });
    const removal = ['in_bulk', 'in_bulk_too'].map((name) => ({ type: 'pg_delete_event_trigger', args: { name } }));
    expect((await s.post(type, removal)).status).toBe(200);
    const made = `select tgname from pg_trigger where not tgisinternal and tgname like 'joinery%' and tgrelid = 'note'::regclass`;
    expect(await s.column(made)).toEqual([]);
  });
});
