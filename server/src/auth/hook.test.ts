import { expect, test } from 'vitest';
import { type HttpCall, type HttpClient, type HttpResponse, UpstreamError } from '../base/http-client/http-client.ts';
import { createHookSessions, type HookSettings } from './hook.ts';

const user = { 'X-Service-Role': 'user', 'X-Service-User-Id': '7' };

/** A webhook that returns `body` with status 200 unless `respond` decides otherwise. */
class Hook {
  readonly calls: HttpCall[] = [];
  time = 1_000_000;
  /** How wrong the time of day is. */
  wrong = 0;
  body: object = user;
  respond: () => Promise<Partial<HttpResponse>> = async () => ({ body: JSON.stringify(this.body) });
  readonly session;

  constructor(settings: Partial<HookSettings> = {}) {
    const client: Pick<HttpClient, 'call'> = {
      call: async (call) => {
        this.calls.push(call);
        return { status: 200, headers: [], body: '', ...(await this.respond()) } as HttpResponse;
      },
    };
    const hook = { url: 'http://hook.test/', mode: 'GET', sendsBody: false, ...settings } as const;
    this.session = createHookSessions(hook, 'x-service-', client as HttpClient, {
      now: () => this.time + this.wrong,
      steady: () => this.time,
    });
  }
}

test('calls the webhook by GET with the headers of the caller, within limits of time and size', async () => {
  const hook = new Hook();
  await hook.session({ authorization: 'Bearer a', cookie: undefined }, '{}');
  expect(hook.calls).toEqual([
    {
      purpose: { kind: 'auth-hook', name: '' },
      span: undefined,
      method: 'GET',
      url: 'http://hook.test/',
      headers: [['authorization', 'Bearer a']],
      body: undefined,
      timeoutMs: 10_000,
      maxBytes: 1_000_000,
      overflow: 'fail',
    },
  ]);
});

test('sends no headers of the connection, the websocket, the body and the client program by GET', async () => {
  const hook = new Hook();
  const unsent = {
    connection: 'close',
    'sec-websocket-key': 'a',
    'sec-websocket-version': '13',
    'sec-websocket-extensions': 'b',
    'sec-websocket-protocol': 'graphql-transport-ws',
    'content-length': '2',
    'user-agent': 'curl',
  };
  await hook.session({ ...unsent, authorization: 'a' }, undefined);
  expect(hook.calls[0]?.headers).toEqual([['authorization', 'a']]);
});

test('sends repeated headers as one', async () => {
  const hook = new Hook();
  await hook.session({ 'x-a': ['1', '2'] }, undefined);
  expect(hook.calls[0]?.headers).toEqual([['x-a', '1, 2']]);
});

test('calls the webhook by POST with the headers as JSON', async () => {
  const hook = new Hook({ mode: 'POST' });
  await hook.session({ authorization: 'a', 'user-agent': 'curl', 'sec-websocket-key': 'b' }, '{"query":"{a}"}');
  expect(hook.calls[0]).toMatchObject({
    method: 'POST',
    headers: [['content-type', 'application/json']],
    body: '{"headers":{"authorization":"a","user-agent":"curl"}}',
  });
});

test.each([
  ['the request of the caller', '{"query":"{a}"}', { query: '{a}' }],
  ['null for a request that is not GraphQL', undefined, null],
  ['null for a body that is not JSON', '{', null],
])('sends %s by POST where it is wanted', async (_what, body, request) => {
  const hook = new Hook({ mode: 'POST', sendsBody: true });
  await hook.session({}, body);
  expect(JSON.parse(String(hook.calls[0]?.body))).toEqual({ headers: {}, request });
});

test('the session has the role and the variables with the prefix, in lower case', async () => {
  const hook = new Hook();
  hook.body = { ...user, other: 'x' };
  const session = await hook.session({}, undefined);
  expect([session.role, Object.fromEntries(session.variables)]).toEqual([
    'user',
    { 'x-service-role': 'user', 'x-service-user-id': '7' },
  ]);
});

test('a session without an expiry is not cached', async () => {
  const hook = new Hook();
  const session = await hook.session({}, undefined);
  await hook.session({}, undefined);
  expect([hook.calls.length, 'expiresAt' in session]).toEqual([2, false]);
});

