/** Cron triggers: their commands, metadata, planning and events. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseJson, printJson } from '../../../src/base/json-value.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { column, startNode, startSink } from '../../support/events/delivery-node.ts';
import { startServiceCore, type TestServiceCore } from '../../support/service/service-core.ts';
import { until } from '../../support/until.ts';

let db: TestDatabase;
let service: TestServiceCore;

beforeEach(async () => {
  db = await testDatabase({ migrated: true });
  service = await startServiceCore(db, { environment: { JOBS_URL: 'https://jobs.example', KEY: 'secret' } });
});
afterEach(async () => {
  await service.stop();
  await db.drop();
});

const nightly = {
  name: 'nightly_orders',
  webhook: '{{JOBS_URL}}/close',
  schedule: '0 2 * * *',
  include_in_metadata: true,
  payload: { scope: 'all' },
};

interface EventList {
  readonly count?: number;
  readonly events: readonly Record<string, unknown>[];
}

async function events(args: Record<string, unknown> = {}): Promise<EventList> {
  return parseJson(printJson(await service.run('get_scheduled_events', { type: 'cron', ...args }))) as EventList;
}

async function create(change: Record<string, unknown> = {}): Promise<unknown> {
  return service.run('create_cron_trigger', { ...nightly, ...change });
}

/** Changes the time of the first planned event to an SQL expression. */
async function moveFirstEvent(time: string): Promise<void> {
  const first = 'select id from joinery.scheduled_events order by schedule_at limit 1';
  const text = `update joinery.scheduled_events set schedule_at = ${time} where id = (${first})`;
  await db.database.query({ text, values: [] });
}

describe('preview_cron_schedule', () => {
  const preview = (args: object) => service.run('preview_cron_schedule', args);

  test('returns the next times without creating a trigger', async () => {
    const args = { schedule: '30 9 * * *', timezone: 'Asia/Kathmandu', limit: 3 };
    const { times } = (await preview(args)) as { times: string[] };
    expect(times).toHaveLength(3);
    expect(times.every((time) => time.endsWith('T03:45:00Z') && Date.parse(time) > Date.now())).toBe(true);
    expect((await events()).events).toEqual([]);
  });

  test.each([
    [{ schedule: '0 0 31 2 *' }, '$.args.schedule', 'never occurs'],
    [{ schedule: '61 * * * *' }, '$.args.schedule', 'is not a valid cron pattern'],
    [{ schedule: '@daily', timezone: 'Mars/Base' }, '$.args.timezone', 'IANA'],
    [{ schedule: '@daily', limit: 0 }, '$.args.limit', ''],
  ])('rejects %j at %s', async (args, path, message) => {
    await expect(preview(args)).rejects.toMatchObject({ path, message: expect.stringContaining(message) });
  });
});

