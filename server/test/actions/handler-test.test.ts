/** `test_action_handler`: what it sends, returns and hides. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { startServiceCore, type TestServiceCore } from '../support/service/service-core.ts';

let database: TestDatabase;
let handler: HandlerServer;
let node: TestServiceCore;

beforeAll(async () => {
  handler = await startHandlerServer({
    '/place': ({ body }) => ({ id: 7, input: body.input }),
    '/reject': (_call, out) => void out.writeHead(400).end('{"message":"nothing to order"}'),
  });
  database = await testDatabase({ migrated: true });
  node = await startServiceCore(database, { environment: { HANDLERS: handler.url, KEY: 'secret-key' } });
  const fields = [{ name: 'id', type: 'Int' }];
  await node.run('set_custom_types', { objects: [{ name: 'Placed', fields }] });
  const base = { output_type: 'Placed', arguments: [{ name: 'product', type: 'String' }] };
  const headers = [
    { name: 'X-Key', value_from_env: 'KEY' },
    { name: 'X-Plain', value: 'plain' },
  ];
  const define = (name: string, definition: object) =>
    node.run('create_action', { name, definition: { ...base, handler: `{{HANDLERS}}/${name}`, ...definition } });
  await define('place', { headers, forward_client_headers: true });
  await define('reject', {});
  await define('lost', { handler: 'http://127.0.0.1:1' });
  const body = { action: 'transform', template: '{"thing": {{$body.input.product}}}' };
  await define('changed', {
    handler: '{{HANDLERS}}/place',
    request_transform: { version: 2, method: 'PUT', url: '{{$base_url}}', body },
  });
});

afterAll(async () => {
  await node?.stop();
  await handler?.close();
  await database?.drop();
});

test('sends the input, the session and forwarded headers, and returns them with the response', async () => {
  handler.reset();
  const result = await node.run('test_action_handler', {
    name: 'place',
    input: { product: 'tea' },
    session_variables: { 'X-Service-Role': 'user', 'X-Service-User-Id': '3' },
    client_headers: { Authorization: 'Bearer token', 'X-Trace': 'a' },
  });
  const payload = {
    action: { name: 'place' },
    input: { product: 'tea' },
    session_variables: { 'x-service-role': 'user', 'x-service-user-id': '3' },
    request_query: null,
  };
  expect(handler.calls[0]).toMatchObject({ method: 'POST', body: payload, headers: { 'x-key': 'secret-key' } });
  expect(result).toMatchObject({
    request: { method: 'POST', url: '{{HANDLERS}}/place', body: payload },
    response: { status: 200, body: { id: 7 }, duration_ms: expect.any(Number) },
    result: { id: 7, input: { product: 'tea' } },
  });
});

test('returns every header that the handler receives', async () => {
  handler.reset();
  const result = (await node.run('test_action_handler', {
    name: 'place',
    client_headers: { 'X-Trace': 'a' },
  })) as { request: { headers: readonly { readonly name: string }[] } };
  const names = result.request.headers.map(({ name }) => name.toLowerCase());
  expect(names.toSorted()).toEqual(Object.keys(handler.calls[0]?.headers ?? {}).toSorted());
});

test('hides variables of the environment and credentials', async () => {
  const result = (await node.run('test_action_handler', {
    name: 'place',
    client_headers: { Authorization: 'Bearer token' },
  })) as { request: { headers: readonly object[] } };
  expect(result.request.headers).toEqual(
    expect.arrayContaining([
      { name: 'X-Key', value: '***' },
      { name: 'X-Plain', value: 'plain' },
      { name: 'authorization', value: '***' },
    ]),
  );
});

test('shows the request after its transform', async () => {
  expect(await node.run('test_action_handler', { name: 'changed', input: { product: 'tea' } })).toMatchObject({
    request: { method: 'PUT', url: '{{$base_url}}', body: { thing: 'tea' } },
    response: { status: 200 },
  });
});

test('returns the error of a handler that rejects, is not reachable, or does not exist', async () => {
  expect(await node.run('test_action_handler', { name: 'reject' })).toMatchObject({
    response: { status: 400, body: { message: 'nothing to order' } },
    error: { message: 'nothing to order' },
  });
  expect(await node.run('test_action_handler', { name: 'lost' })).toMatchObject({
    response: null,
    error: { code: 'unexpected', message: expect.stringContaining('http exception when calling webhook') },
  });
  expect(await node.rejection('test_action_handler', { name: 'nothing' })).toMatchObject({
    code: 'not-exists',
    path: '$.args.name',
  });
});
