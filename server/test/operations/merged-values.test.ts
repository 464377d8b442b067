/** Equal and different values of requests that run at the same time: variables, session variables, and reads that are volatile. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Cancellation } from '../../src/base/cancellation.ts';
import { createDatabase, type Database, type DatabaseSettings } from '../../src/postgres/client/pool.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type Engine, type EngineRequest, startEngine } from '../support/service/engine.ts';
import { until } from '../support/until.ts';
import { metadata, sql } from './merged-fixture.ts';

let db: TestDatabase;
/** Merges all that may be merged; merges by default; merges nothing. */
let engine: Engine;
let usual: Engine;
let plain: Engine;
interface Sent {
  readonly text: string;
  readonly values: readonly unknown[];
}
let sent: Sent[] = [];
/** Of one test. */
const opened: { close(): Promise<void> }[] = [];

function recorded(database: Database): Database {
  return {
    ...database,
    query: (run, options) => {
      sent.push(run);
      return database.query(run, options);
    },
  };
}

const bothOf = (database: Database) => ({ default: database, other: database });

beforeAll(async () => {
  db = await testDatabase({ sql });
  engine = await startEngine({ metadata, databases: bothOf(recorded(db.database)), merging: 'always' });
  usual = await startEngine({ metadata, databases: bothOf(recorded(db.database)), merging: 'auto' });
  plain = await startEngine({ metadata, databases: bothOf(db.database) });
  expect(plain.inconsistencies).toEqual([]);
});
afterAll(async () => {
  for (const one of [engine, usual, plain]) await one?.close();
  await db?.drop();
});
beforeEach(() => {
  sent = [];
});
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

async function bodies(of: Engine, requests: readonly EngineRequest[]): Promise<readonly string[]> {
  return Promise.all(requests.map(async (request) => (await of.execute(request)).body));
}

const requestsOf = (query: string, variables: readonly Record<string, unknown>[]): readonly EngineRequest[] =>
  variables.map((one) => ({ query, variables: one }));
const ids = (count: number) => Array.from({ length: count }, (_, index) => ({ id: index + 1 }));
const reading = (name: string) => sent.filter(({ text }) => text.includes(`"${name}"`) && !text.startsWith('explain'));

describe('requests with equal values', () => {
  const byKey = 'query ($id: Int!) { author_by_pk(id: $id) { name } }';

  test('are one item of the statement', async () => {
    const requests = requestsOf(byKey, [{ id: 3 }, { id: 4 }, { id: 3 }, { id: 3 }, { id: 99 }, { id: 99 }]);
    expect(await bodies(engine, requests)).toEqual(await bodies(plain, requests));
    expect(sent.map(({ values }) => values)).toEqual([[['3', '4', '99']]]);
  });

  test('are distinguished by session variables', async () => {
    const requests = [1, 2, 1].map((id) => {
      return { query: '{ author { id } }', role: 'user', session: { 'x-service-user-id': String(id) } };
    });
    expect(await bodies(engine, requests)).toEqual(
      [1, 2, 1].map((id) => JSON.stringify({ data: { author: [{ id }] } })),
    );
    expect(sent.map(({ values }) => values)).toEqual([[['1', '2']]]);
  });

  test('share the statement of one of them, also before the plans are compared', async () => {
    const query = 'query ($t: String!) { article(where: { title: { _neq: $t } }, order_by: { id: asc }) { id } }';
    const requests = requestsOf(query, [{ t: 'title 1' }, { t: 'title 2' }, { t: 'title 1' }, { t: 'title 1' }]);
    expect(await bodies(usual, requests)).toEqual(await bodies(plain, requests));
    expect(sent.map(({ text, values }) => [text.includes('unnest'), values])).toEqual([
      [false, ['title 1']],
      [false, ['title 2']],
    ]);
  });

  test('share a slow statement until its end', async () => {
    const query = 'query ($ms: Int!) { slow_author(args: { one: 7, ms: $ms }) { id } }';
    const results = await bodies(usual, requestsOf(query, [{ ms: 1_500 }, { ms: 1_500 }, { ms: 1_500 }]));
    expect(results).toEqual(Array.from({ length: 3 }, () => '{"data":{"slow_author":[{"id":7}]}}'));
    expect(sent).toHaveLength(1);
  });

  test('have the same error', async () => {
    const query = 'query ($id: Int!) { inverse(where: { id: { _eq: $id } }) { value } }';
    const requests = requestsOf(query, [{ id: 7 }, { id: 7 }, { id: 7 }]);
    const expected = await bodies(plain, requests);
    expect(await bodies(usual, requests)).toEqual(expected);
    expect(sent).toHaveLength(1);
    expect(await bodies(engine, [...requests, ...requestsOf(query, [{ id: 8 }])])).toEqual([
      ...expected,
      '{"data":{"inverse":[{"value":100}]}}',
    ]);
  });
});

