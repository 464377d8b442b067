/** The commands create_scheduled_event and delete_scheduled_event, and inserts by SQL, without a delivering node. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseJson, printJson } from '../../../src/base/json-value.ts';
import { LARGEST_PAYLOAD } from '../../../src/events/commands/checked-event.ts';
import { listen } from '../../../src/postgres/client/listen.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { column } from '../../support/events/delivery-node.ts';
import { createScheduledEvent, deleteScheduledEvent, getScheduledEvents } from '../../support/events/event-commands.ts';
import { rejection } from '../../support/service/rejection.ts';
import { until } from '../../support/until.ts';

let db: TestDatabase;
const environment = { NOTIFY_URL: 'https://notify.example', NOTIFY_KEY: 'secret', BROKEN: 'a\nb' };

beforeAll(async () => {
  db = await testDatabase({ migrated: true });
});
afterAll(() => db.drop());

const minimal = { webhook: 'https://example.com/hook', schedule_at: '2126-09-01T08:00:00Z', payload: {} };

async function create(args: Record<string, unknown> = {}): Promise<string> {
  const { event_id } = await createScheduledEvent(db.database.query, { ...minimal, ...args }, environment);
  return String(event_id);
}

interface EventList {
  readonly count?: number;
  readonly events: readonly Record<string, unknown>[];
}

async function list(args: Record<string, unknown> = {}): Promise<EventList> {
  const result = await getScheduledEvents(db.database.query, { type: 'one_off', ...args });
  return parseJson(printJson(result)) as EventList;
}

const uuid = /^[0-9a-f-]{36}$/;

describe('create_scheduled_event', () => {
  test('returns the id of an event that has the defaults of absent arguments', async () => {
    const result = await createScheduledEvent(db.database.query, minimal, environment);
    expect(result).toEqual({
      message: 'success',
      event_id: expect.stringMatching(uuid),
      scheduled_time: '2126-09-01T08:00:00Z',
    });
    const { events } = await list();
    expect(events.find((event) => event.id === result.event_id)).toEqual({
      id: result.event_id,
      webhook_conf: 'https://example.com/hook',
      scheduled_time: '2126-09-01T08:00:00Z',
      retry_conf: { num_retries: 0, retry_interval_seconds: 10, timeout_seconds: 60, tolerance_seconds: 21_600 },
      payload: {},
      header_conf: [],
      status: 'scheduled',
      tries: 0,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
      next_retry_at: null,
      comment: null,
      request_transform: null,
      response_transform: null,
    });
  });

  test('stores arguments unchanged, with unresolved templates and names of variables', async () => {
    const args = {
      webhook: '{{NOTIFY_URL}}/remind',
      headers: [
        { name: 'X-Key', value_from_env: 'NOTIFY_KEY' },
        { name: 'X-Plain', value: 'a {{NOTIFY_KEY}}' },
      ],
      retry_conf: { num_retries: 2, retry_interval_seconds: 30 },
      comment: 'renewal',
    };
    const id = await create({ ...args, schedule_at: '2126-09-01T10:00:00.25+02:00' });
    const { events } = await list();
    expect(events.find((event) => event.id === id)).toMatchObject({
      webhook_conf: args.webhook,
      scheduled_time: '2126-09-01T08:00:00.25Z',
      header_conf: args.headers,
      retry_conf: { num_retries: 2, retry_interval_seconds: 30, timeout_seconds: 60, tolerance_seconds: 21_600 },
      comment: 'renewal',
    });
  });

  test.each([
    '{"n":12345678901234567890.12345678901234567890}',
    '[1e400,-0.1]',
    '"text"',
    'null',
    'false',
    '{"deep":{"\\u0000":["\\u20ac"]}}',
  ])('stores the payload %s exactly', async (payload) => {
    const id = await create({ payload: parseJson(payload) });
    const result = await getScheduledEvents(db.database.query, {
      type: 'one_off',
      order_by: { column: 'created_at', type: 'desc' },
    });
    const [event] = (result.events as Record<string, unknown>[]).filter((one) => one.id === id);
    expect(printJson(parseJson(printJson(event?.payload)))).toBe(printJson(parseJson(payload)));
  });

  test('runs in the transaction of the caller and is rolled back with it', async () => {
    let id = '';
    const transaction = db.database.transaction(async (query) => {
      const { event_id } = await createScheduledEvent(query, minimal, environment);
      id = String(event_id);
      throw new Error('rolled back');
    });
    await expect(transaction).rejects.toThrow('rolled back');
    expect((await list()).events.filter((event) => event.id === id)).toEqual([]);
  });

  const big = 'x'.repeat(LARGEST_PAYLOAD);
  test.each([
    ['arguments that are no object', [], 'parse-failed', '$.args', 'object'],
    ['no webhook', { webhook: undefined }, 'parse-failed', '$.args.webhook', 'missing argument "webhook"'],
    ['a webhook that is not a URL', { webhook: 'example' }, 'parse-failed', '$.args.webhook', 'http or https URL'],
    ['a template that does not end', { webhook: 'http://h/{{A' }, 'parse-failed', '$.args.webhook', 'contains "{{"'],
    ['a webhook of another scheme', { webhook: 'ftp://h/' }, 'parse-failed', '$.args.webhook', 'http or https URL'],
    ['a file URL', { webhook: 'file:///etc/passwd' }, 'parse-failed', '$.args.webhook', 'http or https URL'],
    [
      'an unset variable in the webhook',
      { webhook: '{{GONE}}/x' },
      'invalid-configuration',
      '$.args.webhook',
      '"GONE" is not set',
    ],
    [
      'a template that results in no URL',
      { webhook: '{{NOTIFY_KEY}}/x' },
      'parse-failed',
      '$.args.webhook',
      'http or https URL',
    ],
    [
      'a setting of the service in the webhook',
      { webhook: 'http://h/{{JOINERY_ADMIN_SECRET}}' },
      'invalid-configuration',
      '$.args.webhook',
      'cannot be used',
    ],
    [
      'no schedule_at',
      { schedule_at: undefined },
      'parse-failed',
      '$.args.schedule_at',
      'missing argument "schedule_at"',
    ],
    ['a word as a time', { schedule_at: 'tomorrow' }, 'parse-failed', '$.args.schedule_at', 'ISO 8601'],
    [
      'a day that does not exist',
      { schedule_at: '2026-02-30T00:00:00Z' },
      'parse-failed',
      '$.args.schedule_at',
      'calendar',
    ],
    ['a number as a time', { schedule_at: 1_788_249_600 }, 'parse-failed', '$.args.schedule_at', 'string'],
    ['no payload', { payload: undefined }, 'parse-failed', '$.args.payload', 'required'],
    ['a payload over the limit', { payload: big }, 'payload-too-large', '$.args.payload', 'limit is 1048576'],
    ['an unknown argument', { shedule: 1 }, 'parse-failed', '$.args.shedule', 'unknown argument'],
    [
      'a negative number of retries',
      { retry_conf: { num_retries: -1 } },
      'parse-failed',
      '$.args.retry_conf.num_retries',
      'at least 0',
    ],
    [
      'a fractional interval',
      { retry_conf: { retry_interval_seconds: 1.5 } },
      'parse-failed',
      '$.args.retry_conf.retry_interval_seconds',
      'whole number',
    ],
    [
      'a timeout of 0 seconds',
      { retry_conf: { timeout_seconds: 0 } },
      'parse-failed',
      '$.args.retry_conf.timeout_seconds',
      'at least 1',
    ],
    [
      'a tolerance beyond the range',
      { retry_conf: { tolerance_seconds: 3e9 } },
      'parse-failed',
      '$.args.retry_conf.tolerance_seconds',
      'at most 2147483647',
    ],
    [
      'a string as a number',
      { retry_conf: { num_retries: '3' } },
      'parse-failed',
      '$.args.retry_conf.num_retries',
      'number',
    ],
    [
      'an unknown member of retry_conf',
      { retry_conf: { retries: 1 } },
      'parse-failed',
      '$.args.retry_conf.retries',
      'unknown argument',
    ],
    [
      'a header with a line break',
      { headers: [{ name: 'A', value: 'x\r\nB: y' }] },
      'parse-failed',
      '$.args.headers[0].value',
      'line break',
    ],
    [
      'a header name with a space',
      { headers: [{ name: 'A B', value: 'x' }] },
      'parse-failed',
      '$.args.headers[0].name',
      'header name',
    ],
    [
      'a header without a value',
      { headers: [{ name: 'A' }] },
      'parse-failed',
      '$.args.headers[0]',
      'missing argument "value"; or missing argument "value_from_env"',
    ],
    [
      'a header that HTTP sets',
      { headers: [{ name: 'Content-Length', value: '1' }] },
      'parse-failed',
      '$.args.headers[0].name',
      'leave it out',
    ],
    [
      'an unset variable in a header',
      { headers: [{ name: 'A', value_from_env: 'GONE' }] },
      'invalid-configuration',
      '$.args.headers[0].value_from_env',
      '"GONE"',
    ],
    [
      'a variable with a line break',
      { headers: [{ name: 'A', value_from_env: 'BROKEN' }] },
      'parse-failed',
      '$.args.headers[0].value_from_env',
      'line break',
    ],
    [
      'a header value outside Latin-1',
      { headers: [{ name: 'A', value: '\u20ac' }] },
      'parse-failed',
      '$.args.headers[0].value',
      'Latin',
    ],
    ['a comment that is not a string', { comment: 5 }, 'parse-failed', '$.args.comment', 'string'],
    ['a NUL in the comment', { comment: 'a\0b' }, 'parse-failed', '$.args.comment', 'NUL'],
  ])('rejects %s with the path, and stores nothing', async (_what, change, code, path, message) => {
    const before = await column(db.database, 'select count(*) from joinery.scheduled_events');
    const args = Array.isArray(change) ? change : { ...minimal, ...change };
    const error = await rejection(createScheduledEvent(db.database.query, args, environment));
    expect(error).toEqual({ code, path, message: expect.stringContaining(message) });
    expect(await column(db.database, 'select count(*) from joinery.scheduled_events')).toEqual(before);
  });
});

describe('an insert by SQL', () => {
  test('schedules an event with the defaults of the columns', async () => {
    const [id] = await column(
      db.database,
      `insert into joinery.scheduled_events (webhook, schedule_at, payload)
       values ('https://sql.example/hook', now() + interval '1 year', '{"a": 1}') returning id`,
    );
    const { events } = await list();
    expect(events.find((event) => event.id === id)).toMatchObject({
      status: 'scheduled',
      payload: { a: 1 },
      retry_conf: { num_retries: 0, retry_interval_seconds: 10, timeout_seconds: 60, tolerance_seconds: 21_600 },
    });
  });

  test.each([
    ['at infinity', `values ('https://a', 'infinity')`],
    ['with a negative number of retries', `(webhook, schedule_at, num_retries) values ('https://a', now(), -1)`],
    ['with an empty webhook', `values ('', now())`],
  ])('is rejected for an event %s', async (_what, rest) => {
    const target = rest.startsWith('(') ? '' : '(webhook, schedule_at) ';
    const insert = db.database.query({ text: `insert into joinery.scheduled_events ${target}${rest}`, values: [] });
    await expect(insert).rejects.toThrow('check constraint');
  });

  test('notifies of an event that is due soon, and of no later event', async () => {
    let notifications = 0;
    const listener = await listen({
      url: db.url,
      channels: ['joinery_events', 'fence'],
      onNotify: (channel) => {
        notifications += channel === 'fence' ? 100 : 1;
      },
      onReconnect: () => undefined,
    });
    const insert = `insert into joinery.scheduled_events (webhook, schedule_at) values ('https://a', now() + $1::interval) returning id`;
    const [far] = await column(db.database, insert, ['1 hour']);
    await column(db.database, 'select pg_notify($1, $2)', ['fence', '']);
    await until('the notification of the fence arrives', () => notifications >= 100);
    expect(notifications).toBe(100);
    const [near] = await column(db.database, insert, ['2 s']);
    await until('the notification of the event arrives', () => notifications === 101);
    await listener.close();
    for (const event_id of [far, near]) await deleteScheduledEvent(db.database.query, { type: 'one_off', event_id });
  });
});

describe('delete_scheduled_event', () => {
  const remove = (event_id: unknown) => deleteScheduledEvent(db.database.query, { type: 'one_off', event_id });

  test('deletes a pending event', async () => {
    const id = await create();
    expect(await remove(id)).toEqual({ message: 'success' });
    expect((await list()).events.filter((event) => event.id === id)).toEqual([]);
  });

  test('deletes a processed event with its log', async () => {
    const [id] = await column(
      db.database,
      `with done as (insert into joinery.processed_events values (gen_random_uuid(), 'https://a', now(), '1', '[]', 0, 10, 60,
         100, null, now(), 1, 'delivered') returning id)
       insert into joinery.event_invocations (event_id, attempt, agent, started_at, duration_ms, response)
       select id, 1, 'a', now(), 1, '{}' from done returning event_id`,
    );
    await remove(id);
    expect(await column(db.database, 'select id from joinery.processed_events where id = $1', [id])).toEqual([]);
    expect(await column(db.database, 'select id from joinery.event_invocations where event_id = $1', [id])).toEqual([]);
  });

  test.each(['00000000-0000-4000-8000-000000000000', 'no-uuid'])('succeeds for the unknown id %s', async (id) => {
    expect(await remove(id)).toEqual({ message: 'success' });
  });

  test('requires an id', async () => {
    expect(await rejection(remove(undefined))).toMatchObject({ code: 'parse-failed', path: '$.args.event_id' });
  });
});
