/** The commands create_scheduled_events, update_scheduled_event and cancel_scheduled_event; keys and time zones of events. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Query } from '../../../src/postgres/client/statement-run.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { column, fromNow, startNode, startSink } from '../../support/events/delivery-node.ts';
import {
  cancelScheduledEvent,
  cancelScheduledEvents,
  createScheduledEvent,
  createScheduledEvents,
  deleteScheduledEvent,
  getScheduledEvent,
  getScheduledEventInvocations,
  getScheduledEvents,
  updateScheduledEvent,
} from '../../support/events/event-commands.ts';
import { rejection } from '../../support/service/rejection.ts';
import { until } from '../../support/until.ts';

let db: TestDatabase;
let query: Query;

beforeAll(async () => {
  db = await testDatabase({ migrated: true });
  query = db.database.query;
});
afterAll(() => db.drop());

const minimal = { webhook: 'https://example.com/hook', schedule_at: '2126-09-01T08:00:00Z', payload: { n: 1 } };

type Created = Readonly<{ event_id: string; scheduled_time: string; existing?: true }>;

async function create(change: Record<string, unknown> = {}): Promise<Created> {
  return (await createScheduledEvent(query, { ...minimal, ...change }, {})) as unknown as Created;
}

async function createMany(events: readonly unknown[]): Promise<readonly Created[]> {
  return (await createScheduledEvents(query, { events }, {})).events as readonly Created[];
}

async function getEvent(target: Record<string, unknown>): Promise<Record<string, unknown>> {
  return (await getScheduledEvent(query, target)).event as Record<string, unknown>;
}

const count = async () => Number((await column(db.database, 'select count(*) from joinery.scheduled_events'))[0]);

describe('create_scheduled_events', () => {
  test('creates ten thousand events in one statement and returns them in the order of the request', async () => {
    const before = await count();
    let statements = 0;
    const counting: Query = (run, options) => {
      statements += 1;
      return query(run, options);
    };
    const events = Array.from({ length: 10_000 }, (_, n) => ({
      ...minimal,
      schedule_at: new Date(Date.UTC(2126, 0, 1) + n * 1_000).toISOString(),
      payload: { n },
    }));
    const result = await createScheduledEvents(counting, { events }, {});
    expect(statements).toBe(1);
    expect(await count()).toBe(before + 10_000);
    const created = result.events as readonly Created[];
    expect(created[4_711]).toEqual({ event_id: expect.any(String), scheduled_time: '2126-01-01T01:18:31Z' });
    expect(await getEvent({ event_id: created[4_711]?.event_id })).toMatchObject({
      scheduled_time: '2126-01-01T01:18:31Z',
    });
    await query({ text: 'delete from joinery.scheduled_events', values: [] });
  });

  test('creates no event if one is invalid, and names its index', async () => {
    const before = await count();
    const attempt = createMany([minimal, minimal, { ...minimal, retry_conf: { num_retries: -1 } }]);
    expect(await rejection(attempt)).toMatchObject({
      code: 'parse-failed',
      path: '$.args.events[2].retry_conf.num_retries',
    });
    expect(await rejection(createMany([minimal, { ...minimal, webhook: '{{GONE}}' }]))).toMatchObject({
      code: 'invalid-configuration',
      path: '$.args.events[1].webhook',
    });
    expect(await count()).toBe(before);
  });

  test.each([
    ['no events', [], '$.args.events'],
    ['a line break in a webhook', [{ ...minimal, webhook: 'http://h/\r\nHost: x' }], '$.args.events[0].webhook'],
    ['too many events', Array.from({ length: 10_001 }, () => minimal), '$.args.events'],
    [
      'a duplicate key',
      [
        { ...minimal, key: 'twice' },
        { ...minimal, key: 'twice' },
      ],
      '$.args.events[1].key',
    ],
  ])('rejects %s', async (_what, events, path) => {
    expect(await rejection(createMany(events))).toMatchObject({ code: 'parse-failed', path });
  });

  test('creates no event if the key of one is used by a different event', async () => {
    await create({ key: 'taken' });
    const before = await count();
    const attempt = createMany([minimal, { ...minimal, key: 'new' }, { ...minimal, key: 'taken', payload: 2 }]);
    expect(await rejection(attempt)).toMatchObject({ code: 'already-exists', path: '$.args.events[2].key' });
    expect(await count()).toBe(before);
    expect(await rejection(getScheduledEvent(query, { key: 'new' }))).toMatchObject({ code: 'not-exists' });
  });
});

describe('a key', () => {
  test('returns the existing event to repeated and to concurrent calls', async () => {
    const first = await create({ key: 'order-1', comment: 'c' });
    const repeated = await create({ key: 'order-1', comment: 'c' });
    expect(repeated).toEqual({ ...first, existing: true });
    const concurrent = await Promise.all(Array.from({ length: 12 }, () => create({ key: 'race' })));
    expect(new Set(concurrent.map((one) => one.event_id)).size).toBe(1);
    expect(concurrent.filter((one) => one.existing !== true)).toHaveLength(1);
    expect(await getEvent({ key: 'order-1' })).toMatchObject({ id: first.event_id, key: 'order-1' });
  });

  test('waits for a transaction that uses it, and is available after its rollback', async () => {
    let second: Promise<Created> | undefined;
    const failing = db.database.transaction(async (transactionQuery) => {
      await createScheduledEvent(transactionQuery, { ...minimal, key: 'undone' }, {});
      second = create({ key: 'undone' });
      const blocked =
        "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      await until('the second waits for the first', async () => (await column(db.database, blocked)).length === 1);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    const created = await second;
    expect(created?.existing).toBeUndefined();
    expect(await getEvent({ key: 'undone' })).toMatchObject({ id: created?.event_id });
  });

  test('is rejected with other arguments than before; the formatting of the payload does not matter', async () => {
    await create({ key: 'body', payload: { a: 1, b: 2 } });
    expect(await create({ key: 'body', payload: { b: 2, a: 1 } })).toMatchObject({ existing: true });
    for (const change of [
      { payload: { a: 2, b: 2 } },
      { schedule_at: '2126-09-01T08:00:01Z', payload: { a: 1, b: 2 } },
      { webhook: 'https://example.com/other', payload: { a: 1, b: 2 } },
      { retry_conf: { backoff: 'exponential' }, payload: { a: 1, b: 2 } },
    ]) {
      expect(await rejection(create({ key: 'body', ...change }))).toMatchObject({
        code: 'already-exists',
        path: '$.args.key',
        message: expect.stringContaining('update_scheduled_event'),
      });
    }
  });

  test('identifies its event after processing and becomes available when the event is deleted', async () => {
    const sink = await startSink();
    const node = await startNode(db);
    const args = { key: 'done', webhook: sink.origin, schedule_at: fromNow(0) };
    const { event_id } = await create(args);
    const processed = 'select id from joinery.processed_events where id = $1';
    await until('the event is processed', async () => (await column(db.database, processed, [event_id])).length === 1);
    expect(await create(args)).toMatchObject({ event_id, existing: true });
    expect(sink.calls).toHaveLength(1);
    const calls = await getScheduledEventInvocations(query, { type: 'one_off', key: 'done' });
    expect(calls.invocations).toHaveLength(1);
    await deleteScheduledEvent(query, { type: 'one_off', event_id });
    expect((await create(args)).existing).toBeUndefined();
    await until('the webhook is called again', () => sink.calls.length === 2);
    await node.close();
    await sink.close();
  });
});

describe('update_scheduled_event', () => {
  test('changes the given members and no others, by id or by key', async () => {
    const { event_id } = await create({ key: 'edit', comment: 'before', ordering_key: 'o' });
    const update = { schedule_at: '2126-10-01T00:00:00+02:00', payload: { n: 2 } };
    expect(await updateScheduledEvent(query, { key: 'edit', ...update }, {})).toEqual({
      message: 'success',
      event_id,
      scheduled_time: '2126-09-30T22:00:00Z',
    });
    expect(await getEvent({ event_id })).toMatchObject({
      webhook_conf: minimal.webhook,
      scheduled_time: '2126-09-30T22:00:00Z',
      comment: 'before',
      ordering_key: 'o',
      key: 'edit',
    });
    const more = { webhook: 'https://example.com/new', comment: null, retry_conf: { num_retries: 3 }, headers: [] };
    await updateScheduledEvent(query, { event_id, ...more }, {});
    expect(await getEvent({ event_id })).toMatchObject({
      webhook_conf: 'https://example.com/new',
      comment: null,
      retry_conf: { num_retries: 3, retry_interval_seconds: 10 },
    });
  });

  test.each([
    ['neither id nor key', {}, 'parse-failed', '$.args'],
    ['both id and key', { event_id: '00000000-0000-4000-8000-000000000000', key: 'k' }, 'parse-failed', '$.args'],
    ['an unknown id', { event_id: '00000000-0000-4000-8000-000000000000' }, 'not-exists', '$.args.event_id'],
    ['an id that is not a UUID', { event_id: 'no-uuid' }, 'not-exists', '$.args.event_id'],
    ['an unknown key', { key: 'unknown' }, 'not-exists', '$.args.key'],
    ['a bad time', { key: 'edit', schedule_at: 'soon' }, 'parse-failed', '$.args.schedule_at'],
    ['a bad webhook', { key: 'edit', webhook: 'ftp://x' }, 'parse-failed', '$.args.webhook'],
    ['a time zone without a time', { key: 'edit', timezone: 'UTC' }, 'parse-failed', '$.args.timezone'],
    ['an unknown argument', { key: 'edit', ordering: 1 }, 'parse-failed', '$.args.ordering'],
  ])('rejects %s', async (_what, args, code, path) => {
    expect(await rejection(updateScheduledEvent(query, args, {}))).toMatchObject({ code, path });
  });

  test('reschedules a claimed event later and earlier, and its webhook is called once', async () => {
    const sink = await startSink();
    const node = await startNode(db);
    const webhook = sink.origin;
    const { event_id } = await create({ webhook, schedule_at: fromNow(1_500) });
    const claimed = 'select id from joinery.scheduled_events where id = $1 and lease is not null';
    await until(
      'the node has claimed the event',
      async () => (await column(db.database, claimed, [event_id])).length === 1,
    );
    await updateScheduledEvent(query, { event_id, schedule_at: '2126-01-01T00:00:00Z' }, {});
    const marker = await create({ webhook, schedule_at: fromNow(1_800) });
    await until('the previous time has passed', () => sink.callsOf(marker.event_id).length === 1);
    expect(sink.callsOf(event_id)).toEqual([]);
    await updateScheduledEvent(query, { event_id, schedule_at: fromNow(0), payload: 'new' }, {});
    await until('the webhook is called', () => sink.callsOf(event_id).length === 1);
    expect(sink.callsOf(event_id)[0]?.body.payload).toBe('new');
    await node.close();
    await sink.close();
  });

  test('is rejected during and after the call of the event', async () => {
    let respond = (): void => undefined;
    const sink = await startSink((_call, response) => {
      respond = () => response.end('ok');
    });
    const node = await startNode(db);
    const { event_id } = await create({ webhook: sink.origin, schedule_at: fromNow(0) });
    await until('the webhook is called', () => sink.calls.length === 1);
    const update = { event_id, payload: 2 };
    expect(await rejection(updateScheduledEvent(query, update, {}))).toEqual({
      code: 'conflict',
      path: '$.args.event_id',
      message: expect.stringContaining('is being called'),
    });
    expect(await rejection(cancelScheduledEvent(query, { event_id }))).toMatchObject({ code: 'conflict' });
    expect(await getEvent({ event_id })).toMatchObject({ status: 'locked' });
    const inFlight = await getScheduledEvents(query, { type: 'one_off', status: ['in_flight'] });
    expect((inFlight.events as { id: string }[]).map(({ id }) => id)).toEqual([event_id]);
    respond();
    await until('the event is delivered', async () => (await getEvent({ event_id })).status === 'delivered');
    expect(await rejection(updateScheduledEvent(query, update, {}))).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('has been delivered'),
    });
    await node.close();
    await sink.close();
  });

  test('to another time resets the retries', async () => {
    const { event_id } = await create({ retry_conf: { num_retries: 1 } });
    await query({
      text: 'update joinery.scheduled_events set tries = 1, next_retry_at = schedule_at where id = $1',
      values: [event_id],
    });
    await updateScheduledEvent(query, { event_id, comment: 'still failing' }, {});
    expect(await getEvent({ event_id })).toMatchObject({ tries: 1, next_retry_at: minimal.schedule_at });
    await updateScheduledEvent(query, { event_id, schedule_at: '2127-01-01T00:00:00Z' }, {});
    expect(await getEvent({ event_id })).toMatchObject({ tries: 0, next_retry_at: null });
  });
});

describe('cancel_scheduled_event', () => {
  test('keeps the event with status cancelled and frees no key', async () => {
    const { event_id } = await create({ key: 'off' });
    expect(await cancelScheduledEvent(query, { key: 'off' })).toEqual({ message: 'success', event_id });
    expect(await getEvent({ event_id })).toMatchObject({ status: 'cancelled', key: 'off' });
    expect(await create({ key: 'off' })).toMatchObject({ event_id, existing: true });
    expect(await rejection(cancelScheduledEvent(query, { event_id }))).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('has been cancelled'),
    });
    expect(await rejection(cancelScheduledEvent(query, { key: 'unknown' }))).toMatchObject({ code: 'not-exists' });
  });
});

describe('cancel_scheduled_events', () => {
  test('cancels pending events that match the filter, up to the limit', async () => {
    const webhook = 'https://cancel.example/x';
    await createMany(
      [1, 2, 3, 4].map((n) => ({ ...minimal, webhook, payload: { customer: n % 2 }, comment: `C${n}` })),
    );
    const pending = async () => {
      const { events } = await getScheduledEvents(query, { type: 'one_off', destination: 'https://cancel.example' });
      return (events as Record<string, unknown>[])
        .filter((one) => one.status === 'scheduled')
        .map((one) => one.comment);
    };
    expect(await cancelScheduledEvents(query, { payload_contains: { customer: 1 } })).toEqual({
      message: 'success',
      cancelled: 2,
      more: false,
    });
    expect((await pending()).sort()).toEqual(['C2', 'C4']);
    const rest = { destination: 'https://cancel.example', limit: 1 };
    expect(await cancelScheduledEvents(query, rest)).toMatchObject({ cancelled: 1, more: true });
    expect(await cancelScheduledEvents(query, rest)).toMatchObject({ cancelled: 1 });
    expect(await cancelScheduledEvents(query, rest)).toMatchObject({ cancelled: 0, more: false });
  });

  test('requires a filter or all: true', async () => {
    expect(await rejection(cancelScheduledEvents(query, {}))).toMatchObject({
      code: 'parse-failed',
      path: '$.args',
      message: expect.stringContaining('"all": true'),
    });
    const before = await count();
    expect(await cancelScheduledEvents(query, { all: true })).toMatchObject({ cancelled: before });
    expect(await count()).toBe(0);
  });
});

describe('schedule_at with a timezone', () => {
  test.each([
    ['2126-07-01T09:00:00', 'Europe/Berlin', undefined, '2126-07-01T07:00:00Z'],
    ['2126-01-01T09:00:00.25', 'America/New_York', undefined, '2126-01-01T14:00:00.25Z'],
    ['2026-10-25T02:30:00', 'Europe/Berlin', 'earlier', '2026-10-25T00:30:00Z'],
    ['2026-10-25T02:30:00', 'Europe/Berlin', 'later', '2026-10-25T01:30:00Z'],
    ['2026-03-29T02:30:00', 'Europe/Berlin', 'later', '2026-03-29T01:30:00Z'],
    ['2026-03-29T02:30:00', 'Europe/Berlin', 'earlier', '2026-03-29T00:30:00Z'],
  ])('resolves %s in %s with dst %s to %s', async (schedule_at, timezone, dst, instant) => {
    expect(await create({ schedule_at, timezone, dst })).toMatchObject({ scheduled_time: instant });
  });

  test.each([
    [
      'a time that occurs twice',
      { schedule_at: '2026-10-25T02:30:00', timezone: 'Europe/Berlin' },
      '$.args.schedule_at',
      /twice.*"earlier" for 2026-10-25T00:30:00Z.*"later" for 2026-10-25T01:30:00Z/,
    ],
    [
      'a time that does not occur',
      { schedule_at: '2026-03-29T02:30:00', timezone: 'Europe/Berlin' },
      '$.args.schedule_at',
      /does not exist.*"earlier" for 2026-03-29T00:30:00Z.*"later" for 2026-03-29T01:30:00Z/,
    ],
    [
      'an offset in addition',
      { schedule_at: '2026-03-29T02:30:00Z', timezone: 'Europe/Berlin' },
      '$.args.timezone',
      /offset/,
    ],
    ['an unknown zone', { schedule_at: '2026-03-29T02:30:00', timezone: 'Mars' }, '$.args.timezone', /IANA/],
    ['dst without a time zone', { dst: 'later' }, '$.args.dst', /timezone/],
    ['a year out of range', { schedule_at: '10000-01-01T00:00:00Z' }, '$.args.schedule_at', /ISO 8601/],
    [
      'a local time before the year 1 in UTC',
      { schedule_at: '0001-01-01T00:00:00', timezone: 'Asia/Tokyo' },
      '$.args.schedule_at',
      /years 0001 to 9999/,
    ],
    [
      'a local time after the year 9999 in UTC',
      { schedule_at: '9999-12-31T23:59:59', timezone: 'America/New_York' },
      '$.args.schedule_at',
      /years 0001 to 9999/,
    ],
  ])('rejects %s', async (_what, args, path, message) => {
    expect(await rejection(create(args))).toMatchObject({
      code: 'parse-failed',
      path,
      message: expect.stringMatching(message),
    });
  });
});
