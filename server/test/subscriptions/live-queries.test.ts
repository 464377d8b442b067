/** Cost of polling: the number of statements for subscribers, and the rows that they return. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/base/errors.ts';
import type { RawJson } from '../../src/base/json-value.ts';
import type { Database } from '../../src/postgres/client/pool.ts';
import type { ResultStream } from '../../src/service/graphql/result-streams.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../support/service/service-core.ts';
import { until } from '../support/until.ts';
import { createPolledStreams, type PolledStreams } from './polled-streams.ts';

const sql = `
  create table item (id int primary key, owner int not null, price numeric not null);
  insert into item select n, n % 1000, n from generate_series(0, 4999) n;
  create index on item (owner);
  create table late (id int primary key);
`;

let test: TestDatabase;
let service: TestServiceCore;

beforeAll(async () => {
  test = await testDatabase({ migrated: true, sql });
  service = await startServiceCore(test, { sync: 'none' });
  for (const name of ['item', 'late']) await service.run('track_table', name);
  await service.run('create_select_permission', {
    table: 'item',
    role: 'user',
    permission: { columns: ['id', 'price'], filter: { owner: 'X-Service-User-Id' } },
  });
});

afterAll(async () => {
  await service?.stop();
  await test?.drop();
});

interface CountedStreams {
  readonly open: PolledStreams['open'];
  readonly close: PolledStreams['close'];
  /** Numbers of items and of changed results of each statement. */
  readonly polls: { readonly items: number; readonly changed: number }[];
  /** The error of each statement, if it is set. */
  failure: ServiceError | undefined;
  failures: number;
  readonly stats: () => Pick<PolledStreams, 'subscribers' | 'cohorts'>;
}

function counted(): CountedStreams {
  const polls: CountedStreams['polls'] = [];
  const database: Database = {
    ...test.database,
    query: async (run, options) => {
      if (counts.failure !== undefined) {
        counts.failures += 1;
        throw counts.failure;
      }
      const result = await test.database.query(run, options);
      const changed = result.rows.filter((row) => row[1] !== null).length;
      polls.push({ items: (run.values[0] as unknown[]).length, changed });
      return result;
    },
  };
  const streams = createPolledStreams(service, database, { intervalMs: 50, skipUnchanged: false });
  const { open, close } = streams;
  const stats = () => ({ subscribers: streams.subscribers, cohorts: streams.cohorts });
  const counts: CountedStreams = { open, close, polls, failure: undefined, failures: 0, stats };
  return counts;
}

async function read(results: ResultStream): Promise<unknown> {
  const { value } = await results.next();
  return JSON.parse((value as RawJson).text);
}

/** Waits until `polls` has grown by `count` statements. */
async function statements(polls: CountedStreams['polls'], count: number): Promise<CountedStreams['polls']> {
  const from = polls.length;
  await until(`${count} more statements are sent`, () => polls.length >= from + count);
  return polls.slice(from, from + count);
}

