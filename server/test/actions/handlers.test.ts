/** Calls of action handlers over HTTP: requests, valid responses, and the errors of invalid ones. */

import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Cancellation } from '../../src/base/cancellation.ts';
import { createHttpClient, type HttpClient } from '../../src/base/http-client/http-client.ts';
import type { ExecuteContext } from '../../src/execute/context/context.ts';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { actionAt, callOf, contextWith, errorOf, runCall } from './action-run.ts';

const item = { id: 1, name: 'one', price: 1.5 };
const megabyte = 'x'.repeat(1_000_000);

let handler: HandlerServer;
let resetting: Server;
let httpClient: HttpClient;

beforeAll(async () => {
  httpClient = createHttpClient({ connections: 8 });
  resetting = createServer((socket) => {
    socket.once('data', () => socket.resetAndDestroy());
  });
  await new Promise<void>((resolve) => resetting.listen(0, '127.0.0.1', resolve));
  handler = await startHandlerServer({
    '/item': () => item,
    '/items': () => [item, { ...item, id: 2 }, null],
    '/null': (_call, out) => void out.end('null'),
    '/deep': () => ({ ...item, parts: [item, { ...item, price: 'x' }] }),
    '/list': () => [item],
    '/delayed': (_call, out) => {
      const timer = setTimeout(() => out.end(JSON.stringify(item)), 10_000);
      out.on('close', () => clearTimeout(timer));
    },
    '/never': () => undefined,
    '/half': (_call, out) => {
      out.writeHead(200, { 'content-length': '1000' });
      out.write('{"id":1,', () => out.destroy());
    },
    '/huge': async (_call, out) => {
      out.writeHead(200, { 'content-type': 'application/json' });
      const closed = new Promise<void>((resolve) => out.once('close', resolve));
      for (let count = 0; count < 100 && !out.destroyed; count += 1) {
        await Promise.race([closed, new Promise<void>((resolve) => out.write(megabyte, () => resolve()))]);
      }
      out.end();
    },
    '/untyped': (_call, out) => void out.writeHead(200, { 'content-type': 'text/html' }).end(JSON.stringify(item)),
    '/trickle': (_call, out) => {
      out.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => out.write('['), 100);
      out.on('close', () => clearInterval(timer));
    },
    '/moved': (_call, out) => void out.writeHead(307, { location: `${handler.url}/item` }).end('{}'),
    '/depth': () => ({ ...item, parts: [{ ...item, parts: [{ ...item, parts: [{ ...item, name: [1] }] }] }] }),
    '/no-json': (_call, out) => void out.end('<html>'),
    '/empty': (_call, out) => void out.writeHead(204).end(),
    '/error': (call, out) => {
      const { status, response } = (call.body.input ?? {}) as { status: number; response: unknown };
      out.writeHead(status).end(JSON.stringify(response));
    },
    '/cookie': (_call, out) => {
      out.writeHead(200, { 'set-cookie': ['a=1; HttpOnly', 'b=2'], 'x-other': 'other' }).end(JSON.stringify(item));
    },
    '/exact': (_call, out) => void out.end('{"id":1,"amount":12345678901234567890.10,"price":0.1234567890123456789}'),
  });
});

afterAll(async () => {
  await handler.close();
  await httpClient.close();
  await new Promise((resolve) => resetting.close(resolve));
});

beforeEach(() => handler.reset());

const actionOf = (path: string, definition: object = {}) =>
  actionAt(path.startsWith('http') ? path : handler.url + path, definition);
const contextOf = (change: Partial<ExecuteContext> = {}) => contextWith(httpClient, change);

function run(
  path: string,
  definition: object = {},
  input: Readonly<Record<string, unknown>> = {},
): ReturnType<typeof runCall> {
  return runCall(callOf(actionOf(path, definition), input), contextOf());
}

