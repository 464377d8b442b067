/** The search for events of all kinds, and changes of many events. */
import type { ChangedEvents, FoundEvents } from '@joinery/metadata/api/events/search';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { printJson } from '../../../src/base/json-value.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../../support/service/service-core.ts';

let db: TestDatabase;
let core: TestServiceCore;

/** 30 pending and 300 finished one-off events, 60 finished events of a cron trigger; some have the same time. */
const sampleEvents = `
  create table item (id int primary key, name text);
  insert into joinery.scheduled_events (webhook, schedule_at, payload, comment)
    select 'https://later.example/x', '2126-01-01Z'::timestamptz + n / 2 * interval '1 min', json_build_object('n', n), 'Reminder ' || n
    from generate_series(1, 30) n;
  insert into joinery.processed_events (id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds,
      timeout_seconds, tolerance_seconds, comment, created_at, tries, status, trigger_name)
    select gen_random_uuid(), 'https://h' || n % 3 || '.example/x', '2022-01-01Z'::timestamptz + n / 2 * interval '1 min',
      json_build_object('n', n), '[]', 0, 10, 60, 100, null, now(), 1, case when n % 10 = 0 then 'error' else 'delivered' end,
      case when n > 300 then 'nightly' end
    from generate_series(1, 360) n;
  insert into joinery.event_invocations (event_id, attempt, agent, started_at, duration_ms, status, response)
    select id, 1, 'a', schedule_at, 7, case status when 'error' then 503 else 200 end,
      case status when 'error' then '{"data":{"body":"out of order"}}'::json else '{}' end
    from joinery.processed_events;`;

beforeAll(async () => {
  db = await testDatabase({ migrated: true, sql: sampleEvents });
  core = await startServiceCore(db);
  await core.run('pg_track_table', { table: 'item' });
  for (const name of ['changed', 'other']) {
    const webhook = `https://${name}.example/x`;
    await core.run('pg_create_event_trigger', { name, table: 'item', insert: { columns: '*' }, webhook });
  }
  await db.database.query({
    text: `insert into item select n, 'item ' || n from generate_series(1, 20) n`,
    values: [],
  });
});
afterAll(async () => {
  await core.stop();
  await db.drop();
});

async function search(args: Readonly<Record<string, unknown>>): Promise<FoundEvents> {
  return JSON.parse(printJson(await core.run('search_events', args)));
}

async function change(args: Readonly<Record<string, unknown>>): Promise<ChangedEvents> {
  return JSON.parse(printJson(await core.run('change_events', args)));
}

