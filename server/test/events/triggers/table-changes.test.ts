/** Changes of captured tables behind the service's back, kinds of tables, roles, and replication. */
import { afterEach, describe, expect, test } from 'vitest';
import { readCapturedTable } from '../../../src/events/capture/captured-table.ts';
import { sql } from '../../../src/postgres/sql/sql.ts';
import { presentTriggers } from '../../support/events/present-triggers.ts';
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

const named = {
  insert: { payload: ['id', 'a'], when: sql`n."a" > 0` },
  update: { payload: ['id', 'a'], listened: ['a'], when: sql`n."a" > 0` },
  delete: { payload: ['id', 'a'], when: sql`o."a" > 0` },
};

describe('a write after a change of the table', () => {
  test.each([
    ['that drops a named column', 'alter table t drop column a', ['id']],
    ['that renames a named column', 'alter table t rename column a to renamed', ['id']],
    ['that changes the type of a named column', `alter table t alter column a type text`, ['id', 'a']],
    [
      'that replaces a column by one of another type',
      'alter table t drop column a; alter table t add column a json',
      ['id'],
    ],
    ['that drops the column of the ordering key', 'alter table t drop column k', ['id', 'a']],
  ])('%s succeeds, and captures whole rows of every change', async (_change, statement, kept) => {
    for (const level of ['statement', 'row'] as const) {
      const s = await scene('create table t (id int, a int default 5, k int, other text)');
      await s.capture({ table: 't', operations: named, orderingKey: ['k'], level });
      await s.run(`insert into t values (1, 1, 1, 'x')`);
      await s.claimAll();
      await s.run(statement);
      await s.run(`insert into t (id, other) values (2, 'y'), (3, 'z')`);
      await s.run(`update t set other = 'changed' where id > 1`);
      await s.run('delete from t where id > 1');
      const captured = 'select op, coalesce(new, old) from joinery.trigger_1_s1 where seq > 1 order by seq';
      const rows = (await s.database.query({ text: captured, values: [] })).rows;
      expect(rows.map(([op]) => op)).toEqual(['I', 'I', 'U', 'U', 'D', 'D']);
      for (const [, row] of rows)
        expect(Object.keys(JSON.parse(row ?? ''))).toEqual(expect.arrayContaining([...kept, 'other']));
      const events = await s.claimAll();
      expect(events.length).toBeGreaterThan(0);
      expect(events.every(({ outdated }) => outdated === 't')).toBe(true);
      expect(await presentTriggers(s.database.query)).toMatchObject([{ isOutdated: true }]);
      // The functions are printed for the table as it is.
      await s.capture({ table: 't', number: 1, level, operations: { insert: { payload: ['id'] } } });
      expect(await presentTriggers(s.database.query)).toMatchObject([{ isOutdated: false }]);
    }
  });

  test('that adds a column, or one under the name of a dropped one of the same type, is captured as before', async () => {
    const s = await scene('create table t (id int, a int)');
    await s.capture({ table: 't', operations: named });
    await s.run(
      `alter table t add column b int default 5; alter table t drop column a; alter table t add column a int`,
    );
    await s.run('insert into t (id, a) values (1, 1), (2, 0)');
    expect((await s.claimAll()).map(change)).toEqual([['INSERT', null, { id: 1, a: 1 }]]);
  });

  test('whose trigger names no column captures the columns that the table has', async () => {
    const s = await scene('create table t (id int, a int)');
    await s.capture({ table: 't' });
    await s.run('insert into t values (1, 1)');
    await s.run(
      `alter table t drop column a; alter table t add column b text default 'x'; alter table t rename column id to key`,
    );
    await s.run(
      'insert into t values (2); update t set key = key + 10; alter table t rename to renamed; delete from renamed where key = 12',
    );
    expect((await s.claimAll()).map(change)).toEqual([
      ['INSERT', null, { id: 1, a: 1 }],
      ['INSERT', null, { key: 2, b: 'x' }],
      ['UPDATE', { key: 1, b: 'x' }, { key: 11, b: 'x' }],
      ['UPDATE', { key: 2, b: 'x' }, { key: 12, b: 'x' }],
      ['DELETE', { key: 12, b: 'x' }, null],
    ]);
  });

  test.each([['statement' as const], ['row' as const]])(
    'of a trigger without condition succeeds in the session that wrote before, for each %s',
    async (level) => {
      const s = await scene('create table t (id int, a int, k int)');
      const operations = {
        insert: { payload: ['a'] },
        update: { payload: ['a'], listened: ['a'] },
        delete: { payload: ['a'] },
      };
      await s.capture({ table: 't', operations, orderingKey: ['k'], level });
      const change = 'insert into t (id) values (1), (2); update t set id = id + 1; delete from t';
      await s.run(change);
      for (const column of ['k', 'a']) {
        await s.run(`alter table t rename ${column} to renamed_${column}; ${change}`);
        await s.run(`alter table t rename renamed_${column} to ${column}; ${change}`);
        await s.run(`alter table t alter ${column} type json using null; ${change}`);
      }
      await s.run(
        `alter table t drop column a; ${change}; alter table t add column a int; ${change}; alter table t drop column k; ${change}`,
      );
      await s.run('insert into t (id) values (1), (2); update t set a = id; delete from t');
      // Changes of a table without one of the columns are captured whole.
      const captured = await s.column('select op::text from joinery.trigger_1_s1 order by seq');
      expect(captured.slice(-6)).toEqual(['I', 'I', 'U', 'U', 'D', 'D']);
    },
  );

  test('in the same session and transaction succeeds', async () => {
    const s = await scene('create table t (id int, a int)');
    await s.capture({ table: 't', operations: { update: { payload: ['id', 'a'], listened: ['a'] } } });
    await s.run(`insert into t values (1, 1), (2, 2); update t set a = a + 1; begin; update t set a = a + 1; alter table t rename column a to b;
      update t set b = b + 1 where id = 1; alter table t rename column b to a; update t set a = a + 1; commit`);
    const events = (await s.claimAll()).map(change);
    expect(events).toHaveLength(7);
    expect(events).toContainEqual(['UPDATE', { id: 1, b: 3 }, { id: 1, b: 4 }]);
    expect(events).toContainEqual(['UPDATE', { id: 1, a: 4 }, { id: 1, a: 5 }]);
  });
});

