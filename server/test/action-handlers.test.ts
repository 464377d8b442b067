/** Actions against real handlers on 127.0.0.1: what is sent, and what comes of every way in which an answer can be wrong. */

import { type AddressInfo, createServer, type Server } from 'node:net';
import { ADMIN_ROLE } from '@joinery/metadata/names';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Cancellation } from '../src/base/cancellation.ts';
import { ServiceError } from '../src/base/errors.ts';
import { silent } from '../src/base/observe.ts';
import { createOutbound, type Outbound } from '../src/base/outbound.ts';
import { type ActionResult, runAction } from '../src/execute/action.ts';
import type { ExecuteContext } from '../src/execute/context.ts';
import type { Action, OutputObject } from '../src/model/action-model.ts';
import { resolveActions } from '../src/model/actions.ts';
import { namedIn } from '../src/model/type-expression.ts';
import type { CallPlan, OutputFieldPlan } from '../src/plan/plan.ts';
import { draftOf } from './draft.ts';
import { type HandlerServer, startHandlerServer } from './handler-server.ts';

const item = { id: 1, name: 'one', price: 1.5 };
const megabyte = 'x'.repeat(1_000_000);

let handler: HandlerServer;
let resetting: Server;
let outbound: Outbound;

beforeAll(async () => {
  outbound = createOutbound({ connections: 8 });
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
    '/late': (_call, out) => {
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
    '/no-json': (_call, out) => void out.end('<html>'),
    '/empty': (_call, out) => void out.writeHead(204).end(),
    '/error': (call, out) => {
      const { status, answer } = (call.body.input ?? {}) as { status: number; answer: unknown };
      out.writeHead(status).end(JSON.stringify(answer));
    },
    '/cookie': (_call, out) => {
      out.writeHead(200, { 'set-cookie': ['a=1; HttpOnly', 'b=2'], 'x-other': 'stays' }).end(JSON.stringify(item));
    },
    '/exact': (_call, out) => void out.end('{"id":1,"amount":12345678901234567890.10,"price":0.1234567890123456789}'),
  });
});

afterAll(async () => {
  await handler.close();
  await outbound.close();
  await new Promise((resolve) => resetting.close(resolve));
});

beforeEach(() => handler.reset());

const custom_types = {
  objects: [
    {
      name: 'Item',
      fields: [
        { name: 'id', type: 'Int!' },
        { name: 'name', type: 'String' },
        { name: 'price', type: 'Float' },
        { name: 'amount', type: 'numeric' },
        { name: 'parts', type: '[Item!]' },
      ],
    },
  ],
};

function actionOf(path: string, definition: object = {}): Action {
  const url = path.startsWith('http') ? path : handler.url + path;
  const written = { output_type: 'Item', handler: url, timeout: 5, ...definition };
  const { draft, reports } = draftOf({
    custom_types,
    environment: { TOKEN: 'very-secret' },
    actions: [{ name: 'act', definition: written }],
  });
  const [action] = [...resolveActions(draft).values()];
  if (action === undefined) throw new Error(reports.map(({ reason }) => reason).join());
  return action;
}

/** A call that selects all scalars of the output object. */
function callOf(action: Action, input: Readonly<Record<string, unknown>> = {}): CallPlan {
  const output = namedIn(action.output);
  const object: OutputObject | undefined = output.kind === 'object' ? output : undefined;
  const fields = object && [...object.fields.values()].filter(({ type }) => namedIn(type).kind === 'scalar');
  return {
    action,
    input: Object.entries(input).map(([name, value]) => ({ name, value: { kind: 'constant', value } })),
    output: {
      type: action.output,
      fields: fields?.map(({ name, type }): OutputFieldPlan => {
        return { kind: 'field', alias: name, name, output: { type, fields: undefined } };
      }),
    },
  };
}

