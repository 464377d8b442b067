/** Rows that the statements of delivery read: those of the events that they concern, for any size of the tables. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Query } from '../../../src/postgres/client/statement-run.ts';
import { type ClaimedRow, type TriggerScene, triggerScene } from '../../support/events/trigger-scene.ts';

const delivered = 20_000;
const waiting = 5_000;
let s: TriggerScene;
let ordered: number;
let plain: number;
let retrying: number;
let claimed: readonly ClaimedRow[];

beforeAll(async () => {
  s = await triggerScene('create table t (id int, k int); create table u (id int); create table v (id int)');
  plain = await s.capture({ table: 'u' });
  retrying = await s.capture({ table: 'v' });
  ordered = await s.capture({ table: 't', orderingKey: ['k'] });
  await s.run(`insert into u select generate_series(1, ${delivered})`);
  const old = await s.claimAll({ most: 5000, mostEach: 5000 });
  for (let at = 0; at < old.length; at += 5000) await s.settle(old.slice(at, at + 5000));
  // Many events wait for a retry, many behind one key, and some are claimed.
  await s.run(
    `insert into u select generate_series(1, ${waiting}); insert into t select n, 1 from generate_series(1, ${waiting}) n`,
  );
  const retried = await s.claimAll({ most: 5000, mostEach: 5000 });
  await s.settle(retried, { status: null, retry_ms: Date.now() + 3_600_000 });
  await s.run(`insert into v select generate_series(1, ${waiting})`);
  const due = await s.claimAll({ most: 5000, mostEach: 5000 });
  await s.settle(due.slice(100), { status: null, retry_ms: Date.now() + 3_600_000 });
  await s.settle(due.slice(0, 100), { status: null, retry_ms: Date.now() + 3_600_000 });
  await s.run('insert into u select generate_series(1, 1000)');
  claimed = await s.claimAll();
  expect(claimed).toHaveLength(1000);
  await s.run(`update joinery.trigger_work set due_at = now() where number = ${retrying} and seq <= 101`);
  await s.run('insert into u select generate_series(1, 100); insert into t select n, n from generate_series(2, 101) n');
});
afterAll(() => s.drop());

class RolledBack extends Error {}

const counters = (): string => `with relation as (
    select c.oid from pg_class c
    where c.relnamespace = 'joinery'::regnamespace and c.relkind in ('r', 'i') and c.relname <> 'triggers'
      and c.relname not like 'trigger_batches%' and c.relname not like 'trigger_segments%' and c.relname not like 'source%'
      and c.relname not like 'triggers%'
  )
  select
    (select sum(pg_stat_get_xact_tuples_returned(r.oid)) from relation r),
    (select sum(pg_stat_get_xact_numscans(r.oid)) from relation r join pg_class c on c.oid = r.oid where c.relkind = 'r')`;

/** Counts the rows that the work reads and its sequential scans. Rolls back its changes. */
async function readBy(
  work: (query: Query) => Promise<number>,
): Promise<{ rows: number; scans: number; count: number }> {
  let read = { rows: 0, scans: 0, count: 0 };
  await s.database
    .transaction(async (query) => {
      const [before] = (await query({ text: counters(), values: [] })).rows;
      const count = await work(query);
      const [after] = (await query({ text: counters(), values: [] })).rows;
      read = { rows: Number(after?.[0]) - Number(before?.[0]), scans: Number(after?.[1]) - Number(before?.[1]), count };
      throw new RolledBack();
    })
    .catch((error) => {
      if (!(error instanceof RolledBack)) throw error;
    });
  return read;
}

const keys = (events: readonly ClaimedRow[]): unknown[] => [
  events[0]?.lease,
  events.map(({ number }) => number),
  events.map(({ seq }) => seq),
];
const countOf = async (query: Query, text: string, values: readonly unknown[]): Promise<number> =>
  (await query({ text, values })).rows.length;

for (const statistics of ['no', 'fresh']) {
  test.each<[string, number, number, (query: Query) => Promise<number>]>([
    [
      'a claim of new events',
      100,
      450,
      async (query) => (await s.claim({ query, except: [ordered, retrying] })).length,
    ],
    [
      'a claim of new ordered events',
      100,
      2_000,
      async (query) => (await s.claim({ query, except: [plain, retrying] })).length,
    ],
    [
      'a claim of events that are due',
      100,
      1_500,
      async (query) => (await s.claim({ query, except: [ordered, plain] })).length,
    ],
    [
      'a confirmation',
      100,
      400,
      (query) =>
        countOf(query, 'select * from joinery.confirm_trigger_events($1, $2, $3, $4)', [
          ...keys(claimed.slice(0, 100)),
          claimed.slice(0, 100).map(({ batch }) => batch),
        ]),
    ],
    [
      'a release',
      1,
      1_500,
      (query) => countOf(query, 'select joinery.release_trigger_events($1, $2, $3, true)', keys(claimed.slice(0, 100))),
    ],
    ['a sweep', 1, 100, (query) => countOf(query, 'select joinery.sweep_trigger_events()', [])],
    [
      'a batch of outcomes',
      0,
      1_500,
      async (query) => {
        const outcomes = claimed.slice(0, 100).map(({ number, seq, segment, batch, id, lease }) => ({
          ...{ number, seq, segment, batch, id, lease, attempt: 1, status: 'delivered' },
          ...{ started_ms: 0, duration_ms: 1, code: 200, request: {}, response: {} },
        }));
        return countOf(query, 'select joinery.settle_trigger_events($1, $2)', [JSON.stringify(outcomes), 'test']);
      },
    ],
  ])(
    `with ${statistics} statistics %s has %i results, reads %i rows at most and scans no table`,
    async (_what, results, most, work) => {
      if (statistics === 'fresh') await s.run('analyze');
      const read = await readBy(work);
      expect(read.count).toBe(results);
      expect(read.scans).toBe(0);
      expect(read.rows).toBeLessThanOrEqual(most);
    },
  );
}

test('a claim of new events does not read the pages of the index for events that were claimed before', async () => {
  const index = `'joinery.trigger_${plain}_s1_xid_seq_idx'::regclass`;
  const pages = async (query: Query, text: string): Promise<number> =>
    Number((await query({ text, values: [] })).rows[0]?.[0]);
  const read = `select pg_stat_get_xact_blocks_fetched(${index})`;
  const [all] = await s.column(`select pg_relation_size(${index}) / 8192`);
  expect(Number(all)).toBeGreaterThan(50);
  await s.run('insert into u select generate_series(1, 100)');
  await s.claimAll({ except: [ordered, retrying] });
  await s.run('insert into u select generate_series(1, 100)');
  const fetched = await s.database.transaction(async (query) => {
    const before = await pages(query, read);
    expect(await s.claim({ query, except: [ordered, retrying] })).toHaveLength(100);
    return (await pages(query, read)) - before;
  });
  expect(fetched).toBeLessThan(20);
});
