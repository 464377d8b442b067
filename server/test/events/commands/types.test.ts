/** The argument `type` of commands that name an event or a cron trigger: events of the other type do not match. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { column } from '../../support/events/delivery-node.ts';
import {
  deleteScheduledEvent,
  getScheduledEventInvocations,
  getScheduledEvents,
} from '../../support/events/event-commands.ts';

const oneOff = '00000000-0000-4000-8000-000000000001';
const cron = '00000000-0000-4000-8000-000000000002';
const pendingCron = '00000000-0000-4000-8000-000000000003';

let db: TestDatabase;
beforeEach(async () => {
  db = await testDatabase({
    migrated: true,
    sql: `
      insert into joinery.processed_events (id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds,
          timeout_seconds, tolerance_seconds, created_at, tries, status, trigger_name)
        select id::uuid, 'https://a', now(), '1', '[]', 0, 10, 60, 100, now(), 1, 'delivered', trigger_name
        from (values ('${oneOff}', null), ('${cron}', 'nightly')) as done (id, trigger_name);
      insert into joinery.event_invocations (event_id, attempt, agent, started_at, duration_ms, status, response)
        select id, 1, 'joinery/1.0', now(), 12, 200, '{}' from joinery.processed_events;
      insert into joinery.event_keys values ('done', '${oneOff}', '');
      insert into joinery.scheduled_events (id, webhook, schedule_at, payload, trigger_name)
        values ('${pendingCron}', 'https://a', '2126-01-01Z', '1', 'nightly');`,
  });
});
afterEach(() => db.drop());

const types = { one_off: [oneOff], cron: [cron, pendingCron] } as const;
const other = { one_off: 'cron', cron: 'one_off' } as const;

const count = (table: string) => column(db.database, `select count(*) from joinery.${table}`);

describe.each(['one_off', 'cron'] as const)('an event of the type %s', (type) => {
  test('is deleted with its log and key by delete_scheduled_event with this type only', async () => {
    const rest = async () =>
      Promise.all(['processed_events', 'scheduled_events', 'event_invocations', 'event_keys'].map(count));
    const before = await rest();
    for (const event_id of types[type]) {
      expect(await deleteScheduledEvent(db.database.query, { type: other[type], event_id })).toEqual({
        message: 'success',
      });
    }
    expect(await rest()).toEqual(before);
    for (const event_id of types[type]) await deleteScheduledEvent(db.database.query, { type, event_id });
    expect(await rest()).toEqual(type === 'one_off' ? [['1'], ['1'], ['1'], ['0']] : [['1'], ['0'], ['1'], ['1']]);
  });

  test('has its calls listed by get_scheduled_event_invocations with this type only', async () => {
    const calls = async (given: string) =>
      (
        await getScheduledEventInvocations(db.database.query, {
          type: given,
          event_id: types[type][0],
          get_rows_count: true,
        })
      ).count;
    expect([await calls(type), await calls(other[type])]).toEqual([1, 0]);
  });
});

test.each(['nightly', 'weekly'])(
  'no one-off event and no call of one has the trigger name "%s"',
  async (trigger_name) => {
    const args = { type: 'one_off', trigger_name, get_rows_count: true };
    expect(await getScheduledEvents(db.database.query, args)).toEqual({ count: 0, events: [] });
    expect(await getScheduledEventInvocations(db.database.query, args)).toEqual({ count: 0, invocations: [] });
  },
);