describe('a partitioned table', () => {
  const partitioned = `create table t (id int, a int, primary key (id)) partition by range (id);
    create table t_low partition of t for values from (0) to (100);
    create table t_high (a int, junk text, id int not null);
    alter table t_high drop column junk;
    alter table t attach partition t_high for values from (100) to (200)`;

  test('has events of statements on it and on its partitions, of partitions attached later, and of moved rows', async () => {
    const s = await scene(partitioned);
    await s.capture({
      table: 't',
      operations: {
        insert: { payload: ['id', 'a'] },
        update: { payload: ['a'], listened: ['a'] },
        delete: { payload: ['id'] },
      },
    });
    await s.run(
      'insert into t values (1, 1), (101, 2); insert into t_low values (2, 3); insert into t_high (id, a) values (102, 4)',
    );
    await s.run('update t set a = 20 where id = 101; update t_high set a = 40 where id = 102');
    await s.run('create table t_new partition of t for values from (200) to (300); insert into t_new values (201, 5)');
    await s.run('update t set id = 150 where id = 1');
    expect((await s.claimAll()).map(change)).toEqual([
      ['INSERT', null, { id: 1, a: 1 }],
      ['INSERT', null, { id: 101, a: 2 }],
      ['INSERT', null, { id: 2, a: 3 }],
      ['INSERT', null, { id: 102, a: 4 }],
      ['UPDATE', { a: 2 }, { a: 20 }],
      ['UPDATE', { a: 4 }, { a: 40 }],
      ['INSERT', null, { id: 201, a: 5 }],
      ['DELETE', { id: 1 }, null],
      ['INSERT', null, { id: 150, a: 1 }],
    ]);
  });

  test('whose partition is captured has the events of that partition, also by statements on the parent', async () => {
    const s = await scene(partitioned);
    await s.capture({ table: 't_low' });
    await s.run('insert into t values (1, 1), (101, 2); insert into t_low values (2, 3); update t set a = 9');
    expect((await s.claimAll()).map((event) => JSON.parse(event.new ?? '').id)).toEqual([1, 2, 1, 2]);
  });
});

test('a table with children has events of its own rows, like a trigger for each row', async () => {
  const s = await scene('create table t (id int); create table child () inherits (t)');
  await s.capture({ table: 't' });
  await s.run('insert into t values (1); insert into child values (2); update t set id = id + 10');
  expect((await s.claimAll()).map(change)).toEqual([
    ['INSERT', null, { id: 1 }],
    ['UPDATE', { id: 1 }, { id: 11 }],
  ]);
});

