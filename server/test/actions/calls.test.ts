/** Equal calls, concurrency limits and the cache of actions, and forwarded response headers. */
import { RoleName } from '@joinery/metadata/names';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Cancellation } from '../../src/base/cancellation.ts';
import { createHttpClient, type HttpClient } from '../../src/base/http-client/http-client.ts';
import { createHandlerState, type HandlerState } from '../../src/execute/action/handler/handler-state.ts';
import type { ExecuteContext } from '../../src/execute/context/context.ts';
import type { Action } from '../../src/model/types/action.ts';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { actionAt, callOf, contextWith, errorOf, runCall, sessionOf } from './action-run.ts';

let handler: HandlerServer;
let httpClient: HttpClient;
let state: HandlerState;
let running = 0;
let mostRunning = 0;
let responses = 0;

beforeAll(async () => {
  handler = await startHandlerServer({
    '/item': () => {
      responses += 1;
      return { id: responses };
    },
    '/me': ({ body }) => {
      const { 'x-service-user-id': id } = body.session_variables as Readonly<Record<string, string>>;
      return { id: Number(id) };
    },
    '/role': ({ body }) => {
      const { 'x-service-role': role } = body.session_variables as Readonly<Record<string, string>>;
      return { id: String(role).length };
    },
    '/slow': async () => {
      running += 1;
      mostRunning = Math.max(mostRunning, running);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running -= 1;
      return { id: 1 };
    },
    '/never': () => undefined,
    '/headers': (_call, out) => {
      out.writeHead(200, { 'x-one': '1', 'x-two': '2', 'set-cookie': ['a=1', 'b=2'], 'cache-control': 'no-store' });
      out.end('{"id":1}');
    },
    '/wrong': () => ({ id: 'x' }),
  });
});

afterAll(() => handler.close());

/** Each test has its own connections, concurrency slots and cache. */
beforeEach(async () => {
  await httpClient?.close();
  httpClient = createHttpClient({ connections: 16 });
  state = createHandlerState();
  handler.reset();
  running = 0;
  mostRunning = 0;
  responses = 0;
});

const query = (path: string, definition: object = {}): Action =>
  actionAt(handler.url + path, { type: 'query', ...definition });

const act = (action: Action, input: Readonly<Record<string, unknown>> = {}, change: Partial<ExecuteContext> = {}) =>
  runCall(callOf(action, input), contextWith(httpClient, { handlers: state, ...change }));

const idOf = async (result: ReturnType<typeof act>): Promise<unknown> => ((await result).value as { id: unknown }).id;

