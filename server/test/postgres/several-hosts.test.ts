/** Database URLs with several hosts, read-only servers, and statements whose response is lost. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listen } from '../../src/postgres/client/listen.ts';
import { createDatabase, type Database, type DatabaseSettings } from '../../src/postgres/client/pool.ts';
import { fromPostgres } from '../../src/postgres/sql/errors.ts';
import { startProxy } from '../support/database/postgres-proxy.ts';
import { type ServerPair, startServerPair } from '../support/database/standby-server.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startService } from '../support/service/test-service.ts';

let pair: ServerPair;
let db: TestDatabase;
const opened: Database[] = [];

beforeAll(async () => {
  pair = await startServerPair('create table item (id int primary key)');
  db = await testDatabase({ sql: 'create table item (id int primary key)' });
}, 120_000);
afterAll(async () => {
  await Promise.all(opened.map((database) => database.close()));
  await db.drop();
  await pair.stop();
});

function open(url: string, settings: Partial<DatabaseSettings> = {}): Database {
  const usual = { url, poolSize: 2, statementTimeoutMs: 20_000, prepare: true, applicationName: 'several hosts' };
  const database = createDatabase({ ...usual, ...settings });
  opened.push(database);
  return database;
}

const query = (database: Database, text: string) => database.query({ text, values: [] });
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => fromPostgres(error),
  );
const polling = { timeout: 30_000, interval: 100 };

async function role(database: Database): Promise<string> {
  const { rows } = await query(database, `select case when pg_is_in_recovery() then 'standby' else 'primary' end`);
  return rows[0]?.[0] ?? '';
}

describe('a URL with several hosts', () => {
  test.each([
    ['read-write', 'primary'],
    ['primary', 'primary'],
    ['read-only', 'standby'],
    ['standby', 'standby'],
    ['prefer-standby', 'standby'],
  ])('with target_session_attrs=%s connects to the %s, for any order of the hosts', async (attributes, expected) => {
    const { primary, standby } = pair;
    const parameters = `?target_session_attrs=${attributes}`;
    expect(await role(open(pair.url([primary, standby], parameters)))).toBe(expected);
    expect(await role(open(pair.url([standby, primary], parameters)))).toBe(expected);
  });

  test('without target_session_attrs connects to the first reachable host', async () => {
    const { primary, standby } = pair;
    const closed = { ...primary, address: '127.0.0.1:1' };
    expect(await role(open(pair.url([standby, primary])))).toBe('standby');
    expect(await role(open(pair.url([closed, primary, standby])))).toBe('primary');
  });

  test('falls back to the primary with prefer-standby', async () => {
    expect(await role(open(pair.url([pair.primary], '?target_session_attrs=prefer-standby')))).toBe('primary');
  });

  test('rejects with busy if no server matches, with the reason for each host in the internal details', async () => {
    const { address } = pair.standby;
    const url = pair.url(
      [pair.standby, { ...pair.standby, address: '127.0.0.1:1' }],
      '?target_session_attrs=read-write',
    );
    const error = await failureOf(query(open(url), 'select 1'));
    expect(error).toMatchObject({
      code: 'busy',
      internal: {
        error: expect.stringMatching(`^${address}: the server is not read-write; 127.0.0.1:1: .*ECONNREFUSED`),
      },
    });
  });
});

describe('a write on a read-only server', () => {
  const insert = 'insert into item values (1)';

  test('is rejected with busy on a standby, and the connection is closed', async () => {
    const database = open(pair.standby.url);
    await query(database, 'select 1');
    expect(await failureOf(query(database, insert))).toMatchObject({ code: 'busy', status: 503 });
    expect(database.stats().total).toBe(0);
    expect(await failureOf(database.transaction((query) => query({ text: insert, values: [] })))).toMatchObject({
      code: 'busy',
    });
    expect(database.stats().total).toBe(0);
  });

  test.each([
    ['a URL that requests a standby', () => open(pair.url([pair.standby], '?target_session_attrs=standby'))],
    ['a replica', () => open(pair.standby.url, { isReplica: true })],
    [
      'a database with default_transaction_read_only',
      () => open(pair.url([pair.primary], '?options=-c%20default_transaction_read_only%3Don')),
    ],
  ])('is rejected as not supported by %s, and the connection stays open', async (_server, open) => {
    const database = open();
    expect(await failureOf(query(database, insert))).toMatchObject({ code: 'not-supported', status: 400 });
    expect(database.stats().total).toBe(1);
  });

  test('is rejected as not supported in a read-only transaction', async () => {
    const work = db.database.transaction((query) => query({ text: insert, values: [] }), { readOnly: true });
    expect(await failureOf(work)).toMatchObject({ code: 'not-supported' });
  });
});

describe('a connection that is lost before the response', () => {
  /** Runs `work` while responses are dropped, and cuts the connection as soon as `done` returns true. */
  async function lose(work: (database: Database) => Promise<unknown>, done: () => Promise<boolean>) {
    const proxy = await startProxy(db.url);
    const database = open(proxy.url, { poolSize: 1 });
    await query(database, 'select 1');
    try {
      const failure = failureOf(
        work({
          ...database,
          transaction: (inside) =>
            database.transaction(async (query) => {
              const result = await inside(query);
              proxy.mute();
              return result;
            }),
          query: (run, options) => {
            proxy.mute();
            return database.query(run, options);
          },
        }),
      );
      await expect.poll(done, polling).toBe(true);
      proxy.cut();
      return await failure;
    } finally {
      await proxy.close();
    }
  }

  const stored = async (id: number) =>
    (await query(db.database, `select 1 from item where id = ${id}`)).rows.length === 1;
  const ran = (text: string) => async () => {
    const values = [text];
    const found = `select 1 from pg_stat_activity where application_name = 'several hosts' and query = $1 and state like 'idle%'`;
    return (await db.database.query({ text: found, values })).rows.length === 1;
  };

  test('leaves the outcome of a commit unknown', async () => {
    const work = (database: Database) =>
      database.transaction((query) => query({ text: 'insert into item values (11)', values: [] }));
    expect(await lose(work, () => stored(11))).toMatchObject({ code: 'unknown-outcome', status: 500 });
  });

  test('leaves the outcome of a change without a transaction unknown', async () => {
    const work = (database: Database) => query(database, 'insert into item values (12)');
    expect(await lose(work, () => stored(12))).toMatchObject({ code: 'unknown-outcome' });
  });

  test('leaves the outcome of a change that begins with "with" unknown', async () => {
    const work = (database: Database) =>
      query(database, 'with changed as (insert into item values (13) returning *) select count(*) from changed');
    expect(await lose(work, () => stored(13))).toMatchObject({ code: 'unknown-outcome' });
  });

  test('rejects a read with busy', async () => {
    const text = 'select count(*) from item';
    expect(await lose((database) => query(database, text), ran(text))).toMatchObject({ code: 'busy' });
  });

  test('rejects a change in an uncommitted transaction with busy', async () => {
    const proxy = await startProxy(db.url);
    const database = open(proxy.url, { poolSize: 1 });
    const work = database.transaction(async (query) => {
      await query({ text: 'select 1', values: [] });
      setImmediate(proxy.cut);
      await query({ text: 'insert into item select 14 from pg_sleep(5)', values: [] });
    });
    expect(await failureOf(work)).toMatchObject({ code: 'busy' });
    expect(await stored(14)).toBe(false);
    await proxy.close();
  });

  test.each([
    ['a change', 15, 'insert_item(objects: { id: 15 }) { affected_rows }'],
    ['a function that writes', 16, 'add_item(args: { id: 16 }) { id }'],
  ])(
    'is reported to GraphQL clients for %s',
    async (_kind, id, field) => {
      let writes = false;
      // On any connection: the service may use another one for each statement.
      const proxy = await startProxy(db.url, { mutes: (data) => writes && /insert into|add_item/.test(data) });
      const service = await startService({ JOINERY_DATABASE_URL: proxy.url, JOINERY_COMPONENTS: 'api' }, db);
      try {
        const adding = `'insert into item values (add_item.id) returning *'`;
        const text = `create or replace function add_item(id int) returns setof item language sql as ${adding}`;
        await query(db.database, text);
        await service.command('bulk', [
          { type: 'clear_metadata', args: {} },
          { type: 'track_table', args: 'item' },
          { type: 'pg_track_function', args: { function: 'add_item', configuration: { exposed_as: 'mutation' } } },
        ]);
        expect(await service.graphql('{ item(limit: 0) { id } }')).toEqual({ data: { item: [] } });
        writes = true;
        const response = service.graphql(`mutation { ${field} }`);
        await expect.poll(() => stored(id), polling).toBe(true);
        proxy.cut();
        expect(await response).toMatchObject({ errors: [{ extensions: { code: 'unknown-outcome' } }] });
      } finally {
        await service.stop();
        await proxy.close();
      }
    },
    60_000,
  );
});

