/** What becomes of an event after a call: success, retries, their number and time, and the log. */
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTriggerService, type TriggerService } from '../../../support/events/trigger-service.ts';

interface Event {
  readonly id: string;
  readonly status: string;
  readonly delivered: boolean;
  readonly error: boolean;
  readonly tries: number;
  readonly next_retry_at: string | null;
}

interface Invocation {
  readonly http_status: number | null;
  readonly event_id: string;
  readonly created_at: string;
  readonly request: { readonly payload: unknown };
  readonly response: {
    readonly type: string;
    readonly data: { readonly body?: string; readonly message?: string; readonly truncated?: boolean };
  };
}

interface Case {
  readonly rule: string;
  readonly respond: (response: ServerResponse, call: number) => void;
  readonly retry?: object;
  readonly status: string;
  readonly calls: number;
  /** Of the last call. */
  readonly code: number | null;
}

const status =
  (code: number, headers: Readonly<Record<string, string>> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(code, headers).end('the response');
const retried = (num_retries: number, interval_sec = 0) => ({ retry: { num_retries, interval_sec } });
const once = { calls: 1 } as const;

const cases: readonly Case[] = [
  ...[200, 201, 202, 204, 299].map((code) => ({
    rule: `status ${code} is a success`,
    ...{ respond: status(code), status: 'delivered', code, ...once, ...retried(2) },
  })),
  ...[300, 301, 307, 400, 401, 404, 429, 500, 503].map((code) => ({
    rule: `status ${code} is a failure, without retries by default`,
    ...{ respond: status(code, { location: '/elsewhere' }), status: 'error', code, ...once },
  })),
  { rule: 'num_retries 0 allows no retry', respond: status(500), status: 'error', code: 500, ...once, ...retried(0) },
  {
    rule: 'num_retries 2 allows two retries',
    respond: status(500),
    status: 'error',
    code: 500,
    calls: 3,
    ...retried(2),
  },
  {
    rule: 'a retry may succeed',
    respond: (response, call) => status(call < 2 ? 500 : 200)(response),
    ...{ status: 'delivered', code: 200, calls: 2, ...retried(3) },
  },
  {
    rule: 'a client error is retried',
    respond: (response, call) => status(call < 2 ? 404 : 200)(response),
    ...{ status: 'delivered', code: 200, calls: 2, ...retried(1) },
  },
  { rule: 'status 410 is final', respond: status(410), status: 'error', code: 410, ...once, ...retried(3) },
  {
    rule: 'Retry-After replaces a longer interval',
    respond: (response, call) => (call < 2 ? status(503, { 'retry-after': '1' }) : status(200))(response),
    ...{ status: 'delivered', code: 200, calls: 2, ...retried(1, 3_600) },
  },
  {
    rule: 'Retry-After allows no retry beyond num_retries',
    respond: status(503, { 'retry-after': '1' }),
    ...{ status: 'error', code: 503, calls: 2, ...retried(1) },
  },
  {
    rule: 'Retry-After of a success is ignored',
    respond: status(200, { 'retry-after': '1' }),
    ...{ status: 'delivered', code: 200, ...once, ...retried(3) },
  },
  {
    rule: 'a response that comes too late is a failure without a status',
    respond: () => undefined,
    ...{ status: 'error', code: null, ...once, retry: { num_retries: 0, interval_sec: 0, timeout_sec: 1 } },
  },
  {
    rule: 'a connection that is closed is a failure without a status',
    respond: (response) => void response.socket?.destroy(),
    ...{ status: 'error', code: null, ...once },
  },
  {
    rule: 'a body that is no JSON is a success',
    respond: (response) => void response.end('<html>'),
    ...{ status: 'delivered', code: 200, ...once },
  },
  {
    rule: 'a body that is no UTF-8 is a success',
    respond: (response) => void response.end(Buffer.from([0xff, 0x00, 0xfe])),
    ...{ status: 'delivered', code: 200, ...once },
  },
  {
    rule: 'a body of megabytes is a success, and its start is logged',
    respond: (response) => void response.end('x'.repeat(3_000_000)),
    ...{ status: 'delivered', code: 200, ...once },
  },
];

const nameOf = (index: number): string => `outcome_${index}`;

let s: TriggerService;
let redelivered = false;

beforeAll(async () => {
  const counts = new Map<string, number>();
  s = await startTriggerService({
    sql: 'create table item (id int primary key)',
    tables: ['item'],
    respond: ({ path }, response) => {
      const count = (counts.get(path) ?? 0) + 1;
      counts.set(path, count);
      const found = cases.find((_case, index) => path === `/${nameOf(index)}`);
      if (found !== undefined) found.respond(response, count);
      else status(path === '/waiting' || (path === '/again' && !redelivered) ? 500 : 200)(response);
    },
  });
  const create = (name: string, members: object): object => ({
    type: 'pg_create_event_trigger',
    args: { name, table: 'item', insert: { columns: '*' }, webhook: `{{HOOKS}}/${name}`, ...members },
  });
  await s.run('bulk', [
    ...cases.map(({ retry }, index) => create(nameOf(index), retry === undefined ? {} : { retry_conf: retry })),
    create('unreachable', { webhook: 'http://127.0.0.1:1/' }),
    create('waiting', { retry_conf: { num_retries: 1, interval_sec: 3_600 } }),
    create('again', { retry_conf: { num_retries: 1, interval_sec: 0 } }),
  ]);
  await s.sql('insert into item values (1)');
});
afterAll(() => s.stop());

async function eventOf(name: string): Promise<Event | undefined> {
  const [event] = (await s.run('pg_get_event_logs', { name })) as readonly Event[];
  return event;
}

async function ended(name: string): Promise<Event | undefined> {
  await expect.poll(async () => (await eventOf(name))?.status).not.toBe('pending');
  return eventOf(name);
}

const invocationsOf = async (name: string): Promise<readonly Invocation[]> =>
  (await s.run('pg_get_event_invocation_logs', { name })) as readonly Invocation[];

describe('after a call', () => {
  test.each(cases.map((one, index) => [one.rule, one, index] as const))('%s', async (_rule, expected, index) => {
    const name = nameOf(index);
    const event = await ended(name);
    const { delivered, error, tries } = event ?? {};
    const isDelivered = expected.status === 'delivered';
    expect({ status: event?.status, delivered, error, tries }).toEqual({
      status: expected.status,
      delivered: isDelivered,
      error: !isDelivered,
      tries: expected.calls,
    });
    expect(event?.next_retry_at).toBeNull();
    const calls = s.callsOf(name);
    expect(calls).toHaveLength(expected.calls);
    const { num_retries = 0 } = (expected.retry ?? {}) as { readonly num_retries?: number };
    expect(calls.map(({ body }) => [body.id, body.delivery_info])).toEqual(
      calls.map((_call, current_retry) => [event?.id, { current_retry, max_retries: num_retries }]),
    );
    const log = await invocationsOf(name);
    expect(log.map(({ request }) => request.payload)).toEqual(calls.map(({ body }) => body).reverse());
    expect([log[0]?.http_status, log[0]?.response.type]).toEqual([
      expected.code,
      isDelivered ? 'webhook_response' : 'client_error',
    ]);
  });

  test('a webhook that is not reachable is a failure without a status', async () => {
    expect(await ended('unreachable')).toMatchObject({ status: 'error', tries: 1 });
    const [log] = await invocationsOf('unreachable');
    expect(log?.http_status).toBeNull();
    expect(JSON.parse(log?.response.data.message ?? '')).toMatchObject({ type: 'http_exception' });
  });

  test('the start of a long body is logged', async () => {
    const index = cases.findIndex(({ rule }) => rule.startsWith('a body of megabytes'));
    await ended(nameOf(index));
    const [log] = await invocationsOf(nameOf(index));
    expect([log?.response.data.body?.length, log?.response.data.truncated]).toEqual([65_536, true]);
  });

  test('an event waits for its retry with its time', async () => {
    await expect.poll(async () => (await eventOf('waiting'))?.tries).toBe(1);
    const event = await eventOf('waiting');
    expect(event).toMatchObject({ status: 'pending', delivered: false, error: false });
    const [log] = await invocationsOf('waiting');
    const delay = Date.parse(event?.next_retry_at ?? '') - Date.parse(log?.created_at ?? '');
    expect(Math.round(delay / 600_000)).toBe(6);
  });
});

describe('redeliver_event', () => {
  test('sends the same event with a new retry budget, and keeps the log', async () => {
    const failed = await ended('again');
    expect(failed).toMatchObject({ status: 'error', tries: 2 });
    redelivered = true;
    await s.run('pg_redeliver_event', { event_id: failed?.id });
    await s.called('again', 3);
    expect(await ended('again')).toMatchObject({ id: failed?.id, status: 'delivered', tries: 3 });
    const calls = s.callsOf('again');
    expect(calls.map(({ body }) => body.delivery_info)).toEqual(
      [0, 1, 0].map((current_retry) => ({ current_retry, max_retries: 1 })),
    );
    expect((await invocationsOf('again')).map(({ request }) => request.payload)).toEqual(
      calls.map(({ body }) => body).reverse(),
    );
  });

  test('sends an event at once that waits for its retry', async () => {
    const event = await eventOf('waiting');
    await s.called('waiting', 1);
    await s.run('redeliver_event', { event_id: event?.id });
    expect((await s.called('waiting', 2)).map(({ body }) => body.id)).toEqual([event?.id, event?.id]);
  });

  test('sends a delivered event again', async () => {
    const event = await ended(nameOf(0));
    await s.run('pg_redeliver_event', { event_id: event?.id });
    expect(await s.called(nameOf(0), 2)).toHaveLength(2);
  });
});