test('a session is cached until its expiry', async () => {
  const hook = new Hook();
  hook.body = { ...user, 'Cache-Control': 'private, max-age=10' };
  const session = await hook.session({}, undefined);
  hook.time += 9_999;
  const cached = await hook.session({}, undefined);
  const before = hook.calls.length;
  hook.time += 1;
  await hook.session({}, undefined);
  expect([session.expiresAt, cached === session, before, hook.calls.length]).toEqual([1_010_000, true, 1, 2]);
});

test.each([
  ['s-maxage', { 'cache-control': 's-maxage=5' }, 1_005_000],
  ['max-age in any case', { 'CACHE-CONTROL': 'MAX-AGE=5' }, 1_005_000],
  ['Expires', { expires: 'Thu, 01 Jan 1970 00:17:00 GMT' }, 1_020_000],
  [
    'Cache-Control before Expires',
    { 'cache-control': 'max-age=5', expires: 'Thu, 01 Jan 1970 00:17:00 GMT' },
    1_005_000,
  ],
  ['at most a day', { 'cache-control': 'max-age=99999999' }, 1_000_000 + 86_400_000],
  ['no time in the past', { expires: 'Thu, 01 Jan 1970 00:00:01 GMT' }, 1_000_000],
  ['nothing for a malformed age', { 'cache-control': 'max-age=soon' }, undefined],
  ['nothing for a name that only ends so', { 'cache-control': 'xmax-age=5' }, undefined],
  ['nothing for a malformed date', { expires: 'tomorrow' }, undefined],
])('the expiry is that of %s', async (_what, members, expiresAt) => {
  const hook = new Hook();
  hook.body = { ...user, ...members };
  expect((await hook.session({}, undefined)).expiresAt).toBe(expiresAt);
});

test('an expired session is not cached', async () => {
  const hook = new Hook();
  hook.body = { ...user, 'cache-control': 'max-age=0' };
  await hook.session({}, undefined);
  hook.time -= 1;
  await hook.session({}, undefined);
  expect(hook.calls).toHaveLength(2);
});

test.each([
  ['back does not keep a session that is due', -3_600_000, 10_000, 2],
  ['forward does not end a session that is not due', 3_600_000, 9_999, 1],
])('a time of day that is set %s', async (_what, jump, after, calls) => {
  const hook = new Hook();
  hook.body = { ...user, 'cache-control': 'max-age=10' };
  await hook.session({}, undefined);
  hook.wrong = jump;
  hook.time += after;
  await hook.session({}, undefined);
  expect(hook.calls).toHaveLength(calls);
});

test('a session with cookies is not cached, and has their values', async () => {
  const hook = new Hook();
  hook.respond = async () => ({
    body: JSON.stringify({ ...user, 'cache-control': 'max-age=10' }),
    headers: [
      ['Set-Cookie', 'a=1'],
      ['x-set-cookie', 'b=2'],
      ['set-cookie-x', 'c=3'],
      ['set-cookie', 'd=4'],
    ],
  });
  const session = await hook.session({}, undefined);
  await hook.session({}, undefined);
  expect([session.cookies, hook.calls.length]).toEqual([['a=1', 'd=4'], 2]);
});

test('a session without cookies has no such member', async () => {
  expect(await new Hook().session({}, undefined)).not.toHaveProperty('cookies');
});

test('a response that may not be cached ends an earlier one', async () => {
  const hook = new Hook();
  hook.body = { ...user, 'cache-control': 'max-age=10' };
  await hook.session({}, undefined);
  hook.time += 10_000;
  hook.body = user;
  await hook.session({}, undefined);
  hook.time -= 10_000;
  await hook.session({}, undefined);
  expect(hook.calls).toHaveLength(3);
});

test.each([
  ['x-request-id', 1],
  ['traceparent', 1],
  ['tracestate', 1],
  ['if-none-match', 1],
  ['authorization', 2],
])('requests that differ in %s need %d calls', async (name, calls) => {
  const hook = new Hook();
  hook.body = { ...user, 'cache-control': 'max-age=10' };
  await hook.session({ [name]: 'a' }, undefined);
  await hook.session({ [name]: 'b' }, undefined);
  expect(hook.calls).toHaveLength(calls);
});