// The last test, because the servers change their roles.
test('statements, prepared statements and listeners use the new primary after a failover', async () => {
  const { primary, standby } = pair;
  const url = pair.url([primary, standby], '?target_session_attrs=read-write');
  const database = open(url);
  const received: string[] = [];
  const listener = await listen({
    url,
    channels: ['failover'],
    onNotify: (_channel, payload) => received.push(payload),
    onReconnect: () => received.push('reconnected'),
  });
  const text = 'insert into item values ($1) returning id';
  const write = (id: string) =>
    database.query({ text, values: [id], name: database.prepared(text) }).then(
      ({ rows }) => rows,
      (error: unknown) => fromPostgres(error).code,
    );
  try {
    expect(await write('1')).toEqual([['1']]);
    await primary.stop();
    expect(await write('2')).toBe('busy');
    const promoting = open(standby.url);
    expect((await query(promoting, 'select pg_promote()')).rows).toEqual([['t']]);
    await expect.poll(() => write('3'), polling).toEqual([['3']]);
    await expect.poll(() => received, polling).toEqual(['reconnected']);
    await query(database, `notify failover, 'hello'`);
    await expect.poll(() => received, polling).toEqual(['reconnected', 'hello']);
  } finally {
    await listener.close();
  }
}, 90_000);