describe('create_cron_trigger', () => {
  test('plans an event for each of the next 20 runs', async () => {
    expect(await create()).toEqual({ message: 'success' });
    const { events: planned, count } = await events({ trigger_name: 'nightly_orders', get_rows_count: true });
    expect(count).toBe(20);
    const times = planned.map((event) => String(event.scheduled_time));
    expect(times.every((time) => time.endsWith('T02:00:00Z'))).toBe(true);
    expect(new Set(times).size).toBe(20);
    expect(planned[0]).toMatchObject({
      trigger_name: 'nightly_orders',
      status: 'scheduled',
      tries: 0,
      next_retry_at: null,
      webhook_conf: '{{JOBS_URL}}/close',
      payload: { scope: 'all' },
    });
  });

  test('adds events that only lists of type cron contain', async () => {
    await create();
    const oneOff = await service.run('get_scheduled_events', { type: 'one_off', get_rows_count: true });
    expect(oneOff).toMatchObject({ count: 0, events: [] });
    expect((await events({ trigger_name: 'another' })).events).toEqual([]);
  });

  test('rejects an existing name, and an unknown name with replace', async () => {
    await create();
    expect(await service.rejection('create_cron_trigger', nightly)).toMatchObject({
      code: 'already-exists',
      path: '$.args',
      message: 'cron trigger with name: nightly_orders already exists',
    });
    expect(
      await service.rejection('create_cron_trigger', { ...nightly, name: 'another', replace: true }),
    ).toMatchObject({
      code: 'not-exists',
      path: '$.args',
    });
  });

  test('with replace deletes the planned events and plans the new schedule', async () => {
    await create();
    await create({ schedule: '30 4 * * *', replace: true });
    const times = (await events()).events.map((event) => String(event.scheduled_time));
    expect(times).toHaveLength(20);
    expect(times.every((time) => time.endsWith('T04:30:00Z'))).toBe(true);
  });

  test('with replace and the same arguments keeps the planned events', async () => {
    await create();
    const before = (await events()).events.map((event) => event.id);
    await create({ replace: true });
    expect((await events()).events.map((event) => event.id)).toEqual(before);
  });

  test.each([
    ['a malformed schedule', { schedule: '0 2 * *' }, 'parse-failed', '$.args.schedule', 'five fields'],
    ['a day that never occurs', { schedule: '0 0 31 2 *' }, 'parse-failed', '$.args.schedule', 'never occurs'],
    ['an unknown time zone', { timezone: 'Mars/Olympus' }, 'parse-failed', '$.args.timezone', 'IANA'],
    ['an unset variable', { webhook: '{{GONE}}/x' }, 'invalid-configuration', '$.args.webhook', '"GONE" is not set'],
    ['another URL scheme', { webhook: 'ftp://x/y' }, 'parse-failed', '$.args.webhook', 'http or https URL'],
    [
      'an unset variable in a header',
      { headers: [{ name: 'A', value_from_env: 'GONE' }] },
      'invalid-configuration',
      '$.args.headers[0].value_from_env',
      '"GONE"',
    ],
    ['a response transform', { response_transform: {} }, 'not-supported', '$.args.response_transform', 'only logged'],
    [
      'an invalid template',
      { request_transform: { url: '{{$base_url' } },
      'parse-failed',
      '$.args.request_transform.url',
      'column',
    ],
    [
      'an unset key variable',
      { signing: { key_from_env: 'GONE' } },
      'invalid-configuration',
      '$.args.signing.key_from_env',
      '"GONE"',
    ],
    ['an unknown argument', { sechdule: 1 }, 'parse-failed', '$.args.sechdule', 'sechdule'],
    [
      'a missing include_in_metadata',
      { include_in_metadata: undefined },
      'parse-failed',
      '$.args.include_in_metadata',
      '',
    ],
  ])('rejects %s and plans nothing', async (_what, change, code, path, message) => {
    const error = await service.rejection('create_cron_trigger', { ...nightly, ...change });
    expect(error).toMatchObject({ code, path, message: expect.stringContaining(message) });
    expect((await events()).events).toEqual([]);
    expect(await service.run('get_cron_triggers')).toEqual({ cron_triggers: [] });
  });

  test('in a failed bulk creates neither trigger nor events', async () => {
    await service.rejection('bulk', [
      { type: 'create_cron_trigger', args: nightly },
      { type: 'delete_cron_trigger', args: { name: 'another' } },
    ]);
    expect(await service.run('get_cron_triggers')).toEqual({ cron_triggers: [] });
    expect((await events()).events).toEqual([]);
  });
});

test('get_cron_triggers returns all triggers with their defaults', async () => {
  await create();
  await create({
    name: 'hidden',
    include_in_metadata: false,
    timezone: 'Europe/Berlin',
    catch_up: false,
    comment: 'c',
  });
  const retry_conf = { num_retries: 0, retry_interval_seconds: 10, timeout_seconds: 60, tolerance_seconds: 21_600 };
  expect(await service.run('get_cron_triggers', {}, { api: 'metadata' })).toEqual({
    cron_triggers: [
      {
        ...nightly,
        name: 'hidden',
        include_in_metadata: false,
        retry_conf,
        headers: [],
        timezone: 'Europe/Berlin',
        catch_up: false,
        comment: 'c',
      },
      { ...nightly, retry_conf, headers: [], timezone: 'UTC', catch_up: true },
    ],
  });
});

