/** The commands that list events and invocations: order, filters, pages and counts. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseJson, printJson } from '../../../src/base/json-value.ts';
import { eventStats } from '../../../src/events/commands/stats.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { column } from '../../support/events/delivery-node.ts';
import { getScheduledEventInvocations, getScheduledEvents } from '../../support/events/event-commands.ts';
import { rejection } from '../../support/service/rejection.ts';

const uuid = /^[0-9a-f-]{36}$/;

describe('lists of events and invocations', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase({
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
  afterAll(() => db.drop());

  async function comments(args: Record<string, unknown>): Promise<unknown> {
    const { events } = await getScheduledEvents(db.database.query, { type: 'one_off', ...args });
    return (events as Record<string, unknown>[]).map((event) => event.comment);
  }

  test('get_scheduled_events returns pending and processed events in order of time', async () => {
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
  ])('get_scheduled_events with status %j returns %j', async (status, expected) => {
    expect(await comments({ status })).toEqual(expected);
  });

  test('get_scheduled_events returns a page and the count of all events', async () => {
    const args = { type: 'one_off', limit: 2, offset: 1, get_rows_count: true };
    const { count, events } = await getScheduledEvents(db.database.query, args);
    expect(count).toBe(6);
    expect((events as Record<string, unknown>[]).map((event) => event.comment)).toEqual(['error', 'dead']);
  });

  test('get_scheduled_events orders by known columns and rejects others', async () => {
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
    expect(await rejection(getScheduledEvents(db.database.query, injected))).toMatchObject({
      code: 'parse-failed',
      path: '$.args.order_by[0].column',
    });
  });

  test.each([
    ['no type', {}, '$.args.type'],
    ['another type', { type: 'twice' }, '$.args.type'],
    ['an unknown status', { type: 'one_off', status: ['lost'] }, '$.args.status[0]'],
    ['a negative limit', { type: 'one_off', limit: -1 }, '$.args.limit'],
  ])('get_scheduled_events rejects %s', async (_what, args, path) => {
    expect(await rejection(getScheduledEvents(db.database.query, args))).toMatchObject({ code: 'parse-failed', path });
  });

  test('get_scheduled_event_invocations returns the calls of an event with their requests, the latest first', async () => {
    const [id] = await column(db.database, `select id from joinery.processed_events where status = 'error'`);
    const args = { type: 'one_off', event_id: id, get_rows_count: true };
    const result = parseJson(printJson(await getScheduledEventInvocations(db.database.query, args))) as {
      count: number;
      invocations: Record<string, unknown>[];
    };
    expect(result.count).toBe(2);
    expect(result.invocations.map((one) => one.attempt)).toEqual([2, 1]);
    expect(result.invocations[0]).toEqual({
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

  test('get_scheduled_event_invocations returns a page of all calls', async () => {
    const args = { type: 'one_off', limit: 3, offset: 2, get_rows_count: true };
    const result = await getScheduledEventInvocations(db.database.query, args);
    expect(result.count).toBe(6);
    const invocations = result.invocations as Record<string, unknown>[];
    expect(invocations.map((one) => one.created_at)).toEqual([
      '2020-01-02T00:00:02Z',
      '2020-01-02T00:00:01Z',
      '2020-01-01T00:00:02Z',
    ]);
  });

  test.each(['no-uuid', '00000000-0000-4000-8000-000000000000'])(
    'get_scheduled_event_invocations returns an empty list for id %s',
    async (event_id) => {
      const args = { type: 'one_off', event_id, get_rows_count: true };
      expect(await getScheduledEventInvocations(db.database.query, args)).toEqual({ count: 0, invocations: [] });
    },
  );

  test('eventStats counts pending, due and in-flight events for the metrics', async () => {
    const stats = await eventStats(db.database.query);
    expect(stats).toMatchObject({ pending: 3, due: 0, inFlight: 1 });
    expect(stats.oldestDueSeconds).toBeGreaterThan(86_400);
  });
});
