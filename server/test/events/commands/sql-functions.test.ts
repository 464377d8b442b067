/** The SQL functions schedule_event, cancel_event and reschedule_event: arguments, transactions, triggers and privileges. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../../src/postgres/client/pool.ts';
import { isPostgresError } from '../../../src/postgres/sql/errors.ts';
import { connect, type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { column, startNode, startSink } from '../../support/events/delivery-node.ts';
import { createScheduledEvent, getScheduledEvent } from '../../support/events/event-commands.ts';
import { until } from '../../support/until.ts';

let db: TestDatabase;
let app: Database;
let role = '';

beforeAll(async () => {
  db = await testDatabase({ migrated: true });
  role = `app_${Math.random().toString(36).slice(2, 10)}`;
  await run(`create role ${role} login password 'app'`);
  await run(`grant usage on schema joinery to ${role}`);
  const url = new URL(db.url);
  url.username = role;
  url.password = 'app';
  app = connect(url.href);
});
afterAll(async () => {
  await app.close();
  await run(`drop owned by ${role}`);
  await run(`drop role ${role}`);
  await db.drop();
});

async function run(text: string, values: readonly unknown[] = []): Promise<void> {
  await db.database.query({ text, values });
}

/** Returns SQLSTATE and message of the error of a statement. */
async function errorOf(text: string, values: readonly unknown[] = [], database = db.database): Promise<string> {
  const error = await database.query({ text, values }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isPostgresError(error)) throw new Error('the statement was not rejected');
  return `${error.code} ${error.message}`;
}

async function getEvent(target: Record<string, unknown>): Promise<Record<string, unknown>> {
  return (await getScheduledEvent(db.database.query, target)).event as Record<string, unknown>;
}

const far = `'2126-09-01T08:00:00Z'`;