describe('delete_cron_trigger', () => {
  test('deletes the planned events and keeps processed events', async () => {
    await create();
    await db.database.query({
      text: `insert into joinery.processed_events (id, webhook, schedule_at, payload, headers, num_retries,
          retry_interval_seconds, timeout_seconds, tolerance_seconds, created_at, tries, status, trigger_name)
        values (gen_random_uuid(), 'https://a', now(), '1', '[]', 0, 10, 60, 100, now(), 1, 'delivered', 'nightly_orders')`,
      values: [],
    });
    expect(await service.run('delete_cron_trigger', { name: 'nightly_orders' })).toEqual({ message: 'success' });
    const { events: remaining } = await events({ trigger_name: 'nightly_orders' });
    expect(remaining.map((event) => event.status)).toEqual(['delivered']);
    expect(await column(db.database, 'select trigger_name from joinery.cron_plans')).toEqual([]);
  });

  test('rejects an unknown name', async () => {
    expect(await service.rejection('delete_cron_trigger', { name: 'unknown' })).toMatchObject({
      code: 'not-exists',
      path: '$.args',
    });
  });
});

describe('a cron trigger in the metadata', () => {
  test('is exported and applied again unless include_in_metadata is false', async () => {
    await create({ comment: 'closes', retry_conf: { num_retries: 2 }, timezone: 'Europe/Berlin', catch_up: false });
    await create({ name: 'hidden', include_in_metadata: false });
    const exported = (await service.run('export_metadata')) as Record<string, unknown>;
    expect(exported.cron_triggers).toEqual([
      {
        name: 'nightly_orders',
        webhook: '{{JOBS_URL}}/close',
        schedule: '0 2 * * *',
        include_in_metadata: true,
        payload: { scope: 'all' },
        retry_conf: { num_retries: 2, retry_interval_seconds: 10, timeout_seconds: 60, tolerance_seconds: 21_600 },
        comment: 'closes',
        timezone: 'Europe/Berlin',
        catch_up: false,
      },
    ]);
    const before = (await events()).events.map((event) => event.id);
    await service.run('replace_metadata', exported);
    expect((await events()).events.map((event) => event.id)).toEqual(before);
    expect(await service.run('export_metadata')).toEqual(exported);
  });

  test('is removed with the metadata; one with include_in_metadata false remains', async () => {
    await create();
    await create({ name: 'hidden', include_in_metadata: false });
    await service.run('clear_metadata');
    const { cron_triggers } = (await service.run('get_cron_triggers')) as { cron_triggers: { name: string }[] };
    expect(cron_triggers.map(({ name }) => name)).toEqual(['hidden']);
    expect(new Set((await events()).events.map((event) => event.trigger_name))).toEqual(new Set(['hidden']));
  });

  test('cannot have the name of one with include_in_metadata false', async () => {
    await create({ include_in_metadata: false });
    const document = {
      version: 3,
      sources: [{ name: 'default', kind: 'postgres', tables: [] }],
      cron_triggers: [nightly],
    };
    expect(await service.rejection('replace_metadata', document)).toMatchObject({
      code: 'already-exists',
      path: '$.args.cron_triggers[0]',
    });
  });

  test('is listed as inconsistent if it is invalid, without an effect on others', async () => {
    const metadata = {
      version: 3,
      sources: [{ name: 'default', kind: 'postgres', tables: [] }],
      cron_triggers: [nightly, { ...nightly, name: 'broken', schedule: 'now and then' }],
    };
    const result = await service.run(
      'replace_metadata',
      { allow_inconsistent_metadata: true, metadata },
      { version: 2 },
    );
    expect(result).toMatchObject({
      is_consistent: false,
      inconsistent_objects: [
        { type: 'cron_trigger', name: 'cron_trigger broken', path: '$.cron_triggers[0].schedule' },
      ],
    });
    expect((await events({ trigger_name: 'nightly_orders' })).events).toHaveLength(20);
    await service.run('drop_inconsistent_metadata');
    expect(await service.run('get_inconsistent_metadata')).toMatchObject({ is_consistent: true });
  });
});

