/** Members of `pg` that the service uses but its types do not declare. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createConnection,
  internalsOf,
  type PgClient,
  type PgConnection,
} from '../../src/postgres/client/pg-internals.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';

const types: Readonly<Record<keyof PgClient, string>> = {
  connection: 'object',
  host: 'string',
  port: 'number',
  ssl: 'boolean',
  processID: 'number',
  secretKey: 'number',
};
const connectionTypes: Readonly<Record<keyof PgConnection, string>> = {
  stream: 'object',
  parsedStatements: 'object',
  on: 'function',
  connect: 'function',
  requestSsl: 'function',
  cancel: 'function',
  query: 'function',
  parse: 'function',
  bind: 'function',
  describe: 'function',
  execute: 'function',
  close: 'function',
  sync: 'function',
  sendCopyFail: 'function',
};
const streamTypes: Readonly<Record<keyof PgConnection['stream'], string>> = {
  bytesRead: 'number',
  cork: 'function',
  uncork: 'function',
  destroy: 'function',
};

const { version } = createRequire(import.meta.url)('pg/package.json') as { readonly version: string };

/** Returns a message for each member that is missing or has another type. */
function violations(object: object, name: string, expected: Readonly<Record<string, string>>): string[] {
  return Object.entries(expected).flatMap(([member, type]) => {
    const found = typeof (object as Readonly<Record<string, unknown>>)[member];
    if (found === type) return [];
    return [
      `pg ${version}: ${name}.${member} is ${found}, not ${type}; adapt server/src/postgres/client/pg-internals.ts and its users`,
    ];
  });
}

let db: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  db = await testDatabase();
  client = new pg.Client({ connectionString: db.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await db.drop();
});

test('an open client of pg has the members that the service uses', () => {
  const internals = internalsOf(client);
  expect([
    ...violations(internals, 'client', types),
    ...violations(internals.connection, 'client.connection', connectionTypes),
    ...violations(internals.connection.stream, 'client.connection.stream', streamTypes),
  ]).toEqual([]);
});

test('a connection of pg without a client has the members that the service uses', () => {
  const connection = createConnection(false);
  expect(violations(connection, 'connection', connectionTypes)).toEqual([]);
});

test('pg records the statements that it has prepared under their names', async () => {
  await client.query({ name: 'one', text: 'select 1' });
  expect(internalsOf(client).connection.parsedStatements.one).toBe('select 1');
});

test('a missing member is reported with its name and the version of pg', () => {
  expect(violations({}, 'client', { processID: 'number' })).toEqual([
    `pg ${version}: client.processID is undefined, not number; adapt server/src/postgres/client/pg-internals.ts and its users`,
  ]);
});

test('server/package.json pins the version of pg that is installed', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  expect(manifest.dependencies.pg).toBe(version);
});