describe('schedule_event', () => {
  test('accepts all arguments of create_scheduled_event', async () => {
    const [id] = await column(
      db.database,
      `select joinery.schedule_event(
        webhook => 'https://example.com/hook', schedule_at => ${far}, payload => '{"a": 1.50}',
        headers => '[{"name": "X-Key", "value_from_env": "NOTIFY_KEY"}]',
        retry_conf => '{"num_retries": 2, "backoff": "exponential"}',
        comment => 'from SQL', key => 'sql-1', ordering_key => 'customer-7', body => 'payload',
        signing => '{"key_from_env": "HOOK_KEY"}',
        request_transform => '{"version": 2, "query_params": {"b": "1", "a": null}}')`,
    );
    expect(await getEvent({ key: 'sql-1' })).toMatchObject({
      id,
      webhook_conf: 'https://example.com/hook',
      scheduled_time: '2126-09-01T08:00:00Z',
      header_conf: { text: '[{"name": "X-Key", "value_from_env": "NOTIFY_KEY"}]' },
      payload: { text: '{"a": 1.50}' },
      retry_conf: {
        num_retries: 2,
        retry_interval_seconds: 10,
        timeout_seconds: 60,
        tolerance_seconds: 21_600,
        backoff: 'exponential',
      },
      comment: 'from SQL',
      key: 'sql-1',
      ordering_key: 'customer-7',
      body: 'payload',
      signing: { key_from_env: 'HOOK_KEY' },
      request_transform: { version: 2, query_params: { b: '1', a: null } },
    });
  });

  test.each(['{{HOST}}/hook', 'https://a/{{ ID }}?b={{B}}', 'https://a/}}{'])(
    'accepts the webhook %s',
    async (webhook) => {
      const [id] = await column(db.database, `select joinery.schedule_event('${webhook}', ${far}, '1')`);
      expect(await getEvent({ event_id: id })).toMatchObject({ webhook_conf: webhook });
    },
  );

  test.each([
    ['json', `json_build_object('n', 1)`, '{"n" : 1}'],
    ['jsonb', `jsonb_build_object('n', 1)`, '{"n": 1}'],
    ['a row', `(select to_jsonb(one) from (select 1 as n) one)`, '{"n": 1}'],
    ['a JSON text', `'{"n": 1}'`, '{"n": 1}'],
    ['null', `'null'`, 'null'],
  ])('accepts a payload of type %s', async (_type, expression, text) => {
    const [id] = await column(db.database, `select joinery.schedule_event('https://a', ${far}, ${expression})`);
    expect(await getEvent({ event_id: id })).toMatchObject({ payload: { text } });
  });

  test('shares keys with create_scheduled_event', async () => {
    const [id] = await column(
      db.database,
      `select joinery.schedule_event('https://a', ${far}, '{"b":1}', key => 'both')`,
    );
    const args = { webhook: 'https://a', schedule_at: '2126-09-01T08:00:00Z', payload: { b: 1 }, key: 'both' };
    await expect(createScheduledEvent(db.database.query, { ...args, body: 'payload' }, {})).rejects.toMatchObject({
      code: 'already-exists',
    });
    expect(await createScheduledEvent(db.database.query, args, {})).toMatchObject({ event_id: id, existing: true });
    const repeated = `select joinery.schedule_event('https://a', ${far}, '{"b":1}', key => 'both')`;
    expect(await column(db.database, repeated)).toEqual([id]);
    expect(await errorOf(repeated.replace('"b":1', '"b":2'))).toMatch(/^JY001 the key is taken by event/);
  });

  test.each([
    [`'ftp://h/', ${far}, '1'`, 'webhook must be an http or https URL'],
    [`'example', ${far}, '1'`, 'webhook must be an http or https URL'],
    [`'https://a/{{ID', ${far}, '1'`, 'webhook contains "{{" that does not begin a template such as "{{NAME}}"'],
    [`'{{HOST}}/{{ID', ${far}, '1', key => 'open'`, 'webhook contains "{{" that does not begin a template'],
    [`null, ${far}, '1'`, 'webhook is required'],
    [`'https://a', null, '1'`, 'schedule_at is required'],
    [`'https://a', 'infinity', '1'`, 'schedule_at must lie in the years 0001 to 9999'],
    [`'https://a', ${far}, null::json`, 'payload is required; the JSON value null is a payload too'],
    [`'https://a', ${far}, to_json(repeat('x', 1048576))`, 'the payload has 1048578 bytes, the limit is 1048576'],
    [`'https://a', ${far}, '1', headers => '{}'`, 'headers must be a list'],
    [`'https://a', ${far}, '1', headers => '[{"name":"A B","value":"x"}]'`, 'headers[0].name must be an HTTP header'],
    [`'https://a', ${far}, '1', headers => '[{"name":"A","value":"x\\r\\nB: y"}]'`, 'must not contain a line break'],
    [`'https://a', ${far}, '1', headers => '[{"name":"A","value":"\u20ac"}]'`, 'must consist of Latin characters'],
    [`'https://a', ${far}, '1', headers => '[{"name":"Host"},{"name":"A"}]'`, 'headers[0] must have a value'],
    [`'https://a', ${far}, '1', headers => '[{"name":"Content-Length","value":"1"}]'`, 'leave it out'],
    [
      `'https://a', ${far}, '1', headers => '[{"name":"A","value_from_env":"JOINERY_ADMIN_SECRET"}]'`,
      'names a setting of the service',
    ],
    [`'https://a', ${far}, '1', retry_conf => '{"num_retries":-1}'`, 'retry_conf.num_retries must be 0 to 2147483647'],
    [`'https://a', ${far}, '1', retry_conf => '{"timeout_seconds":0}'`, 'retry_conf.timeout_seconds must be 1 to'],
    [`'https://a', ${far}, '1', retry_conf => '{"num_retries":1.5}'`, 'must be a whole number'],
    [`'https://a', ${far}, '1', retry_conf => '{"retries":1}'`, 'retry_conf.retries: there is no such argument'],
    [`'https://a', ${far}, '1', retry_conf => '{"jitter":2}'`, 'retry_conf.jitter is not what'],
    [
      `'https://a', ${far}, '1', retry_conf => '{"retry_delays_seconds":[-1]}'`,
      'retry_conf.retry_delays_seconds is not',
    ],
    [`'https://a', ${far}, '1', body => 'raw'`, 'body must be envelope or payload'],
    [`'https://a', ${far}, '1', signing => 'true'`, 'signing must be false, or an object with key_from_env'],
    [`'https://a', ${far}, '1', signing => '{"key":"whsec_x"}'`, 'signing must be false, or an object'],
    [
      `'https://a', ${far}, '1', signing => '{"key_from_env":"JOINERY_WEBHOOK_SIGNING_KEYS"}'`,
      'names a setting of the service',
    ],
    [`'https://a', ${far}, '1', request_transform => '[]'`, 'request_transform must be an object'],
    [`'https://a', ${far}, '1', request_transform => '{"uri":"x"}'`, 'request_transform.uri: there is no such'],
    [`'https://a', ${far}, '1', key => ''`, 'key must have 1 to 255 characters'],
    [`'https://a', ${far}, '1', comment => repeat('x', 10001)`, 'comment must have at most 10000'],
  ])('rejects %s', async (args, expected) => {
    expect(await errorOf(`select joinery.schedule_event(${args})`)).toContain(`22023 `);
    expect(await errorOf(`select joinery.schedule_event(${args})`)).toContain(expected);
  });

  test('accepts a webhook whose host is an environment variable', async () => {
    const [id] = await column(db.database, `select joinery.schedule_event('{{NOTIFY_URL}}/x', ${far}, '1')`);
    expect(await getEvent({ event_id: id })).toMatchObject({ webhook_conf: '{{NOTIFY_URL}}/x' });
  });
});