describe('1,000 subscribers of one parameterized live query', () => {
  it('are polled by 10 statements for all variables and sessions, which return only changed results', async () => {
    const streams = counted();
    const query = 'subscription($least: numeric!) { item(where: {price: {_gte: $least}}, order_by: {id: asc}) { id } }';
    const results = Array.from({ length: 1000 }, (_, user) => streams.open(query, { least: 1000 }, user));
    const first = await Promise.all(results.map(read));
    expect(first[7]).toEqual({ data: { item: [1007, 2007, 3007, 4007].map((id) => ({ id })) } });
    expect(first[999]).toEqual({ data: { item: [1999, 2999, 3999, 4999].map((id) => ({ id })) } });
    expect(streams.polls).toEqual(Array.from({ length: 10 }, () => ({ items: 100, changed: 100 })));
    // All subscribers wait for the next result, and none gets an unchanged one.
    const waiting = results.map((one) => one.next());
    await statements(streams.polls, 1);
    expect(await statements(streams.polls, 10)).toEqual(Array.from({ length: 10 }, () => ({ items: 100, changed: 0 })));
    await test.database.query({ text: 'update item set price = 1 where id = 1007', values: [] });
    expect((await waiting[7])?.value).toMatchObject({
      text: '{"data":{"item":[{"id":2007},{"id":3007},{"id":4007}]}}',
    });
    expect(streams.polls.slice(20).reduce((sum, { changed }) => sum + changed, 0)).toBe(1);
    for (const one of results) await one.return(undefined);
    expect(streams.stats()).toEqual({ subscribers: 0, cohorts: 0 });
    streams.close();
    await test.database.query({ text: 'update item set price = 1007 where id = 1007', values: [] });
  });

  it('with equal variables are one item of the statement', async () => {
    const streams = counted();
    const results = Array.from({ length: 250 }, (_, index) =>
      streams.open('subscription($id: Int!) { item_by_pk(id: $id) { price } }', { id: index % 2 }),
    );
    expect((await Promise.all(results.map(read))).slice(0, 2)).toEqual([
      { data: { item_by_pk: { price: 0 } } },
      { data: { item_by_pk: { price: 1 } } },
    ]);
    expect(streams.polls).toEqual([{ items: 2, changed: 2 }]);
    streams.close();
  });

  it('of a stream have their own cursors', async () => {
    const streams = counted();
    const query = `subscription($from: Int!) {
      item_stream(batch_size: 1, cursor: [{initial_value: {id: $from}}], where: {price: {_gte: 0}}) { id }
    }`;
    const results = Array.from({ length: 200 }, (_, index) => streams.open(query, { from: index }));
    const ids = async () => (await Promise.all(results.map(read))) as { data: { item_stream: { id: number }[] } }[];
    expect((await ids()).map(({ data }) => data.item_stream[0]?.id)).toEqual(results.map((_, index) => index + 1));
    expect(streams.polls.map(({ items }) => items)).toEqual([100, 100]);
    expect((await ids()).map(({ data }) => data.item_stream[0]?.id)).toEqual(results.map((_, index) => index + 2));
    streams.close();
  });
});

describe('a client that does not read', () => {
  it('is not polled; afterwards a stream sends all rows, and a live query the latest result', async () => {
    const streams = counted();
    const stream = streams.open(
      'subscription { late_stream(batch_size: 1, cursor: {initial_value: {id: 0}}) { id } }',
      {},
    );
    const live = streams.open('subscription { late(order_by: {id: asc}) { id } }', {});
    expect(await read(live)).toEqual({ data: { late: [] } });
    for (const id of [1, 2, 3]) {
      await test.database.query({ text: 'insert into late values ($1)', values: [id] });
    }
    const before = streams.polls.length;
    const other = counted();
    const reading = other.open('subscription { item_by_pk(id: 5) { id } }', {});
    await read(reading);
    void reading.next();
    await statements(other.polls, 4);
    expect(streams.polls.length).toBe(before);
    other.close();
    expect(await read(live)).toEqual({ data: { late: [{ id: 1 }, { id: 2 }, { id: 3 }] } });
    const streamed = [await read(stream), await read(stream), await read(stream)];
    expect(streamed).toEqual([1, 2, 3].map((id) => ({ data: { late_stream: [{ id }] } })));
    streams.close();
  });
});

describe('failed polls', () => {
  it('send one error to each subscriber, which gets results again after the failure', async () => {
    const streams = counted();
    const results = streams.open('subscription { item_by_pk(id: 5) { id } }', {});
    expect(await read(results)).toEqual({ data: { item_by_pk: { id: 5 } } });
    streams.failure = new ServiceError('busy', 'the database is unavailable');
    expect(await read(results)).toMatchObject({ data: null, errors: [{ extensions: { code: 'busy' } }] });
    const next = read(results);
    const failures = streams.failures + 2;
    await until('two more polls have failed', () => streams.failures >= failures);
    streams.failure = undefined;
    expect(await next).toEqual({ data: { item_by_pk: { id: 5 } } });
    streams.close();
  });

  it('of one subscriber are repeated without it', async () => {
    const streams = counted();
    const query = 'subscription { item(limit: 1) { id } }';
    const good = Array.from({ length: 7 }, (_, user) => streams.open(query, {}, user));
    const bad = streams.open(query, {}, Number.NaN);
    const results = await Promise.all(good.map(read));
    expect(results).toEqual(good.map((_, user) => ({ data: { item: [{ id: user }] } })));
    expect(await read(bad)).toMatchObject({ errors: [{ extensions: { code: 'data-exception' } }] });
    const waiting = [...good, bad].map((one) => one.next());
    await statements(streams.polls, 2);
    expect(await statements(streams.polls, 2)).toEqual([
      { items: 7, changed: 0 },
      { items: 7, changed: 0 },
    ]);
    streams.close();
    expect(waiting.length).toBe(8);
  });
});
