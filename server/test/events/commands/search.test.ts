/** Search for events and invocations: filters, consecutive pages, counts, and the number of rows that are read. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Query, QueryRun } from '../../../src/postgres/client/statement-run.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { getScheduledEventInvocations, getScheduledEvents } from '../../support/events/event-commands.ts';
import { rejection } from '../../support/service/rejection.ts';

let db: TestDatabase;
let query: Query;

/** Inserts 3,000 unclaimed events, 100 that wait for a retry, 50 claimed and 1,000 processed ones; some have the same time. */
const sampleEvents = `
  insert into joinery.event_leases (node, expires_at) values ('test', now() + interval '1 hour');
  insert into joinery.scheduled_events (webhook, schedule_at, payload, comment, ordering_key)
    select 'https://h' || n % 5 || '.example/x', '2126-01-01Z'::timestamptz + n / 3 * interval '1 min',
      json_build_object('n', n, 'tags', json_build_array('t' || n % 7)), case when n % 10 = 0 then 'Reminder ' || n end,
      case when n % 500 = 0 then 'o' end
    from generate_series(1, 3000) n;
  insert into joinery.scheduled_events (webhook, schedule_at, payload, tries, next_retry_at)
    select 'https://retry.example/x', '2020-01-01Z'::timestamptz + n * interval '1 min', '{}', 1, '2126-06-01Z'
    from generate_series(1, 100) n;
  insert into joinery.scheduled_events (webhook, schedule_at, lease)
    select 'https://claimed.example/x', '2021-01-01Z'::timestamptz + n * interval '1 min', 1 from generate_series(1, 50) n;
  insert into joinery.processed_events (id, webhook, schedule_at, payload, headers, num_retries, retry_interval_seconds,
      timeout_seconds, tolerance_seconds, comment, created_at, tries, status)
    select gen_random_uuid(), 'https://done.example/x', '2022-01-01Z'::timestamptz + n / 2 * interval '1 min',
      '{"odd":"\\u0000"}', '[]', 0, 10, 60, 100, 'c', now(), 1, case when n % 100 = 0 then 'error' else 'delivered' end
    from generate_series(1, 1000) n;
  insert into joinery.event_invocations (event_id, attempt, agent, started_at, duration_ms, status, response, created_at)
    select id, 1, 'a', now(), 1, 200, '{}', '2022-01-01Z' from joinery.processed_events;
  analyze;`;

beforeAll(async () => {
  db = await testDatabase({ migrated: true, sql: sampleEvents });
  query = db.database.query;
});
afterAll(() => db.drop());