describe('equal calls of one request', () => {
  test('are made once, regardless of the order of their arguments', async () => {
    const action = query('/item');
    const calls: ExecuteContext['calls'] = new Map();
    const ids = await Promise.all([
      idOf(act(action, { a: 1, b: [2] }, { calls })),
      idOf(act(action, { b: [2], a: 1 }, { calls })),
      idOf(act(action, { a: 1, b: [3] }, { calls })),
    ]);
    expect(handler.calls).toHaveLength(2);
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  test('fail together', async () => {
    const calls: ExecuteContext['calls'] = new Map();
    const action = query('/wrong');
    const errors = await Promise.all([errorOf(act(action, {}, { calls })), errorOf(act(action, {}, { calls }))]);
    expect(errors.map(({ code }) => code)).toEqual(['unexpected', 'unexpected']);
    expect(handler.calls).toHaveLength(1);
  });

  test('are made separately for mutations', async () => {
    const calls: ExecuteContext['calls'] = new Map();
    const action = actionAt(`${handler.url}/item`);
    await act(action, {}, { calls });
    await act(action, {}, { calls });
    expect(handler.calls).toHaveLength(2);
  });
});

describe('the limit of concurrent calls', () => {
  test('delays further calls', async () => {
    const action = query('/slow', { max_concurrent_calls: 3 });
    await Promise.all(Array.from({ length: 10 }, (_, id) => act(action, { id })));
    expect(handler.calls).toHaveLength(10);
    expect(mostRunning).toBe(3);
  });

  test('delays a call at most for the timeout of the action, and frees the slot of a disconnected client', async () => {
    const signal = new Cancellation();
    const first = errorOf(act(query('/never', { max_concurrent_calls: 1, timeout: 60 }), {}, { signal }));
    const late = query('/item', { max_concurrent_calls: 1, timeout: 1 });
    expect((await errorOf(act(late))).message).toBe(
      'http exception when calling webhook: all 1 slots for calls of this action were in use for 1000 ms',
    );
    expect(handler.calls.map(({ path }) => path)).toEqual(['/never']);
    const waiting = act(late);
    signal.abort();
    expect((await first).message).toContain('the call was canceled');
    expect(await idOf(waiting)).toBe(1);
  });
});

describe('a cached action', () => {
  const cache = { ttl_seconds: 60 };

  test('is called once for equal input and session', async () => {
    const action = query('/item', { cache });
    expect(await idOf(act(action, { a: 1 }))).toBe(1);
    expect(await idOf(act(action, { a: 1 }))).toBe(1);
    expect(await idOf(act(action, { a: 2 }))).toBe(2);
    expect(handler.calls).toHaveLength(2);
  });

  test('does not return the entry of another user unless session_variables is empty', async () => {
    const call = (action: Action, user: string) => idOf(act(action, {}, { session: sessionOf(user) }));
    const byAll = query('/me', { cache });
    const byUser = query('/me', { cache: { ...cache, session_variables: ['X-Service-User-Id'] } });
    for (const action of [byAll, byUser]) {
      expect(await Promise.all(['1', '2', '1', '3'].map((user) => call(action, user)))).toEqual([1, 2, 1, 3]);
      expect([await call(action, '2'), await call(action, '1'), await call(action, '4')]).toEqual([2, 1, 4]);
    }
    handler.reset();
    const shared = query('/me', { cache: { ...cache, session_variables: [] } });
    expect([await call(shared, '1'), await call(shared, '2')]).toEqual([1, 1]);
    expect(handler.calls).toHaveLength(1);
  });

  test.each([
    ['all session variables', undefined],
    ['one session variable', ['X-Service-User-Id']],
    ['no session variable', []],
  ])('does not return the entry of another role if its key has %s', async (_title, session_variables) => {
    const action = query('/role', { cache: { ...cache, session_variables } });
    const asRole = (role: string) => {
      const session = sessionOf('1');
      return idOf(act(action, {}, { session: { ...session, role: RoleName.parse(role) } }));
    };
    expect([await asRole('manager'), await asRole('user'), await asRole('manager')]).toEqual([7, 4, 7]);
    expect(handler.calls).toHaveLength(2);
  });

  test('has forwarded client headers as part of the key', async () => {
    const action = query('/item', { cache, forward_client_headers: true });
    const call = (authorization: string) => idOf(act(action, {}, { headers: { authorization } }));
    expect([await call('Bearer a'), await call('Bearer b'), await call('Bearer a')]).toEqual([1, 2, 1]);
  });

  test('is called again after it was redefined and after an invalid response', async () => {
    expect(await idOf(act(query('/item', { cache })))).toBe(1);
    expect(await idOf(act(query('/item', { cache })))).toBe(2);
    const wrong = query('/wrong', { cache });
    await errorOf(act(wrong));
    await errorOf(act(wrong));
    expect(handler.calls).toHaveLength(4);
  });

  test('caches no more entries than the settings allow', async () => {
    const limited = createHandlerState({ entries: 1, bytes: 1_000_000 });
    const action = query('/item', { cache });
    const call = (a: number) => idOf(act(action, { a }, { handlers: limited }));
    expect([await call(1), await call(2), await call(1)]).toEqual([1, 2, 3]);
  });

  test('cannot be a mutation or forward cookies', () => {
    expect(() => actionAt('http://h/', { cache })).toThrow('cache: only query actions are cached');
    expect(() => query('/x', { cache, forward_response_headers: ['Set-Cookie'] })).toThrow('sets cookies');
  });
});

describe('response headers', () => {
  const headersOf = async (action: Action) => (await act(action)).headers.map(([name, value]) => `${name}: ${value}`);

  test('are forwarded to the client if they are listed, and cookies of mutations always', async () => {
    const forward_response_headers = ['X-One', 'cache-control'];
    expect(await headersOf(query('/headers', { forward_response_headers }))).toEqual([
      'x-one: 1',
      'cache-control: no-store',
    ]);
    expect(await headersOf(query('/headers'))).toEqual([]);
    expect(await headersOf(query('/headers', { forward_response_headers: ['set-cookie'] }))).toEqual([
      'set-cookie: a=1',
      'set-cookie: b=2',
    ]);
    const mutation = actionAt(`${handler.url}/headers`, { forward_response_headers: ['x-two'] });
    expect(await headersOf(mutation)).toEqual(['x-two: 2', 'set-cookie: a=1', 'set-cookie: b=2']);
  });

  test('are forwarded from the cache', async () => {
    const action = query('/headers', { cache: { ttl_seconds: 60 }, forward_response_headers: ['x-one'] });
    expect([await headersOf(action), await headersOf(action)]).toEqual([['x-one: 1'], ['x-one: 1']]);
    expect(handler.calls).toHaveLength(1);
  });

  test('that describe the response of the handler cannot be listed', () => {
    expect(() => query('/x', { forward_response_headers: ['Content-Type'] })).toThrow(
      `forward_response_headers: "Content-Type" describes the handler's response only and cannot be forwarded`,
    );
  });
});
