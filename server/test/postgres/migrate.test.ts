/** Migrations of the schema `joinery`: numbered ones once and in order, functions whenever their files change. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import type { Database } from '../../src/postgres/client/pool.ts';
import { type Migrations, migrate, readMigrations } from '../../src/postgres/migrations/migrate.ts';
import { connect, type TestDatabase, testDatabase } from '../support/database/test-database.ts';

const databases: TestDatabase[] = [];

afterEach(async () => {
  for (const db of databases.splice(0)) await db.drop();
});

async function fresh(): Promise<TestDatabase> {
  const db = await testDatabase();
  databases.push(db);
  return db;
}

function versions(database: Database): Promise<unknown[]> {
  const text = 'select version from joinery.migrations where version > 0 order by version';
  return database.query({ text, values: [] }).then(({ rows }) => rows.flat().map(Number));
}

/** Returns the name and definition of every function of the schema. */
async function definitions(database: Database): Promise<unknown[]> {
  const text = `select p.proname, pg_get_functiondef(p.oid) from pg_proc p
    where p.pronamespace = 'joinery'::regnamespace order by p.proname, p.oid::regprocedure::text`;
  return (await database.query({ text, values: [] })).rows;
}

const release = readMigrations();
const all = release.numbered.map(({ version }) => version);
const functionNames = release.functions.map(({ name }) => name);
const numbered = [
  { version: 1, sql: 'create table joinery.a (id int); create table joinery.b (id int)' },
  { version: 2, sql: 'create table joinery.c (id int)' },
];
const two: Migrations = { numbered, functions: [] };

function returning(name: string, result: string): { name: string; sql: string } {
  return { name, sql: `create or replace function joinery.${name}() returns text language sql as $$ ${result} $$;` };
}

async function call(database: Database, name: string): Promise<unknown> {
  return (await database.query({ text: `select joinery.${name}()`, values: [] })).rows[0]?.[0];
}

test('applies every migration to an empty database, in order, and nothing on the next start', async () => {
  const { database } = await fresh();
  expect(await migrate(database)).toEqual({ version: all.length, applied: all, functions: functionNames });
  expect(await versions(database)).toEqual(all);
  expect(await migrate(database)).toEqual({ version: all.length, applied: [], functions: [] });
});

