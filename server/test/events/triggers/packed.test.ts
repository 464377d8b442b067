/** Statements on many rows, which are stored as arrays until events are made of them. */
import { afterEach, describe, expect, test } from 'vitest';
import { advanceSegments } from '../../../src/events/triggers/segments.ts';
import { change, type TriggerScene, triggerScene } from '../../support/events/trigger-scene.ts';

const scenes: TriggerScene[] = [];

afterEach(async () => {
  for (const scene of scenes.splice(0)) await scene.drop();
});

async function scene(text: string): Promise<TriggerScene> {
  const created = await triggerScene(text);
  scenes.push(created);
  return created;
}

/** Returns the numbers of packed statements and of events in the first segment. */
async function stored(s: TriggerScene): Promise<readonly (string | null)[]> {
  return s.column(
    `select count(*) from joinery.trigger_1_s1_packed union all select count(*) from joinery.trigger_1_s1`,
  );
}

const types: Readonly<Record<string, string>> = {
  flag: `boolean default true`,
  code: `"char" default 'x'`,
  fixed: `char(5) default 'ab'`,
  short: `varchar(5) default 'cd'`,
  price: `numeric(10, 2) default 1.50`,
  ratio: `float8 default 0.1`,
  big: `bigint default 9007199254740993`,
  bits: `bit(3) default '101'`,
  body: `bytea default '\\xdeadbeef'`,
  at: `timestamptz default '2026-01-02 03:04:05+00'`,
  period: `interval default '1 day 2 hours'`,
  days: `daterange default '[2026-01-02,2026-02-03)'`,
  document: `json default '{"b":1,  "a":"\\u0000"}'`,
  binary_document: `jsonb default '{"b": 1}'`,
  page: `xml default '<a/>'`,
  place: `point default '(1,2)'`,
  feeling: `mood default 'sad'`,
  feelings: `mood[] default '{sad,happy}'`,
  lists: `int[] default '{{1,2},{3,4}}'`,
  dates: `timestamptz[] default '{2026-01-02 03:04:05+00,null}'`,
  small: `small_number default 7`,
  several: `small_number[] default '{1,2}'`,
  spot: `place default row(1, 'a "b"')`,
  missing: `text`,
  'two "words"': `text default 'ä'`,
};

