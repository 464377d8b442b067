/** Live queries of a service with several processes: one of them polls a statement for all. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/base/errors.ts';
import type { RawJson } from '../../src/base/json-value.ts';
import type { Database } from '../../src/postgres/client/pool.ts';
import type { ResultStream } from '../../src/service/graphql/result-streams.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../support/service/service-core.ts';
import { until } from '../support/until.ts';
import { PeerHub } from './peer-hub.ts';
import { createPolledStreams, type PolledStreams } from './polled-streams.ts';

const sql = `
  create table item (id int primary key, owner int not null, price int not null);
  insert into item select n, n % 3, n from generate_series(1, 9) n;
  create table other (id int primary key);
`;
const prices = 'subscription ($id: Int!) { item(where: {id: {_eq: $id}}) { price } }';
const own = 'subscription { item(order_by: {price: asc}) { price } }';

let test: TestDatabase;
let service: TestServiceCore;
let hub: PeerHub;
let processes: Record<'a' | 'b' | 'c', PolledStreams>;
let failure: ServiceError | undefined;
const opened: ResultStream[] = [];

beforeAll(async () => {
  test = await testDatabase({ migrated: true, sql });
  service = await startServiceCore(test, { sync: 'none' });
  for (const name of ['item', 'other']) await service.run('track_table', name);
  await service.run('create_select_permission', {
    table: 'item',
    role: 'user',
    permission: { columns: ['price'], filter: { owner: 'X-Service-User-Id' } },
  });
});

afterAll(async () => {
  await service?.stop();
  await test?.drop();
});

beforeEach(() => start(50));
afterEach(async () => {
  failure = undefined;
  for (const results of opened.splice(0)) await results.return(undefined);
  for (const streams of Object.values(processes)) streams.close();
});

/** Starts three processes, of which `a` polls for all. */
function start(intervalMs: number, model?: TestServiceCore['model']): void {
  hub = new PeerHub();
  const database: Database = {
    ...test.database,
    query: (run, options) => {
      if (failure !== undefined && run.text.includes('"item"')) return Promise.reject(failure);
      return test.database.query(run, options);
    },
  };
  const of = (id: string) =>
    createPolledStreams(service, database, {
      intervalMs,
      skipUnchanged: true,
      peers: hub.join(id),
      ...(id === 'a' && model !== undefined && { model }),
    });
  processes = { a: of('a'), b: of('b'), c: of('c') };
  hub.own('a');
}

function run(text: string): Promise<unknown> {
  return test.database.query({ text, values: [] });
}

function open(process: 'a' | 'b' | 'c', ...parameters: Parameters<PolledStreams['open']>): ResultStream {
  const results = processes[process].open(...parameters);
  opened.push(results);
  return results;
}

async function read(results: ResultStream): Promise<unknown> {
  const { value } = await results.next();
  return JSON.parse((value as RawJson).text);
}

const price = (value: number) => ({ data: { item: [{ price: value }] } });
const sentResults = () => hub.sent.filter(({ message }) => message.kind === 'result').length;

