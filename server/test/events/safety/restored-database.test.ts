/** A database that was restored in another cluster, in which the transaction ids of the events have another meaning. */
import { afterEach, describe, expect, test } from 'vitest';
import { type ClaimedRow, type TriggerScene, triggerScene } from '../../support/events/trigger-scene.ts';
import { until } from '../../support/until.ts';

const scenes: TriggerScene[] = [];

afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.drop();
});

async function scene(): Promise<TriggerScene> {
  const created = await triggerScene('create table t (id int primary key, k text)');
  scenes.push(created);
  return created;
}

/** Moves all transaction ids that are stored, as if they had been assigned by another cluster, which is ahead by `by`. */
async function restore(s: TriggerScene, by: number): Promise<void> {
  const moved = (column: string): string => `(${column}::text::bigint + ${by})::text::xid8`;
  const tables = await s.column(
    `select c.relname from pg_class c where c.relnamespace = 'joinery'::regnamespace and c.relkind = 'r'
       and c.relname ~ '^trigger_(\\d+_s\\d+|stamps|work)$'`,
  );
  const snapshot = (column: string): string => `(
    select format('%s:%s:%s', ${moved(`pg_snapshot_xmin(${column})`)}, ${moved(`pg_snapshot_xmax(${column})`)},
      (select string_agg(${moved('x')}::text, ',') from pg_snapshot_xip(${column}) x))::pg_snapshot)`;
  await s.run(`
    ${tables.map((table) => `update joinery.${table} set xid = ${moved('xid')};`).join('\n')}
    update joinery.trigger_batches b set xids = array(select ${moved('x')} from unnest(b.xids) x);
    update joinery.trigger_segments set sealed_before = ${moved('sealed_before')};
    update joinery.trigger_cursors c set seen_before = ${moved('seen_before')}, xid = ${moved('xid')},
      claimed = ${snapshot('c.claimed')}, upto = case when c.upto is not null then ${snapshot('c.upto')} end;
    update joinery.source_leases set expires_at = now() - interval '1 hour';
    update joinery.source_identity set cluster = cluster - 1, server_started = null`);
}

const ids = (events: readonly ClaimedRow[]): number[] =>
  events.map(({ new: row }) => JSON.parse(row ?? '').id).sort((one, other) => one - other);

/** Claims until `count` events are claimed, as nodes do in intervals. */
async function claimed(s: TriggerScene, count: number): Promise<number[]> {
  const lease = await s.lease();
  const all: ClaimedRow[] = [];
  await until(
    `${count} events are claimed`,
    async () => {
      const events = await s.claimAll({ lease });
      all.push(...events);
      // The next events of a key follow their outcomes.
      await s.settle(events);
      return all.length >= count;
    },
    { seconds: 20 },
  );
  return ids(all);
}

describe.each([
  ['ahead', 1_000_000],
  ['behind', -500],
])('a database of a cluster whose transaction ids are %s', (_how, by) => {
  test.each([
    ['', undefined],
    [' of an ordering key', ['k']],
  ])(
    'continues with the events%s that had no outcome, and delivers no other event again',
    async (_key, orderingKey) => {
      const s = await scene();
      const number = await s.capture({ table: 't', orderingKey });
      await s.run(`insert into t select n, 'a' from generate_series(1, 5) n`);
      expect(await claimed(s, 5)).toEqual([1, 2, 3, 4, 5]);
      // A window that is claimed in part, and events that are not claimed.
      await s.run(`insert into t select n, 'b' || n from generate_series(6, 9) n`);
      const first = await s.claim({ most: 2 });
      await s.settle(first);
      await s.run(`insert into t values (10, 'c')`);
      const pending = [6, 7, 8, 9, 10].filter((id) => !ids(first).includes(id));

      await restore(s, by);
      // A client changes the table before a node has connected.
      await s.run(`insert into t values (11, 'c')`);
      expect(await claimed(s, pending.length + 1)).toEqual([...pending, 11]);

      await s.run(`insert into t select n, 'a' from generate_series(12, 14) n`);
      expect(await claimed(s, 3)).toEqual([12, 13, 14]);
      expect(await s.claimAll()).toEqual([]);
      const [numbers] = await s.column(
        'select pg_sequence_last_value(sequence) from joinery.triggers where number = $1',
        [number],
      );
      expect(Number(numbers)).toBeGreaterThan(1_000_000);
    },
  );
});

test('loses no event of a transaction that runs while the database is adopted', async () => {
  const s = await scene();
  await s.capture({ table: 't' });
  await s.run(`insert into t values (1, 'a')`);
  expect(await claimed(s, 1)).toEqual([1]);
  await restore(s, 1_000_000);
  const connection = s.connect();
  await connection.transaction(async (query) => {
    await query({ text: `insert into t values (2, 'a')`, values: [] });
    expect(await s.claimAll()).toEqual([]);
    await s.run(`insert into t values (3, 'a')`);
    expect(await s.claimAll()).toEqual([]);
    await query({ text: `insert into t values (4, 'a')`, values: [] });
  });
  expect(await claimed(s, 3)).toEqual([2, 3, 4]);
});

test('leaves a gap in the numbers of events after a failover, so that no id is used twice', async () => {
  const s = await scene();
  const number = await s.capture({ table: 't' });
  await s.run(`insert into t values (1, 'a')`);
  expect(await claimed(s, 1)).toEqual([1]);
  await s.run(`update joinery.source_identity set timeline = '00000000', server_started = null`);
  await s.run(`insert into t values (2, 'a')`);
  expect(await claimed(s, 1)).toEqual([2]);
  await s.run(`insert into t values (3, 'a')`);
  expect(await claimed(s, 1)).toEqual([3]);
  const seqs = await s.column(`select seq from joinery.trigger_${number}_s1 order by seq`);
  expect(seqs.map(Number)).toEqual([1, 2, 1_000_003]);
});