describe('joins of requests with different session variables', () => {
  const reader = (query: string, count: number) =>
    ids(count).map(({ id }) => {
      const session = { 'x-service-user-id': String(id), 'x-service-reader': id % 3 === 0 ? 'odd' : 'even' };
      return { query, role: 'user', session };
    });

  test.each([
    ['a list', '{ author { id reviews(order_by: { id: asc }) { id reader } } }'],
    ['an object', '{ author { id first_review { id reader } } }'],
    ['an aggregate', '{ author { id reviews_aggregate { aggregate { count max { stars } } nodes { id } } } }'],
  ])('are one statement: %s', async (_shape, query) => {
    const requests = reader(query, 9);
    const expected = await bodies(plain, requests);
    expect(await bodies(engine, requests)).toEqual(expected);
    expect(new Set(expected).size).toBe(9);
    expect(reading('review')).toHaveLength(1);
  });

  test('are one statement for values of any type', async () => {
    const query =
      'query ($n: Int!) { author(where: { id: { _lte: $n } }, order_by: { id: asc }) { reviews(where: { id: { _gt: $n } }, order_by: { id: asc }) { id stars mood } } }';
    const requests = [
      { variables: { n: 3 }, session: { 'x-service-stars': '{11,12,13,22}', 'x-service-mood': 'good' } },
      { variables: { n: 5 }, session: { 'x-service-stars': '{30,31,33,41}', 'x-service-mood': 'bad' } },
      { variables: { n: 0 }, session: { 'x-service-stars': '{1}', 'x-service-mood': 'bad' } },
      { variables: { n: 9 }, session: { 'x-service-stars': '{}', 'x-service-mood': 'good' } },
    ].map((one) => ({ ...one, query, role: 'critic' }));
    const expected = await bodies(plain, requests);
    expect(await bodies(engine, requests)).toEqual(expected);
    expect(expected[0]).toContain('"mood":"good"');
    expect(expected[1]).toContain('"mood":"bad"');
    expect(reading('review')).toHaveLength(1);
  });

  test('have errors of their own', async () => {
    const query = '{ author(order_by: { id: asc }, limit: 2) { reviews { id } } }';
    const requests = ['good', 'none', 'bad'].map((mood) => {
      return { query, role: 'critic', session: { 'x-service-stars': '{1}', 'x-service-mood': mood } };
    });
    const results = await bodies(engine, requests);
    expect(results).toEqual(await bodies(plain, requests));
    expect(results.map((body) => body.includes('"errors"'))).toEqual([false, true, false]);
  });

  test('are merged by default once the plans are compared', async () => {
    const query = '{ author { id reviews(order_by: { stars: desc }) { id reader } } }';
    const requests = reader(query, 6);
    const expected = await bodies(plain, requests);
    await until('the joins are one statement', async () => {
      sent = [];
      expect(await bodies(usual, requests)).toEqual(expected);
      return reading('review').length === 1;
    });
  });
});

test('joins of concurrent mutations share statements, which run after their commits', async () => {
  const query =
    'mutation ($id: Int!, $name: String!) { update_author_by_pk(pk_columns: { id: $id }, _set: { name: $name }) { name reviews(order_by: { id: asc }) { id } } }';
  // So many that some joins wait for each other also on a machine that is shared with other work.
  const requests = ids(30).map(({ id }) => ({ query, variables: { id, name: `changed ${id}` } }));
  const results = await bodies(engine, requests);
  const restored = await bodies(plain, requests);
  expect(results).toEqual(restored);
  expect(reading('review').length).toBeLessThan(30);
});

