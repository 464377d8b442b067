/** Asynchronous actions over HTTP and websockets: calls, results, owners, retries and retention. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { expireEntries } from '../../src/execute/action/action-log.ts';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { connectedClient, type FrameClient } from '../support/http/websocket-clients.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { metadata, sql } from './async-fixture.ts';

type Fields = Readonly<Record<string, string>>;

let handlers: HandlerServer;
let service: TestService;
const sockets: FrameClient[] = [];
/** Responses of `/wait` that wait until a test sends them. */
const pendingResponses: (() => void)[] = [];
let failures = 0;

const order = { id: 7, customerId: 1, inner: { customerId: 2 } };

beforeAll(async () => {
  handlers = await startHandlerServer({
    '/order': () => order,
    '/wait': () => new Promise((resolve) => pendingResponses.push(() => resolve(order))),
    '/slow': () => new Promise(() => undefined),
    '/reject': (_call, outgoing) => {
      outgoing.writeHead(422).end('{"message":"out of stock","extensions":{"code":"STOCK","sku":"A1"}}');
    },
    '/flaky': (_call, outgoing) => {
      failures += 1;
      if (failures > 2) return order;
      outgoing.writeHead(503).end('{}');
      return undefined;
    },
    '/transformed/7': (call) => ({ data: { number: 7, method: call.method, sku: call.body.sku } }),
    '/masked': (_call, outgoing) => {
      failures += 1;
      if (failures > 1) return order;
      outgoing.writeHead(503).end('{"reason":"not yet"}');
      return undefined;
    },
    '/broken': (_call, outgoing) => {
      outgoing.writeHead(500).end('{}');
    },
    '/wrong': () => ({ id: 'seven' }),
    '/exact': () => ({ text: 'x', amount: 1 }),
  });
  service = await startService(
    {
      JOINERY_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '30',
      JOINERY_ASYNC_ACTIONS_FETCH_INTERVAL: '30',
      JOINERY_ASYNC_ACTIONS_FETCH_BATCH_SIZE: '3',
      HANDLERS: handlers.url,
      KEY: 'secret-key',
    },
    { sql },
  );
  await service.command('replace_metadata', metadata);
}, 60_000);

afterEach(async () => {
  // A call that is detected late, as through a pooler, would be counted by the next test.
  const open =
    "select count(*) from joinery.action_log where action_name = 'wait' and status in ('created', 'processing')";
  const openEntries = async () => {
    for (const respond of pendingResponses.splice(0)) respond();
    return (await service.database.database.query({ text: open, values: [] })).rows;
  };
  await expect.poll(openEntries).toEqual([['0']]);
  handlers.reset();
  await Promise.all(sockets.splice(0).map((client) => client.close()));
});

afterAll(async () => {
  await handlers?.close();
  await service?.stop();
});

const user: Fields = { 'x-service-role': 'user', 'x-service-user-id': '1' };

async function data(query: string, session: Fields = user): Promise<Readonly<Record<string, unknown>>> {
  const body = (await service.graphql(query, session)) as { data?: Readonly<Record<string, unknown>> };
  if (body.data === undefined) throw new Error(JSON.stringify(body));
  return body.data;
}

async function submit(name: string, args = '', session: Fields = user): Promise<string> {
  return String((await data(`mutation { ${name}${args} }`, session))[name]);
}

/** Waits for output or errors of the action and returns them. */
async function resultOf(name: string, id: string, session: Fields = user, output = 'id'): Promise<unknown> {
  const query = `{ ${name}(id: "${id}") { errors output { ${output} } } }`;
  for (;;) {
    const result = (await data(query, session))[name] as { errors: unknown; output: unknown };
    if (result === null || result.errors !== null || result.output !== null) return result;
  }
}

async function logged(id: string): Promise<Readonly<Record<string, string | null>>> {
  const columns = ['action_name', 'status', 'tries', 'request_headers', 'session_variables', 'input_payload'];
  const text = `select ${columns.join(', ')} from joinery.action_log where id = $1`;
  const { rows } = await service.database.database.query({ text, values: [id] });
  return Object.fromEntries(columns.map((column, index) => [column, rows[0]?.[index] ?? null]));
}

