/** The commands for one-off scheduled events, against a real database on which nobody delivers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServiceError } from '../src/base/errors.ts';
import { parseJson, printJson } from '../src/base/json.ts';
import { deleteScheduledEvent } from '../src/events/change.ts';
import { LARGEST_PAYLOAD } from '../src/events/checked-event.ts';
import { getScheduledEventInvocations } from '../src/events/invocations.ts';
import { getScheduledEvents } from '../src/events/listing.ts';
import { createScheduledEvent } from '../src/events/schedule.ts';
import { eventStats } from '../src/events/stats.ts';
import { listen } from '../src/postgres/listen.ts';
import { column, until } from './events-fixture.ts';
import { type TestDatabase, testDatabase } from './harness.ts';

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

async function refusal(attempt: Promise<unknown>): Promise<{ code: string; path: string; message: string }> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ServiceError)) throw new Error('was not refused');
  return { code: error.code, path: error.path, message: error.message };
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
    const refused = await refusal(createScheduledEvent(db.database.query, args, environment));
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

describe('listing', () => {
  let own: TestDatabase;
  beforeAll(async () => {
    own = await testDatabase({
      migrated: true,
      sql: `
        insert into joinery.event_leases (node, expires_at) values ('test', now() + interval '1 hour');
        insert into joinery.scheduled_events (webhook, schedule_at, comment, lease) values
          ('https://a', '2126-01-03T00:00:00Z', 'future', null), ('https://a', '2126-01-02T00:00:00Z', 'claimed ahead', 1),
          ('https://a', '2020-01-05T00:00:00Z', 'in flight', 1);
        insert into joinery.processed_events select gen_random_uuid(), 'https://a', time, '{"n": 1.50}', '[]', 0, 10, 60, 100,
            status, time, 1, status
          from (values ('2020-01-01T00:00:00Z'::timestamptz, 'delivered'), ('2020-01-02T00:00:00Z', 'error'),
            ('2020-01-03T00:00:00Z', 'dead')) as done (time, status);
        insert into joinery.event_invocations (event_id, attempt, agent, started_at, duration_ms, status, response, created_at)
          select id, attempt, 'joinery/1.0', schedule_at, 12, 200, '{"type":"webhook_response"}', schedule_at + attempt * interval '1 s'
          from joinery.processed_events cross join generate_series(1, 2) attempt;`,
    });
  });
  afterAll(() => own.drop());

  async function comments(args: Record<string, unknown>): Promise<unknown> {
    const answer = await getScheduledEvents(own.database.query, { type: 'one_off', ...args });
    return (answer.events as Record<string, unknown>[]).map((event) => event.comment);
  }

  test('comes in order of time, pending and processed together', async () => {
    expect(await comments({})).toEqual(['delivered', 'error', 'dead', 'in flight', 'claimed ahead', 'future']);
  });

  test.each([
    [['scheduled'], ['claimed ahead', 'future']],
    [['locked'], ['in flight']],
    [
      ['scheduled', 'locked'],
      ['in flight', 'claimed ahead', 'future'],
    ],
    [
      ['delivered', 'dead'],
      ['delivered', 'dead'],
    ],
    [
      ['error', 'locked'],
      ['error', 'in flight'],
    ],
    [[], ['delivered', 'error', 'dead', 'in flight', 'claimed ahead', 'future']],
  ])('status %j gives %j', async (status, expected) => {
    expect(await comments({ status })).toEqual(expected);
  });

  test('has pages, and a count that does not depend on them', async () => {
    const args = { type: 'one_off', limit: 2, offset: 1, get_rows_count: true };
    const answer = await getScheduledEvents(own.database.query, args);
    expect(answer.count).toBe(6);
    expect((answer.events as Record<string, unknown>[]).map((event) => event.comment)).toEqual(['error', 'dead']);
  });

  test('is ordered by the listed columns alone', async () => {
    const order_by = [{ column: 'comment', type: 'desc', nulls: 'last' }];
    expect(await comments({ order_by })).toEqual([
      'in flight',
      'future',
      'error',
      'delivered',
      'dead',
      'claimed ahead',
    ]);
    const injected = { type: 'one_off', order_by: [{ column: 'id; drop table joinery.scheduled_events' }] };
    expect(await refusal(getScheduledEvents(own.database.query, injected))).toMatchObject({
      code: 'parse-failed',
      path: '$.args.order_by[0].column',
    });
  });

  test.each([
    ['no type', {}, '$.args.type'],
    ['another type', { type: 'twice' }, '$.args.type'],
    ['an unknown status', { type: 'one_off', status: ['lost'] }, '$.args.status[0]'],
    ['a negative limit', { type: 'one_off', limit: -1 }, '$.args.limit'],
  ])('refuses %s', async (_what, args, path) => {
    expect(await refusal(getScheduledEvents(own.database.query, args))).toMatchObject({ code: 'parse-failed', path });
  });

  test('of the calls of one event gives the latest first, each with what was sent', async () => {
    const [id] = await column(own.database, `select id from joinery.processed_events where status = 'error'`);
    const args = { type: 'one_off', event_id: id, get_rows_count: true };
    const answer = parseJson(printJson(await getScheduledEventInvocations(own.database.query, args))) as {
      count: number;
      invocations: Record<string, unknown>[];
    };
    expect(answer.count).toBe(2);
    expect(answer.invocations.map((one) => one.attempt)).toEqual([2, 1]);
    expect(answer.invocations[0]).toEqual({
      id: expect.stringMatching(uuid),
      event_id: id,
      status: 200,
      created_at: '2020-01-02T00:00:02Z',
      attempt: 2,
      duration_ms: 12,
      request: {
        payload: {
          id,
          scheduled_time: '2020-01-02T00:00:00Z',
          payload: { n: 1.5 },
          created_at: '2020-01-02T00:00:00Z',
          comment: 'error',
        },
        headers: [
          { name: 'Content-Type', value: 'application/json' },
          { name: 'User-Agent', value: 'joinery/1.0' },
        ],
        version: '1',
      },
      response: { type: 'webhook_response' },
    });
  });

  test('of all calls has pages too', async () => {
    const args = { type: 'one_off', limit: 3, offset: 2, get_rows_count: true };
    const answer = await getScheduledEventInvocations(own.database.query, args);
    expect(answer.count).toBe(6);
    const invocations = answer.invocations as Record<string, unknown>[];
    expect(invocations.map((one) => one.created_at)).toEqual([
      '2020-01-02T00:00:02Z',
      '2020-01-02T00:00:01Z',
      '2020-01-01T00:00:02Z',
    ]);
  });

  test.each(['nobody', '00000000-0000-4000-8000-000000000000'])('of the calls of %s is empty', async (event_id) => {
    const args = { type: 'one_off', event_id, get_rows_count: true };
    expect(await getScheduledEventInvocations(own.database.query, args)).toEqual({ count: 0, invocations: [] });
  });

  test('counts for the metrics what is pending, due and in flight', async () => {
    const stats = await eventStats(own.database.query);
    expect(stats).toMatchObject({ pending: 3, due: 0, inFlight: 1 });
    expect(stats.oldestDueSeconds).toBeGreaterThan(86_400);
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
    expect(await refusal(remove(undefined))).toMatchObject({ code: 'parse-failed', path: '$.args.event_id' });
  });
});
