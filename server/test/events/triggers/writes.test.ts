/** Writes on captured tables: changes of the schema, kinds of statements, transactions and roles. */
import { afterEach, describe, expect, test } from 'vitest';
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
  insert: { payload: ['id', 'a'] },
  update: { payload: ['id', 'a'], listened: ['a'] },
  delete: { payload: ['id', 'a'] },
};

describe('writes succeed and are captured after', () => {
  test.each<[string, string, string, readonly unknown[]]>([
    [
      'the schema of the table is renamed',
      'alter schema shop rename to store',
      'insert into store.t values (1, 1); update store.t set a = 2',
      [
        ['INSERT', null, { id: 1, a: 1 }],
        ['UPDATE', { id: 1, a: 1 }, { id: 1, a: 2 }],
      ],
    ],
    [
      'the table is renamed and moved to another schema',
      'alter table shop.t rename to moved; alter table shop.moved set schema public',
      'insert into moved values (1, 1); delete from moved',
      [
        ['INSERT', null, { id: 1, a: 1 }],
        ['DELETE', { id: 1, a: 1 }, null],
      ],
    ],
    [
      'the primary key is changed',
      'alter table shop.t drop constraint t_pkey; alter table shop.t add primary key (a)',
      'insert into shop.t values (1, 1); update shop.t set id = 5, a = 6',
      [
        ['INSERT', null, { id: 1, a: 1 }],
        ['UPDATE', { id: 1, a: 1 }, { id: 5, a: 6 }],
      ],
    ],
    [
      'a column becomes an identity column',
      'alter table shop.t alter id add generated always as identity (start with 7)',
      'insert into shop.t (a) values (1)',
      [['INSERT', null, { id: 7, a: 1 }]],
    ],
    [
      'a column is replaced by a generated one',
      'alter table shop.t drop column a; alter table shop.t add column a int generated always as (id * 2) stored',
      'insert into shop.t (id) values (3); update shop.t set id = 4',
      [
        ['INSERT', null, { id: 3, a: 6 }],
        ['UPDATE', { id: 3, a: 6 }, { id: 4, a: 8 }],
      ],
    ],
    [
      'an index and a check are added',
      'create unique index on shop.t (a); alter table shop.t add check (a < 100)',
      'insert into shop.t values (1, 1) on conflict (a) do update set a = 2; insert into shop.t values (2, 1) on conflict (a) do update set a = 2',
      [
        ['INSERT', null, { id: 1, a: 1 }],
        ['UPDATE', { id: 1, a: 1 }, { id: 1, a: 2 }],
      ],
    ],
    [
      'the rows are rewritten',
      'insert into shop.t values (1, 1); cluster shop.t using t_pkey; alter table shop.t set unlogged; truncate shop.t',
      'insert into shop.t values (2, 2)',
      [
        ['INSERT', null, { id: 1, a: 1 }],
        ['INSERT', null, { id: 2, a: 2 }],
      ],
    ],
    [
      'the table is dropped and created again, without events',
      'drop table shop.t; create table shop.t (id int primary key, a int)',
      'insert into shop.t values (1, 1)',
      [],
    ],
  ])('%s', async (_rule, alteration, writes, expected) => {
    const s = await scene('create schema shop; create table shop.t (id int primary key, a int)');
    await s.capture({ schema: 'shop', table: 't', operations: named });
    await s.run(alteration);
    await s.run(writes);
    expect((await s.claimAll()).map(change)).toEqual(expected);
  });

  test('a value is added to the type of a column, which is listed by a condition of many rows', async () => {
    const s = await scene(`create type mood as enum ('sad'); create table t (id int, m mood)`);
    await s.capture({ table: 't', operations: { update: { payload: ['m'], listened: ['m'] } } });
    await s.run(`insert into t select n, 'sad' from generate_series(1, 150) n`);
    await s.run(`alter type mood add value 'happy'; alter type mood rename value 'sad' to 'blue'`);
    await s.run(`update t set m = 'happy' where id = 1; update t set m = 'happy'`);
    const events = (await s.claimAll()).map(change);
    expect(events).toHaveLength(150);
    expect(new Set(events.map((event) => JSON.stringify(event)))).toEqual(
      new Set(['["UPDATE",{"m":"blue"},{"m":"happy"}]']),
    );
  });

  test('a partition is detached, which has no events from then on', async () => {
    const s = await scene(`create table t (id int, a int) partition by range (id);
      create table low partition of t for values from (0) to (100); create table high partition of t for values from (100) to (200)`);
    await s.capture({ table: 't', operations: named });
    await s.run('insert into t values (1, 1), (101, 1); alter table t detach partition high');
    await s.run('insert into high values (102, 2); update high set a = 3; insert into t values (2, 2)');
    await s.run('alter table t attach partition high for values from (100) to (200); delete from t where id = 102');
    expect((await s.claimAll()).map(change)).toEqual([
      ['INSERT', null, { id: 1, a: 1 }],
      ['INSERT', null, { id: 101, a: 1 }],
      ['INSERT', null, { id: 2, a: 2 }],
      ['DELETE', { id: 102, a: 3 }, null],
    ]);
  });
});