describe('a statement on many rows', () => {
  test('has the events of statements on one row, whatever the types and the settings of the session', async () => {
    const columns = Object.entries(types).map(([name, type]) => `"${name.replaceAll('"', '""')}" ${type}`);
    const s =
      await scene(`create type mood as enum ('sad', 'happy'); create domain small_number as int check (value < 1000000);
      create type place as (x int, label text); create table t (id int, dropped int, ${columns.join()});
      alter table t drop column dropped`);
    const all = ['*', ['two "words"', 'at', 'id']] as const;
    for (const payload of all) {
      const operations = {
        insert: { payload },
        update: { payload, listened: ['id', 'feelings', 'lists'] },
        delete: { payload },
      };
      await s.capture({ table: 't', operations });
    }
    const settings = `set timezone = 'Asia/Kolkata'; set intervalstyle = 'iso_8601'; set datestyle = 'German'; set bytea_output = 'escape'`;
    const reset = 'reset timezone; reset intervalstyle; reset datestyle; reset bytea_output';
    const changes = ['update t set id = id + 1000', 'delete from t'];
    await s.run(
      `${settings}; insert into t (id) select n from generate_series(1, 150) n; ${changes.join(';')}; ${reset}`,
    );
    expect(await stored(s)).toEqual(['3', '0']);
    const many = await s.claimAll();
    expect(many).toHaveLength(900);
    const single = [
      'insert into t (id) values (7)',
      ...changes.map((statement) => statement.replace('from t', 'from t where id > 0')),
    ];
    await s.run(`${settings}; ${single.join(';')}; ${reset}`);
    expect((await stored(s))[0]).toBe('0');
    const few = await s.claimAll();
    expect(few).toHaveLength(6);
    const print = ({ number, op, old, new: row }: (typeof many)[number]): string => [number, op, old, row].join('\n');
    const printed = many.map(print);
    for (const event of few) expect(printed).toContain(print(event));
    expect(many.every(({ outdated, large }) => outdated === 'f' && large === 'f')).toBe(true);
  });

  test('has events where a listed column is distinct, of the transaction that made the changes', async () => {
    const s = await scene('create table t (id int, a int[], n numeric, other text)');
    const update = { payload: ['id'], listened: ['a', 'n'] };
    await s.capture({ table: 't', operations: { update } });
    await s.run(`insert into t select n, array[n], n, 'x' from generate_series(1, 500) n`);
    await s.run(`update t set other = 'y', n = n * 1.00, a = array[id]`);
    expect(await s.claimAll()).toEqual([]);
    await s.run(`begin; set local "hasura.user" = '{"x-hasura-role":"user"}'; set local "hasura.tracecontext" = '{"trace_id":"1"}';
      update t set n = nullif(n + 1, 6), a = case when id = 7 then null else a end where id % 2 = 1 or id < 0; update t set n = n + case when id > 490 then 1 else 0 end; commit`);
    const events = await s.claimAll();
    expect(events).toHaveLength(260);
    expect(new Set(events.map(({ session, trace }) => `${session} ${trace}`))).toEqual(
      new Set(['{"x-hasura-role":"user"} {"trace_id":"1"}']),
    );
    const ids = events.map((event) => JSON.parse(event.new ?? '').id);
    expect(ids.filter((id) => id % 2 === 0)).toEqual([492, 494, 496, 498, 500]);
    expect(new Set(events.map(({ created_at: at }) => at)).size).toBe(1);
  });

  test('has no events when it is rolled back', async () => {
    const s = await scene('create table t (id int)');
    await s.capture({ table: 't' });
    const insert = 'insert into t select generate_series(1, 300)';
    await s.run(`begin; ${insert}; rollback; begin; savepoint a; ${insert}; rollback to a; commit`);
    expect(await s.claimAll()).toEqual([]);
    await s.run(`begin; savepoint a; ${insert}; release a; commit`);
    expect(await s.claimAll()).toHaveLength(300);
  });

  test('is divided into claims, and its events are claimed once by nodes that claim at the same time', async () => {
    const s = await scene('create table t (id int)');
    await s.capture({ table: 't' });
    await s.run('insert into t select generate_series(1, 2500)');
    expect(await s.claim()).toEqual([]);
    expect(await stored(s)).toEqual(['1', '1000']);
    expect(await s.column('select done from joinery.trigger_1_s1_packed')).toEqual(['1000']);
    const claims = await Promise.all([1, 2, 3].map(() => s.claimAll()));
    const rest = await s.claimAll();
    const ids = [...claims.flat(), ...rest].map((event) => JSON.parse(event.new ?? '').id);
    expect([...ids].sort((one, other) => one - other)).toEqual(Array.from({ length: 2500 }, (_, at) => at + 1));
    expect(await stored(s)).toEqual(['0', '2500']);
  });

  test('of a transaction that stays open is found when it has ended', async () => {
    const s = await scene('create table t (id int)');
    await s.capture({ table: 't' });
    const writer = s.connect();
    await writer.transaction(async (query) => {
      await query({ text: 'insert into t select generate_series(1, 200)', values: [] });
      expect(await s.claimAll()).toEqual([]);
      await s.run('insert into t values (1)');
      expect(await s.claimAll()).toHaveLength(1);
      expect(await s.claimAll()).toEqual([]);
    });
    expect(await s.claimAll()).toHaveLength(200);
  });

  test.each([
    ['adds a column', 'alter table t add column b int default 5', { id: 1, a: 1, b: 5 }],
    ['drops a column', 'alter table t drop column a', { id: 1 }],
    ['renames a column', 'alter table t rename column a to c', { id: 1, c: 1 }],
    ['changes a type', 'alter table t alter column a type text', { id: 1, a: '1' }],
  ])('after a change that %s has the columns of the table', async (_rule, statement, expected) => {
    const s = await scene('create table t (id int, a int)');
    await s.capture({ table: 't' });
    const insert = 'insert into t select n, n from generate_series(1, 200) n';
    await s.run(insert);
    await s.run(`${statement}; ${insert.replace('n, n from', statement.includes('drop') ? 'n from' : 'n, n from')}`);
    const events = (await s.claimAll()).map(change);
    expect(events).toHaveLength(400);
    expect(events).toContainEqual(['INSERT', null, { id: 1, a: 1 }]);
    expect(events).toContainEqual(['INSERT', null, expected]);
  });

  test('does not prevent changes of the types of its columns', async () => {
    const s = await scene(`create type mood as enum ('sad'); create type spot as (x int); create domain small as int;
      create table t (id int, m mood, p spot, s small, l mood[])`);
    await s.capture({ table: 't' });
    await s.run(`insert into t select n, 'sad', row(1)::spot, 2, '{sad}' from generate_series(1, 200) n`);
    await s.run('drop table t; drop type mood; drop type spot; drop domain small');
    const events = (await s.claimAll()).map(change);
    expect(events).toHaveLength(200);
    expect(events[0]).toEqual(['INSERT', null, { id: 1, m: 'sad', p: { x: 1 }, s: 2, l: ['sad'] }]);
  });

  test.each([
    ['with an order', { orderingKey: ['id'] }],
    ['for each row', { level: 'row' }],
  ] as const)('of a trigger %s is stored as events', async (_rule, options) => {
    const s = await scene('create table t (id int)');
    await s.capture({ table: 't', ...options });
    await s.run('insert into t select generate_series(1, 200)');
    expect(await s.column(`select to_regclass('joinery.trigger_1_s1_packed')`)).toEqual([null]);
    expect(await s.column('select count(*) from joinery.trigger_1_s1')).toEqual(['200']);
  });

  test('whose rows are large is stored as events', async () => {
    const s = await scene('create table t (id int, text text)');
    await s.capture({ table: 't' });
    await s.run(`insert into t select n, repeat('x', 100000) from generate_series(1, 101) n; update t set id = id + 1`);
    expect(await stored(s)).toEqual(['0', '202']);
  });
});