describe('the response is the same as without merging', () => {
  test('Relay connections', async () => {
    const query = `query ($first: Int!, $after: String, $name: String!) {
      author_connection(first: $first, after: $after, order_by: { id: asc }, where: { name: { _neq: $name } }) {
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
        edges { cursor node { id name articles_connection(last: 2, order_by: { id: asc }) { edges { cursor node { title } } } } }
      }
    }`;
    const first = [2, 3, 1, 50].map((count) => ({ query, relay: true, variables: { first: count, name: 'author 2' } }));
    const pages = await bodies(plain, first);
    expect(await bodies(engine, first)).toEqual(pages);
    expect(sent).toHaveLength(1);
    const cursors = pages.map((body) => /"endCursor":\s?"([^"]+)"/.exec(body)?.[1]);
    const next = cursors.map((after) => ({ query, relay: true, variables: { first: 2, after, name: 'author 4' } }));
    expect(await bodies(engine, next)).toEqual(await bodies(plain, next));
    expect(sent).toHaveLength(2);
  });

  test('native queries, which are not merged', async () => {
    const query = 'query ($n: Int!) { from_id(args: { least: $n }) { id name } }';
    const requests = requestsOf(query, [{ n: 20 }, { n: 21 }, { n: 20 }, { n: 99 }]);
    expect(await bodies(engine, requests)).toEqual(await bodies(plain, requests));
    expect(sent).toHaveLength(4);
  });
});

test.each(['drawn', 'drawn_again'])(
  'a view that calls a volatile function is read for each request: %s',
  async (view) => {
    const query = `{ ${view}(where: { id: { _eq: 1 } }) { value } }`;
    const results = await bodies(engine, [{ query }, { query }, { query }]);
    expect(new Set(results).size).toBe(3);
    expect(sent).toHaveLength(3);
  },
);

describe('while all connections are in use', () => {
  const byId = 'query ($id: Int!) { author_by_pk(id: $id) { name email } }';

  test('requests wait for one statement, whose limit begins when it is sent', async () => {
    const limited = connectWith({ poolSize: 1 });
    let used = db.database;
    const database: Database = { ...limited, query: (run, options) => used.query(run, options) };
    const waiting = await startEngine({ metadata, databases: bothOf(recorded(database)), merging: 'auto' });
    opened.push(waiting);
    used = limited;
    sent = [];
    const inUse = limited.query({ text: 'select pg_sleep(1.5)', values: [] });
    const results: Promise<string>[] = [];
    // One request each in a turn of the event loop.
    for (const { id } of ids(30)) {
      results.push(waiting.execute({ query: byId, variables: { id } }).then(({ body }) => body));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await inUse;
    expect(await Promise.all(results)).toEqual(await bodies(plain, requestsOf(byId, ids(30))));
    expect(sent.length).toBeLessThan(6);
  });

  test('by slow requests of one role, lookups of another role share the connections that are left', async () => {
    const shared = connectWith({ poolSize: 5, roleShare: 80, applicationName: 'merged, shared' });
    let used = db.database;
    const database: Database = { ...shared, query: (run, options) => used.query(run, options) };
    const sharing = await startEngine({ metadata, databases: bothOf(recorded(database)), merging: 'auto' });
    opened.push(sharing);
    used = shared;
    const signal = new Cancellation();
    const slow = 'query ($id: Int!) { slow_author(args: { one: $id, ms: 60000 }) { id } }';
    let ended = 0;
    const late = ids(10).map(async (variables) => {
      await sharing.execute({ query: slow, variables, role: 'critic', signal });
      ended += 1;
    });
    const text = `select 1 from pg_stat_activity where wait_event = 'PgSleep' and application_name = 'merged, shared'`;
    await until('the slow requests use their share', async () => {
      return (await db.database.query({ text, values: [] })).rows.length === 3;
    });
    sent = [];
    const query = '{ author { id } }';
    for (let round = 0; round < 5; round += 1) {
      const requests = ids(40).map(({ id }) => {
        return { query, role: 'user', session: { 'x-service-user-id': String(id) } };
      });
      expect(await bodies(sharing, requests)).toEqual(
        ids(40).map((row) => JSON.stringify({ data: { author: [row] } })),
      );
    }
    expect(sent.length).toBeLessThan(20);
    expect(ended).toBe(0);
    signal.abort();
    await Promise.all(late);
  });
});

function connectWith(settings: Partial<DatabaseSettings>): Database {
  const usual = { poolSize: 5, statementTimeoutMs: 20_000, prepare: true, applicationName: 'merged values' };
  const database = createDatabase({ url: db.url, ...usual, ...settings });
  opened.push(database);
  return database;
}