describe('a statement', () => {
  test('of copy has an event for each row', async () => {
    const s = await scene('create table t (id int, a int)');
    await s.capture({ table: 't', operations: named });
    await s.run(`copy t from program 'printf "1\\t2\\n3\\t\\\\\\\\N\\n"'`);
    await s.run(`copy t (id) from program 'seq 10 300'`);
    const events = (await s.claimAll()).map(change);
    expect(events).toHaveLength(293);
    expect(events).toContainEqual(['INSERT', null, { id: 1, a: 2 }]);
    expect(events).toContainEqual(['INSERT', null, { id: 3, a: null }]);
    expect(events).toContainEqual(['INSERT', null, { id: 300, a: null }]);
  });

  test('through a view with an instead trigger has the events of the table', async () => {
    const s = await scene(`create table t (id int, a int); create view v as select id, a from t;
      create function write() returns trigger language plpgsql as $$ begin insert into t values (new.id, new.a); return new; end $$;
      create trigger write instead of insert on v for each row execute function write()`);
    await s.capture({ table: 't', operations: named });
    await s.run('insert into v values (1, 2); update v set a = 3');
    expect((await s.claimAll()).map(change)).toEqual([
      ['INSERT', null, { id: 1, a: 2 }],
      ['UPDATE', { id: 1, a: 2 }, { id: 1, a: 3 }],
    ]);
  });

  test('of a trigger of the user that writes the same table has the events of both', async () => {
    const s = await scene(`create table t (id int, a int);
      create function again() returns trigger language plpgsql as $$ begin
        if (select max(id) from t) < 3 then insert into t select max(id) + 1, 0 from t; end if; return null; end $$;
      create trigger again after insert on t for each statement execute function again()`);
    await s.capture({ table: 't', operations: named });
    await s.run('insert into t values (1, 1)');
    expect((await s.claimAll()).map((event) => JSON.parse(event.new ?? '').id).sort()).toEqual([1, 2, 3]);
  });

  test('on a table with row level security has the events of the rows that it changed', async () => {
    const s = await scene(`create table t (id int, a int); insert into t values (1, 1), (2, 2);
      alter table t enable row level security; alter table t force row level security;
      create policy own on t using (id = 1) with check (id = 1)`);
    await s.capture({ table: 't', operations: named });
    const role = `limited_${process.pid}_${Date.now()}`;
    await s.run(
      `create role ${role}; grant all on t to ${role}; set role ${role}; update t set a = a + 10; reset role`,
    );
    await s.run(`revoke all on t from ${role}; drop role ${role}`);
    expect((await s.claimAll()).map(change)).toEqual([['UPDATE', { id: 1, a: 1 }, { id: 1, a: 11 }]]);
  });
});

