/** The schema `joinery` comes to its version: once, in order, by one node at a time. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import type { Database } from '../../src/postgres/client/pool.ts';
import { migrate, readMigrations } from '../../src/postgres/migrations/migrate.ts';
import { connect, type TestDatabase, testDatabase } from '../support/database/test-database.ts';

const made: TestDatabase[] = [];

afterEach(async () => {
  for (const db of made.splice(0)) await db.drop();
});

async function fresh(): Promise<TestDatabase> {
  const db = await testDatabase();
  made.push(db);
  return db;
}

function versions(database: Database): Promise<unknown[]> {
  const text = 'select version from joinery.migrations where version > 0 order by version';
  return database.query({ text, values: [] }).then(({ rows }) => rows.flat().map(Number));
}

const files = readMigrations();
const all = files.map(({ version }) => version);
const two = [
  { version: 1, sql: 'create table joinery.a (id int); create table joinery.b (id int)' },
  { version: 2, sql: 'create table joinery.c (id int)' },
];

test('an empty database gets every file, in order; a second start finds nothing to do', async () => {
  const { database } = await fresh();
  expect(await migrate(database)).toEqual({ version: files.length, applied: all });
  expect(await versions(database)).toEqual(all);
  expect(await migrate(database)).toEqual({ version: files.length, applied: [] });
});

test('the metadata keeps the order of its keys, and its table takes one row', async () => {
  const { database } = await fresh();
  await migrate(database);
  const insert = (id: number) =>
    database.query({
      text: `insert into joinery.metadata (id, resource_version, metadata) values ($1, 1, '{"z":1,"a":2}') returning metadata`,
      values: [id],
    });
  expect((await insert(1)).rows).toEqual([['{"z":1,"a":2}']]);
  await expect(insert(2)).rejects.toMatchObject({ code: '23514' });
});

test('nodes that start at once apply each file once', async () => {
  const { url, database } = await fresh();
  const nodes = Array.from({ length: 8 }, () => connect(url, 1));
  const results = await Promise.all(nodes.map((node) => migrate(node)));
  await Promise.all(nodes.map((node) => node.close()));
  expect(results.flatMap(({ applied }) => applied).sort()).toEqual(all);
  expect(results.map(({ version }) => version)).toEqual(nodes.map(() => files.length));
  expect(await versions(database)).toEqual(all);
});

test('a file that fails leaves nothing of itself, and what came before stays', async () => {
  const { database } = await fresh();
  const broken = [...two, { version: 3, sql: 'create table joinery.d (id int); select 1 / 0' }];
  await expect(migrate(database, broken)).rejects.toMatchObject({ code: '22012' });
  expect(await versions(database)).toEqual([1, 2]);
  const found = await database.query({ text: `select to_regclass('joinery.d') is null`, values: [] });
  expect(found.rows).toEqual([['t']]);
  const mended = [...two, { version: 3, sql: 'create table joinery.d (id int)' }];
  expect(await migrate(database, mended)).toEqual({ version: 3, applied: [3] });
});

test('a database of a newer release is refused, and left as it is', async () => {
  const { database } = await fresh();
  await migrate(database, two);
  await expect(migrate(database, two.slice(0, 1))).rejects.toMatchObject({
    code: 'invalid-configuration',
    message: expect.stringContaining('at version 2, and this release knows versions up to 1'),
  });
  expect(await versions(database)).toEqual([1, 2]);
});

test('a role that may not create schemas can migrate a schema that is there for it', async () => {
  const { url, database } = await fresh();
  const role = `migrator_${process.pid}`;
  await database.query({
    text: `create role ${role} login password 'p'; create schema joinery authorization ${role}`,
    values: [],
  });
  const theirs = new URL(url);
  theirs.username = role;
  theirs.password = 'p';
  const node = connect(theirs.href, 1);
  expect(await migrate(node, two)).toEqual({ version: 2, applied: [1, 2] });
  await node.close();
  await database.query({ text: `drop owned by ${role}; drop role ${role}`, values: [] });
});

test('files are numbered without gaps', () => {
  const folder = mkdtempSync(join(tmpdir(), 'joinery-migrations-'));
  for (const name of ['000001.sql', '000003.sql', 'notes.txt']) writeFileSync(join(folder, name), '');
  expect(() => readMigrations(pathToFileURL(`${folder}/`))).toThrow('000003.sql');
  rmSync(folder, { recursive: true });
});