describe('planning of cron triggers', () => {
  const every = { ...nightly, name: 'often', webhook: 'https://a.example', schedule: '* * * * *' };

  /** Deletes the planned events and sets the end of the plan to `since` before now. */
  async function resetPlan(since: string): Promise<void> {
    await db.database.query({ text: 'delete from joinery.scheduled_events', values: [] });
    await db.database.query({
      text: `update joinery.cron_plans set planned_until = date_trunc('minute', now()) - $1::interval`,
      values: [since],
    });
  }
  const overdue = `select count(*) from joinery.scheduled_events where schedule_at <= now()`;

  test('adds events when the plan becomes short, and none while it is long enough', async () => {
    await service.run('create_cron_trigger', every);
    const first = await column(db.database, 'select id from joinery.scheduled_events order by schedule_at');
    await service.service.planCronTriggers();
    expect(await column(db.database, 'select id from joinery.scheduled_events order by schedule_at')).toEqual(first);
    await db.database.query({
      text: `with deleted as (delete from joinery.scheduled_events where schedule_at > now() + interval '5 min' returning 1)
        update joinery.cron_plans set planned_until = date_trunc('minute', now() + interval '5 min')`,
      values: [],
    });
    await service.service.planCronTriggers();
    const minutes = await column(db.database, 'select schedule_at from joinery.scheduled_events order by schedule_at');
    expect(minutes.length).toBeGreaterThan(20);
    expect(new Set(minutes).size).toBe(minutes.length);
  });

  test('adds missed runs within the tolerance', async () => {
    await service.run('create_cron_trigger', { ...every, retry_conf: { tolerance_seconds: 600 } });
    await resetPlan('1 hour');
    await service.service.planCronTriggers();
    const [count] = await column(db.database, overdue);
    expect(Number(count)).toBeGreaterThanOrEqual(9);
    expect(Number(count)).toBeLessThanOrEqual(11);
  });

  test('skips missed runs of a trigger with catch_up false', async () => {
    await service.run('create_cron_trigger', { ...every, catch_up: false });
    await resetPlan('1 hour');
    await service.service.planCronTriggers();
    expect(Number((await column(db.database, overdue))[0])).toBeLessThanOrEqual(1);
  });

  test('by several nodes at once adds one event for each time', async () => {
    await service.run('create_cron_trigger', every);
    const others = await Promise.all([1, 2, 3].map(() => startServiceCore(db)));
    await resetPlan('10 min');
    await Promise.all([service, ...others].flatMap((one) => [1, 2, 3].map(() => one.service.planCronTriggers())));
    const times = await column(db.database, 'select schedule_at from joinery.scheduled_events');
    expect(times.length).toBeGreaterThan(20);
    expect(new Set(times).size).toBe(times.length);
    for (const other of others) await other.stop();
  });

  test('is skipped by a node with outdated metadata', async () => {
    const outdated = await startServiceCore(db, { sync: 'none' });
    await service.run('create_cron_trigger', every);
    await outdated.service.planCronTriggers();
    expect((await events({ trigger_name: 'often' })).events).toHaveLength(20);
    await outdated.stop();
  });
});

test('the call of a cron event contains the name of its trigger, and invocations can be listed by that name', async () => {
  const sink = await startSink();
  await service.run('create_cron_trigger', { ...nightly, webhook: `${sink.origin}/close`, comment: 'closes' });
  await moveFirstEvent('now()');
  const node = await startNode(db);
  await until('the webhook is called', () => sink.calls.length === 1);
  expect(sink.calls[0]?.body).toEqual({
    id: expect.any(String),
    scheduled_time: expect.any(String),
    payload: { scope: 'all' },
    name: 'nightly_orders',
    comment: 'closes',
  });
  const args = { type: 'cron', trigger_name: 'nightly_orders', get_rows_count: true };
  const listed = async () => (await service.run('get_scheduled_event_invocations', args)) as { count: number };
  await until('the call is logged', async () => (await listed()).count === 1);
  expect(await service.run('get_event_invocations', { ...args, type: 'one_off', trigger_name: null })).toMatchObject({
    count: 0,
  });
  expect((await events({ status: ['delivered'] })).events).toMatchObject([
    { trigger_name: 'nightly_orders', tries: 1 },
  ]);
  await node.close();
  await sink.close();
});

test('a late event of a trigger with catch_up false is dead without a call, and the log has the reason', async () => {
  const sink = await startSink();
  await service.run('create_cron_trigger', { ...nightly, webhook: sink.origin, catch_up: false });
  await moveFirstEvent("now() - interval '90 s'");
  const node = await startNode(db);
  const dead = `select id from joinery.processed_events where status = 'dead'`;
  await until('the event is dead', async () => (await column(db.database, dead)).length === 1);
  expect(sink.calls).toEqual([]);
  const [log] = await column(db.database, 'select response from joinery.event_invocations');
  expect(log).toContain('more than the tolerance of 60 s');
  await node.close();
  await sink.close();
});
