/** Capture of changes: which events a statement makes, and what they contain. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { silent } from '../../../src/base/telemetry/observe.ts';
import { readCatalog } from '../../../src/postgres/catalog/catalog.ts';
import { listen } from '../../../src/postgres/client/listen.ts';
import { sql } from '../../../src/postgres/sql/sql.ts';
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

const author = 'create table author (id int primary key, name text, age int)';

describe('operations', () => {
  let shared: TriggerScene;
  beforeAll(async () => {
    shared = await triggerScene(`${author};
      create table book (id int primary key, author_id int references author on delete cascade on update cascade)`);
    await shared.capture({ table: 'author' });
    await shared.capture({ table: 'book' });
  });
  afterAll(() => shared.drop());
  afterEach(async () => {
    await shared.run('delete from book; delete from author');
    await shared.claimAll();
  });

  const ann = { id: 1, name: 'Ann', age: 30 };
  test.each<[string, string, string, readonly unknown[]]>([
    [
      'an insert of rows has an event for each',
      '',
      `insert into author values (1, 'Ann', 30), (2, 'Bo', null)`,
      [
        ['INSERT', null, ann],
        ['INSERT', null, { id: 2, name: 'Bo', age: null }],
      ],
    ],
    [
      'an update has the old and the new row',
      `insert into author values (1, 'Ann', 30)`,
      `update author set age = 31`,
      [['UPDATE', ann, { ...ann, age: 31 }]],
    ],
    [
      'an update of several rows pairs the old row with the new one',
      `insert into author values (1, 'Ann', 30), (2, 'Bo', 5)`,
      `update author set id = id + 10`,
      [
        ['UPDATE', ann, { ...ann, id: 11 }],
        ['UPDATE', { id: 2, name: 'Bo', age: 5 }, { id: 12, name: 'Bo', age: 5 }],
      ],
    ],
    [
      'an update that changes nothing has no event',
      `insert into author values (1, 'Ann', 30)`,
      `update author set age = 30`,
      [],
    ],
    ['an update of no row has no event', '', `update author set age = 30`, []],
    [
      'a delete has the old row',
      `insert into author values (1, 'Ann', 30)`,
      'delete from author',
      [['DELETE', ann, null]],
    ],
    ['truncate has no events', `insert into author values (1, 'Ann', 30)`, 'truncate author cascade', []],
    [
      'an upsert has an event for what happened to each row',
      `insert into author values (1, 'Ann', 30)`,
      `insert into author values (1, 'Ann', 31), (2, 'Bo', 5) on conflict (id) do update set age = excluded.age`,
      [
        ['INSERT', null, { id: 2, name: 'Bo', age: 5 }],
        ['UPDATE', ann, { ...ann, age: 31 }],
      ],
    ],
    [
      'an upsert that does nothing has no event',
      `insert into author values (1, 'Ann', 30)`,
      `insert into author values (1, 'Ann', 31) on conflict do nothing`,
      [],
    ],
    [
      'merge has an event for each action',
      `insert into author values (1, 'Ann', 30), (2, 'Bo', 5)`,
      `merge into author a using (values (1, 31), (2, null), (3, 7)) s (id, age) on s.id = a.id
        when matched and s.age is null then delete when matched then update set age = s.age when not matched then insert values (s.id, 'New', s.age)`,
      [
        ['DELETE', { id: 2, name: 'Bo', age: 5 }, null],
        ['INSERT', null, { id: 3, name: 'New', age: 7 }],
        ['UPDATE', ann, { ...ann, age: 31 }],
      ],
    ],
    [
      'a cascade has events of the other table',
      `insert into author values (1, 'Ann', 30), (2, 'Bo', 5); insert into book values (1, 1), (2, 1), (3, 2)`,
      'delete from author',
      [
        ['DELETE', ann, null],
        ['DELETE', { id: 1, author_id: 1 }, null],
        ['DELETE', { id: 2, author_id: 1 }, null],
        ['DELETE', { id: 2, name: 'Bo', age: 5 }, null],
        ['DELETE', { id: 3, author_id: 2 }, null],
      ],
    ],
    [
      'a cascading update pairs the rows of each referenced row',
      `insert into author values (1, 'Ann', 30), (2, 'Bo', 5); insert into book values (1, 1), (2, 2), (3, 1)`,
      'update author set id = id + 10',
      [
        ['UPDATE', ann, { ...ann, id: 11 }],
        ['UPDATE', { id: 1, author_id: 1 }, { id: 1, author_id: 11 }],
        ['UPDATE', { id: 2, author_id: 2 }, { id: 2, author_id: 12 }],
        ['UPDATE', { id: 2, name: 'Bo', age: 5 }, { id: 12, name: 'Bo', age: 5 }],
        ['UPDATE', { id: 3, author_id: 1 }, { id: 3, author_id: 11 }],
      ],
    ],
    [
      'a statement with several data-modifying expressions has the events of all',
      `insert into author values (1, 'Ann', 30)`,
      `with d as (delete from author where id = 1 returning *), i as (insert into author values (2, 'Bo', 5) returning 1) select count(*) from d, i`,
      [
        ['DELETE', ann, null],
        ['INSERT', null, { id: 2, name: 'Bo', age: 5 }],
      ],
    ],
    [
      'copy has an event for each row',
      '',
      `create temp table source as select 5 as id; insert into author (id) select id from source; drop table source`,
      [['INSERT', null, { id: 5, name: null, age: null }]],
    ],
  ])('%s', async (_rule, before, statement, expected) => {
    await shared.run(before);
    await shared.claimAll();
    await shared.run(statement);
    const events = (await shared.claimAll()).map(change);
    const sorted = [...events].sort((one, other) => order(one).localeCompare(order(other)));
    expect(sorted).toEqual([...expected].sort((one, other) => order(one).localeCompare(order(other))));
  });

  const order = (event: unknown): string => JSON.stringify(event);

  test('a change that is rolled back has no event, also in a savepoint', async () => {
    await shared.run(`begin; insert into author values (1, 'Ann', 30); rollback`);
    await shared.run(
      `begin; savepoint a; insert into author values (1, 'Ann', 30); rollback to a; insert into author values (2, 'Bo', 5); commit`,
    );
    expect((await shared.claimAll()).map(change)).toEqual([['INSERT', null, { id: 2, name: 'Bo', age: 5 }]]);
  });
});

describe('an update of a list of columns', () => {
  test('has an event where one of them is distinct, null included', async () => {
    const { capture, run, claimAll } = await scene(author);
    await capture({ table: 'author', operations: { update: { payload: ['id', 'age'], listened: ['age', 'name'] } } });
    await run(`insert into author values (1, 'Ann', null), (2, null, 5)`);
    await run('update author set id = id + 10');
    await run(`update author set age = 7 where name = 'Ann'; update author set name = null, age = 5 where id = 12`);
    expect((await claimAll()).map(change)).toEqual([['UPDATE', { id: 11, age: null }, { id: 11, age: 7 }]]);
  });

  test.each([
    ['json', `'{"a":1}'`, `'{"a":2}'`],
    ['json[]', `array['1'::json]`, `array['2'::json]`],
    ['xml', `'<a/>'`, `'<b/>'`],
    ['point', `'(1,2)'`, `'(1,3)'`],
    ['box', `'(1,1),(0,0)'`, `'(2,2),(1,1)'`],
    ['jsonb', `'{"a":1}'`, `'{"a":2}'`],
    ['mood', `'sad'`, `'happy'`],
    ['mood[]', `array['sad']::mood[]`, `array['happy']::mood[]`],
    ['short', `'a'`, `'b'`],
    ['pair', `(1, 'a')`, `(1, 'b')`],
    ['int4range', `'[1,2)'`, `'[1,3)'`],
    ['varchar(3)', `'a'`, `'b'`],
    ['tsvector', `'a'`, `'b'`],
    ['bytea', `'a'`, `'b'`],
  ])('compares values of type %s', async (type, one, other) => {
    const { capture, run, claimAll } = await scene(`create type mood as enum ('sad', 'happy');
      create domain short as varchar(3); create type pair as (a int, b text); create table t (id int, v ${type})`);
    await capture({ table: 't', operations: { update: { payload: ['id'], listened: ['v'] } } });
    await run(`insert into t values (1, ${one}), (2, ${one}), (3, null)`);
    await run(`update t set v = ${one} where id < 3; update t set v = null where id = 3`);
    expect(await claimAll()).toEqual([]);
    await run(`update t set v = ${other} where id = 1; update t set v = ${one} where id = 3`);
    expect((await claimAll()).map(({ new: row }) => row)).toEqual(['{"id":1}', '{"id":3}']);
  });
});

describe('a condition', () => {
  test('decides over the old and the new row', async () => {
    const { capture, run, claimAll } = await scene(author);
    await capture({
      table: 'author',
      operations: {
        insert: { payload: '*', when: sql`n."age" > 10` },
        update: { payload: '*', when: sql`o."age" < n."age"` },
        delete: { payload: '*', when: sql`o."age" is null` },
      },
    });
    await run(`insert into author values (1, 'a', 5), (2, 'b', 15), (3, 'c', null)`);
    await run('update author set age = age + 1 where id = 1; update author set age = 1 where id = 2');
    await run('update author set age = age + case id when 1 then 1 else -1 end');
    await run('delete from author');
    expect((await claimAll()).map(({ op, old, new: row }) => [op, JSON.parse(row ?? old ?? '').id])).toEqual([
      ['INSERT', 2],
      ['UPDATE', 1],
      ['UPDATE', 1],
      ['DELETE', 3],
    ]);
  });

  test('that fails for the values of a row lets the write succeed, and captures all its rows', async () => {
    const { capture, run, claimAll } = await scene(author);
    await capture({
      table: 'author',
      operations: { insert: { payload: '*', when: sql`n."name" ~ n."name"` } },
    });
    await run(`insert into author values (1, 'x', 1), (2, '(', 2)`);
    expect((await claimAll()).map(({ outdated, new: row }) => [outdated, JSON.parse(row ?? '').id])).toEqual([
      ['t', 1],
      ['t', 2],
    ]);
  });

  test('on a column that the table does not have is rejected when the trigger is created', async () => {
    const { capture, column } = await scene(author);
    await expect(
      capture({ table: 'author', operations: { insert: { payload: '*', when: sql`n."missing" = 1` } } }),
    ).rejects.toMatchObject({ code: '42703' });
    expect(await column('select count(*) from joinery.triggers')).toEqual(['0']);
  });
});

describe('an event', () => {
  test('has the session variables and the trace of the settings, and null without them', async () => {
    const { capture, run, claimAll } = await scene(author);
    await capture({ table: 'author' });
    await run(`begin; set local "hasura.user" = '{"x-hasura-role":"user"}'; set local "hasura.tracecontext" = 'no json';
      insert into author values (1); commit`);
    await run('insert into author values (2)');
    expect((await claimAll()).map(({ session, trace }) => [session, trace])).toEqual([
      ['{"x-hasura-role":"user"}', 'no json'],
      [null, null],
    ]);
  });

  test('makes mutations of the service set the session variables', async () => {
    const { capture, database } = await scene(author);
    expect((await readCatalog(database)).readsSession).toBeUndefined();
    await capture({ table: 'author' });
    expect((await readCatalog(database)).readsSession).toBe(true);
  });

  test('has the time of its transaction in UTC and the id that leads back to it', async () => {
    const { capture, run, claimAll, column } = await scene(author);
    const number = await capture({ table: 'author' });
    await run(`set timezone = 'Asia/Kolkata'; begin; insert into author values (1); commit; set timezone = 'UTC'`);
    const [event] = await claimAll();
    expect(event?.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/);
    const age = Date.now() - Date.parse(`${event?.created_at}Z`);
    expect(Math.abs(age)).toBeLessThan(600_000);
    expect(event?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(await column('select (number, seq) from joinery.event_seq($1)', [event?.id])).toEqual([
      `(${number},${event?.seq})`,
    ]);
    const other = `${event?.id?.startsWith('0') ? '1' : '0'}${event?.id?.slice(1)}`;
    expect(await column('select number from joinery.event_seq($1)', [other])).toEqual([]);
    expect(await column('select number from joinery.event_seq(gen_random_uuid())')).toEqual([]);
  });

  test('has generated and identity columns, and values as row_to_json prints them', async () => {
    const { capture, run, claimAll } =
      await scene(`create table t (id int generated always as identity, a numeric, b numeric generated always as (a * 2) stored,
      at timestamptz, j json, big bigint)`);
    await capture({ table: 't' });
    await run(
      `set timezone = 'UTC'; insert into t (a, at, j, big) values (1.50, '2026-01-02 03:04:05+00', '{"b":1,  "a":"\\u0000"}', 9007199254740993)`,
    );
    expect((await claimAll())[0]?.new).toBe(
      '{"id":1,"a":1.50,"b":3.00,"at":"2026-01-02T03:04:05+00:00","j":{"b":1,  "a":"\\u0000"},"big":9007199254740993}',
    );
  });

  test('is announced with the number of its trigger, unless the server has prepared transactions', async () => {
    const { capture, run, url, column } = await scene(`${author}; insert into author values (1, 'Ann', 30)`);
    const number = await capture({ table: 'author', operations: { update: { payload: '*', listened: ['age'] } } });
    const announced: string[] = [];
    const listener = await listen({
      url,
      channels: ['joinery_triggers'],
      onNotify: (_channel, payload) => announced.push(payload),
      onReconnect: () => undefined,
      observe: silent,
    });
    await run(`update author set name = 'Bo'; begin; update author set age = 1; update author set age = 2; commit`);
    await run(`notify joinery_triggers, 'last'`);
    await expect.poll(() => announced.at(-1)).toBe('last');
    const [prepared] = await column(`select current_setting('max_prepared_transactions')`);
    expect(announced).toEqual(prepared === '0' ? [String(number), 'last'] : ['last']);
    await listener.close();
  });
});

test('columns may have the names that the SQL of capture uses', async () => {
  const names = [
    'o',
    'n',
    'old',
    'new',
    'op',
    'seq',
    'e',
    's',
    'r',
    'changed',
    'exact',
    'captured',
    'stamping',
    'noted',
    'at',
    'session',
  ];
  const { capture, run, claimAll } = await scene(
    `create table t (${names.map((name) => `"${name}" int default 0`).join()}); insert into t default values`,
  );
  await capture({ table: 't' });
  await capture({ table: 't', level: 'row' });
  await capture({
    table: 't',
    orderingKey: ['new'],
    operations: { update: { payload: names, listened: names, when: sql`n."changed" > 0 and o."o" < n."o"` } },
  });
  await run('insert into t default values; update t set "changed" = 1, "o" = 1');
  const events = (await claimAll()).filter(({ op }) => op === 'UPDATE');
  const zeros = Object.fromEntries(names.map((name) => [name, 0]));
  // Of the ordered trigger, the second event of the key waits.
  expect(events).toHaveLength(5);
  for (const event of events) expect(change(event)).toEqual(['UPDATE', zeros, { ...zeros, changed: 1, o: 1 }]);
});

test('names may contain quotes, dots, backslashes and dollar quotes', async () => {
  const { capture, run, claimAll } = await scene(
    `create schema "s""1"; create table "s""1"."t'.\\x" ("i'd" int, "a""b\\" text, "$joinery$" int)`,
  );
  await capture({
    schema: 's"1',
    table: `t'.\\x`,
    orderingKey: [`i'd`],
    operations: {
      insert: { payload: [`i'd`, 'a"b\\', '$joinery$'] },
      update: { payload: ['$joinery$'], listened: ['a"b\\', `i'd`] },
    },
  });
  await run(`insert into "s""1"."t'.\\x" values (1, 'x', 2); update "s""1"."t'.\\x" set "a""b\\" = 'y'`);
  const [first] = await claimAll();
  expect(first && change(first)).toEqual(['INSERT', null, { "i'd": 1, 'a"b\\': 'x', $joinery$: 2 }]);
});
