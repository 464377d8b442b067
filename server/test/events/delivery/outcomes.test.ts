/** The statement that writes the outcomes of calls: what it writes for each batch, and what it skips. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { takeLease } from '../../../src/events/leases/leases.ts';
import type { Query } from '../../../src/postgres/client/statement-run.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { column } from '../../support/events/delivery-node.ts';

let db: TestDatabase;
let lease: string;

beforeEach(async () => {
  db = await testDatabase({ migrated: true });
  lease = await takeLease(db.database.query, 'test', 60_000);
});
afterEach(() => db.drop());

/** Inserts events that are claimed under the lease. Returns their ids. */
const claimedEvents = (count: number, columns = '', values = ''): Promise<string[]> =>
  column(
    db.database,
    `insert into joinery.scheduled_events (webhook, schedule_at, lease ${columns})
     select 'http://x', now(), $1 ${values} from generate_series(1, $2::integer) returning id`,
    [lease, count],
  );

interface Ending {
  readonly status?: string;
  readonly retry_ms?: number;
  readonly keep?: boolean;
  readonly attempt?: number;
  readonly lease?: string;
  readonly unlogged?: boolean;
}

const delivered: Ending = { status: 'delivered' };
const outcome = (id: string | undefined, ending: Ending): object => ({
  ...{ id, lease, attempt: 1, started_ms: 0, duration_ms: 1, code: 200, response: { ok: true } },
  ...ending,
});

/** Returns the ids of lost claims. */
async function write(outcomes: readonly object[], query: Query = db.database.query): Promise<(string | null)[]> {
  const { rows } = await query({
    text: 'select joinery.settle_events($1, $2)',
    values: [JSON.stringify(outcomes), 'joinery/test'],
  });
  return rows.map(([id]) => id ?? null);
}

const processed = (): Promise<string[]> =>
  column(db.database, `select status || ' ' || tries from joinery.processed_events order by status`);
const logged = (): Promise<string[]> =>
  column(db.database, `select attempt || ' ' || agent from joinery.event_invocations order by attempt`);
const pending = (): Promise<string[]> =>
  column(db.database, 'select tries from joinery.scheduled_events order by tries');

/** Returns the inserted, updated and deleted rows of each table that `work` changes. */
async function rowsChanged(query: Query, work: () => Promise<unknown>): Promise<Record<string, number[]>> {
  const read = async (): Promise<Map<string, number[]>> => {
    // The counts include earlier transactions of the connection.
    const { rows } = await query({
      text: `select regexp_replace(relname, '_\\d{8}$', ''), n_tup_ins, n_tup_upd, n_tup_del from pg_stat_xact_user_tables
        where schemaname = 'joinery' and n_tup_ins + n_tup_upd + n_tup_del > 0`,
      values: [],
    });
    return new Map(rows.map(([table, ...counts]) => [table ?? '', counts.map(Number)]));
  };
  const before = await read();
  await work();
  const changed = [...(await read())].map(([table, counts]) => {
    return [table, counts.map((count, index) => count - (before.get(table)?.[index] ?? 0))] as const;
  });
  return Object.fromEntries(changed.filter(([, counts]) => counts.some((count) => count > 0)));
}

test('a batch of ended events changes three rows for each event and updates none', async () => {
  const ids = await claimedEvents(40);
  const outcomes = ids.map((id) => outcome(id, delivered));
  const changed = await db.database.transaction((query) => rowsChanged(query, () => write(outcomes, query)));
  expect(changed).toEqual({
    scheduled_events: [0, 0, 40],
    processed_events: [40, 0, 0],
    event_invocations: [40, 0, 0],
  });
});

test('each ending is stored, and an event that was not called keeps the number of its calls', async () => {
  const [one, two, three] = await claimedEvents(3);
  await write([
    outcome(one, delivered),
    outcome(two, { status: 'error', unlogged: true }),
    outcome(three, { status: 'dead' }),
  ]);
  expect(await processed()).toEqual(['dead 0', 'delivered 1', 'error 1']);
  expect(await logged()).toEqual(['1 joinery/test', '1 joinery/test']);
  expect(await pending()).toEqual([]);
});

test('retries and ended events of one batch are both stored', async () => {
  const [one, two] = await claimedEvents(2);
  expect(await write([outcome(one, delivered), outcome(two, { retry_ms: 0, keep: true })])).toEqual([]);
  expect(await processed()).toEqual(['delivered 1']);
  expect(await pending()).toEqual(['1']);
  expect(await logged()).toHaveLength(2);
});

test.each<[string, Ending]>([
  ['of another lease', { ...delivered, lease: '4711' }],
  ['of another attempt', { ...delivered, attempt: 2 }],
])('an outcome %s is returned and not written, and the others of its batch are', async (_what, lost) => {
  const [one, two] = await claimedEvents(2);
  expect(await write([outcome(one, lost), outcome(two, delivered)])).toEqual([one]);
  expect(await processed()).toEqual(['delivered 1']);
  expect(await logged()).toEqual(['1 joinery/test']);
  expect(await pending()).toEqual(['0']);
});

test('an outcome that is written again is returned, and nothing is written twice', async () => {
  const [one] = await claimedEvents(1);
  expect(await write([outcome(one, delivered)])).toEqual([]);
  expect(await write([outcome(one, delivered)])).toEqual([one]);
  expect(await processed()).toEqual(['delivered 1']);
  expect(await logged()).toHaveLength(1);
});

test('an event with the id of a processed event ends, and so do the others of its batch', async () => {
  const ids = await claimedEvents(3);
  await write(ids.slice(0, 1).map((id) => outcome(id, delivered)));
  await column(
    db.database,
    `insert into joinery.scheduled_events (id, webhook, schedule_at, lease) values ($1, 'http://x', now(), $2)`,
    [ids[0], lease],
  );
  expect(await write(ids.map((id) => outcome(id, { status: 'error' })))).toEqual([]);
  expect(await processed()).toEqual(['delivered 1', 'error 1', 'error 1']);
  expect(await logged()).toHaveLength(4);
  expect(await pending()).toEqual([]);
});

test('a response that contains the name of a member of outcomes is stored unchanged', async () => {
  const [one] = await claimedEvents(1);
  const response = { body: '{"retry_ms":1}', retry_ms: 1 };
  expect(await write([{ ...outcome(one, delivered), response }])).toEqual([]);
  expect(await processed()).toEqual(['delivered 1']);
  const stored = 'select response::jsonb from joinery.event_invocations';
  expect(JSON.parse((await column(db.database, stored))[0] ?? '')).toEqual(response);
});

test('the end of an event releases the next one with its ordering key', async () => {
  const [first] = await claimedEvents(1, ', ordering_key', ", 'k'");
  await column(
    db.database,
    `insert into joinery.scheduled_events (webhook, schedule_at, ordering_key, lease)
     values ('http://x', now() + interval '1 s', 'k', 0)`,
  );
  await write([outcome(first, delivered)]);
  expect(await column(db.database, 'select count(*) from joinery.scheduled_events where lease is null')).toEqual(['1']);
});
