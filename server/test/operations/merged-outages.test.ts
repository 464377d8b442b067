/** Merged reads with read replicas, behind poolers, and with servers that become unreachable while a statement runs. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDatabase, type Database, type DatabaseSettings } from '../../src/postgres/client/pool.ts';
import { withReplicas } from '../../src/service/sources/replicas.ts';
import { pooled } from '../support/database/pooler.ts';
import { startProxy, type Proxy as TestProxy } from '../support/database/postgres-proxy.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type Engine, startEngine } from '../support/service/engine.ts';
import { startService } from '../support/service/test-service.ts';
import { until } from '../support/until.ts';
import { metadata, sql } from './merged-fixture.ts';

let db: TestDatabase;
/** The rows of the replica differ, so that a result shows where it was read. */
let copy: TestDatabase;
const opened: { close(): Promise<void> }[] = [];
let sent: string[] = [];
/** Of the pools of each test: statements of a lost connection may still run. */
let applicationName = '';

beforeAll(async () => {
  db = await testDatabase({ sql });
  copy = await testDatabase({ sql: `${sql}; update author set name = 'copy of ' || name` });
});
afterAll(async () => {
  await db?.drop();
  await copy?.drop();
});
beforeEach(({ task }) => {
  sent = [];
  applicationName = `merged ${task.id}`;
});
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

function open(url: string, settings: Partial<DatabaseSettings> = {}): Database {
  const usual = { poolSize: 4, statementTimeoutMs: 20_000, prepare: true, applicationName };
  const database = createDatabase({ url, ...usual, ...settings });
  opened.push(database);
  return database;
}

function recorded(name: string, database: Database): Database {
  return {
    ...database,
    query: (run, options) => {
      sent.push(`${name}: ${run.text.includes('unnest') ? 'merged' : 'alone'}`);
      return database.query(run, options);
    },
  };
}

/** Starts an engine whose requests use `database`; the catalog is read from the test server itself. */
async function engineOf(database: Database, merging: 'auto' | 'always' = 'always'): Promise<Engine> {
  let used = db.database;
  const either: Database = { ...database, query: (run, options) => used.query(run, options) };
  const engine = await startEngine({ metadata, databases: { default: either, other: either }, merging });
  used = database;
  opened.push(engine);
  return engine;
}

const byKey = 'query ($id: Int!) { author_by_pk(id: $id) { name } }';
const locked = 'query ($id: Int!) { locked_author(args: { one: $id }) { name } }';
const ids = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const named = (field: string, id: number, prefix = '') => {
  const row = `{"name":"${prefix}author ${id}"}`;
  return `{"data":{"${field}":${field === 'locked_author' ? `[${row}]` : row}}}`;
};
const lookups = (engine: Engine, count: number) =>
  Promise.all(ids(count).map(async (id) => (await engine.execute({ query: byKey, variables: { id } })).body));

/** Runs three requests whose statement waits for a lock until `interrupt` has ended. Returns their results. */
async function interrupted(engine: Engine, of: TestDatabase, interrupt: () => void | Promise<void>) {
  const text = `select 1 from pg_stat_activity where wait_event = 'advisory' and application_name = $1
    and datname = current_database()`;
  let results: Promise<readonly string[]> = Promise.resolve([]);
  await of.database.transaction(async (query) => {
    await query({ text: 'select pg_advisory_xact_lock(1)', values: [] });
    results = Promise.all(ids(3).map(async (id) => (await engine.execute({ query: locked, variables: { id } })).body));
    await until('the statement waits for the lock', async () => {
      return (await of.database.query({ text, values: [applicationName] })).rows.length > 0;
    });
    await interrupt();
  });
  return results;
}

describe('with a replica', () => {
  const replicated = (replica: string) =>
    withReplicas(recorded('primary', open(db.url)), [
      {
        database: recorded('replica', open(replica, { isReplica: true })),
        isFresh: () => true,
        hasReplayed: async () => false,
      },
    ]).database;

  test('a merged statement reads the replica', async () => {
    const engine = await engineOf(replicated(copy.url));
    expect(await lookups(engine, 20)).toEqual(ids(20).map((id) => named('author_by_pk', id, 'copy of ')));
    expect(sent).toEqual(['replica: merged']);
  });

  test('that is lost while the statement runs, the same statement reads the primary', async () => {
    const proxy = await startProxy(copy.url);
    opened.push(proxy);
    const engine = await engineOf(replicated(proxy.url));
    expect(await interrupted(engine, copy, proxy.cut)).toEqual(ids(3).map((id) => named('locked_author', id)));
    expect(sent).toEqual(['replica: merged', 'primary: merged']);
  });

  test('that is not reachable, the same statement reads the primary', async () => {
    const proxy = await startProxy(copy.url);
    await proxy.close();
    const engine = await engineOf(replicated(proxy.url));
    expect(await lookups(engine, 20)).toEqual(ids(20).map((id) => named('author_by_pk', id)));
    expect(sent).toEqual(['replica: merged', 'primary: merged']);
  });
});