describe('an asynchronous action', () => {
  it('returns an id, by which its output is read with relationships at any depth', async () => {
    const id = await submit('order', '(sku: "A1")');
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    const fields = 'id customer { name } inner { customer { name } }';
    expect(await resultOf('order', id, user, fields)).toEqual({
      errors: null,
      output: { id: 7, customer: { name: 'Ada' }, inner: { customer: { name: 'Bea' } } },
    });
    const { order: read } = await data(`{ order(id: "${id}") { __typename key: id created_at } }`);
    expect(read).toEqual({
      __typename: 'order',
      key: id,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/),
    });
  });

  it('calls the handler with input, session variables and forwarded headers, without the document', async () => {
    const id = await submit('order', '(sku: "A1")', {
      ...user,
      authorization: 'Bearer x',
      'x-trace': 't',
      accept: '*/*',
    });
    await resultOf('order', id);
    const [call] = handlers.calls;
    expect(call?.body).toEqual({
      action: { name: 'order' },
      input: { sku: 'A1' },
      session_variables: user,
      request_query: null,
    });
    expect(call?.headers).toMatchObject({ 'x-key': 'secret-key', authorization: 'Bearer x', 'x-trace': 't' });
  });

  it('has null for output and errors until the handler has responded', async () => {
    const id = await submit('wait');
    await expect.poll(() => pendingResponses.length).toBe(1);
    expect(await data(`{ wait(id: "${id}") { id output { id } errors } }`)).toEqual({
      wait: { id, output: null, errors: null },
    });
    expect(await logged(id)).toMatchObject({ status: 'processing' });
  });

  it('rejects an argument that PostgreSQL cannot parse before it is stored', async () => {
    const result = await service.graphql('mutation { order(sku: "A", key: "nope") }', user);
    expect(result).toMatchObject({ errors: [{ extensions: { code: 'data-exception' } }] });
    expect(handlers.calls).toEqual([]);
  });

  it('is a field of queries and subscriptions only for roles with permission', async () => {
    const fields = '{ __schema { queryType { fields { name } } subscriptionType { fields { name } } } }';
    const { __schema } = (await data(fields)) as Record<string, Record<string, { fields: { name: string }[] }>>;
    for (const root of Object.values(__schema ?? {})) {
      const names = root.fields.map(({ name }) => name);
      expect(names).toContain('order');
      expect(names).not.toContain('hidden');
    }
  });
});

describe('the action log', () => {
  it('has the forwarded headers of the client, and no credentials after the call', async () => {
    const id = await submit('order', '(sku: "A1")', { ...user, authorization: 'Bearer x', 'x-trace': 't' });
    await resultOf('order', id);
    const { request_headers, session_variables, input_payload } = await logged(id);
    expect(JSON.parse(request_headers ?? '')).toMatchObject({ 'x-trace': 't' });
    expect(request_headers).not.toContain('Bearer');
    expect(JSON.parse(session_variables ?? '')).toEqual(user);
    expect(JSON.parse(input_payload ?? '')).toEqual({ sku: 'A1' });
  });

  it('has no headers of the client if the action forwards none', async () => {
    const id = await submit('wait', '', { ...user, authorization: 'Bearer x', 'x-trace': 't' });
    expect(await logged(id)).toMatchObject({ request_headers: '{}' });
  });

  it('is deleted with the action unless clear_data is false', async () => {
    const count = async (name: string) => {
      const text = 'select count(*) from joinery.action_log where action_name = $1';
      return (await service.database.database.query({ text, values: [name] })).rows[0]?.[0];
    };
    const definition = { kind: 'asynchronous', handler: '{{HANDLERS}}/order', output_type: 'Order' };
    const actions = [
      ['cleared', 'bulk', '0'],
      ['cleared_atomically', 'bulk_atomic', '0'],
      ['uncleared', 'bulk', '1'],
    ] as const;
    for (const [name, bulk, remaining] of actions) {
      await service.command('create_action', { name, definition });
      const admin = { 'x-service-role': 'admin' };
      await resultOf(name, await submit(name, '', admin), admin);
      expect(await count(name)).toBe('1');
      const args = name === 'uncleared' ? { name, clear_data: false } : { name };
      await service.command(bulk, [{ type: 'drop_action', args }]);
      expect(await count(name)).toBe(remaining);
    }
  });
});

