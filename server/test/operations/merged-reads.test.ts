/** Reads that run at the same time with the same plan are one statement, with the results that each has alone. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Cancellation } from '../../src/base/cancellation.ts';
import { createDatabase, type Database, type DatabaseSettings } from '../../src/postgres/client/pool.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type Engine, type EngineRequest, startEngine } from '../support/service/engine.ts';
import { until } from '../support/until.ts';
import { metadata, sql } from './merged-fixture.ts';

let db: TestDatabase;
let engine: Engine;
let plain: Engine;
let sent: string[] = [];

/** Records the statements of reads. */
function recorded(database: Database): Database {
  return {
    ...database,
    query: (run, options) => {
      sent.push(run.text);
      return database.query(run, options);
    },
  };
}

const bothOf = (database: Database) => ({ default: database, other: database });

beforeAll(async () => {
  db = await testDatabase({ sql });
  engine = await startEngine({ metadata, databases: bothOf(recorded(db.database)), merging: 'always' });
  plain = await startEngine({ metadata, databases: bothOf(db.database) });
  expect(engine.inconsistencies).toEqual([]);
});
afterAll(async () => {
  await engine?.close();
  await plain?.close();
  await db?.drop();
});
beforeEach(() => {
  sent = [];
});

async function bodies(of: Engine, requests: readonly EngineRequest[]): Promise<readonly string[]> {
  return Promise.all(requests.map(async (request) => (await of.execute(request)).body));
}

const byKey = 'query ($id: Int!) { author_by_pk(id: $id) { id name articles(order_by: { id: asc }) { title tags } } }';
const requestsOf = (query: string, variables: readonly Record<string, unknown>[]): readonly EngineRequest[] =>
  variables.map((one) => ({ query, variables: one }));
const numbered = (count: number) => Array.from({ length: count }, (_, index) => ({ id: index + 1 }));

test('concurrent requests with the same plan are one statement', async () => {
  const requests = requestsOf('query ($id: Int!) { author_by_pk(id: $id) { name } }', numbered(60));
  const results = await bodies(engine, requests);
  expect(sent).toHaveLength(1);
  expect(results[41]).toBe('{"data":{"author_by_pk":{"name":"author 42"}}}');
  expect(results[59]).toBe('{"data":{"author_by_pk":null}}');
});

test('one statement reads for at most 100 requests', async () => {
  await bodies(engine, requestsOf('query ($id: Int!) { author_by_pk(id: $id) { email } }', numbered(150)));
  expect(sent).toHaveLength(2);
});

test('the text of the statement does not depend on the number of requests', async () => {
  const query = 'query ($id: Int!) { author_by_pk(id: $id) { id email } }';
  await bodies(engine, requestsOf(query, numbered(3)));
  await bodies(engine, requestsOf(query, numbered(9)));
  expect(new Set(sent).size).toBe(1);
});

test('a request without values shares one run of its statement', async () => {
  const requests = Array.from({ length: 20 }, () => ({ query: '{ author(order_by: { id: asc }) { name } }' }));
  const [first = '', ...others] = await bodies(engine, requests);
  expect(sent).toHaveLength(1);
  expect(first).toContain('author 50');
  expect(new Set(others)).toEqual(new Set([first]));
});

test('session variables are those of each request', async () => {
  const query = '{ author { id } article_aggregate { aggregate { count } nodes { author_id } } }';
  const requests = numbered(20).map(({ id }) => ({
    query,
    role: 'user',
    session: { 'x-service-user-id': String(id) },
  }));
  const results = await bodies(engine, requests);
  expect(sent).toHaveLength(1);
  results.forEach((body, index) => {
    const { data } = JSON.parse(body) as {
      data: { author: unknown; article_aggregate: { nodes: readonly unknown[] } };
    };
    expect(data.author).toEqual([{ id: index + 1 }]);
    expect(data.article_aggregate.nodes).toEqual(Array.from({ length: 4 }, () => ({ author_id: index + 1 })));
  });
});