describe('the call of a handler', () => {
  test('is one POST with action, input, session variables, request text and headers', async () => {
    const context = contextOf({ headers: { authorization: 'Bearer t', host: 'api', 'x-service-role': 'admin' } });
    const headers = [{ name: 'X-Token', value: 'Bearer {{TOKEN}}' }];
    await runCall(callOf(actionOf('/item', { headers, forward_client_headers: true }), { a: null }), context);
    expect(handler.calls).toHaveLength(1);
    const [call] = handler.calls;
    expect(call).toMatchObject({
      path: '/item',
      method: 'POST',
      body: {
        action: { name: 'act' },
        input: { a: null },
        session_variables: { 'x-service-role': 'admin' },
        request_query: 'mutation { act { id } }',
      },
      headers: {
        'content-type': 'application/json',
        'user-agent': 'joinery/1.2.3',
        'x-token': 'Bearer very-secret',
        authorization: 'Bearer t',
        'x-forwarded-host': 'api',
      },
    });
    expect(call?.headers).not.toHaveProperty('x-service-role');
    expect(call?.headers.host).toBe(new URL(handler.url).host);
  });

  test('accepts an object, a list or null, and sets absent nullable members to null', async () => {
    const whole = { id: 1, name: 'one', price: 1.5, amount: null };
    expect((await run('/item')).value).toEqual(whole);
    expect((await run('/items', { output_type: '[Item]!' })).value).toEqual([whole, { ...whole, id: 2 }, null]);
    expect((await run('/null')).value).toBeNull();
  });

  test('is shown to admins without the credentials in the URL', async () => {
    const handler = 'http://user:pa55word@127.0.0.1:1/item';
    const error = await errorOf(runCall(callOf(actionAt(handler)), contextOf({})));
    expect(JSON.stringify(error.internal)).toContain('http://user:***@127.0.0.1:1/item');
    expect(JSON.stringify(error.internal)).not.toContain('pa55word');
  });

  test('accepts JSON with another content type', async () => {
    expect((await run('/untyped')).value).toMatchObject({ id: 1 });
  });

  test('accepts numbers beyond the precision of a double', async () => {
    const { value } = await run('/exact');
    expect(value).toMatchObject({
      amount: { text: '12345678901234567890.10' },
      price: { text: '0.1234567890123456789' },
    });
  });

  test('forwards cookies of a mutation, and not those of a query', async () => {
    expect((await run('/cookie')).headers.map(([, value]) => value)).toEqual(['a=1; HttpOnly', 'b=2']);
    expect((await run('/cookie', { type: 'query' })).headers).toEqual([]);
  });
});

