/** Installation of the tables of event triggers in a source. */
import { afterEach, expect, test } from 'vitest';
import type { Database } from '../../../src/postgres/client/pool.ts';
import { migrate } from '../../../src/postgres/migrations/migrate.ts';
import { migrateSource } from '../../../src/postgres/migrations/sources.ts';
import { connect, type TestDatabase, testDatabase } from '../../support/database/test-database.ts';

const databases: TestDatabase[] = [];
const connections: Database[] = [];

afterEach(async () => {
  for (const connection of connections.splice(0)) await connection.close();
  for (const db of databases.splice(0)) await db.drop();
});

async function fresh(): Promise<TestDatabase> {
  const db = await testDatabase();
  databases.push(db);
  return db;
}

let roles = 0;

/** Creates a role with a password and returns a connection of it. */
async function asRole(
  db: TestDatabase,
  grants: (role: string) => string,
): Promise<{ role: string; database: Database }> {
  roles += 1;
  const role = `source "${process.pid}_${Date.now()}_${roles}`;
  const quoted = `"${role.replaceAll('"', '""')}"`;
  await db.database.query({ text: `create role ${quoted} login password 'p'; ${grants(quoted)}`, values: [] });
  const url = new URL(db.url);
  url.username = encodeURIComponent(role);
  url.password = 'p';
  const database = connect(url.href, 1);
  connections.push(database);
  return { role: quoted, database };
}

test('installs once, beside the tables of the store in the same schema, in either order', async () => {
  for (const storeFirst of [true, false]) {
    const { database } = await fresh();
    const install = [migrate, migrateSource];
    if (!storeFirst) install.reverse();
    for (const one of install) expect((await one(database)).applied.length).toBeGreaterThan(0);
    for (const one of install) expect(await one(database)).toMatchObject({ applied: [], functions: [] });
  }
});

test('nodes that install at the same time apply each migration once', async () => {
  const db = await fresh();
  const nodes = Array.from({ length: 6 }, () => connect(db.url, 1));
  connections.push(...nodes);
  const results = await Promise.all(nodes.map((node) => migrateSource(node)));
  expect(results.flatMap(({ applied }) => applied)).toEqual([1]);
});

test('rejects a role that may not create schemas, with SQL that makes the installation succeed', async () => {
  const db = await fresh();
  const { role, database } = await asRole(db, () => '');
  const error = await migrateSource(database).catch((caught: unknown) => caught);
  const statements = [`create schema joinery authorization ${role};`];
  expect(error).toMatchObject({ code: 'invalid-configuration', internal: { sql: statements } });
  await db.database.query({ text: statements.join(''), values: [] });
  expect((await migrateSource(database)).applied).toEqual([1]);
  await db.database.query({ text: `drop owned by ${role} cascade; drop role ${role}`, values: [] });
});

test('rejects a role that may not create tables in the schema, with SQL that makes the installation succeed', async () => {
  const db = await fresh();
  const { role, database } = await asRole(db, () => 'create schema joinery');
  const error = await migrateSource(database).catch((caught: unknown) => caught);
  const sql: readonly string[] = (error as { internal: { sql: string[] } }).internal.sql;
  expect(error).toMatchObject({ code: 'invalid-configuration' });
  expect(sql[0]).toBe(`grant usage, create on schema joinery to ${role};`);
  await db.database.query({ text: sql.join(''), values: [] });
  expect((await migrateSource(database)).applied).toEqual([1]);
  await db.database.query({ text: `drop owned by ${role} cascade; drop role ${role}`, values: [] });
});

test('rejects a database that is read-only', async () => {
  const db = await fresh();
  const name = new URL(db.url).pathname.slice(1);
  await db.database.query({ text: `alter database ${name} set default_transaction_read_only = on`, values: [] });
  const reader = connect(db.url, 1);
  connections.push(reader);
  await expect(migrateSource(reader)).rejects.toMatchObject({
    code: 'invalid-configuration',
    message: expect.stringContaining('read-only'),
  });
});