test('the table of the metadata keeps the order of JSON keys and accepts one row', async () => {
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

test('nodes that start at the same time apply each migration once', async () => {
  const { url, database } = await fresh();
  const nodes = Array.from({ length: 8 }, () => connect(url, 1));
  const results = await Promise.all(nodes.map((node) => migrate(node)));
  await Promise.all(nodes.map((node) => node.close()));
  expect(results.flatMap(({ applied }) => applied).sort((one, other) => one - other)).toEqual(all);
  expect(results.flatMap(({ functions }) => functions).sort()).toEqual(functionNames);
  expect(results.map(({ version }) => version)).toEqual(nodes.map(() => all.length));
  expect(await versions(database)).toEqual(all);
});

test('rolls back a numbered migration that fails and keeps the ones before it', async () => {
  const { database } = await fresh();
  const broken = [...numbered, { version: 3, sql: 'create table joinery.d (id int); select 1 / 0' }];
  await expect(migrate(database, { numbered: broken, functions: [] })).rejects.toMatchObject({ code: '22012' });
  expect(await versions(database)).toEqual([1, 2]);
  const found = await database.query({ text: `select to_regclass('joinery.d') is null`, values: [] });
  expect(found.rows).toEqual([['t']]);
  const fixed = [...numbered, { version: 3, sql: 'create table joinery.d (id int)' }];
  expect(await migrate(database, { numbered: fixed, functions: [] })).toMatchObject({ version: 3, applied: [3] });
});

test('rejects a database that a newer release has migrated, and changes nothing in it', async () => {
  const { database } = await fresh();
  await migrate(database, { numbered, functions: [returning('f', `select 'newer'`)] });
  const older = { numbered: numbered.slice(0, 1), functions: [returning('f', `select 'older'`)] };
  await expect(migrate(database, older)).rejects.toMatchObject({
    code: 'invalid-configuration',
    message: expect.stringContaining('at version 2, and this release knows versions up to 1'),
  });
  expect(await versions(database)).toEqual([1, 2]);
  expect(await call(database, 'f')).toBe('newer');
});

test('migrates an existing schema as a role that may not create schemas', async () => {
  const { url, database } = await fresh();
  const role = `migrator_${process.pid}`;
  await database.query({
    text: `create role ${role} login password 'p'; create schema joinery authorization ${role}`,
    values: [],
  });
  const asMigrator = new URL(url);
  asMigrator.username = role;
  asMigrator.password = 'p';
  const node = connect(asMigrator.href, 1);
  expect(await migrate(node, two)).toEqual({ version: 2, applied: [1, 2], functions: [] });
  await node.close();
  await database.query({ text: `drop owned by ${role}; drop role ${role}`, values: [] });
});

test('rejects migration files whose numbers have gaps', () => {
  const folder = mkdtempSync(join(tmpdir(), 'joinery-migrations-'));
  for (const name of ['000001.sql', '000003.sql', 'notes.txt']) writeFileSync(join(folder, name), '');
  expect(() => readMigrations(pathToFileURL(`${folder}/`))).toThrow('000003.sql');
  rmSync(folder, { recursive: true });
});

test('every function of the schema has one file that is named after it', async () => {
  const { database } = await fresh();
  await migrate(database);
  const text = `select distinct proname from pg_proc where pronamespace = 'joinery'::regnamespace`;
  const { rows } = await database.query({ text, values: [] });
  expect(rows.flat().sort()).toEqual([...functionNames].sort());
});

test('an upgrade from any earlier version ends with the same functions as a new database', async () => {
  const { database } = await fresh();
  await migrate(database);
  const expected = await definitions(database);
  for (const version of all) {
    const { database: old } = await fresh();
    await migrate(old, { numbered: release.numbered.slice(0, version), functions: [] });
    const upgraded = await migrate(old);
    expect(upgraded).toEqual({ version: all.length, applied: all.slice(version), functions: functionNames });
    expect([version, await definitions(old)]).toEqual([version, expected]);
  }
});

describe('functions', () => {
  test('are replaced when the content of their file has changed, and only then', async () => {
    const { database } = await fresh();
    const [f, g] = [returning('f', `select 'one'`), returning('g', `select 'one'`)];
    expect((await migrate(database, { numbered, functions: [f, g] })).functions).toEqual(['f', 'g']);
    expect((await migrate(database, { numbered, functions: [f, g] })).functions).toEqual([]);
    const changed = returning('g', `select 'two'`);
    expect((await migrate(database, { numbered, functions: [f, changed] })).functions).toEqual(['g']);
    expect([await call(database, 'f'), await call(database, 'g')]).toEqual(['one', 'two']);
  });

  test('may call functions whose files come later', async () => {
    const { database } = await fresh();
    const functions = [returning('f', 'select joinery.g()'), returning('g', `select 'g'`)];
    await migrate(database, { numbered, functions });
    expect(await call(database, 'f')).toBe('g');
  });

  test('are all replaced after a numbered migration, which may have dropped them', async () => {
    const { database } = await fresh();
    const functions = [returning('f', `select 'f'`), returning('g', `select 'g'`)];
    await migrate(database, { numbered, functions });
    const next = [...numbered, { version: 3, sql: 'drop function joinery.f()' }];
    const result = await migrate(database, { numbered: next, functions });
    expect(result).toEqual({ version: 3, applied: [3], functions: ['f', 'g'] });
    expect(await call(database, 'f')).toBe('f');
  });

  test('are all unchanged if one of the files fails', async () => {
    const { database } = await fresh();
    await migrate(database, { numbered, functions: [returning('f', `select 'old'`)] });
    const functions = [returning('f', `select 'new'`), { name: 'g', sql: 'select 1 / 0' }];
    await expect(migrate(database, { numbered, functions })).rejects.toMatchObject({ code: '22012' });
    expect(await call(database, 'f')).toBe('old');
    const fixed = [returning('f', `select 'new'`), returning('g', `select 'g'`)];
    expect((await migrate(database, { numbered, functions: fixed })).functions).toEqual(['f', 'g']);
    expect(await call(database, 'f')).toBe('new');
  });
});
