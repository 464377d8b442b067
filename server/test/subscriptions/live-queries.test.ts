/** What polling costs: how many statements for how many subscribers, and what goes over the wire. */

import { ADMIN_ROLE, RoleName } from '@joinery/metadata/names';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/base/errors.ts';
import { createHttpClient } from '../../src/base/http-client/http-client.ts';
import type { RawJson } from '../../src/base/json-value.ts';
import { createHandlerState } from '../../src/execute/action/handler-state.ts';
import { defaultInputLimits } from '../../src/plan/document/input-limits.ts';
import type { Database } from '../../src/postgres/client/pool.ts';
import { createRateLimiter } from '../../src/service/graphql/rate-limiter.ts';
import { createRequestLimits } from '../../src/service/graphql/request-limits.ts';
import {
  createOperationStreams,
  type OperationStreams,
  type ResultStream,
} from '../../src/service/graphql/result-streams.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../support/service/service-core.ts';

const sql = `
  create table item (id int primary key, owner int not null, price numeric not null);
  insert into item select n, n % 1000, n from generate_series(0, 4999) n;
  create index on item (owner);
  create table late (id int primary key);
`;

let test: TestDatabase;
let service: TestServiceCore;
const httpClient = createHttpClient({ connections: 1 });

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
  await httpClient.close();
  await test?.drop();
});

interface Counted {
  readonly subscriber: OperationStreams;
  /** For each statement, to how many subscribers it was, and how many rows held something new. */
  readonly polls: { readonly asked: number; readonly told: number }[];
  /** Set, each statement fails with it. */
  failure: ServiceError | undefined;
}

function counted(batchSize = 100): Counted {
  const polls: Counted['polls'] = [];
  const state: Counted = { subscriber: undefined as never, polls, failure: undefined };
  const database: Database = {
    ...test.database,
    query: async (run, options) => {
      if (state.failure !== undefined) throw state.failure;
      const result = await test.database.query(run, options);
      const told = result.rows.filter((row) => row[1] !== null).length;
      polls.push({ asked: (run.values[0] as unknown[]).length, told });
      return result;
    },
  };
  const settings = { intervalMs: 50, batchSize };
  const subscriber = createOperationStreams({
    model: service.model,
    database: () => database,
    httpClient,
    handlers: createHandlerState(),
    environment: {},
    observe: () => undefined,
    settings: {
      stringifyNumerics: false,
      sessionPrefix: 'x-service-',
      configuredHeaderPrecedence: false,
      version: '0.0.0',
      maxActionResponseBytes: 1e6,
      maxRemoteResponseBytes: 1e6,
    },
    live: settings,
    streams: settings,
    concurrency: 2,
    limits: createRequestLimits({
      depth: 100,
      nodes: 1_000,
      roots: 100,
      batch: 100,
      allowList: false,
      documentCharacters: 100_000,
      inputs: defaultInputLimits,
    }),
    rateLimiter: createRateLimiter(),
  });
  return Object.assign(state, { subscriber });
}

function open({ subscriber }: Counted, query: string, variables: Record<string, unknown>, user?: number): ResultStream {
  const session = {
    role: user === undefined ? ADMIN_ROLE : RoleName.parse('user'),
    variables: new Map(user === undefined ? [] : [['x-service-user-id', String(user)]]),
  };
  return subscriber.open(
    { query, variables, operationName: undefined },
    {
      session,
      headers: {},
      requestId: 'test',
      showInternal: false,
      address: undefined,
      queriesOnly: false,
      flowing: () => true,
    },
  );
}

async function read(results: ResultStream): Promise<unknown> {
  const { value } = await results.next();
  return JSON.parse((value as RawJson).text);
}

/** Waits until `polls` has grown by `count` statements. */
async function statements(polls: Counted['polls'], count: number): Promise<Counted['polls']> {
  const from = polls.length;
  while (polls.length < from + count) await new Promise((resolve) => setTimeout(resolve, 5));
  return polls.slice(from, from + count);
}

