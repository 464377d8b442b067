/** One-off events whose target is a saved operation. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTargetScene, type TargetScene } from '../../support/events/target-scene.ts';
import { until } from '../../support/until.ts';

let scene: TargetScene;

beforeAll(async () => {
  scene = await startTargetScene({ JOINERY_ENABLE_ALLOWLIST: 'true' });
  await scene.sql(`insert into orders (id, owner_id) select n, 7 from generate_series(1, 20) n`);
});
afterAll(() => scene.service.stop());

const pay = { collection: 'shop', name: 'pay', role: 'clerk', session_variables: { 'X-Hasura-User-Id': '7' } };
const target = (operation: object): object => ({ target: { operation: { ...pay, ...operation } } });
const stateOf = async (id: number): Promise<string | null | undefined> =>
  (await scene.sql(`select state from orders where id = ${id}`))[0];

describe('an event runs an operation', () => {
  test('as its role, outside of the allow list, with variables from the payload and the id of the event', async () => {
    const id = await scene.create({
      payload: { order: 1 },
      ...target({ variables: { id: '{{$body.payload.order}}' } }),
    });
    const calls = await scene.processed(id, 'delivered');
    expect(await scene.sql('select state || event from orders where id = 1')).toEqual([`paid${id}`]);
    expect(calls).toMatchObject([
      {
        status: 200,
        request: {
          payload: { operation: { collection: 'shop', name: 'pay', role: 'clerk', variables: { id: 1 } } },
          headers: [],
        },
        response: {
          type: 'webhook_response',
          data: { body: '{"data":{"update_orders_by_pk":{"id":1,"state":"paid"}}}' },
        },
      },
    ]);
  });

  test('with variables of one template of text, and with session variables from the payload', async () => {
    const id = await scene.create({
      payload: { order: 2, owner: '7', state: 'late' },
      ...target({
        session_variables: { 'x-hasura-user-id': '{{$body.payload.owner}}' },
        variables: '{"id": {{$body.payload.order}}, "state": {{$body.payload.state}}}',
      }),
    });
    await scene.processed(id, 'delivered');
    expect(await stateOf(2)).toBe('late');
  });

  test('with the row permissions of the role', async () => {
    await scene.sql('insert into orders (id, owner_id) values (100, 8)');
    const id = await scene.create(target({ variables: { id: 100 } }));
    const calls = await scene.processed(id, 'delivered');
    expect(calls[0]?.response.data.body).toBe('{"data":{"update_orders_by_pk":null}}');
    expect(await stateOf(100)).toBe('new');
  });

  test('with the role admin where it is named', async () => {
    const id = await scene.create(
      target({ role: 'admin', session_variables: {}, name: 'add', variables: { id: 200, owner: 9 } }),
    );
    await scene.processed(id, 'delivered');
    expect(await stateOf(200)).toBe('new');
  });
});

describe('an operation that fails', () => {
  test('is retried by retry_conf, and each call is logged with the errors', async () => {
    await scene.sql('insert into orders (id, owner_id) values (300, 9)');
    const id = await scene.create({
      ...target({ role: 'admin', session_variables: {}, name: 'add', variables: { id: 300, owner: 9 } }),
      retry_conf: { num_retries: 1, retry_interval_seconds: 0, tolerance_seconds: 2_000_000_000 },
    });
    const calls = await scene.processed(id, 'error');
    expect(calls.map(({ status, attempt }) => [status, attempt])).toEqual([
      [400, 1],
      [400, 2],
    ]);
    expect(JSON.parse(calls[0]?.response.data.message ?? '')).toMatchObject({
      errors: [{ extensions: { code: 'constraint-violation' } }],
    });
  });

  test('with an error of its definition is not retried', async () => {
    const id = await scene.create({
      payload: { none: 1 },
      ...target({ variables: '{{$body.payload}}' }),
      retry_conf: { num_retries: 5, retry_interval_seconds: 0, tolerance_seconds: 2_000_000_000 },
    });
    const calls = await scene.processed(id, 'error');
    expect(calls).toHaveLength(1);
    expect(calls[0]?.response.data.message).toContain('validation-failed');
  });

  test('because a template fails is not called and not retried', async () => {
    const id = await scene.create({
      payload: {},
      ...target({ variables: { id: '{{$body.payload.order}}' } }),
      retry_conf: { num_retries: 5, retry_interval_seconds: 0, tolerance_seconds: 2_000_000_000 },
    });
    const calls = await scene.processed(id, 'error');
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({ status: null });
    expect(calls[0]?.response.data.message).toContain('the target was not called: operation.variables.id');
  });
});

describe('rejects with path and code', () => {
  const base = { schedule_at: '2020-01-01T00:00:00Z', payload: null };
  test.each<[string, object, string, string]>([
    ['an unknown collection', { collection: 'none' }, 'not-exists', '.operation.collection'],
    ['an unknown operation', { name: 'none' }, 'not-exists', '.operation.name'],
    ['an unknown role', { role: 'painter' }, 'not-exists', '.operation.role'],
    ['a subscription', { name: 'follow' }, 'not-supported', '.operation.name'],
    ['a document of two operations', { name: 'two' }, 'validation-failed', '.operation.name'],
    ['an operation that the role cannot run', { name: 'note' }, 'validation-failed', '.operation.name'],
    ['an undeclared variable', { variables: { id: 1, none: 2 } }, 'validation-failed', '.operation.variables.none'],
    [
      'an undeclared variable in text',
      { variables: '{"id": 1, "none": 2}' },
      'validation-failed',
      '.operation.variables',
    ],
    ['a missing variable', { variables: { state: 'x' } }, 'validation-failed', '.operation.variables'],
    ['no variables where one is required', {}, 'validation-failed', '.operation.variables'],
    ['an invalid template', { variables: { id: '{{$body.' } }, 'validation-failed', '.operation.variables.id'],
    [
      'a session variable without the prefix',
      { variables: { id: 1 }, session_variables: { 'user-id': '7' } },
      'parse-failed',
      '.operation.session_variables["user-id"]',
    ],
    [
      'a role among the session variables',
      { variables: { id: 1 }, session_variables: { 'x-hasura-role': 'admin' } },
      'parse-failed',
      '.operation.session_variables["x-hasura-role"]',
    ],
  ])('%s', async (_what, change, code, path) => {
    const error = await scene.rejection('create_scheduled_event', { ...base, ...target(change) });
    expect(error).toMatchObject({ code, path: `$.args.target${path}` });
    const many = await scene.rejection('create_scheduled_events', { events: [{ ...base, ...target(change) }] });
    expect(many).toMatchObject({ code, path: `$.args.events[0].target${path}` });
  });

  test.each<[string, object, string]>([
    ['neither webhook nor target', {}, '$.args.webhook'],
    ['webhook and target', { ...target({ variables: { id: 1 } }), webhook: 'http://127.0.0.1:1/' }, '$.args.webhook'],
    ['a target without a kind', { target: {} }, '$.args.target'],
    [
      'members of a request to a webhook',
      { ...target({ variables: { id: 1 } }), headers: [{ name: 'A', value: 'b' }] },
      '$.args.headers',
    ],
  ])('%s', async (_what, event, path) => {
    const error = await scene.rejection('create_scheduled_event', { ...base, ...event });
    expect(error).toMatchObject({ code: 'parse-failed', path });
  });
});

describe('update_scheduled_event', () => {
  const later = { schedule_at: '2999-01-01T00:00:00Z' };
  const found = async (id: string): Promise<Record<string, unknown>> =>
    ((await scene.service.command('get_scheduled_event', { event_id: id })) as { event: Record<string, unknown> })
      .event;

  test('replaces a webhook with a target and a target with a webhook', async () => {
    const webhook = 'http://127.0.0.1:1/';
    const id = await scene.create({ ...later, webhook, headers: [{ name: 'A', value: 'b' }], body: 'payload' });
    const operation = { ...pay, variables: { id: 5 } };
    await scene.service.command('update_scheduled_event', { event_id: id, target: { operation } });
    const changed = await found(id);
    expect(changed).toMatchObject({ webhook_conf: 'operation:shop.pay', target: { operation }, header_conf: [] });
    expect(changed).not.toHaveProperty('body');
    await scene.service.command('update_scheduled_event', { event_id: id, webhook });
    const again = await found(id);
    expect(again).toMatchObject({ webhook_conf: webhook });
    expect(again).not.toHaveProperty('target');
  });

  test('rejects members of a request to a webhook for an event with a target', async () => {
    const id = await scene.create({ ...later, ...target({ variables: { id: 5 } }) });
    const error = await scene.rejection('update_scheduled_event', { event_id: id, signing: false });
    expect(error).toMatchObject({ code: 'parse-failed', path: '$.args.signing' });
  });

  test('rejects an invalid target', async () => {
    const id = await scene.create({ ...later, ...target({ variables: { id: 5 } }) });
    const error = await scene.rejection('update_scheduled_event', { event_id: id, ...target({ name: 'none' }) });
    expect(error).toMatchObject({ code: 'not-exists', path: '$.args.target.operation.name' });
  });
});

test('the limits of a destination apply to an operation by its name', async () => {
  const destination = 'operation:shop.pay';
  await scene.service.command('pause_event_destination', { destination });
  let id = '';
  // Nodes notice a pause within about a second.
  await until('an event waits', async () => {
    id = await scene.create(target({ variables: { id: 6 } }));
    const other = await scene.create(target({ name: 'mine', variables: {} }));
    await scene.processed(other, 'delivered');
    return (await scene.calls(id)).length === 0;
  });
  await scene.service.command('resume_event_destination', { destination });
  await scene.processed(id, 'delivered');
});

test('nodes of earlier versions do not claim events with a target', async () => {
  const { database } = scene.service.database;
  // In a transaction, which the node of the service does not see.
  await database.transaction(async (query) => {
    const column = async (text: string): Promise<unknown[]> =>
      (await query({ text, values: [] })).rows.map(([id]) => id);
    const [lease] = await column(
      `insert into joinery.event_leases (node, expires_at) values ('earlier', now() + interval '1 hour') returning id`,
    );
    const [id] = await column(`insert into joinery.scheduled_events (webhook, schedule_at, delivery)
      values ('operation:a.b', now(), '{"target": {}}') returning id`);
    for (const name of ['claim_events', 'claim_events_by_lane', 'claim_ordered_events']) {
      const most = name === 'claim_events' ? '100' : '100, 100';
      expect(await column(`select id from joinery.${name}(${lease}, '0', ${most}, '{}')`)).toEqual([]);
    }
    expect(await column(`select id from joinery.claim_events(${lease}, '0', 100, '{}', true)`)).toEqual([id]);
  });
});