describe('the response is the same as without merging', () => {
  const long = 'x'.repeat(300_000);
  const cases: readonly (readonly [name: string, query: string, variables: readonly Record<string, unknown>[]])[] = [
    ['a row with its list', byKey, numbered(55)],
    [
      'a list',
      'query ($t: [String!]) { article(where: { title: { _in: $t } }) { id } }',
      [{ t: ['title 1', 'title 2'] }, { t: [] }],
    ],
    [
      'no condition for null',
      'query ($w: article_bool_exp) { article(where: $w, limit: 3, order_by: {id: asc}) { id } }',
      [{ w: null }, { w: null }],
    ],
    [
      'arrays',
      'query ($t: [String!]) { article(where: { tags: { _contains: $t } }) { id tags } }',
      [{ t: ['x"y', 'a,b'] }, { t: ['t3'] }, { t: [] }],
    ],
    [
      'jsonb',
      'query ($j: jsonb) { article(where: { meta: { _contains: $j } }) { id meta } }',
      [{ j: { n: 3 } }, { j: { q: '"\\' } }, { j: 'none' }],
    ],
    [
      'an aggregate',
      'query ($n: Int) { article_aggregate(where: { author_id: { _eq: $n } }) { aggregate { count max { title } } nodes { id } } }',
      [{ n: 1 }, { n: 2 }, { n: 999 }],
    ],
    [
      'an object relationship',
      'query ($id: Int!) { article_by_pk(id: $id) { author { name } meta(path: "q") label } }',
      numbered(30),
    ],
    [
      'several roots',
      'query ($id: Int!) { author_by_pk(id: $id) { name } article(where: { author_id: { _eq: $id } }, order_by: { id: desc }, limit: 2, offset: 1) { id } }',
      numbered(10),
    ],
    [
      'a stable function',
      'query ($t: String!) { found(args: { term: $t }) { id name } }',
      [{ t: 'author 1%' }, { t: 'none' }],
    ],
    [
      'long values',
      'query ($t: String!) { author(where: { name: { _neq: $t }, id: { _lt: 3 } }) { name } }',
      [{ t: long }, { t: `${long}y` }],
    ],
  ];
  test.each(cases)('%s', async (_name, query, variables) => {
    const requests = requestsOf(query, variables);
    expect(await bodies(engine, requests)).toEqual(await bodies(plain, requests));
    expect(sent).toHaveLength(1);
  });
});

describe('by default', () => {
  let usual: Engine;
  beforeAll(async () => {
    usual = await startEngine({ metadata, databases: bothOf(recorded(db.database)), merging: 'auto' });
  });
  afterAll(() => usual?.close());

  test('one request runs its own statement', async () => {
    await bodies(usual, requestsOf('query ($id: Int!) { author_by_pk(id: $id) { name } }', numbered(1)));
    expect(sent).toEqual([expect.not.stringContaining('unnest')]);
  });

  test('requests by a unique key are merged', async () => {
    await bodies(usual, requestsOf('query ($id: Int!) { author_by_pk(id: $id) { email } }', numbered(30)));
    expect(sent).toHaveLength(1);
    const query = 'query ($email: String!) { author(where: { email: { _eq: $email } }) { name } }';
    const requests = requestsOf(query, [{ email: 'a1@example.org' }, { email: 'a2@example.org' }]);
    expect(await bodies(usual, requests)).toEqual(await bodies(plain, requests));
    expect(sent).toHaveLength(2);
  });

  test('other requests run alone until the plans are compared', async () => {
    const query = 'query ($id: Int!) { author(where: { id: { _lt: $id } }, order_by: { id: asc }, limit: 2) { name } }';
    const requests = requestsOf(query, numbered(6));
    const expected = await bodies(plain, requests);
    await bodies(usual, requests);
    expect(sent).toHaveLength(6);
    await until('the requests are merged', async () => {
      expect(await bodies(usual, requests)).toEqual(expected);
      return sent.some((text) => text.startsWith('select') && text.includes('unnest'));
    });
    expect(sent.filter((text) => text.startsWith('explain'))).not.toHaveLength(0);
  });
});