describe('1,000 subscribers to one parameterised live query', () => {
  it('are polled with 10 statements, by variables and sessions alike, and only what changes is sent', async () => {
    const all = counted();
    const query = 'subscription($least: numeric!) { item(where: {price: {_gte: $least}}, order_by: {id: asc}) { id } }';
    const results = Array.from({ length: 1000 }, (_, user) => open(all, query, { least: 1000 }, user));
    const first = await Promise.all(results.map(read));
    expect(first[7]).toEqual({ data: { item: [1007, 2007, 3007, 4007].map((id) => ({ id })) } });
    expect(first[999]).toEqual({ data: { item: [1999, 2999, 3999, 4999].map((id) => ({ id })) } });
    expect(all.polls).toEqual(Array.from({ length: 10 }, () => ({ asked: 100, told: 100 })));
    // Everybody waits for the next result now, and nobody is told what has not changed.
    const waiting = results.map((one) => one.next());
    await statements(all.polls, 1);
    expect(await statements(all.polls, 10)).toEqual(Array.from({ length: 10 }, () => ({ asked: 100, told: 0 })));
    await test.database.query({ text: 'update item set price = 1 where id = 1007', values: [] });
    expect((await waiting[7])?.value).toMatchObject({
      text: '{"data":{"item":[{"id":2007},{"id":3007},{"id":4007}]}}',
    });
    expect(all.polls.slice(20).reduce((sum, { told }) => sum + told, 0)).toBe(1);
    for (const one of results) await one.return(undefined);
    expect(all.subscriber.stats()).toMatchObject({ subscribers: 0, cohorts: 0 });
    all.subscriber.close();
    await test.database.query({ text: 'update item set price = 1007 where id = 1007', values: [] });
  });

  it('who ask for the very same are one item of the statement', async () => {
    const all = counted();
    const results = Array.from({ length: 250 }, (_, index) =>
      open(all, 'subscription($id: Int!) { item_by_pk(id: $id) { price } }', { id: index % 2 }),
    );
    expect((await Promise.all(results.map(read))).slice(0, 2)).toEqual([
      { data: { item_by_pk: { price: 0 } } },
      { data: { item_by_pk: { price: 1 } } },
    ]);
    expect(all.polls).toEqual([{ asked: 2, told: 2 }]);
    all.subscriber.close();
  });

  it('in streams have a cursor each', async () => {
    const all = counted();
    const query = `subscription($from: Int!) {
      item_stream(batch_size: 1, cursor: [{initial_value: {id: $from}}], where: {price: {_gte: 0}}) { id }
    }`;
    const results = Array.from({ length: 200 }, (_, index) => open(all, query, { from: index }));
    const ids = async () => (await Promise.all(results.map(read))) as { data: { item_stream: { id: number }[] } }[];
    expect((await ids()).map(({ data }) => data.item_stream[0]?.id)).toEqual(results.map((_, index) => index + 1));
    expect(all.polls.map(({ asked }) => asked)).toEqual([100, 100]);
    expect((await ids()).map(({ data }) => data.item_stream[0]?.id)).toEqual(results.map((_, index) => index + 2));
    all.subscriber.close();
  });
});

describe('a client that does not read', () => {
  it('is not polled for; a stream misses nothing, a live query goes on with the latest', async () => {
    const all = counted();
    const stream = open(
      all,
      'subscription { late_stream(batch_size: 1, cursor: {initial_value: {id: 0}}) { id } }',
      {},
    );
    const live = open(all, 'subscription { late(order_by: {id: asc}) { id } }', {});
    expect(await read(live)).toEqual({ data: { late: [] } });
    for (const id of [1, 2, 3]) {
      await test.database.query({ text: 'insert into late values ($1)', values: [id] });
    }
    const before = all.polls.length;
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(all.polls.length).toBe(before);
    expect(await read(live)).toEqual({ data: { late: [{ id: 1 }, { id: 2 }, { id: 3 }] } });
    const streamed = [await read(stream), await read(stream), await read(stream)];
    expect(streamed).toEqual([1, 2, 3].map((id) => ({ data: { late_stream: [{ id }] } })));
    all.subscriber.close();
  });
});

describe('when polling fails', () => {
  it('subscribers are told once, and go on when it is over', async () => {
    const all = counted();
    const results = open(all, 'subscription { item_by_pk(id: 5) { id } }', {});
    expect(await read(results)).toEqual({ data: { item_by_pk: { id: 5 } } });
    all.failure = new ServiceError('busy', 'the database is away');
    expect(await read(results)).toMatchObject({ data: null, errors: [{ extensions: { code: 'busy' } }] });
    const next = read(results);
    await new Promise((resolve) => setTimeout(resolve, 150));
    all.failure = undefined;
    expect(await next).toEqual({ data: { item_by_pk: { id: 5 } } });
    all.subscriber.close();
  });

  it('for one of a hundred, the others are polled without it from then on', async () => {
    const all = counted();
    const query = 'subscription { item(limit: 1) { id } }';
    const good = Array.from({ length: 7 }, (_, user) => open(all, query, {}, user));
    const bad = open(all, query, {}, Number.NaN);
    const results = await Promise.all(good.map(read));
    expect(results).toEqual(good.map((_, user) => ({ data: { item: [{ id: user }] } })));
    expect(await read(bad)).toMatchObject({ errors: [{ extensions: { code: 'data-exception' } }] });
    const waiting = [...good, bad].map((one) => one.next());
    await statements(all.polls, 2);
    expect(await statements(all.polls, 2)).toEqual([
      { asked: 7, told: 0 },
      { asked: 7, told: 0 },
    ]);
    all.subscriber.close();
    expect(waiting.length).toBe(8);
  });
});
