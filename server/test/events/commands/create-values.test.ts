/** The values that create_scheduled_events stores, and its errors at the last of many events. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Query } from '../../../src/postgres/client/statement-run.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { column } from '../../support/events/delivery-node.ts';
import { createScheduledEvent, createScheduledEvents } from '../../support/events/event-commands.ts';
import { rejection } from '../../support/service/rejection.ts';

let db: TestDatabase;
let query: Query;

beforeAll(async () => {
  db = await testDatabase({ migrated: true });
  query = db.database.query;
});
afterAll(() => db.drop());

const minimal = { webhook: 'https://example.com/hook', schedule_at: '2126-09-01T08:00:00Z', payload: { n: 1 } };

async function idsOfMany(events: readonly unknown[]): Promise<readonly string[]> {
  return (await createScheduledEvents(query, { events }, {})).events.map((one) => one.event_id);
}

const count = async () => Number((await column(db.database, 'select count(*) from joinery.scheduled_events'))[0]);

describe('create_scheduled_events', () => {
  test('stores the values of events that are equal in some members and differ in others', async () => {
    const payloads = ['"', '\\', '\n\u0001\u007f', '{,}', 'NULL', '\u{1f600}\ud800', null, { 'a"b\\': ['\\"'] }];
    const columns = 'webhook, payload::text, headers::text, num_retries, comment, ordering_key, delivery::text';
    const variants: Readonly<Record<string, unknown>>[] = [
      {},
      { comment: 'a "comment" \\', ordering_key: 'NULL' },
      { headers: [{ name: 'a', value: '"\\' }], retry_conf: { num_retries: 3 } },
      { webhook: 'https://example.com/other', body: 'payload' },
    ];
    const events = payloads.flatMap((payload) => variants.map((variant) => ({ ...minimal, ...variant, payload })));
    const stored = async (ids: readonly string[]) => {
      const text = `select ${columns} from unnest($1::uuid[]) with ordinality as given (id, place)
        join joinery.scheduled_events using (id) order by place`;
      return (await query({ text, values: [ids] })).rows;
    };
    const alone: string[] = [];
    for (const event of events) alone.push((await createScheduledEvent(query, event, {})).event_id);
    const together = await stored(await idsOfMany(events));
    expect(together).toEqual(await stored(alone));
    expect(together).toHaveLength(events.length);
    const sent = events.map(({ payload }) => JSON.stringify(payload));
    expect(together.map(([, payload]) => payload)).toEqual(sent);
  });

  test('creates no event if the last of ten thousand is invalid, and names its index', async () => {
    const before = await count();
    const valid = Array.from({ length: 9_999 }, () => minimal);
    for (const [change, code, path] of [
      [
        {
          headers: [
            { name: 'a', value: 'b' },
            { name: 'a b', value: 'c' },
          ],
        },
        'parse-failed',
        'headers[1].name',
      ],
      [{ webhook: 'ftp://example.com' }, 'parse-failed', 'webhook'],
      [{ headers: [{ name: 'a', value_from_env: 'GONE' }] }, 'invalid-configuration', 'headers[0].value_from_env'],
      [{ payload: 'x'.repeat(1_048_576) }, 'payload-too-large', 'payload'],
      [{ shedule_at: 1 }, 'parse-failed', 'shedule_at'],
    ] as const) {
      const attempt = idsOfMany([...valid, { ...minimal, ...change }]);
      expect(await rejection(attempt)).toMatchObject({ code, path: `$.args.events[9999].${path}` });
    }
    expect(await count()).toBe(before);
  });
});