describe('a transaction', () => {
  test('with subtransactions has the events of those that were not rolled back, in their order', async () => {
    for (const orderingKey of [undefined, ['a']]) {
      const s = await scene('create table t (id int, a int)');
      await s.capture({ table: 't', operations: named, orderingKey });
      await s.run(`do $$ begin
        insert into t values (1, 1);
        begin insert into t values (2, 1); raise exception 'x'; exception when others then insert into t values (3, 1); end;
        begin insert into t values (4, 1); begin insert into t values (5, 1); exception when others then null; end; end;
        begin insert into t select n, n from generate_series(1000, 1200) n; raise exception 'x'; exception when others then null; end;
        update t set a = 2 where id = 5;
      end $$`);
      const ids: unknown[] = [];
      for (let round = 0; round < 10; round += 1) {
        const events = await s.claimAll();
        if (events.length === 0) break;
        ids.push(...events.map((event) => [event.op, JSON.parse(event.new ?? '').id]));
        await s.settle(events);
      }
      expect(ids).toEqual([
        ['INSERT', 1],
        ...(orderingKey === undefined ? [] : [['UPDATE', 5]]),
        ['INSERT', 3],
        ['INSERT', 4],
        ['INSERT', 5],
        ...(orderingKey === undefined ? [['UPDATE', 5]] : []),
      ]);
    }
  });

  test('that is serializable or has deferred constraints has its events', async () => {
    const s = await scene(`create table p (id int primary key); insert into p values (1);
      create table t (id int, a int references p on update cascade deferrable initially deferred)`);
    await s.capture({ table: 't', operations: named, orderingKey: ['id'] });
    await s.run('begin isolation level serializable; insert into t values (1, 2); insert into p values (2); commit');
    await s.run(
      'begin; set constraints all immediate; insert into t values (2, 1); update p set id = 3 where id = 2; commit',
    );
    await s.run('begin isolation level repeatable read; update t set a = 1 where id = 1; commit');
    const events = [...(await s.claimAll())];
    await s.settle(events);
    const next = await s.claimAll();
    await s.settle(next);
    events.push(...next, ...(await s.claimAll()));
    expect(events.map(({ op }) => op).sort()).toEqual(['INSERT', 'INSERT', 'UPDATE', 'UPDATE']);
  });

  test('that is read-only is rejected by PostgreSQL, not by capture', async () => {
    const s = await scene('create table t (id int, a int)');
    await s.capture({ table: 't', operations: named });
    await expect(s.run('begin read only; insert into t values (1, 1)')).rejects.toMatchObject({ code: '25006' });
    await s.run('rollback; begin read only; select * from t; commit');
  });

  test('that is prepared has its events when it is committed, where the server has prepared transactions', async () => {
    const s = await scene('create table t (id int, a int)');
    await s.capture({ table: 't', operations: named });
    await s.capture({ table: 't', operations: named, orderingKey: ['id'] });
    const [most] = await s.column(`select current_setting('max_prepared_transactions')`);
    const name = `joinery_test_${process.pid}`;
    const prepare = `begin; insert into t values (1, 1); insert into t select n, n from generate_series(2, 200) n; prepare transaction '${name}'`;
    if (most === '0') {
      await expect(s.run(prepare)).rejects.toMatchObject({ code: '55000' });
      return;
    }
    await s.run(prepare);
    try {
      expect(await s.claimAll()).toEqual([]);
    } finally {
      // The database cannot be dropped while it has a prepared transaction.
      await s.run(`commit prepared '${name}'`);
    }
    expect(await s.claimAll()).toHaveLength(400);
  });
});

test('operators, functions and tables of the writer do not run in capture', async () => {
  const s = await scene(`create table t (id int, a int, n numeric); create schema evil;
    create function evil.fail(int, int) returns boolean language plpgsql as $$ begin raise exception 'evil'; end $$;
    create operator evil.= (leftarg = int, rightarg = int, function = evil.fail);
    create function evil.count() returns bigint language plpgsql as $$ begin raise exception 'evil'; end $$;
    create function evil.pg_notify(text, text) returns void language plpgsql as $$ begin raise exception 'evil'; end $$;
    create function evil.current_setting(text, boolean) returns text language plpgsql as $$ begin raise exception 'evil'; end $$`);
  await s.capture({ table: 't' });
  await s.capture({ table: 't', operations: named });
  await s.run(`set search_path = evil, pg_temp, public, pg_catalog;
    create temp table joinery_new (id int); create temp table joinery_old (id int); create temp table pg_attribute (attrelid oid);
    insert into t select n, n from pg_catalog.generate_series(1, 200) n; update t set a = 0; insert into t values (0, 1); reset search_path`);
  expect(await s.claimAll()).toHaveLength(2 * 401);
});
