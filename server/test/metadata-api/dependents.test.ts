/** `pg_get_dependents`: what the metadata loses when objects of the database are dropped. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../support/service/service-core.ts';

let database: TestDatabase;
let node: TestServiceCore;

beforeAll(async () => {
  database = await testDatabase({
    migrated: true,
    sql: `
      create table author (id int primary key, name text);
      create table article (id int primary key, author_id int references author, note text);
      create function shout(self author) returns text language sql stable as 'select upper(self.name)';
    `,
  });
  node = await startServiceCore(database);
  await node.run('pg_track_tables', { tables: [{ table: 'author' }, { table: 'article' }] });
  await node.run('pg_create_object_relationship', {
    table: 'article',
    name: 'author',
    using: { foreign_key_constraint_on: 'author_id' },
  });
  await node.run('pg_add_computed_field', { table: 'author', name: 'loud', definition: { function: 'shout' } });
  await node.run('pg_create_select_permission', {
    table: 'article',
    role: 'user',
    permission: { columns: ['id', 'note'], filter: {} },
  });
});

afterAll(async () => {
  await node.stop();
  await database.drop();
});

const names = (list: unknown): readonly string[] => (list as { name: string }[]).map(({ name }) => name);

async function dependentsOf(dropped: object) {
  const { dependents, removed } = (await node.run('pg_get_dependents', dropped)) as Record<string, unknown>;
  return { dependents: names(dependents), removed: names(removed) };
}

test('lists the permission that names a column', async () => {
  const permission = 'select_permission user in table article in source default';
  expect(await dependentsOf({ columns: [{ table: 'article', column: 'note' }] })).toEqual({
    dependents: [permission],
    removed: [permission],
  });
});

test('lists the relationship that uses the foreign key of a column', async () => {
  const { dependents } = await dependentsOf({ columns: [{ table: 'article', column: 'author_id' }] });
  expect(dependents).toEqual(['object_relation author in table article in source default']);
});

test('lists relationships of other tables to a table, and the objects of the table itself as removed', async () => {
  expect(await dependentsOf({ tables: ['author'] })).toEqual({
    dependents: ['object_relation author in table article in source default'],
    removed: expect.arrayContaining([
      'table author in source default',
      'computed_field loud in table author in source default',
      'object_relation author in table article in source default',
    ]),
  });
});

test('lists the computed field of a function', async () => {
  const { dependents } = await dependentsOf({ functions: ['shout'] });
  expect(dependents).toEqual(['computed_field loud in table author in source default']);
});

test('changes nothing, and lists nothing for a column that nothing uses', async () => {
  expect(await dependentsOf({ columns: [{ table: 'author', column: 'name' }] })).toEqual({
    dependents: [],
    removed: [],
  });
  expect(await node.run('get_inconsistent_metadata')).toMatchObject({ is_consistent: true });
});

test('rejects an unknown source', async () => {
  await expect(node.run('pg_get_dependents', { source: 'nowhere' })).rejects.toMatchObject({ code: 'not-exists' });
});