test('the order of headers does not matter for the cache', async () => {
  const hook = new Hook();
  hook.body = { ...user, 'cache-control': 'max-age=10' };
  await hook.session({ a: '1', b: '2', c: '3' }, undefined);
  await hook.session({ c: '3', a: '1', b: '2' }, undefined);
  expect(hook.calls).toHaveLength(1);
});

test('a name and a value in different headers are different requests', async () => {
  const hook = new Hook();
  hook.body = { ...user, 'cache-control': 'max-age=10' };
  await hook.session({ a: 'b' }, undefined);
  await hook.session({ b: 'a' }, undefined);
  expect(hook.calls).toHaveLength(2);
});

test('simultaneous requests with the same headers share a call', async () => {
  const hook = new Hook();
  const [one, other] = await Promise.all([hook.session({}, undefined), hook.session({}, undefined)]);
  expect([one === other, hook.calls.length]).toEqual([true, 1]);
});

test('a failed call is not shared with later requests', async () => {
  const hook = new Hook();
  hook.respond = () => Promise.reject(new UpstreamError('timeout', 'late'));
  await expect(hook.session({}, undefined)).rejects.toThrow();
  hook.respond = async () => ({ body: JSON.stringify(user) });
  expect((await hook.session({}, undefined)).role).toBe('user');
});

test('a webhook that receives the request is called for each request', async () => {
  const hook = new Hook({ mode: 'POST', sendsBody: true });
  hook.body = { ...user, 'cache-control': 'max-age=10' };
  await Promise.all([hook.session({}, '{}'), hook.session({}, '{}')]);
  expect(hook.calls).toHaveLength(2);
});

test('a webhook by GET never receives the request, and its sessions are cached', async () => {
  const hook = new Hook({ sendsBody: true });
  hook.body = { ...user, 'cache-control': 'max-age=10' };
  await hook.session({}, '{}');
  await hook.session({}, '{}');
  expect(hook.calls).toHaveLength(1);
});

test('status 401 denies access', async () => {
  const hook = new Hook();
  hook.respond = async () => ({ status: 401 });
  await expect(hook.session({}, undefined)).rejects.toMatchObject({
    code: 'access-denied',
    message: 'Authentication hook unauthorized this request',
  });
});

test.each<readonly [string, Partial<HttpResponse>, string]>([
  ['another status', { status: 403, body: JSON.stringify(user) }, 'it responded with status 403'],
  ['a body that is not JSON', { body: '<html>' }, 'its response is not JSON'],
  ['a body that is not an object', { body: '[]' }, 'its response is not an object'],
  [
    'a member that is not text',
    { body: '{"x-service-role": 1}' },
    'the member "x-service-role" of its response is not a string',
  ],
])('%s is an error that hides its reason from callers', async (_what, response, reason) => {
  const hook = new Hook();
  hook.respond = async () => response;
  await expect(hook.session({}, undefined)).rejects.toMatchObject({
    code: 'unexpected',
    message: 'Invalid response from authorization hook',
    internal: { reason },
  });
});

test('a webhook that cannot be called is an error that hides its reason from callers', async () => {
  const hook = new Hook();
  hook.respond = () => Promise.reject(new UpstreamError('timeout', 'no response in time'));
  await expect(hook.session({}, undefined)).rejects.toMatchObject({
    code: 'unexpected',
    message: 'webhook authentication request failed',
    internal: { reason: 'it could not be called: no response in time' },
  });
});

test('other errors of a call are not changed', async () => {
  const hook = new Hook();
  const defect = new TypeError('defect');
  hook.respond = () => Promise.reject(defect);
  await expect(hook.session({}, undefined)).rejects.toBe(defect);
});

test.each([
  ['no role', { 'x-service-user-id': '7' }],
  ['an empty role', { 'x-service-role': '' }],
])('a response with %s is rejected', async (_what, body) => {
  const hook = new Hook();
  hook.body = body;
  await expect(hook.session({}, undefined)).rejects.toMatchObject({
    code: 'invalid-params',
    message: '"x-service-role" not found in session variables',
  });
});