describe('the owner of a result', () => {
  it('is the caller with the same session variables, or an admin', async () => {
    const id = await submit('order', '(sku: "A1")');
    expect(await resultOf('order', id)).toMatchObject({ output: { id: 7 } });
    expect(await resultOf('order', id, { 'x-service-role': 'admin' })).toMatchObject({ output: { id: 7 } });
    for (const session of [
      { ...user, 'x-service-user-id': '2' },
      { 'x-service-role': 'user' },
      { ...user, 'x-service-org-id': '1' },
    ]) {
      expect(await data(`{ order(id: "${id}") { id } }`, session)).toEqual({ order: null });
    }
  });

  it('is the same if only the allowed roles or the default role differ', async () => {
    const id = await submit('order', '(sku: "A1")', { ...user, 'x-service-allowed-roles': '["user"]' });
    const session = { ...user, 'x-service-allowed-roles': '["user","x"]', 'x-service-default-role': 'user' };
    expect(await resultOf('order', id, session)).toMatchObject({ output: { id: 7 } });
  });

  it('gets null for an unknown id and for the id of another action', async () => {
    const id = await submit('wait');
    expect(await data(`{ order(id: "${id}") { id } }`)).toEqual({ order: null });
    const unknownId = '00000000-0000-0000-0000-000000000000';
    expect(await data(`{ order(id: "${unknownId}") { id } }`)).toEqual({ order: null });
  });

  it('gets an error for an invalid id', async () => {
    const query = 'query ($id: uuid!) { order(id: $id) { id } }';
    expect(await service.graphql(query, user, { id: 'x' })).toMatchObject({
      errors: [{ message: expect.stringContaining('uuid'), extensions: { code: 'data-exception' } }],
    });
  });

  it('gets no result after the permission of the action was dropped', async () => {
    const id = await submit('wait');
    await service.command('drop_action_permission', { action: 'wait', role: 'user' });
    try {
      expect(await service.graphql(`{ wait(id: "${id}") { id } }`, user)).toMatchObject({
        errors: [{ extensions: { code: 'validation-failed' } }],
      });
    } finally {
      await service.command('create_action_permission', { action: 'wait', role: 'user' });
    }
  });
});

describe('an error', () => {
  it('that the handler returns is returned with its extensions and not retried', async () => {
    expect(await resultOf('reject', await submit('reject'))).toEqual({
      output: null,
      errors: {
        error: 'out of stock',
        path: '$',
        code: 'STOCK',
        extensions: { code: 'STOCK', sku: 'A1' },
      },
    });
    expect(handlers.calls).toHaveLength(1);
  });

  it('with status 503 is retried within the number of retries', async () => {
    const id = await submit('flaky');
    expect(await resultOf('flaky', id)).toMatchObject({ errors: null, output: { id: 7 } });
    expect(await logged(id)).toMatchObject({ status: 'completed', tries: '3' });
  });

  it('is retried by the status of the handler, regardless of a transform', async () => {
    failures = 0;
    const id = await submit('masked');
    expect(await resultOf('masked', id)).toMatchObject({ errors: null, output: { id: 7 } });
    expect(await logged(id)).toMatchObject({ tries: '2' });
    handlers.reset();
    expect(await resultOf('masked_rejection', await submit('masked_rejection'))).toMatchObject({
      errors: { error: 'try again' },
    });
    expect(handlers.calls).toHaveLength(1);
  });

  it('that remains after the retries is returned, with details only for admins', async () => {
    const id = await submit('broken');
    const error = { error: 'internal error', path: '$.selectionSet.broken', code: 'unexpected' };
    expect(await resultOf('broken', id)).toEqual({ output: null, errors: error });
    expect(handlers.calls).toHaveLength(2);
    expect(await resultOf('broken', id, { 'x-service-role': 'admin' })).toMatchObject({
      errors: { ...error, internal: { response: { status: 500 } } },
    });
  });

  it('of a request transform is not retried', async () => {
    const id = await submit('untransformed');
    expect(await resultOf('untransformed', id)).toMatchObject({ errors: { error: 'Request Transformation Failed' } });
    expect(await logged(id)).toMatchObject({ status: 'error', tries: '1' });
    expect(handlers.calls).toHaveLength(0);
  });

  it('of the output type has the path and is not retried', async () => {
    expect(await resultOf('wrong', await submit('wrong'))).toMatchObject({
      output: null,
      errors: { error: expect.stringContaining('response.id: expected Int!'), code: 'unexpected' },
    });
    expect(handlers.calls).toHaveLength(1);
  });
});