describe('a response of a handler', () => {
  const calling = 'http exception when calling webhook';
  const noJson = 'not a valid json response from webhook';
  const mismatch = 'the response of the handler does not match the output type of the action';

  test.each([
    [
      'with a wrong value in a nested object',
      '/deep',
      {},
      'unexpected',
      `${mismatch}: response.parts[1].price: expected Float, found a string`,
    ],
    [
      'with a list in place of an object',
      '/list',
      {},
      'unexpected',
      `${mismatch}: response: expected Item, found a list`,
    ],
    [
      'with an object in place of a list',
      '/item',
      { output_type: '[Item]' },
      'unexpected',
      `${mismatch}: response: expected [Item], found an object`,
    ],
    [
      'with null for a non-null type',
      '/null',
      { output_type: 'Item!' },
      'unexpected',
      `${mismatch}: response: expected Item!, found null`,
    ],
    [
      'with a wrong value at the fourth level',
      '/depth',
      {},
      'unexpected',
      `${mismatch}: response.parts[0].parts[0].parts[0].name: expected String, found a list`,
    ],
    [
      'that is sent slower than the timeout allows',
      '/trickle',
      { timeout: 1 },
      'unexpected',
      `${calling}: no complete response within 1000 ms`,
    ],
    ['that is a redirect', '/moved', {}, 'unexpected', 'internal error'],
    ['after the timeout', '/delayed', { timeout: 1 }, 'unexpected', `${calling}: no complete response within 1000 ms`],
    ['that is never sent', '/never', { timeout: 1 }, 'unexpected', `${calling}: no complete response within 1000 ms`],
    [
      'that is incomplete',
      '/half',
      {},
      'unexpected',
      `${calling}: the connection was closed before the response was complete`,
    ],
    ['that is not JSON', '/no-json', {}, 'unexpected', noJson],
    ['that is empty', '/empty', {}, 'unexpected', noJson],
  ])('%s results in an error with path and code', async (_what, path, definition, code, message) => {
    const error = await errorOf(run(path, definition));
    expect(error).toMatchObject({ code, message, path: '$.selectionSet.act' });
    expect(error.extensions).toBeUndefined();
  });

  test('larger than the limit is not read to its end', async () => {
    const error = await errorOf(run('/huge', { timeout: 60 }));
    expect(error).toMatchObject({ code: 'unexpected', path: '$.selectionSet.act' });
    expect(error.message).toBe(`${calling}: the response is larger than 20000000 bytes`);
    expect((await run('/item')).value).toMatchObject({ id: 1 });
  });

  test('that is reset results in an error', async () => {
    const { port } = resetting.address() as AddressInfo;
    const error = await errorOf(run(`http://127.0.0.1:${port}/`));
    expect(error).toMatchObject({
      code: 'unexpected',
      message: `${calling}: the connection was closed before the response was complete`,
    });
  });

  test('is replaced by an error if no server listens or the host is unknown', async () => {
    const closed = await startHandlerServer({});
    await closed.close();
    expect((await errorOf(run(`${closed.url}/`))).message).toBe(`${calling}: the connection was refused`);
    expect((await errorOf(run('http://no-such-host.invalid/'))).message).toMatch(`${calling}: `);
  });

  test.each([
    [422, { message: 'out of stock' }, { message: 'out of stock', path: '$', status: 422 }, undefined],
    [400, { message: 'no', code: 'stock' }, { message: 'no', path: '$', foreignCode: 'stock' }, undefined],
    [
      404,
      { message: 'no', code: 'stock', extensions: { code: 'STOCK', sku: 'A1' } },
      { message: 'no', status: 404 },
      { code: 'STOCK', sku: 'A1' },
    ],
    [400, { message: 'no', code: 'stock', extensions: { sku: 'A1' } }, { message: 'no' }, { sku: 'A1' }],
    [
      400,
      { message: 'no', code: 7, extensions: null },
      { message: 'no', code: 'unexpected', foreignCode: undefined },
      undefined,
    ],
    [
      400,
      { error: 'no' },
      { code: 'parse-failed', message: 'the handler responded with status 400, but its body has no "message"' },
      undefined,
    ],
    [499, 'text', { code: 'parse-failed' }, undefined],
    [400, null, { code: 'parse-failed' }, undefined],
    [
      500,
      { message: 'boom' },
      { code: 'unexpected', message: 'internal error', path: '$.selectionSet.act', status: 500 },
      undefined,
    ],
    [503, {}, { code: 'unexpected', message: 'internal error' }, undefined],
    [302, { message: 'elsewhere' }, { code: 'unexpected', message: 'internal error' }, undefined],
  ])('with status %i and body %j results in the documented error', async (status, response, expected, extensions) => {
    const error = await errorOf(run('/error', {}, { status, response }));
    expect(error).toMatchObject(expected);
    expect(error.extensions).toEqual(extensions);
  });

  test('with an error is shown to admins with request and response, without secrets', async () => {
    const context = contextOf({ headers: { authorization: 'Bearer client-secret', 'x-trace': '1' } });
    const definition = {
      forward_client_headers: true,
      headers: [
        { name: 'X-Token', value_from_env: 'TOKEN' },
        { name: 'X-Mode', value: 'test' },
      ],
    };
    const call = callOf(actionOf('/error', definition), { status: 500, response: { detail: 'broken' } });
    const { internal } = await errorOf(runCall(call, context));
    expect(internal).toMatchObject({
      error: 'the handler responded with status 500',
      request: {
        url: `${handler.url}/error`,
        action: { name: 'act' },
        input: { status: 500 },
        request_query: 'mutation { act { id } }',
      },
      response: { status: 500, body: { detail: 'broken' } },
    });
    const text = JSON.stringify(internal);
    expect(text).not.toMatch(/secret/);
    expect(text).toContain('{"name":"X-Mode","value":"test"}');
    expect(text).toContain('{"name":"x-trace","value":"1"}');
  });

  test('that was not received is shown to admins as null', async () => {
    const { internal } = await errorOf(run('/never', { timeout: 1 }));
    expect(internal).toMatchObject({ error: { type: 'http_exception', kind: 'timeout' }, response: null });
  });
});

describe('a client that disconnects', () => {
  const disconnecting = () => {
    const signal = new Cancellation();
    return { signal, disconnect: () => signal.abort() };
  };

  test('cancels the call of a query', async () => {
    const { signal, disconnect } = disconnecting();
    const running = runCall(callOf(actionOf('/never', { type: 'query' })), contextOf({ signal }));
    disconnect();
    expect((await errorOf(running)).message).toContain('the call was canceled');
  });

  test('does not cancel the call of a mutation', async () => {
    const { signal, disconnect } = disconnecting();
    const running = runCall(callOf(actionOf('/item')), contextOf({ signal }));
    disconnect();
    expect((await running).value).toMatchObject({ id: 1 });
  });
});