function contextOf(change: Partial<ExecuteContext> = {}): ExecuteContext {
  return {
    session: { role: ADMIN_ROLE, variables: new Map([['x-service-role', 'admin']]) },
    headers: {},
    query: 'mutation { act { id } }',
    variables: {},
    database: () => {
      throw new Error('an action without joins needs no database');
    },
    outbound,
    environment: { TOKEN: 'very-secret' },
    settings: {
      stringifyNumerics: false,
      sessionPrefix: 'x-service-',
      configuredHeaderPrecedence: false,
      version: '1.2.3',
      maxActionResponseBytes: 20_000_000,
      maxRemoteResponseBytes: 20_000_000,
    },
    observe: silent,
    ...change,
  };
}

function run(
  path: string,
  definition: object = {},
  input: Readonly<Record<string, unknown>> = {},
): Promise<ActionResult> {
  return runAction(callOf(actionOf(path, definition), input), contextOf(), () => undefined);
}

async function errorOf(running: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await running.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ServiceError)) throw new Error(`no ServiceError but ${String(error)}`);
  return error;
}

describe('a handler', () => {
  test('gets one POST with action, input, session variables, request text and headers', async () => {
    const context = contextOf({ headers: { authorization: 'Bearer t', host: 'api', 'x-service-role': 'admin' } });
    const headers = [{ name: 'X-Token', value: 'Bearer {{TOKEN}}' }];
    await runAction(
      callOf(actionOf('/item', { headers, forward_client_headers: true }), { a: null }),
      context,
      () => undefined,
    );
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

  test('answers with an object, a list or null, and missing nullable members are null', async () => {
    const whole = { id: 1, name: 'one', price: 1.5, amount: null };
    expect((await run('/item')).value).toEqual(whole);
    expect((await run('/items', { output_type: '[Item]!' })).value).toEqual([whole, { ...whole, id: 2 }, null]);
    expect((await run('/null')).value).toBeNull();
  });

  test('may answer with numbers that no double holds', async () => {
    const { value } = await run('/exact');
    expect(value).toMatchObject({
      amount: { text: '12345678901234567890.10' },
      price: { text: '0.1234567890123456789' },
    });
  });

  test('sets cookies of the client when it serves a mutation, and not when it serves a query', async () => {
    expect((await run('/cookie')).headers.map(([, value]) => value)).toEqual(['a=1; HttpOnly', 'b=2']);
    expect((await run('/cookie', { type: 'query' })).headers).toEqual([]);
  });
});

describe('an answer of a handler that', () => {
  const calling = 'http exception when calling webhook';
  const noJson = 'not a valid json response from webhook';
  const misfit = 'the answer of the handler does not fit the output type of the action';

  test.each([
    [
      'has a wrong value deep inside',
      '/deep',
      {},
      'unexpected',
      `${misfit}: response.parts[1].price: expected Float, found a string`,
    ],
    [
      'is a list where an object belongs',
      '/list',
      {},
      'unexpected',
      `${misfit}: response: expected Item, found a list`,
    ],
    [
      'is an object where a list belongs',
      '/item',
      { output_type: '[Item]' },
      'unexpected',
      `${misfit}: response: expected [Item], found an object`,
    ],
    [
      'is null where it must not be',
      '/null',
      { output_type: 'Item!' },
      'unexpected',
      `${misfit}: response: expected Item!, found null`,
    ],
    ['is late', '/late', { timeout: 1 }, 'unexpected', `${calling}: no whole answer within 1000 ms`],
    ['never comes', '/never', { timeout: 1 }, 'unexpected', `${calling}: no whole answer within 1000 ms`],
    ['breaks off', '/half', {}, 'unexpected', `${calling}: the connection was closed before the answer was whole`],
    ['is no JSON', '/no-json', {}, 'unexpected', noJson],
    ['is empty', '/empty', {}, 'unexpected', noJson],
  ])('%s is told with path and code', async (_what, path, definition, code, message) => {
    const error = await errorOf(run(path, definition));
    expect(error).toMatchObject({ code, message, path: '$.selectionSet.act' });
    expect(error.extensions).toBeUndefined();
  });

  test('is larger than the limit is not read to its end', async () => {
    const error = await errorOf(run('/huge', { timeout: 60 }));
    expect(error).toMatchObject({ code: 'unexpected', path: '$.selectionSet.act' });
    expect(error.message).toBe(`${calling}: the answer is larger than 20000000 bytes`);
    expect((await run('/item')).value).toMatchObject({ id: 1 });
  });

  test('ends with a reset of the connection is told', async () => {
    const { port } = resetting.address() as AddressInfo;
    const error = await errorOf(run(`http://127.0.0.1:${port}/`));
    expect(error).toMatchObject({
      code: 'unexpected',
      message: `${calling}: the connection was closed before the answer was whole`,
    });
  });

  test('cannot come because nobody listens, or the host is unknown, is told', async () => {
    const closed = await startHandlerServer({});
    await closed.close();
    expect((await errorOf(run(`${closed.url}/`))).message).toBe(`${calling}: the connection was refused`);
    expect((await errorOf(run('http://no-such-host.invalid/'))).message).toMatch(`${calling}: `);
  });

  test.each([
    [422, { message: 'out of stock' }, { message: 'out of stock', path: '$' }, undefined],
    [400, { message: 'no', code: 'stock' }, { message: 'no', path: '$', foreignCode: 'stock' }, undefined],
    [
      404,
      { message: 'no', code: 'stock', extensions: { code: 'STOCK', sku: 'A1' } },
      { message: 'no' },
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
      { code: 'parse-failed', message: 'the handler answered with status 400, but its body has no "message"' },
      undefined,
    ],
    [499, 'text', { code: 'parse-failed' }, undefined],
    [400, null, { code: 'parse-failed' }, undefined],
    [
      500,
      { message: 'boom' },
      { code: 'unexpected', message: 'internal error', path: '$.selectionSet.act' },
      undefined,
    ],
    [503, {}, { code: 'unexpected', message: 'internal error' }, undefined],
    [302, { message: 'elsewhere' }, { code: 'unexpected', message: 'internal error' }, undefined],
  ])('has status %i and body %j is handed on', async (status, answer, expected, extensions) => {
    const error = await errorOf(run('/error', {}, { status, answer }));
    expect(error).toMatchObject(expected);
    expect(error.extensions).toEqual(extensions);
  });

  test('went wrong is shown to admins with request and response, and without secrets', async () => {
    const context = contextOf({ headers: { authorization: 'Bearer client-secret', 'x-trace': '1' } });
    const definition = {
      forward_client_headers: true,
      headers: [
        { name: 'X-Token', value_from_env: 'TOKEN' },
        { name: 'X-Mode', value: 'test' },
      ],
    };
    const call = callOf(actionOf('/error', definition), { status: 500, answer: { detail: 'broken' } });
    const { internal } = await errorOf(runAction(call, context, () => undefined));
    expect(internal).toMatchObject({
      error: 'the handler answered with status 500',
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

  test('went wrong before it came is shown without a response', async () => {
    const { internal } = await errorOf(run('/never', { timeout: 1 }));
    expect(internal).toMatchObject({ error: { type: 'http_exception', kind: 'timeout' }, response: null });
  });
});

describe('a caller that goes away', () => {
  const leaving = () => {
    const signal = new Cancellation();
    return { signal, leave: () => signal.abort() };
  };

  test('ends the call of a query', async () => {
    const { signal, leave } = leaving();
    const running = runAction(callOf(actionOf('/never', { type: 'query' })), contextOf({ signal }), () => undefined);
    leave();
    expect((await errorOf(running)).message).toContain('the call was given up');
  });

  test('does not end the call of a mutation', async () => {
    const { signal, leave } = leaving();
    const running = runAction(callOf(actionOf('/item')), contextOf({ signal }), () => undefined);
    leave();
    expect((await running).value).toMatchObject({ id: 1 });
  });
});