it('runs other actions while a handler is slow', async () => {
  for (let number = 0; number < 6; number += 1) await submit('slow');
  await expect.poll(() => handlers.calls.length).toBe(3);
  expect(await resultOf('order', await submit('order', '(sku: "A")'))).toMatchObject({ output: { id: 7 } });
  expect(handlers.calls.filter(({ path }) => path === '/slow')).toHaveLength(3);
});

it('starts the next run of an action when one has ended', async () => {
  const ids: string[] = [];
  for (let number = 0; number < 5; number += 1) ids.push(await submit('wait'));
  await expect.poll(() => pendingResponses.length).toBe(3);
  for (const respond of pendingResponses.splice(0)) respond();
  await expect.poll(() => pendingResponses.length).toBe(2);
  for (const respond of pendingResponses.splice(0)) respond();
  for (const id of ids) expect(await resultOf('wait', id)).toMatchObject({ output: { id: 7 } });
});

it('respects the concurrency limit of an action without timeouts of waiting calls', async () => {
  const ids: string[] = [];
  for (let number = 0; number < 3; number += 1) ids.push(await submit('single'));
  for (let number = 1; number <= 3; number += 1) {
    await expect.poll(() => pendingResponses.length).toBe(1);
    expect(handlers.calls).toHaveLength(number);
    const { rows } = await service.database.database.query({
      text: "select count(*) from joinery.action_log where action_name = 'single' and status = 'processing'",
      values: [],
    });
    expect(rows).toEqual([['1']]);
    for (const respond of pendingResponses.splice(0)) respond();
  }
  for (const id of ids) expect(await resultOf('single', id)).toMatchObject({ output: { id: 7 } });
});

it('applies request and response transforms', async () => {
  const id = await submit('transformed', '(number: 7)');
  expect(await resultOf('transformed', id, user, 'id customer { name }')).toEqual({
    errors: null,
    output: { id: 7, customer: { name: 'Ada' } },
  });
  expect(handlers.calls).toMatchObject([{ path: '/transformed/7', method: 'PUT', body: { sku: '1' } }]);
});

describe('a subscription to an asynchronous action', () => {
  async function subscribed(id: string, session: Fields): Promise<FrameClient> {
    const client = await connectedClient(service.url, session);
    sockets.push(client);
    const query = `subscription { wait(id: "${id}") { errors output { id customer { name } } } }`;
    client.send({ id: '1', type: 'subscribe', payload: { query } });
    return client;
  }

  it('returns the output when it is available, with relationships under the permissions of the subscriber', async () => {
    const id = await submit('wait');
    const client = await subscribed(id, user);
    expect(await client.next()).toMatchObject({ payload: { data: { wait: { errors: null, output: null } } } });
    await expect.poll(() => pendingResponses.length).toBe(1);
    for (const respond of pendingResponses.splice(0)) respond();
    expect(await client.next()).toMatchObject({
      payload: { data: { wait: { errors: null, output: { id: 7, customer: { name: 'Ada' } } } } },
    });
  });

  it('returns null to another user', async () => {
    const client = await subscribed(await submit('wait'), { ...user, 'x-service-user-id': '2' });
    expect(await client.next()).toMatchObject({ payload: { data: { wait: null } } });
  });
});

it('expireEntries deletes results older than the retention and no waiting entries', async () => {
  const { database } = service.database;
  const insert = `insert into joinery.action_log (action_name, input_payload, session_variables, status, created_at, response_received_at)
    select 'old', '{}', '{}', case when days is null then 'created' else 'completed' end,
      now() - interval '1 year', now() - days * interval '1 day'
    from unnest($1::int[]) as days`;
  await database.query({ text: insert, values: [[1, 5, 11, 12, 300, null]] });
  expect(await expireEntries(database.query, 10, 2)).toBe(2);
  expect(await expireEntries(database.query, 10, 2)).toBe(1);
  const remaining = await database.query({
    text: "select count(*) from joinery.action_log where action_name = 'old'",
    values: [],
  });
  expect(remaining.rows).toEqual([['3']]);
});
