/** The commands for one-off scheduled events, against a real database on which nobody delivers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseJson, printJson } from '../../../src/base/json-value.ts';
import { deleteScheduledEvent } from '../../../src/events/commands/change.ts';
import { LARGEST_PAYLOAD } from '../../../src/events/commands/checked-event.ts';
import { createScheduledEvent } from '../../../src/events/commands/create.ts';
import { getScheduledEvents } from '../../../src/events/commands/listing.ts';
import { listen } from '../../../src/postgres/client/listen.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { column } from '../../support/events/delivery-node.ts';
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
  const answer = await createScheduledEvent(db.database.query, { ...minimal, ...args }, environment);
  return String(answer.event_id);
}

interface Listed {
  readonly count?: number;
  readonly events: readonly Record<string, unknown>[];
}

async function list(args: Record<string, unknown> = {}): Promise<Listed> {
  const answer = await getScheduledEvents(db.database.query, { type: 'one_off', ...args });
  return parseJson(printJson(answer)) as Listed;
}

const uuid = /^[0-9a-f-]{36}$/;

describe('create_scheduled_event', () => {
  test('answers with the id of the event, which has the defaults of what was left out', async () => {
    const answer = await createScheduledEvent(db.database.query, minimal, environment);
    expect(answer).toEqual({
      message: 'success',
      event_id: expect.stringMatching(uuid),
      scheduled_time: '2126-09-01T08:00:00Z',
    });
    const { events } = await list();
    expect(events.find((event) => event.id === answer.event_id)).toEqual({
      id: answer.event_id,
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

  test('keeps every field as it was given; templates and names of variables stay what they are', async () => {
    const given = {
      webhook: '{{NOTIFY_URL}}/remind',
      headers: [
        { name: 'X-Key', value_from_env: 'NOTIFY_KEY' },
        { name: 'X-Plain', value: 'a {{NOTIFY_KEY}}' },
      ],
      retry_conf: { num_retries: 2, retry_interval_seconds: 30 },
      comment: 'renewal',
    };
    const id = await create({ ...given, schedule_at: '2126-09-01T10:00:00.25+02:00' });
    const { events } = await list();
    expect(events.find((event) => event.id === id)).toMatchObject({
      webhook_conf: given.webhook,
      scheduled_time: '2126-09-01T08:00:00.25Z',
      header_conf: given.headers,
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
  ])('keeps the payload %s exactly', async (payload) => {
    const id = await create({ payload: parseJson(payload) });
    const answer = await getScheduledEvents(db.database.query, {
      type: 'one_off',
      order_by: { column: 'created_at', type: 'desc' },
    });
    const [event] = (answer.events as Record<string, unknown>[]).filter((one) => one.id === id);
    expect(printJson(parseJson(printJson(event?.payload)))).toBe(printJson(parseJson(payload)));
  });

  test('happens in the transaction of its query and is gone when that is rolled back', async () => {
    let id = '';
    const transaction = db.database.transaction(async (query) => {
      const answer = await createScheduledEvent(query, minimal, environment);
      id = String(answer.event_id);
      throw new Error('rolled back');
    });
    await expect(transaction).rejects.toThrow('rolled back');
    expect((await list()).events.filter((event) => event.id === id)).toEqual([]);
  });

  const big = 'x'.repeat(LARGEST_PAYLOAD);
  test.each([
    ['no object', [], 'parse-failed', '$.args', 'object'],
    ['no webhook', { webhook: undefined }, 'parse-failed', '$.args.webhook', 'required'],
    ['a webhook that is no URL', { webhook: 'example' }, 'parse-failed', '$.args.webhook', 'http or https URL'],
    ['a webhook of another scheme', { webhook: 'ftp://h/' }, 'parse-failed', '$.args.webhook', 'http or https URL'],
    ['a file', { webhook: 'file:///etc/passwd' }, 'parse-failed', '$.args.webhook', 'http or https URL'],
    ['an unset variable', { webhook: '{{GONE}}/x' }, 'invalid-configuration', '$.args.webhook', '"GONE" is not set'],
    ['no URL once filled in', { webhook: '{{NOTIFY_KEY}}/x' }, 'parse-failed', '$.args.webhook', 'http or https URL'],
    [
      'a secret of the service',
      { webhook: 'http://h/{{JOINERY_ADMIN_SECRET}}' },
      'invalid-configuration',
      '$.args.webhook',
      'cannot be used',
    ],
    ['no schedule_at', { schedule_at: undefined }, 'parse-failed', '$.args.schedule_at', 'required'],
    ['a word for a time', { schedule_at: 'tomorrow' }, 'parse-failed', '$.args.schedule_at', 'ISO 8601'],
    [
      'a day that does not exist',
      { schedule_at: '2026-02-30T00:00:00Z' },
      'parse-failed',
      '$.args.schedule_at',
      'calendar',
    ],
    ['a number for a time', { schedule_at: 1_788_249_600 }, 'parse-failed', '$.args.schedule_at', 'string'],
    ['no payload', { payload: undefined }, 'parse-failed', '$.args.payload', 'required'],
    ['a payload over the limit', { payload: big }, 'payload-too-large', '$.args.payload', 'limit is 1048576'],
    ['an unknown argument', { shedule: 1 }, 'parse-failed', '$.args.shedule', 'no such argument'],
    [
      'a negative retry value',
      { retry_conf: { num_retries: -1 } },
      'parse-failed',
      '$.args.retry_conf.num_retries',
      '>=0',
    ],
    [
      'a fraction',
      { retry_conf: { retry_interval_seconds: 1.5 } },
      'parse-failed',
      '$.args.retry_conf.retry_interval_seconds',
      'whole number',
    ],
    [
      'no time at all',
      { retry_conf: { timeout_seconds: 0 } },
      'parse-failed',
      '$.args.retry_conf.timeout_seconds',
      '>=1',
    ],
    [
      'too long a tolerance',
      { retry_conf: { tolerance_seconds: 3e9 } },
      'parse-failed',
      '$.args.retry_conf.tolerance_seconds',
      '<=',
    ],
    [
      'a text for a number',
      { retry_conf: { num_retries: '3' } },
      'parse-failed',
      '$.args.retry_conf.num_retries',
      'number',
    ],
    [
      'an unknown retry value',
      { retry_conf: { retries: 1 } },
      'parse-failed',
      '$.args.retry_conf.retries',
      'no such argument',
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
    ['a header without a value', { headers: [{ name: 'A' }] }, 'parse-failed', '$.args.headers[0].value', 'required'],
    [
      'a header of the connection',
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
      'a header that HTTP cannot carry',
      { headers: [{ name: 'A', value: '\u20ac' }] },
      'parse-failed',
      '$.args.headers[0].value',
      'Latin',
    ],
    ['a comment that is no text', { comment: 5 }, 'parse-failed', '$.args.comment', 'string'],
    ['a NUL in the comment', { comment: 'a\0b' }, 'parse-failed', '$.args.comment', 'NUL'],
  ])('refuses %s, with a path, and stores nothing', async (_what, change, code, path, message) => {
    const before = await column(db.database, 'select count(*) from joinery.scheduled_events');
    const args = Array.isArray(change) ? change : { ...minimal, ...change };
    const refused = await rejection(createScheduledEvent(db.database.query, args, environment));
    expect(refused).toEqual({ code, path, message: expect.stringContaining(message) });
    expect(await column(db.database, 'select count(*) from joinery.scheduled_events')).toEqual(before);
  });
});

describe('plain SQL', () => {
  test('schedules too: the defaults of the columns do the rest', async () => {
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
    ['infinity', `values ('https://a', 'infinity')`],
    ['a negative number of retries', `(webhook, schedule_at, num_retries) values ('https://a', now(), -1)`],
    ['no webhook', `values ('', now())`],
  ])('cannot schedule %s', async (_what, rest) => {
    const target = rest.startsWith('(') ? '' : '(webhook, schedule_at) ';
    const insert = db.database.query({ text: `insert into joinery.scheduled_events ${target}${rest}`, values: [] });
    await expect(insert).rejects.toThrow('check constraint');
  });

  test('announces an event that is due soon once its transaction commits, and no other', async () => {
    let heard = 0;
    const listener = await listen({
      url: db.url,
      channels: ['joinery_events', 'fence'],
      onNotify: (channel) => {
        heard += channel === 'fence' ? 100 : 1;
      },
      onReconnect: () => undefined,
    });
    const insert = `insert into joinery.scheduled_events (webhook, schedule_at) values ('https://a', now() + $1::interval) returning id`;
    const [far] = await column(db.database, insert, ['1 hour']);
    await column(db.database, 'select pg_notify($1, $2)', ['fence', '']);
    await until('the fence is heard', () => heard >= 100);
    expect(heard).toBe(100);
    const [near] = await column(db.database, insert, ['2 s']);
    await until('the event is heard', () => heard === 101);
    await listener.close();
    for (const event_id of [far, near]) await deleteScheduledEvent(db.database.query, { type: 'one_off', event_id });
  });
});

describe('delete_scheduled_event', () => {
  const remove = (event_id: unknown) => deleteScheduledEvent(db.database.query, { type: 'one_off', event_id });

  test('removes a pending event', async () => {
    const id = await create();
    expect(await remove(id)).toEqual({ message: 'success' });
    expect((await list()).events.filter((event) => event.id === id)).toEqual([]);
  });

  test('removes a processed event with its log', async () => {
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

  test.each(['00000000-0000-4000-8000-000000000000', 'no id at all'])(
    'succeeds for %s, which is no event',
    async (id) => {
      expect(await remove(id)).toEqual({ message: 'success' });
    },
  );

  test('wants an id', async () => {
    expect(await rejection(remove(undefined))).toMatchObject({ code: 'parse-failed', path: '$.args.event_id' });
  });
});