describe('search_events', () => {
  test.each([
    ['of all kinds', {}, 430],
    ['of one-off events', { kinds: ['one_off'] }, 330],
    ['of cron events', { kinds: ['cron'] }, 60],
    ['of event triggers', { kinds: ['trigger'] }, 40],
    ['by status', { status: ['error'] }, 36],
    ['by pending status, of all kinds', { status: ['scheduled'] }, 70],
    ['by a cron trigger', { trigger: 'nightly' }, 60],
    ['by an event trigger', { trigger: 'changed' }, 20],
    ['by source', { source: 'default' }, 40],
    ['by destination', { destination: 'https://h1.example' }, 120],
    ['by destination of an event trigger', { destination: 'https://changed.example' }, 20],
    ['by part of the webhook of an event trigger', { text: 'changed.EXAMPLE' }, 20],
    ['by the status of a call', { call_status: [503] }, 36],
    ['by a class of statuses of calls', { call_status: ['2xx', 'none'] }, 324],
    ['by part of a response', { response_contains: 'OUT of' }, 36],
    ['by part of the error of a call', { text: 'Of Order' }, 36],
    ['by part of the webhook, in any case', { text: 'LATER.example' }, 30],
    ['by part of the comment', { text: 'reminder 3' }, 2],
    ['by part of the name of a trigger', { text: 'night' }, 60],
    ['by payload of scheduled events and data of event triggers', { payload_contains: { new: { id: 7 } } }, 2],
    ['by time', { from: '2022-01-01T00:00:00Z', until: '2022-01-01T00:02:00Z' }, 3],
  ])('%s finds each event once, and counts as many', async (_how, args, expected) => {
    const { events, counts, next } = await search({ ...args, limit: 500 });
    expect(events).toHaveLength(expected);
    expect(next).toBeUndefined();
    const { status = undefined } = args as { status?: readonly string[] };
    const counted = counts?.filter((one) => status === undefined || status.includes(one.status)) ?? [];
    expect(counted.reduce((sum, { count }) => sum + count, 0)).toBe(expected);
  });

  test.each(['asc', 'desc'])('in order %s has pages that contain each event once, in order of time', async (order) => {
    const all = (await search({ order, limit: 500 })).events;
    const times = all.map(({ time }) => time);
    expect(times).toEqual(order === 'asc' ? times.toSorted() : times.toSorted().toReversed());
    const paged: string[] = [];
    let after: string | undefined;
    do {
      const page = await search({ order, limit: 37, after, counts: false });
      paged.push(...page.events.map(({ id }) => id));
      after = page.next;
    } while (after !== undefined);
    expect(paged).toEqual(all.map(({ id }) => id));
  });

  test('finds an event by its id, of a schedule and of an event trigger', async () => {
    for (const kinds of [['one_off'], ['trigger']]) {
      const [event] = (await search({ kinds, limit: 1 })).events;
      expect((await search({ text: event?.id })).events).toEqual([event]);
    }
  });

  test('returns the last call with its error', async () => {
    const { events } = await search({ status: ['error'], limit: 1 });
    expect(events[0]?.last_call).toMatchObject({ status: 503, duration_ms: 7, error: 'out of order' });
    expect((await search({ status: ['delivered'], limit: 1 })).events[0]?.last_call).toMatchObject({ error: null });
  });

  test('returns the counts of all statuses when it is restricted to one', async () => {
    const { counts } = await search({ kinds: ['one_off'], status: ['dead'] });
    expect(counts).toEqual([
      { status: 'scheduled', count: 30 },
      { status: 'delivered', count: 270 },
      { status: 'error', count: 30 },
    ]);
  });

  test.each([
    [{ after: 'nonsense' }, '$.args.after'],
    [{ kinds: ['webhook'] }, '$.args.kinds[0]'],
    [{ limit: 501 }, '$.args.limit'],
    [{ from: 'yesterday' }, '$.args.from'],
  ])('rejects %j', async (args, path) => {
    expect(await core.rejection('search_events', args)).toMatchObject({ code: 'parse-failed', path });
  });
});

