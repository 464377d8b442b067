/** Edits of one `bulk_atomic`, each of which sees the metadata that the edits before it have made. */
import { Metadata } from '@joinery/metadata/metadata';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../support/service/service-core.ts';

let database: TestDatabase;
let node: TestServiceCore;

beforeAll(async () => {
  database = await testDatabase({
    migrated: true,
    sql: `
      create table country (id int primary key, name text);
      create table author (id int primary key, country_id int references country);
      create table article (id int primary key, author_id int references author);
    `,
  });
  node = await startServiceCore(database);
});

afterAll(async () => {
  await node.stop();
  await database.drop();
});

const command = (type: string, args: unknown) => ({ type, args });
const toOne = (table: string, name: string) =>
  command('pg_create_object_relationship', { table, name, using: { foreign_key_constraint_on: `${name}_id` } });
const renamed = (table: string, name: string, new_name: string) =>
  command('pg_rename_relationship', { table, name, new_name });

test('a relationship is renamed in row rules that pass relationships which earlier edits have created or renamed', async () => {
  const filter = { author: { country: { name: { _eq: 'Chile' } } } };
  const permission = { columns: ['id'], filter };
  await node.run('bulk_atomic', [
    ...['country', 'author', 'article'].map((table) => command('pg_track_table', { table })),
    toOne('article', 'author'),
    toOne('author', 'country'),
    command('pg_create_select_permission', { table: 'article', role: 'user', permission }),
    renamed('article', 'author', 'writer'),
    renamed('author', 'country', 'home'),
  ]);
  const exported = await node.run('export_metadata');
  const [source] = Metadata.parse(exported).sources;
  const permissions = source?.tables.flatMap(({ select_permissions = [] }) => select_permissions);
  const inNewNames = { writer: { home: { name: { _eq: 'Chile' } } } };
  expect(permissions?.map((one) => one.permission.filter)).toEqual([inNewNames]);
});

describe('cascade', () => {
  const permission = { columns: ['id'], filter: { writer: { id: { _eq: 1 } } } };
  const dropWriter = command('pg_drop_relationship', { table: 'article', relationship: 'writer', cascade: true });

  test('drops what depends on the object of the edit, and lists it', async () => {
    await node.run('pg_create_select_permission', { table: 'article', role: 'editor', permission });
    expect(await node.run('bulk_atomic', [dropWriter, toOne('article', 'author')])).toMatchObject({
      message: 'success',
      dropped: [
        { name: 'select_permission editor in table article in source default' },
        { name: 'select_permission user in table article in source default' },
      ],
    });
    const [source] = Metadata.parse(await node.run('export_metadata')).sources;
    expect(source?.tables.flatMap(({ select_permissions = [] }) => select_permissions)).toEqual([]);
  });

  test('does not drop what other edits of the bulk break', async () => {
    const broken = { columns: ['id'], filter: { missing: { id: { _eq: 1 } } } };
    const error = node.run('bulk_atomic', [
      command('pg_create_select_permission', { table: 'article', role: 'user', permission: broken }),
      command('pg_drop_relationship', { table: 'article', relationship: 'author', cascade: true }),
    ]);
    await expect(error).rejects.toMatchObject({ code: 'invalid-configuration' });
  });
});
