/** What `pg_untrack_tables` drops: `cascade` of a table concerns what depends on that table. */
import { Metadata } from '@joinery/metadata/metadata';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../support/service/service-core.ts';

let database: TestDatabase;
let node: TestServiceCore;

beforeAll(async () => {
  database = await testDatabase({
    migrated: true,
    sql: `
      create table author (id int primary key);
      create table tag (id int primary key);
      create table article (id int primary key, author_id int references author, tag_id int references tag);
    `,
  });
  node = await startServiceCore(database);
});

afterAll(async () => {
  await node.stop();
  await database.drop();
});

beforeEach(async () => {
  await node.run('clear_metadata');
  await node.run('pg_track_tables', { tables: ['author', 'tag', 'article'].map((table) => ({ table })) });
  for (const name of ['author', 'tag']) {
    const using = { foreign_key_constraint_on: `${name}_id` };
    await node.run('pg_create_object_relationship', { table: 'article', name, using });
  }
});

/** Returns the tracked tables, each with its relationships. */
async function tracked(): Promise<Readonly<Record<string, readonly string[]>>> {
  const [source] = Metadata.parse(await node.run('export_metadata')).sources;
  return Object.fromEntries(
    (source?.tables ?? []).map(({ table, object_relationships = [] }) => [
      table.name,
      object_relationships.map(({ name }) => name),
    ]),
  );
}

test('cascade of one table does not drop what depends on another', async () => {
  const tables = [{ table: 'author', cascade: true }, { table: 'tag' }];
  expect(await node.run('pg_untrack_tables', { tables })).toMatchObject({
    warnings: [{ code: 'dependency-error', path: '$.args.tables[1]' }],
  });
  expect(await tracked()).toEqual({ article: ['tag'], tag: [] });
});

test('cascade of one table, without warnings, is rejected as a whole', async () => {
  const tables = [{ table: 'author', cascade: true }, { table: 'tag' }];
  const rejection = await node.rejection('pg_untrack_tables', { tables, allow_warnings: false });
  expect(rejection).toMatchObject({ code: 'dependency-error' });
  expect(await tracked()).toEqual({ article: ['author', 'tag'], author: [], tag: [] });
});

test('what depends on a table does not count if it belongs to another table of the command', async () => {
  const tables = [{ table: 'author', cascade: true }, { table: 'tag' }, { table: 'article' }];
  expect(await node.run('pg_untrack_tables', { tables, allow_warnings: false })).toMatchObject({ message: 'success' });
  expect(await tracked()).toEqual({});
});

test('cascade of the command is that of each table, also where another table fails', async () => {
  const tables = [{ table: 'author' }, { table: 'missing' }];
  expect(await node.run('pg_untrack_tables', { tables, cascade: true })).toMatchObject({
    warnings: [{ code: 'already-untracked', path: '$.args.tables[1]' }],
  });
  expect(await tracked()).toEqual({ article: ['tag'], tag: [] });
});