describe('the same live query on three processes', () => {
  it('is polled by one of them, and each sends the results of its own subscribers', async () => {
    const all = (['a', 'b', 'c'] as const).map((id) => open(id, prices, { id: 1 }));
    const others = (['b', 'c'] as const).map((id) => open(id, prices, { id: 2 }));
    expect(await Promise.all(all.map(read))).toEqual([price(1), price(1), price(1)]);
    expect(await Promise.all(others.map(read))).toEqual([price(2), price(2)]);
    const next = all.map(read);
    await run('update item set price = 10 where id = 1');
    expect(await Promise.all(next)).toEqual([price(10), price(10), price(10)]);
    await run('update item set price = 1 where id = 1');
    expect(await Promise.all(all.map(read))).toEqual([price(1), price(1), price(1)]);
    expect([processes.a.cohorts, processes.b.polls, processes.c.polls]).toEqual([1, 0, 0]);
  });

  it('sends one result to a process for all subscribers with the same variables', async () => {
    const all = Array.from({ length: 20 }, () => open('b', prices, { id: 3 }));
    expect(await Promise.all(all.map(read))).toEqual(all.map(() => price(3)));
    expect(sentResults()).toBe(1);
    const late = open('b', prices, { id: 3 });
    expect(await read(late)).toEqual(price(3));
    const changed = [...all, late].map(read);
    await run('update item set price = 30 where id = 3');
    expect(await Promise.all(changed)).toEqual([...all, late].map(() => price(30)));
    await run('update item set price = 3 where id = 3');
    expect(await read(late)).toEqual(price(3));
  });

  it('returns only the rows of the session of each subscriber', async () => {
    const [first, second] = [open('b', own, {}, 1), open('c', own, {}, 2)];
    expect(await read(first)).toEqual({ data: { item: [{ price: 1 }, { price: 4 }, { price: 7 }] } });
    expect(await read(second)).toEqual({ data: { item: [{ price: 2 }, { price: 5 }, { price: 8 }] } });
    expect([processes.a.cohorts, processes.b.cohorts, processes.c.cohorts]).toEqual([1, 0, 0]);
  });

  it('ends with its last subscriber', async () => {
    const all = [open('b', prices, { id: 1 }), open('c', prices, { id: 2 })];
    await Promise.all(all.map(read));
    for (const results of all) await results.return(undefined);
    await until('the process polls nothing', () => processes.a.cohorts === 0);
  });
});

it('a stream is polled by the process of its subscriber', async () => {
  const stream = 'subscription { item_stream(cursor: {initial_value: {id: 7}}, batch_size: 5) { id } }';
  expect(await read(open('b', stream))).toEqual({ data: { item_stream: [{ id: 8 }, { id: 9 }] } });
  expect([processes.a.cohorts, processes.b.cohorts]).toEqual([0, 1]);
});

describe('when the process that polls ends', () => {
  it('another one continues, and does not send unchanged results again', async () => {
    const [first, second] = [open('b', prices, { id: 1 }), open('c', prices, { id: 2 })];
    await Promise.all([first, second].map(read));
    const next = read(first);
    hub.own('a', 'b', 'c');
    hub.end('a');
    await until('another process polls', () => processes.b.polls + processes.c.polls > 0);
    expect([processes.b.cohorts, processes.c.cohorts].toSorted()).toEqual([0, 1]);
    const from = sentResults();
    await run('update item set price = 20 where id = 2');
    expect(await read(second)).toEqual(price(20));
    await run('update item set price = 11 where id = 1');
    expect(await next).toEqual(price(11));
    // At most one for each change: the owner sends its own without a message.
    expect(sentResults() - from).toBeLessThanOrEqual(2);
    await run('update item set price = id where id in (1, 2)');
  });

  it('a change that it has not sent is sent by the next one', async () => {
    const results = open('b', prices, { id: 4 });
    expect(await read(results)).toEqual(price(4));
    failure = new ServiceError('busy', 'the database is restarting');
    const next = read(results);
    await run('update item set price = 40 where id = 4');
    hub.own('c');
    hub.end('a');
    failure = undefined;
    expect(await next).toEqual(price(40));
    await run('update item set price = 4 where id = 4');
  });

  it('nothing is polled for subscribers of a process that has ended', async () => {
    await read(open('b', prices, { id: 1 }));
    expect(processes.a.cohorts).toBe(1);
    hub.end('b');
    expect(processes.a.cohorts).toBe(0);
  });
});

describe('a client that does not read', () => {
  it('is not polled, does not delay others, and gets the latest result afterwards', async () => {
    let flowing = true;
    const [slow, fast] = [open('b', prices, { id: 5 }, undefined, () => flowing), open('c', prices, { id: 5 })];
    expect([await read(slow), await read(fast)]).toEqual([price(5), price(5)]);
    const late = read(slow);
    flowing = false;
    for (const value of [50, 51, 52, 53]) {
      const next = read(fast);
      await run(`update item set price = ${value} where id = 5`);
      expect(await next).toEqual(price(value));
    }
    const toSlow = hub.sent.filter(({ to, message }) => to === 'b' && message.kind === 'result');
    expect(toSlow.length).toBeLessThanOrEqual(2);
    flowing = true;
    expect(await late).toEqual(price(53));
    await run('update item set price = 5 where id = 5');
  });
});