interface SearchResult {
  readonly count?: number;
  readonly count_is_estimate?: true;
  readonly next?: string;
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

async function search(args: Record<string, unknown>): Promise<SearchResult> {
  return (await getScheduledEvents(query, { type: 'one_off', ...args })) as unknown as SearchResult;
}

describe('a search for events', () => {
  test.each([
    ['by status', { status: ['error'] }, 10],
    ['by several statuses', { status: ['error', 'in_flight'] }, 60],
    ['for status scheduled', { status: ['scheduled'] }, 3_100],
    ['with a lower limit of the time', { from: '2126-01-01T16:30:00Z' }, 31],
    [
      'with an inclusive lower and an exclusive upper limit of the time',
      { from: '2022-01-01T00:00:00Z', until: '2022-01-01T00:02:00Z' },
      3,
    ],
    ['by destination', { destination: 'https://h3.example' }, 600],
    ['by destination with a trailing slash', { destination: 'https://done.example/' }, 1_000],
    ['by part of the comment, ignoring case', { comment: 'reminder 10' }, 12],
    ['by contained payload', { payload_contains: { tags: ['t3'] } }, 429],
    ['by payload and destination', { payload_contains: { tags: ['t3'] }, destination: 'https://h0.example' }, 86],
    ['by an unknown key', { key: 'unknown' }, 0],
    ['by a comment with pattern characters', { comment: '%' }, 0],
  ])('%s returns and counts the matching events', async (_how, args, expected) => {
    const { events, count } = await search({ ...args, get_rows_count: true });
    expect(count).toBe(expected);
    expect(events).toHaveLength(expected);
  });

  test.each([
    [{ from: 'yesterday' }, '$.args.from'],
    [{ status: ['waiting'] }, '$.args.status[0]'],
    [{ after: 'nonsense' }, '$.args.after'],
    [{ get_rows_count: 'guess' }, '$.args.get_rows_count'],
    [{ color: 'red' }, '$.args.color'],
  ])('rejects %j', async (args, path) => {
    expect(await rejection(search(args))).toMatchObject({ code: 'parse-failed', path });
  });

  test('by payload skips payloads that jsonb cannot represent', async () => {
    expect((await search({ payload_contains: { odd: 'x' } })).events).toEqual([]);
  });
});

describe('pages', () => {
  test.each(['asc', 'desc'])('in order %s contain each event once', async (type) => {
    const order_by = { column: 'scheduled_time', type };
    const all = (await search({ order_by })).events.map((event) => event.id);
    expect(all).toHaveLength(4_150);
    const paged: unknown[] = [];
    let after: string | undefined;
    do {
      const page = await search({ order_by, limit: 97, after });
      paged.push(...page.events.map((event) => event.id));
      after = page.next;
    } while (after !== undefined);
    expect(paged).toEqual(all);
  });

  test('in another order than by time have no cursor and accept none', async () => {
    const page = await search({ order_by: { column: 'created_at' }, limit: 2 });
    expect(page.next).toBeUndefined();
    const { next } = await search({ limit: 2 });
    expect(await rejection(search({ order_by: { column: 'created_at' }, after: next }))).toMatchObject({
      path: '$.args.after',
    });
  });

  test('of invocations contain each invocation once, also if all have the same time', async () => {
    const seen: unknown[] = [];
    let after: unknown;
    do {
      const page = await getScheduledEventInvocations(query, { type: 'one_off', limit: 130, after });
      seen.push(...(page.invocations as { id: string }[]).map(({ id }) => id));
      after = page.next;
    } while (after !== undefined);
    expect(seen).toHaveLength(1_000);
    expect(new Set(seen).size).toBe(1_000);
  });
});

describe('a search for invocations', () => {
  beforeAll(() =>
    query({
      text: `insert into joinery.event_invocations (event_id, attempt, agent, started_at, duration_ms, status, response, created_at)
        select e.id, 2, 'a', now(), 1, s.status, json_build_object('body', s.body), '2023-01-01Z'::timestamptz + s.n * interval '1 min'
        from (select id from joinery.scheduled_events where webhook like 'https://h3.%' and (payload ->> 'n')::int = 3) e,
          (values (1, 503, 'Out of order'), (2, 500, 'broken'), (3, null, 'reset'), (4, 404, 'no')) s (n, status, body)`,
      values: [],
    }),
  );
  const calls = async (args: Record<string, unknown>) => {
    const result = await getScheduledEventInvocations(query, { type: 'one_off', get_rows_count: true, ...args });
    return result as unknown as { count: number; invocations: readonly { readonly status: number | null }[] };
  };

  test.each([
    ['by a class of statuses', { status: ['5xx'] }, 2],
    ['by several classes', { status: ['4xx', 'none'] }, 2],
    ['by a status', { status: [503] }, 1],
    ['for successful calls', { status: ['2xx'] }, 1_000],
    ['for any status', { status: [] }, 1_004],
    ['with a lower limit of the time', { from: '2023-01-01T00:02:00Z' }, 3],
    ['with an upper limit of the time', { from: '2023-01-01T00:00:00Z', until: '2023-01-01T00:02:00Z' }, 1],
    ['by destination of pending events', { destination: 'https://h3.example/' }, 4],
    ['by destination of processed events', { destination: 'https://done.example' }, 1_000],
    ['by text of the response, ignoring case', { text: 'out of ORDER' }, 1],
    ['by text of the payload', { text: '"tags"' }, 4],
    ['by text and status', { text: '"tags"', status: ['5xx'] }, 2],
  ])('%s returns and counts the matching invocations', async (_how, args, expected) => {
    const { count, invocations } = await calls(args);
    expect([count, invocations.length]).toEqual([expected, expected]);
  });

  test.each([
    [{ status: ['6xx'] }, '$.args.status[0]'],
    [{ status: [700] }, '$.args.status[0]'],
    [{ from: 'yesterday' }, '$.args.from'],
    [{ text: '' }, '$.args.text'],
  ])('rejects %j', async (args, path) => {
    expect(await rejection(calls(args))).toMatchObject({ code: 'parse-failed', path });
  });
});

describe('an estimated count', () => {
  test('of few events is exact', async () => {
    expect(await search({ limit: 0, status: ['error'], get_rows_count: 'estimated' })).toEqual({
      count: 10,
      events: [],
    });
  });

  test('of a search without an index is the estimate of the planner', async () => {
    const { count, count_is_estimate } = await search({ limit: 0, comment: 'x', get_rows_count: 'estimated' });
    expect(count_is_estimate).toBe(true);
    expect(count).toBeGreaterThan(0);
  });
});

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/** Returns the number of rows that the statements of a search read from the tables of events. */
async function rowsRead(args: Record<string, unknown>): Promise<number> {
  const runs: QueryRun[] = [];
  const recording: Query = (run, options) => {
    runs.push(run);
    return query(run, options);
  };
  await getScheduledEvents(recording, { type: 'one_off', ...args });
  let read = 0;
  for (const run of runs) {
    const { rows } = await query({ text: `explain (analyze, format json) ${run.text}`, values: run.values });
    const [{ Plan: plan }] = JSON.parse(rows[0]?.[0] ?? '') as [{ Plan: Plan }];
    read += readBy(plan);
  }
  return read;
}

function readBy(plan: Plan): number {
  const own = /scheduled_events|processed_events/.test(plan['Relation Name'] ?? '')
    ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
    : 0;
  return (plan.Plans ?? []).reduce((sum, child) => sum + readBy(child), own);
}

describe('a page of 20 events', () => {
  test.each([
    ['without filters', {}],
    ['of pending events', { status: ['scheduled', 'locked'] }],
    ['in descending order', { status: ['scheduled'], order_by: { column: 'scheduled_time', type: 'desc' } }],
    ['of failed events', { status: ['error', 'dead'] }],
    ['of a destination', { status: ['scheduled'], destination: 'https://h3.example' }],
    ['from a time', { from: '2126-01-01T08:00:00Z', status: ['scheduled'] }],
    ['of a key', { key: 'unknown' }],
  ])('%s reads fewer than 300 rows', async (_which, args) => {
    // All claimed events and all events that wait for a retry may be read and sorted.
    expect(await rowsRead({ limit: 20, ...args })).toBeLessThan(300);
  });

  test('after a cursor reads fewer than 300 rows', async () => {
    const status = ['scheduled'];
    const { next } = await search({ status, limit: 2_500 });
    expect(await rowsRead({ status, limit: 20, after: next })).toBeLessThan(300);
  });

  test('by payload uses an index on the payload if there is one', async () => {
    await query({
      text: `create index by_payload on joinery.scheduled_events using gin (joinery.event_payload(payload) jsonb_path_ops)`,
      values: [],
    });
    await query({ text: 'analyze joinery.scheduled_events', values: [] });
    const args = { status: ['scheduled'], payload_contains: { n: 2_900 }, limit: 20 };
    expect((await search(args)).events).toHaveLength(1);
    expect(await rowsRead(args)).toBeLessThan(300);
  });
});