describe('joins', () => {
  const query =
    'query ($id: Int!) { author(where: { id: { _lte: $id } }, order_by: { id: asc }) { id reviews(order_by: { id: asc }) { id stars } } }';

  test('of several requests are one statement over the keys of all', async () => {
    const requests = requestsOf(query, [{ id: 3 }, { id: 12 }, { id: 0 }, { id: 1 }]);
    expect(await bodies(engine, requests)).toEqual(await bodies(plain, requests));
    expect(sent.filter((text) => text.includes('"review"'))).toHaveLength(1);
  });
});

test('a volatile function is called by a statement of each request', async () => {
  const requests = requestsOf('query ($n: Int!) { any_author(args: { first: $n }) { id } }', [
    { n: 1 },
    { n: 2 },
    { n: 3 },
  ]);
  expect(await bodies(engine, requests)).toEqual(await bodies(plain, requests));
  expect(sent).toHaveLength(3);
});

describe('a request does not affect its neighbors', () => {
  /** Sleeps before it returns the row. */
  const slow = 'query ($id: Int!, $ms: Int!) { slow_author(args: { one: $id, ms: $ms }) { id } }';
  const inverse = 'query ($id: Int!) { inverse(where: { id: { _eq: $id } }) { value } }';

  test('an error of one request is its own, with the message of its own statement', async () => {
    const requests = requestsOf(inverse, numbered(20));
    const results = await bodies(engine, requests);
    expect(results).toEqual(await bodies(plain, requests));
    expect(results.filter((body) => body.includes('"errors"'))).toHaveLength(1);
    expect(results[6]).toContain('division by zero');
  });

  test('a value that PostgreSQL cannot parse is an error of its request', async () => {
    const query = 'query ($j: String!) { article(where: { meta: { _cast: { String: { _regex: $j } } } }) { id } }';
    const requests = requestsOf(query, [{ j: '"n": 3,' }, { j: '(' }, { j: '"n": 4,' }]);
    const results = await bodies(engine, requests);
    expect(results).toEqual(await bodies(plain, requests));
    expect(results[1]).toContain('"errors"');
  });

  test('a canceled request is rejected, and the others have their results', async () => {
    const query = 'query ($id: Int!) { author_by_pk(id: $id) { name id email } }';
    const signal = new Cancellation();
    const canceled = engine.execute({ query, variables: { id: 1 }, signal });
    const other = engine.execute({ query, variables: { id: 2 } });
    signal.abort();
    expect((await canceled).body).toContain('the request was canceled');
    expect((await other).body).toContain('author 2');
    expect(sent).toHaveLength(1);
  });

  test('a request that is canceled while the statement runs is rejected, and the others have their results', async () => {
    const signal = new Cancellation();
    const canceled = engine.execute({ query: slow, variables: { id: 1, ms: 300 }, signal });
    const other = engine.execute({ query: slow, variables: { id: 2, ms: 0 } });
    await until('the statement runs', async () => sent.length === 1);
    signal.abort();
    expect((await canceled).body).toContain('the request was canceled');
    expect((await other).body).toBe('{"data":{"slow_author":[{"id":2}]}}');
    expect(sent).toHaveLength(1);
  });

  test('the statement is canceled when all of its requests are', async () => {
    const signal = new Cancellation();
    const canceled = [1, 2].map((id) => engine.execute({ query: slow, variables: { id, ms: 60_000 }, signal }));
    await until('the statement runs', async () => sent.length === 1);
    signal.abort();
    for (const one of canceled) expect((await one).body).toContain('the request was canceled');
    await until('the server has ended the statement', async () => (await running()) === 0);
  });

  test('a request does not wait for the end of slow statements of its plan', async () => {
    const signal = new Cancellation();
    const late: Promise<unknown>[] = [];
    for (const id of [1, 2]) {
      late.push(engine.execute({ query: slow, variables: { id, ms: 60_000 }, signal }));
      await until('the statement runs', async () => sent.length === id);
    }
    const quick = await engine.execute({ query: slow, variables: { id: 3, ms: 0 } });
    expect(quick.body).toBe('{"data":{"slow_author":[{"id":3}]}}');
    expect(sent).toHaveLength(3);
    signal.abort();
    await Promise.all(late);
  });

  test('a slow request does not delay the others for longer than a second', async () => {
    const signal = new Cancellation();
    const late = engine.execute({ query: slow, variables: { id: 1, ms: 60_000 }, signal });
    const others = [2, 3].map((id) => engine.execute({ query: slow, variables: { id, ms: 0 } }));
    for (const [index, other] of others.entries()) {
      expect((await other).body).toBe(`{"data":{"slow_author":[{"id":${index + 2}}]}}`);
    }
    expect(sent).toHaveLength(4);
    signal.abort();
    expect((await late).body).toContain('the request was canceled');
  });

  test('a request beyond the statement timeout fails with that error, and the others have their results', async () => {
    const limited = connectWith({ statementTimeoutMs: 300 });
    let used = db.database;
    // The catalog is read without the timeout.
    const database: Database = { ...limited, query: (run, options) => used.query(run, options) };
    const merging = await startEngine({ metadata, databases: bothOf(database), merging: 'always' });
    used = limited;
    const requests = [
      { query: slow, variables: { id: 1, ms: 60_000 } },
      { query: slow, variables: { id: 2, ms: 0 } },
    ];
    const [late = '', other] = await bodies(merging, requests);
    expect(JSON.parse(late)).toMatchObject({ errors: [{ extensions: { code: 'timeout' } }] });
    expect(other).toBe('{"data":{"slow_author":[{"id":2}]}}');
    await merging.close();
    await limited.close();
  });

  test('a result beyond the size limit is an error of its request', async () => {
    const query = 'query ($n: Int!) { article(where: { id: { _lte: $n } }) { title } }';
    const requests = requestsOf(query, [{ n: 2 }, { n: 190 }, { n: 3 }, { n: 4 }]).map((one) => {
      return { ...one, maxResultBytes: 400 };
    });
    const results = await bodies(engine, requests);
    expect(results).toEqual(await bodies(plain, requests));
    expect(results.map((body) => body.includes('result-limit-exceeded'))).toEqual([false, true, false, false]);
  });

  test('the total of the results may exceed the size limit', async () => {
    const query = 'query ($n: Int!) { article(where: { id: { _lte: $n } }, order_by: { id: asc }) { title } }';
    const requests = requestsOf(query, [{ n: 10 }, { n: 11 }, { n: 12 }]).map((one) => ({
      ...one,
      maxResultBytes: 400,
    }));
    const results = await bodies(engine, requests);
    expect(results).toEqual(await bodies(plain, requests));
    expect(results.some((body) => body.includes('"errors"'))).toBe(false);
  });

  test('requests run again when their connection is lost', async () => {
    const application = 'merged reads, killed';
    const killed = connectWith({ applicationName: application });
    const merging = await startEngine({ metadata, databases: bothOf(recorded(killed)), merging: 'always' });
    sent = [];
    const results = bodies(
      merging,
      requestsOf(slow, [
        { id: 1, ms: 200 },
        { id: 2, ms: 200 },
      ]),
    );
    const text = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and state = 'active'`;
    await until('the connection is ended', async () => {
      return (await db.database.query({ text, values: [application] })).rows.length > 0;
    });
    expect(await results).toEqual(['{"data":{"slow_author":[{"id":1}]}}', '{"data":{"slow_author":[{"id":2}]}}']);
    expect(sent.map((text) => text.includes('unnest'))).toEqual([true, false, false]);
    await merging.close();
    await killed.close();
  });
});

/** Returns the number of statements of `slow` that the server runs. */
async function running(): Promise<number> {
  const text = `select 1 from pg_stat_activity where state = 'active' and query like '%slow_author%' and pid <> pg_backend_pid()
    and datname = current_database()`;
  return (await db.database.query({ text, values: [] })).rows.length;
}

function connectWith(settings: Partial<DatabaseSettings>): Database {
  const usual = { poolSize: 5, statementTimeoutMs: 20_000, prepare: true, applicationName: 'merged reads' };
  return createDatabase({ url: db.url, ...usual, ...settings });
}