describe('a failed poll', () => {
  it('sends one error to each subscriber, which gets results again after the failure', async () => {
    const all = [open('a', prices, { id: 6 }), open('b', prices, { id: 6 }), open('c', prices, { id: 6 })];
    await Promise.all(all.map(read));
    const errors = all.map(read);
    failure = new ServiceError('busy', 'the database is restarting');
    await run('update item set price = 60 where id = 6');
    const failed = await Promise.all(errors);
    expect(failed.map((one) => (one as { errors: [{ message: string }] }).errors[0].message)).toEqual(
      all.map(() => 'the database is restarting'),
    );
    const next = all.map(read);
    failure = undefined;
    expect(await Promise.all(next)).toEqual(all.map(() => price(60)));
    await run('update item set price = 6 where id = 6');
  });
});

describe('a process that polls for all and has older metadata', () => {
  it('polls nothing that was planned with newer ones, which the process of the subscriber polls', async () => {
    for (const streams of Object.values(processes)) streams.close();
    const older = { ...service.model(), version: service.model().version - 1 };
    start(50, () => older);
    expect(await read(open('b', prices, { id: 1 }))).toEqual(price(1));
    expect([processes.a.cohorts, processes.b.cohorts]).toEqual([0, 1]);
  });
});

describe('with an interval of one hour', () => {
  beforeEach(() => {
    for (const streams of Object.values(processes)) streams.close();
    start(3_600_000);
  });

  it('a mutation of any process is sent without waiting', async () => {
    const results = open('b', prices, { id: 7 });
    expect(await read(results)).toEqual(price(7));
    await until('all processes know who polls', () => hub.sent.some(({ message }) => message.kind === 'polls'));
    const next = read(results);
    expect(
      await read(open('c', 'mutation { update_item(where: {id: {_eq: 7}}, _set: {price: 70}) { affected_rows } }')),
    ).toEqual({ data: { update_item: { affected_rows: 1 } } });
    expect(await next).toEqual(price(70));
    const third = read(results);
    await read(open('b', 'mutation { update_item(where: {id: {_eq: 7}}, _set: {price: 7}) { affected_rows } }'));
    expect(await third).toEqual(price(7));
  });

  it('a mutation while the last result is not confirmed is sent after the confirmation', async () => {
    const [results, other] = [open('b', prices, { id: 7 }), open('c', prices, { id: 8 })];
    expect([await read(results), await read(other)]).toEqual([price(7), price(8)]);
    // A process that has not yet sent its result confirms none, and may confirm one again.
    const confirmed = () =>
      new Set(
        hub.sent.flatMap(({ from, message }) => (message.kind === 'known' && message.known !== null ? [from] : [])),
      );
    const [changed, seen] = [read(results), read(other)];
    await until('both results are confirmed', () => confirmed().size === 2);
    hub.hold('known');
    const set = (column: string, ids: string) =>
      read(open('a', `mutation { update_item(where: {id: {_in: ${ids}}}, ${column}) { affected_rows } }`));
    await set('_inc: {price: 1}', '[7]');
    expect(await changed).toEqual(price(8));
    const next = read(results);
    await set('_inc: {price: 1}', '[7, 8]');
    // The poll that found this change omitted the subscriber of the other process.
    expect(await seen).toEqual(price(9));
    hub.release();
    expect(await next).toEqual(price(9));
    await run('update item set price = id where id in (7, 8)');
  });

  it('a mutation is reported to no process while none polls', async () => {
    await read(open('c', 'mutation { update_item(where: {id: {_eq: 7}}, _set: {price: 7}) { affected_rows } }'));
    expect(hub.sent).toEqual([]);
  });
});
