/** Random sequences of commands: the model after each is that of a node which loads the stored metadata from scratch. */
import { ADMIN_ROLE, RoleName } from '@joinery/metadata/names';
import { printSchema } from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Model } from '../../src/model/model.ts';
import { roleSchema } from '../../src/schema/role-schema.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../support/service/service-core.ts';
import { until } from '../support/until.ts';

const tables = `
  create table author (id int primary key, name text, kind text);
  create table article (id int primary key, title text, author_id int references author, amount numeric);
  create table remark (id int primary key, article_id int references article, text text);
  create table kind (value text primary key, comment text);
  insert into kind values ('a', null), ('b', 'second');
  create function label(author) returns text language sql stable as 'select $1.name';
  create function found(q text) returns setof article language sql stable as 'select * from article where title = q';
`;

const names = ['author', 'article', 'remark', 'kind', 'later'] as const;
const roles = ['user', 'editor', 'guest'].map((name) => RoleName.parse(name));

let database: TestDatabase;
let node: TestServiceCore;

beforeAll(async () => {
  database = await testDatabase({ migrated: true });
  node = await startServiceCore(database);
});

afterAll(async () => {
  await node.stop();
  await database.drop();
});

/** A generator of numbers from 0 to below `count`, the same for the same seed. */
function randomNumbers(seed: number): (count: number) => number {
  let state = seed;
  return (count) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
}

type Random = ReturnType<typeof randomNumbers>;

function pick<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[random(items.length)];
  if (item === undefined) throw new Error('expected an item');
  return item;
}

const sql = (text: string) => ['run_sql', { sql: text, cascade: true }] as const;

/** Commands of every kind, most of which apply. */
function command(random: Random): readonly [string, unknown] {
  const table = pick(random, names);
  const role = pick(random, roles);
  const filter = pick(random, [{}, { id: { _gt: random(3) } }, { id: { _eq: 'X-Service-User-Id' } }]);
  const relation = pick(random, [
    ['create_object_relationship', 'article', 'author', 'author_id'],
    ['create_array_relationship', 'author', 'articles', { table: 'article', column: 'author_id' }],
    ['create_object_relationship', 'remark', 'article', 'article_id'],
    ['create_array_relationship', 'article', 'remarks', { table: 'remark', column: 'article_id' }],
  ] as const);
  return pick(random, [
    ['track_table', table],
    ['track_table', table],
    ['pg_track_tables', { tables: names.map((name) => ({ table: name })) }],
    ['untrack_table', { table, cascade: true }],
    [
      'create_select_permission',
      { table, role, permission: { columns: '*', filter, allow_aggregations: random(2) === 0 } },
    ],
    ['create_select_permission', { table, role, permission: { columns: ['id'], filter } }],
    ['drop_select_permission', { table, role }],
    ['create_insert_permission', { table, role, permission: { columns: '*', check: filter } }],
    ['drop_insert_permission', { table, role }],
    ['create_update_permission', { table, role, permission: { columns: ['id'], filter, check: null } }],
    ['create_delete_permission', { table, role, permission: { filter } }],
    [relation[0], { table: relation[1], name: relation[2], using: { foreign_key_constraint_on: relation[3] } }],
    ['drop_relationship', { table: relation[1], relationship: relation[2], cascade: true }],
    ['set_table_customization', { table, configuration: random(2) === 0 ? {} : { custom_name: `named_${table}` } }],
    ['set_table_is_enum', { table: 'kind', is_enum: random(2) === 0 }],
    ['add_computed_field', { table: 'author', name: 'label', definition: { function: 'label' } }],
    ['drop_computed_field', { table: 'author', name: 'label', cascade: true }],
    ['track_function', 'found'],
    ['untrack_function', 'found'],
    ['set_custom_types', { objects: [{ name: 'Picked', fields: [{ name: 'id', type: 'Int!' }] }] }],
    ['create_action', { name: 'pick', definition: { handler: 'http://127.0.0.1:9', output_type: 'Picked' } }],
    ['create_action_permission', { action: 'pick', role }],
    ['drop_action', { name: 'pick' }],
    ['add_inherited_role', { role_name: 'both', role_set: ['user', 'editor'] }],
    ['drop_inherited_role', { role_name: 'both' }],
    sql('create table if not exists later (id int primary key, note text)'),
    sql('drop table if exists later cascade'),
    sql('create or replace view titles as select id, title from article'),
    sql(`comment on column author.name is '${random(3)}'`),
    sql('alter table article add column if not exists more int'),
    sql('alter table article drop column if exists more cascade'),
    sql('alter table author add column if not exists kind_of text references kind'),
    sql(`do $$ begin if exists (select from pg_attribute where attrelid = 'remark'::regclass and attname = 'text')
      then alter table remark rename column text to words; else alter table remark rename column words to text; end if; end $$`),
    ['reload_metadata', {}],
  ] as const);
}