test('PostgreSQL rejects an insert of an event that no node can deliver', async () => {
  const rejected: [columns: string, values: string][] = [
    ['webhook', `''`],
    ['webhook, ordering_key', `'https://a', ''`],
    ['webhook, num_retries', `'https://a', -1`],
    ['webhook, retry_interval_seconds', `'https://a', -1`],
    ['webhook, timeout_seconds', `'https://a', 0`],
    ['webhook, tolerance_seconds', `'https://a', -1`],
    ['webhook, catch_up_seconds', `'https://a', -1`],
    ['webhook, headers', `'https://a', '{}'`],
  ];
  for (const [columns, values] of rejected) {
    const text = `insert into joinery.scheduled_events (schedule_at, ${columns}) values (${far}, ${values})`;
    expect(await errorOf(text)).toMatch(/^23514 /);
  }
});

describe('schedule_event in a transaction', () => {
  test('is rolled back with it, and the event is called only after the commit', async () => {
    const sink = await startSink();
    const node = await startNode(db);
    const schedule = 'select joinery.schedule_event($1, now(), $2::text)';
    const rolledBack = db.database.transaction(async (query) => {
      await query({ text: schedule, values: [sink.origin, '"rolled back"'] });
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    await db.database.transaction(async (query) => {
      await query({ text: schedule, values: [sink.origin, '"in transaction"'] });
      await column(db.database, schedule, [sink.origin, '"committed"']);
      await until('the committed event is called', () => sink.calls.length === 1);
      expect(sink.calls.map((call) => call.body.payload)).toEqual(['committed']);
    });
    await until('both events are called', () => sink.calls.length === 2);
    expect(sink.calls.map((call) => call.body.payload)).toEqual(['committed', 'in transaction']);
    await node.close();
    await sink.close();
  });

  test('works in a trigger of a user table', async () => {
    await run('create table orders (id int primary key, paid boolean not null default false)');
    await run(`create function remind() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' then
          perform joinery.schedule_event(
            webhook => 'https://shop.example/remind', schedule_at => now() + interval '3 days', payload => to_jsonb(new),
            key => 'remind-' || new.id);
        elsif new.paid then
          perform joinery.cancel_event(key => 'remind-' || new.id);
        end if;
        return null;
      end $$`);
    await run('create trigger remind after insert or update on orders for each row execute function remind()');
    await run('insert into orders values (1), (2)');
    await run('update orders set paid = true where id = 2');
    expect(await getEvent({ key: 'remind-1' })).toMatchObject({ status: 'scheduled' });
    expect(await getEvent({ key: 'remind-2' })).toMatchObject({ status: 'cancelled' });
  });
});

describe('cancel_event and reschedule_event', () => {
  test('return whether the event was pending, by id and by key', async () => {
    const [id] = await column(db.database, `select joinery.schedule_event('https://a', ${far}, '1', key => 'move')`);
    const moved = `select joinery.reschedule_event('2127-01-01Z', key => 'move')`;
    expect(await column(db.database, moved)).toEqual(['t']);
    expect(await getEvent({ key: 'move' })).toMatchObject({ scheduled_time: '2127-01-01T00:00:00Z' });
    expect(await column(db.database, 'select joinery.cancel_event($1)', [id])).toEqual(['t']);
    expect(await column(db.database, 'select joinery.cancel_event(id => $1)', [id])).toEqual(['f']);
    expect(await column(db.database, moved)).toEqual(['f']);
    expect(await column(db.database, `select joinery.cancel_event(key => 'unknown')`)).toEqual(['f']);
  });

  test('require either id or key, and a valid time', async () => {
    expect(await errorOf('select joinery.cancel_event()')).toContain('give either id or key');
    expect(await errorOf(`select joinery.reschedule_event('infinity', key => 'move')`)).toContain('years 0001 to 9999');
    expect(await errorOf(`select joinery.reschedule_event(null, key => 'move')`)).toContain('schedule_at is required');
  });
});

describe('a role with only usage of the schema joinery', () => {
  test('can schedule, reschedule and cancel events', async () => {
    const schedule = `select joinery.schedule_event('https://a', ${far}, '1', key => 'by-app')`;
    const [id] = await column(app, schedule);
    expect(await column(app, schedule)).toEqual([id]);
    expect(await column(app, `select joinery.reschedule_event('2127-01-01Z', key => 'by-app')`)).toEqual(['t']);
    expect(await column(app, 'select joinery.cancel_event($1)', [id])).toEqual(['t']);
  });

  test.each([
    'select * from joinery.scheduled_events',
    'select * from joinery.processed_events',
    'select * from joinery.event_keys',
    `insert into joinery.scheduled_events (webhook, schedule_at) values ('https://a', now())`,
    'select joinery.cancel_events(array[gen_random_uuid()])',
    `select joinery.claim_events(1, '1 s', 1, '{}')`,
    `select joinery.change_event(gen_random_uuid(), null, now(), null, null, null, null, null, null, null, false, null, null)`,
  ])('cannot execute %s', async (text) => {
    expect(await errorOf(text, [], app)).toMatch(/^42501 permission denied/);
  });

  test('cannot replace objects of the functions through its search_path', async () => {
    await run(`create schema trap; grant usage, create on schema trap to ${role}`);
    const traps = [
      `create function trap.gen_random_uuid() returns uuid language sql as 'select null::uuid'`,
      `create function trap.octet_length(text) returns integer language sql as 'select 1 / 0'`,
      `create function trap.not_later(timestamptz, timestamptz) returns boolean language sql as 'select 1 / 0 = 0'`,
      'create operator trap.<= (leftarg = timestamptz, rightarg = timestamptz, function = trap.not_later)',
      `create function trap.later(timestamptz, interval) returns timestamptz language sql as 'select null::timestamptz'`,
      'create operator trap.+ (leftarg = timestamptz, rightarg = interval, function = trap.later)',
      `create function trap.matches(text, text) returns boolean language sql as 'select 1 / 0 = 0'`,
      'create operator trap.~ (leftarg = text, rightarg = text, function = trap.matches)',
    ];
    for (const text of traps) await app.query({ text, values: [] });
    for (const args of [
      `'https://a', ${far}, '1'`,
      `'https://a', now(), '1'`,
      `'https://a', now(), '1', body => 'payload'`,
    ]) {
      const [id] = await app.transaction(async (query) => {
        await query({ text: 'set local search_path = trap, pg_catalog', values: [] });
        return (await query({ text: `select joinery.schedule_event(${args})`, values: [] })).rows[0] ?? [];
      });
      expect(id).toMatch(/^[0-9a-f-]{36}$/);
    }
  });
});