test('a role without rights on the schema joinery can write, also with a search path of its own', async () => {
  const s = await scene(`create table t (id int, a int, k text); create schema evil;
    create function evil.row_to_json(anyelement) returns json language sql as $$ select '"evil"'::json $$`);
  await s.capture({ table: 't', operations: { ...named, insert: { payload: ['id', 'a'] } }, orderingKey: ['k'] });
  const role = `writer_${process.pid}_${Date.now()}`;
  await s.run(`create role ${role}; grant all on t to ${role}; grant usage on schema evil to ${role}`);
  await s.run(
    `set role ${role}; set search_path = evil, public; insert into t values (1, 1, 'k'); update t set a = 2; delete from t`,
  );
  await s.run('reset role; reset search_path');
  await s.run(`revoke all on t from ${role}; revoke all on schema evil from ${role}; drop role ${role}`);
  expect(await s.column('select coalesce(new, old) from joinery.trigger_1_s1 order by seq')).toEqual([
    '{"id":1,"a":1}',
    '{"id":1,"a":2}',
    '{"id":1,"a":2}',
  ]);
});

describe('a session of replication', () => {
  const replicated = `set session_replication_role = replica; insert into t values (1, 'k'); update t set k = 'j'; set session_replication_role = origin`;

  test('has no events', async () => {
    const s = await scene('create table t (id int, k text)');
    await s.capture({ table: 't' });
    await s.run(replicated);
    expect(await s.claimAll()).toEqual([]);
  });

  test('has events of triggers that fire on replication, also ordered ones, until that is changed', async () => {
    const s = await scene('create table t (id int, k text)');
    const number = await s.capture({ table: 't', replication: true });
    const ordered = await s.capture({ table: 't', replication: true, orderingKey: ['k'] });
    await s.run(replicated);
    await s.run(`insert into t values (2, 'k')`);
    const events = await s.claimAll();
    const count = (wanted: number): number => events.filter((event) => event.number === String(wanted)).length;
    expect([count(number), count(ordered)]).toEqual([3, 2]);
    await s.capture({ table: 't', number, replication: false });
    await s.capture({ table: 't', number: ordered, replication: false, orderingKey: ['k'] });
    await s.run(replicated);
    expect(await s.claimAll()).toEqual([]);
  });
});

test('present triggers are read with their hash and the present name of their table', async () => {
  const s = await scene(
    'create table t (id int); create table u (id int) partition by list (id); create table p partition of u default',
  );
  const first = { table: 't', operations: { insert: { payload: '*' }, delete: { payload: '*' } } } as const;
  const number = await s.capture(first);
  await s.capture({ table: 'u', replication: true, operations: { update: { payload: '*' } } });
  const before = await presentTriggers(s.database.query);
  const schema = 'public';
  const table = { schema, name: 't' };
  expect(before).toMatchObject([
    {
      ...{ number, name: 'trigger 1', table, isOutdated: false, isPaused: false },
      captures: [
        { operation: 'delete', schema, table: 't', enabled: 'O' },
        { operation: 'insert', schema, table: 't', enabled: 'O' },
      ],
    },
    { captures: [{ operation: 'update', schema, table: 'u', enabled: 'A' }] },
  ]);
  await s.capture({ ...first, number });
  expect(await presentTriggers(s.database.query)).toEqual(before);
  await s.capture({ ...first, number, operations: { insert: { payload: ['id'] }, delete: { payload: '*' } } });
  expect((await presentTriggers(s.database.query))[0]?.hash).not.toBe(before[0]?.hash);
  await s.run('alter table t rename to renamed; drop table u');
  expect(await presentTriggers(s.database.query)).toMatchObject([
    { table, captures: [{ table: 'renamed' }, { table: 'renamed' }] },
    { captures: [] },
  ]);
});

test('virtual generated columns are null in events, and are known as such', async () => {
  const s = await scene('create table t (id int)');
  const [version] = await s.column(`select current_setting('server_version_num')`);
  const hasVirtual = Number(version) >= 180_000;
  await s.run(`alter table t add column v int generated always as (id * 2) ${hasVirtual ? 'virtual' : 'stored'}`);
  const found = await readCapturedTable(s.database.query, { schema: 'public', name: 't' });
  expect(found?.virtual).toEqual(hasVirtual ? ['v'] : []);
  await s.capture({ table: 't' });
  await s.run('insert into t values (1); update t set id = 2');
  expect((await s.claimAll()).map((event) => JSON.parse(event.new ?? ''))).toEqual([
    { id: 1, v: hasVirtual ? null : 2 },
    { id: 2, v: hasVirtual ? null : 4 },
  ]);
});

test('a table with captured columns of types without equality can be updated', async () => {
  const s = await scene('create table t (id int, j json, x xml, p point)');
  await s.capture({
    table: 't',
    orderingKey: ['id'],
    operations: { update: { payload: '*', listened: ['j', 'x', 'p'] } },
  });
  await s.run(
    `insert into t values (1, '{}', '<a/>', '(1,1)'); update t set id = 2; update t set p = '(2,2)'; update t set j = '[]'`,
  );
  expect(await s.column('select new from joinery.trigger_1_s1 order by seq')).toHaveLength(2);
});