/** The model as text: objects are numbered in the order of their first occurrence, so that references are part of it. */
function dump({ version: _version, ...model }: Model): string {
  const numbers = new Map<object, number>();
  const write = (value: unknown): unknown => {
    if (typeof value === 'function') return 'function';
    if (typeof value !== 'object' || value === null) return value === undefined ? 'undefined' : value;
    const known = numbers.get(value);
    if (known !== undefined) return `#${known}`;
    numbers.set(value, numbers.size);
    if (value instanceof Map) return { map: [...value].map(([key, member]) => [write(key), write(member)]) };
    if (value instanceof Set) return { set: [...value].map(write) };
    if (Array.isArray(value)) return value.map(write);
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, write(member)]));
  };
  return JSON.stringify(write(model), null, 1);
}

async function expectLoaded(history: readonly string[]): Promise<void> {
  const loaded = await startServiceCore(database, { sync: 'none' });
  try {
    const [own, other] = [node.model(), loaded.model()];
    expect(dump(own), history.join('\n')).toBe(dump(other));
    for (const role of [ADMIN_ROLE, ...other.roles]) {
      expect(printSchema(roleSchema(own, role).schema)).toBe(printSchema(roleSchema(other, role).schema));
    }
  } finally {
    await loaded.stop();
  }
}

test.each([1, 2, 3])(
  'after each command of sequence %i the model is that of a node that loads it',
  async (seed) => {
    await database.database.query({ text: `drop schema public cascade; create schema public; ${tables}`, values: [] });
    await node.run('bulk', [{ type: 'clear_metadata' }, { type: 'reload_metadata' }]);
    await node.run('pg_track_tables', { tables: ['author', 'article'].map((table) => ({ table })) });
    const random = randomNumbers(seed);
    const history: string[] = [];
    let applied = 0;
    for (let step = 0; step < 12; step += 1) {
      const [type, args] = command(random);
      const failed = await node.run(type, args).then(
        () => undefined,
        (error: unknown) => String(error),
      );
      if (failed === undefined) applied += 1;
      history.push(`${type} ${JSON.stringify(args)} ${failed ?? ''}`);
      await expectLoaded(history);
    }
    expect(applied).toBeGreaterThan(2);
  },
  120_000,
);

/** The number of times that the node has loaded or changed the metadata. */
function changesOf({ observations }: TestServiceCore): number {
  return observations.filter(({ kind }) => kind === 'metadata-changed').length;
}

test('SQL that changes nothing that is tracked leaves the model as it is, also on other nodes', async () => {
  await database.database.query({ text: `drop schema public cascade; create schema public; ${tables}`, values: [] });
  await node.run('bulk', [
    { type: 'clear_metadata' },
    { type: 'reload_metadata' },
    { type: 'track_table', args: 'author' },
  ]);
  const model = node.model();
  const other = await startServiceCore(database);
  try {
    const [ofOther, loads] = [other.model(), changesOf(other)];
    await node.run('run_sql', { sql: 'create table other (id int primary key, author_id int references author)' });
    expect(node.model()).toBe(model);
    await until('a load by the other node', () => changesOf(other) > loads || undefined);
    expect(other.model()).toBe(ofOther);
  } finally {
    await other.stop();
  }
  await node.run('track_table', 'other');
  expect(node.model()).not.toBe(model);
  const tracked = node.model();
  await node.run('run_sql', { sql: `comment on table other is 'new'` });
  expect(node.model()).not.toBe(tracked);
  expect([...node.model().sources.values()][0]?.tables.get('["public","other"]')?.comment).toBe('new');
});