describe('change_events', () => {
  const targets = (events: FoundEvents['events']) => events.map(({ id, source }) => ({ event_id: id, source }));

  test('cancels pending events, reports the others with the reason, and restores the canceled ones at their time', async () => {
    const pending = (await search({ text: 'reminder 1', limit: 2 })).events;
    const [done] = (await search({ status: ['delivered'], limit: 1 })).events;
    const [ofTrigger] = (await search({ kinds: ['trigger'], limit: 1 })).events;
    const all = [...pending, ...(done ? [done] : []), ...(ofTrigger ? [ofTrigger] : [])];
    const canceled = await change({ action: 'cancel', events: targets(all) });
    expect(canceled.changed.map(({ event_id }) => event_id).toSorted()).toEqual(pending.map(({ id }) => id).toSorted());
    expect(canceled.unchanged).toEqual([
      { event_id: done?.id, reason: 'the event has been delivered' },
      { event_id: ofTrigger?.id, source: 'default', reason: 'events of event triggers can only be redelivered' },
    ]);
    expect((await search({ text: pending[0]?.id })).events[0]).toMatchObject({ status: 'cancelled' });
    const restored = await change({ action: 'restore', events: targets(pending) });
    expect(restored.unchanged).toEqual([]);
    for (const { id, time } of pending) {
      expect((await search({ text: id })).events[0]).toMatchObject({ status: 'scheduled', time, next_retry_at: null });
    }
  });

  test('reschedules events, and returns their former times for undoing it', async () => {
    const [event] = (await search({ text: 'reminder 5', limit: 1 })).events;
    const to = '2127-01-01T00:00:00Z';
    const { changed } = await change({ action: 'reschedule', events: [{ event_id: event?.id }], schedule_at: to });
    expect(changed).toEqual([{ event_id: event?.id, former_time: event?.time }]);
    expect((await search({ text: event?.id })).events[0]?.time).toBe(to);
    await change({ action: 'reschedule', events: [{ event_id: event?.id, schedule_at: changed[0]?.former_time }] });
    expect((await search({ text: event?.id })).events[0]?.time).toBe(event?.time);
  });

  test('redelivers finished events with the same id', async () => {
    const failed = (await search({ status: ['error'], limit: 3 })).events;
    const { changed, unchanged } = await change({ action: 'redeliver', events: targets(failed) });
    expect([changed.length, unchanged]).toEqual([3, []]);
    expect((await search({ text: failed[0]?.id })).events[0]).toMatchObject({ status: 'scheduled', tries: 1 });
  });

  describe('undo of a redelivery', () => {
    const redelivered = async () => {
      const before = (await search({ status: ['delivered'], kinds: ['one_off'], limit: 1, order: 'asc' })).events[0];
      const { changed } = await change({ action: 'redeliver', events: [{ event_id: before?.id }] });
      return { before, changed: changed[0] };
    };
    const undo = (one: ChangedEvents['changed'][number] | undefined) =>
      change({ action: 'undo_redeliver', events: [{ event_id: one?.event_id, status: one?.former_status }] });
    const now = async (id: string | undefined) => (await search({ text: id })).events[0];

    test('restores the status, the attempts and the log', async () => {
      const { before, changed } = await redelivered();
      expect(changed).toEqual({ event_id: before?.id, former_status: 'delivered' });
      expect(await undo(changed)).toEqual({ changed: [{ event_id: before?.id }], unchanged: [] });
      expect(await now(before?.id)).toEqual(before);
    });

    test.each([
      ['is being called', 'lease = 7'],
      ['was called', "tries = tries + 1, next_retry_at = joinery.event_now() + interval '10 s'"],
      [
        'was rescheduled',
        "next_retry_at = null, requeued_at = null, schedule_at = joinery.event_now() + interval '1 h'",
      ],
    ])('leaves an event that %s since', async (_what, set) => {
      const { before, changed } = await redelivered();
      await db.database.query({
        text: `update joinery.scheduled_events set ${set} where id = $1`,
        values: [before?.id ?? ''],
      });
      const { unchanged } = await undo(changed);
      expect(unchanged).toEqual([{ event_id: before?.id, reason: 'the event has been called or changed since' }]);
      expect((await now(before?.id))?.status).toMatch(/^(scheduled|locked)$/);
    });

    test('can be made once', async () => {
      const { before, changed } = await redelivered();
      await undo(changed);
      expect((await undo(changed)).unchanged).toEqual([
        { event_id: before?.id, reason: 'the event has been delivered' },
      ]);
    });

    test('requires the former status', async () => {
      const events = [{ event_id: '00000000-0000-0000-0000-000000000000' }];
      expect(await core.rejection('change_events', { action: 'undo_redeliver', events })).toMatchObject({
        path: '$.args.events[0].status',
      });
    });
  });

  describe('undo of "run now"', () => {
    const runNow = async (text: string) => {
      const [before] = (await search({ text, limit: 1 })).events;
      const { changed } = await change({ action: 'run_now', events: [{ event_id: before?.id }] });
      return { before, changed: changed[0] };
    };
    const undo = (one: ChangedEvents['changed'][number] | undefined) =>
      change({ action: 'undo_run_now', events: [{ event_id: one?.event_id, schedule_at: one?.former_time }] });

    test('makes the event due at its time', async () => {
      const { before, changed } = await runNow('reminder 20');
      expect(changed).toEqual({ event_id: before?.id, former_time: before?.time });
      expect((await undo(changed)).unchanged).toEqual([]);
      expect((await search({ text: before?.id })).events[0]).toEqual(before);
    });

    test('makes a waiting retry due at its former time', async () => {
      const [event] = (await search({ text: 'reminder 21', limit: 1 })).events;
      const retry = '2126-02-01T00:00:00Z';
      const text = 'update joinery.scheduled_events set tries = 2, next_retry_at = $2 where id = $1';
      await db.database.query({ text, values: [event?.id ?? '', retry] });
      const { changed } = await runNow('reminder 21');
      await undo(changed);
      expect((await search({ text: event?.id })).events[0]).toMatchObject({ tries: 2, next_retry_at: retry });
    });

    test.each([
      ['is being called', 'reminder 22', 'lease = 7'],
      ['was called', 'reminder 23', "tries = 1, next_retry_at = joinery.event_now() + interval '10 s'"],
    ])('leaves an event that %s since', async (_what, text, set) => {
      const { before, changed } = await runNow(text);
      await db.database.query({
        text: `update joinery.scheduled_events set ${set} where id = $1`,
        values: [before?.id ?? ''],
      });
      expect((await undo(changed)).unchanged).toEqual([
        { event_id: before?.id, reason: 'the event has been called or changed since' },
      ]);
    });
  });

  test('requires a time to reschedule', async () => {
    const events = [{ event_id: '00000000-0000-0000-0000-000000000000' }];
    expect(await core.rejection('change_events', { action: 'reschedule', events })).toMatchObject({
      path: '$.args.schedule_at',
    });
  });
});