test('a paused trigger has events of packed statements', async () => {
  const s = await scene('create table t (id int)');
  await s.capture({ table: 't' });
  await s.run('update joinery.triggers set paused = true; insert into t select generate_series(1, 200)');
  expect(await s.claim()).toEqual([]);
  await advanceSegments(s.database.query, [], 2 ** 40);
  expect(await stored(s)).toEqual(['0', '200']);
});

test('a segment with packed statements is sealed when events have been made of all', async () => {
  const s = await scene('create table t (id int)');
  const number = await s.capture({ table: 't' });
  await s.run('insert into t select generate_series(1, 1500)');
  await s.column('select joinery.open_trigger_segment($1)', [number]);
  await s.run('insert into t values (0)');
  await advanceSegments(s.database.query, [], 2 ** 40);
  await advanceSegments(s.database.query, [], 2 ** 40);
  expect(await s.column('select sealed_before is null from joinery.trigger_segments where segment = 1')).toEqual(['t']);
  const events = await s.claimAll();
  expect(events).toHaveLength(1501);
  await s.settle(events);
  const dropped = async (): Promise<boolean> => {
    await advanceSegments(s.database.query, [], 2 ** 40);
    await s.claim();
    return (await s.column('select joinery.drop_trigger_segment($1, 1)', [number]))[0] === 't';
  };
  await expect.poll(dropped).toBe(true);
  expect(await s.column(`select to_regclass('joinery.trigger_1_s1_packed')`)).toEqual([null]);
});