test('concurrent batches read what their mutations wrote, and replicas before', async () => {
  const rows = (value: number) => `create table counter (id int primary key, value int not null);
    insert into counter select n, ${value} from generate_series(1, 20) n`;
  const primary = await testDatabase({ sql: rows(0) });
  const replica = await testDatabase({ sql: rows(100) });
  const service = await startService({ JOINERY_MERGE_READS: 'always' });
  try {
    const info = (url: string) => ({ database_url: pooled(url) });
    const configuration = { connection_info: info(primary.url), read_replicas: [info(replica.url)] };
    await service.command('pg_add_source', { name: 'second', configuration });
    await service.command('pg_track_table', { source: 'second', table: 'counter' });
    const query = 'query ($id: Int!) { counter_by_pk(id: $id) { value } }';
    const mutation =
      'mutation ($id: Int!) { update_counter_by_pk(pk_columns: { id: $id }, _inc: { value: $id }) { value } }';
    const batches = await Promise.all(
      ids(20).map(async (id) => {
        const variables = { id };
        const requests = [query, mutation, query].map((one) => ({ query: one, variables }));
        return (await service.post('/v1/graphql', requests)).body;
      }),
    );
    expect(batches).toEqual(
      ids(20).map((id) => [
        { data: { counter_by_pk: { value: 100 } } },
        { data: { update_counter_by_pk: { value: id } } },
        { data: { counter_by_pk: { value: id } } },
      ]),
    );
  } finally {
    await service.stop();
    await primary.drop();
    await replica.drop();
  }
}, 60_000);

describe('a server that fails while a merged statement runs', () => {
  /** Returns a URL with the hosts of both proxies. */
  function hostsOf(first: TestProxy, second: TestProxy): string {
    const { username, password, pathname } = new URL(db.url);
    const hosts = [first, second].map(({ url }) => new URL(url).host).join(',');
    return `postgres://${username}:${password}@${hosts}${pathname}`;
  }

  test('is replaced by the next host, where each request runs again', async () => {
    const first = await startProxy(db.url);
    const second = await startProxy(db.url);
    opened.push(second);
    const engine = await engineOf(recorded('server', open(hostsOf(first, second))));
    expect(await lookups(engine, 9)).toEqual(ids(9).map((id) => named('author_by_pk', id)));
    sent = [];
    expect(await interrupted(engine, db, first.close)).toEqual(ids(3).map((id) => named('locked_author', id)));
    expect(sent).toEqual(['server: merged', 'server: alone', 'server: alone', 'server: alone']);
    expect(await lookups(engine, 9)).toEqual(ids(9).map((id) => named('author_by_pk', id)));
  });

  test('and is not reachable afterwards fails each request with the error that it has alone', async () => {
    const proxy = await startProxy(db.url);
    const engine = await engineOf(recorded('server', open(proxy.url)));
    for (const body of await interrupted(engine, db, proxy.close)) {
      expect(JSON.parse(body)).toMatchObject({ errors: [{ extensions: { code: 'busy' } }] });
    }
    expect(sent).toHaveLength(4);
    sent = [];
    for (const body of await lookups(engine, 30)) {
      expect(JSON.parse(body)).toMatchObject({ errors: [{ extensions: { code: 'busy' } }] });
    }
    // The statement was not sent. Each request alone would fail to connect again.
    expect(sent).toEqual(['server: merged']);
  });

  test('again and again mixes up no results', async () => {
    const proxy = await startProxy(db.url);
    opened.push(proxy);
    const engine = await engineOf(open(proxy.url), 'auto');
    let running = true;
    const outcomes = new Map<string, number>();
    const clients = ids(25).map(async (first) => {
      for (let id = first; running; id = (id % 50) + 1) {
        const { body } = await engine.execute({ query: byKey, variables: { id } });
        const isBusy = body.includes('"errors"') && body.includes('"busy"');
        const outcome = body === named('author_by_pk', id) ? 'own' : isBusy ? 'busy' : body;
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    });
    for (let count = 0; count < 10; count += 1) {
      const before = outcomes.get('own') ?? 0;
      await until('requests succeed', () => (outcomes.get('own') ?? 0) > before + 200);
      proxy.cut();
    }
    running = false;
    await Promise.all(clients);
    expect([...outcomes.keys()].filter((outcome) => outcome !== 'own' && outcome !== 'busy')).toEqual([]);
  });
});

/** In a run with a pooler each transaction may use another connection to the server. */
describe.each([true, false])('with prepared statements: %s', (prepare) => {
  test('requests of many rounds have results of their own', async () => {
    const engine = await engineOf(open(pooled(db.url), { prepare, poolSize: 6 }), 'auto');
    for (let round = 0; round < 10; round += 1) {
      expect(await lookups(engine, 40)).toEqual(ids(40).map((id) => named('author_by_pk', id)));
    }
  });

  test('an error of one request is its own', async () => {
    const engine = await engineOf(open(pooled(db.url), { prepare, poolSize: 6 }));
    const query =
      'query ($id: Int!) { inverse(where: { id: { _eq: $id } }) { id } inverse_aggregate(where: { id: { _eq: $id } }) { aggregate { max { value } } } }';
    const results = await Promise.all(
      ids(20).map(async (id) => (await engine.execute({ query, variables: { id } })).body),
    );
    expect(results.filter((body) => body.includes('"errors"'))).toHaveLength(1);
    expect(results[6]).toContain('division by zero');
  });
});
