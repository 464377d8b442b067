/** Polls that are skipped while nothing has been committed, and those that are not. The server has no other load. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RawJson } from '../../src/base/json-value.ts';
import type { Database } from '../../src/postgres/client/pool.ts';
import { type EmbeddedPostgres, startEmbedded } from '../../src/postgres/embedded/embedded.ts';
import { migrate } from '../../src/postgres/migrations/migrate.ts';
import type { ResultStream } from '../../src/service/graphql/result-streams.ts';
import { connect } from '../support/database/test-database.ts';
import { untilCommitsWait, whileCommitsWait } from '../support/database/waiting-commits.ts';
import { startServiceCore, type TestServiceCore } from '../support/service/service-core.ts';
import { until } from '../support/until.ts';
import { createPolledStreams, type PolledStreams } from './polled-streams.ts';

const tables = `
  create table item (id int primary key, price int not null, seen timestamptz not null default '2020-01-01');
  insert into item select n, n from generate_series(1, 10) n;
  create table part (id int primary key generated always as identity, item_id int not null references item);
  create table other (id int primary key);
  create table guarded (id int primary key);
  alter table guarded enable row level security;
  create view cheap as select * from item where price < 5;
  create function found_items() returns setof item stable language sql as 'select * from item';
`;

const folder = mkdtempSync(join(tmpdir(), 'joinery-polls-'));
let server: EmbeddedPostgres;
let database: Database;
let service: TestServiceCore;

beforeAll(async () => {
  server = await startEmbedded({ directory: folder, settings: { fsync: 'off', autovacuum: 'off' } });
  database = connect(server.url);
  await migrate(database);
  await run(tables);
  const test = { url: server.url, database, drop: async () => undefined };
  service = await startServiceCore(test, { sync: 'none' });
  for (const name of ['item', 'part', 'other', 'guarded', 'cheap']) await service.run('track_table', name);
  await service.run('track_function', 'found_items');
  await service.run('create_array_relationship', {
    table: 'item',
    name: 'parts',
    using: { foreign_key_constraint_on: { table: 'part', column: 'item_id' } },
  });
}, 60_000);

afterAll(async () => {
  await service?.stop();
  await database?.close();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function run(text: string): Promise<unknown> {
  return database.query({ text, values: [] });
}

async function withStreams(intervalMs: number, use: (streams: PolledStreams) => Promise<void>): Promise<void> {
  const streams = createPolledStreams(service, database, { intervalMs, skipUnchanged: true });
  try {
    await use(streams);
  } finally {
    streams.close();
  }
}

async function read(results: ResultStream): Promise<unknown> {
  const { value } = await results.next();
  return JSON.parse((value as RawJson).text);
}

/** Waits until the position has been read `count` more times. */
async function positions(streams: PolledStreams, count: number): Promise<void> {
  const from = streams.positions;
  await until(`${count} more positions are read`, () => streams.positions >= from + count);
}

/** Waits until polls are skipped. */
async function quiet(streams: PolledStreams): Promise<void> {
  await until('a poll is skipped', async () => {
    const { polls } = streams;
    await positions(streams, 3);
    return streams.polls === polls;
  });
}

const prices = 'subscription { item(where: {id: {_lte: 2}}, order_by: {id: asc}) { price } }';

describe('while nothing is committed', () => {
  it('tables are not polled', async () => {
    await withStreams(20, async (streams) => {
      const results = [1, 2, 3].map((id) =>
        streams.open('subscription($id: Int!) { item_by_pk(id: $id) { id } }', { id }),
      );
      results.push(
        streams.open('subscription { item_stream(batch_size: 20, cursor: {initial_value: {id: 0}}) { id } }'),
      );
      await Promise.all(results.map(read));
      for (const one of results) void one.next();
      await quiet(streams);
      const { polls } = streams;
      await positions(streams, 10);
      expect(streams.polls).toBe(polls);
    });
  });

  it('a view, a function, a table with policies and a value that depends on time are polled', async () => {
    const queries = [
      'subscription { cheap { id } }',
      'subscription { found_items { id } }',
      'subscription { guarded { id } }',
      'subscription { item(where: {seen: {_gt: "tomorrow"}}) { id } }',
    ];
    for (const query of queries) {
      await withStreams(20, async (streams) => {
        const results = streams.open(query);
        await read(results);
        void results.next();
        const { polls } = streams;
        await until(`${query} is polled`, () => streams.polls >= polls + 5);
      });
    }
  });

  it('a stream sends all batches, and a client that reads late gets the latest result', async () => {
    await withStreams(20, async (streams) => {
      const late = streams.open(prices);
      expect(await read(late)).toEqual({ data: { item: [{ price: 1 }, { price: 2 }] } });
      const stream = streams.open(
        'subscription { item_stream(batch_size: 4, cursor: {initial_value: {id: 0}}) { id } }',
      );
      const sizes: number[] = [];
      for (let batch = 0; batch < 3; batch += 1) {
        const { data } = (await read(stream)) as { data: { item_stream: unknown[] } };
        sizes.push(data.item_stream.length);
      }
      expect(sizes).toEqual([4, 4, 2]);
      void stream.next();
      await run('update item set price = 11 where id = 1');
      await quiet(streams);
      expect(await read(late)).toEqual({ data: { item: [{ price: 11 }, { price: 2 }] } });
      await run('update item set price = 1 where id = 1');
      expect(await read(late)).toEqual({ data: { item: [{ price: 1 }, { price: 2 }] } });
    });
  });

  it('heartbeats of nodes and renewals of leases cause no poll', async () => {
    await run("insert into joinery.nodes (id, host, pid, version, components) values ('a', 'b', 1, '1', '{}')");
    await run("insert into joinery.event_leases (node, expires_at) values ('a', 'infinity')");
    await withStreams(20, async (streams) => {
      const results = streams.open(prices);
      await read(results);
      await quiet(streams);
      const { polls } = streams;
      await run('update joinery.nodes set seen_at = clock_timestamp()');
      await positions(streams, 3);
      await run('update joinery.event_leases set draining = false');
      await positions(streams, 3);
      expect(streams.polls).toBe(polls);
      await run('update item set price = 5 where id = 1');
      await run('update joinery.event_leases set draining = false');
      expect(await read(results)).toEqual({ data: { item: [{ price: 5 }, { price: 2 }] } });
      await run('update item set price = 1 where id = 1');
      await read(results);
    });
  });

  it('a subscriber that joins others gets the result', async () => {
    await withStreams(20, async (streams) => {
      const first = streams.open(prices);
      await read(first);
      void first.next();
      await quiet(streams);
      const second = streams.open(prices);
      expect(await read(second)).toEqual({ data: { item: [{ price: 1 }, { price: 2 }] } });
    });
  });
});

describe('a commit by plain SQL', () => {
  it('is sent at the next interval', async () => {
    await withStreams(20, async (streams) => {
      const results = streams.open(prices);
      await read(results);
      await quiet(streams);
      await run('update item set price = 7 where id = 1');
      expect(await read(results)).toEqual({ data: { item: [{ price: 7 }, { price: 2 }] } });
      await run('update item set price = 1 where id = 1');
      expect(await read(results)).toEqual({ data: { item: [{ price: 1 }, { price: 2 }] } });
    });
  });

  it('of another table causes a poll', async () => {
    await withStreams(20, async (streams) => {
      const results = streams.open(prices);
      await read(results);
      void results.next();
      await quiet(streams);
      const { polls } = streams;
      await run('insert into other values (1)');
      await until('the tables are polled', () => streams.polls > polls);
    });
  });

  it('of a transaction that was open during polls is sent', async () => {
    await withStreams(20, async (streams) => {
      const results = streams.open(prices);
      await read(results);
      await quiet(streams);
      await database.transaction(async (query) => {
        await query({ text: 'update item set price = 8 where id = 1', values: [] });
        await positions(streams, 3);
        // Its end changes the position while the update is not visible yet.
        await run('insert into other values (2)');
        await quiet(streams);
      });
      expect(await read(results)).toEqual({ data: { item: [{ price: 8 }, { price: 2 }] } });
      await run('update item set price = 1 where id = 1');
      await read(results);
    });
  });

  it('that is in the log and not visible yet, because it waits for a standby, is sent', async () => {
    await withStreams(20, async (streams) => {
      const results = streams.open(prices);
      await read(results);
      await quiet(streams);
      let update: Promise<unknown> | undefined;
      await whileCommitsWait(database, async () => {
        update = run('update item set price = 9 where id = 1');
        await untilCommitsWait(database, 1);
        await quiet(streams);
      });
      await update;
      expect(await read(results)).toEqual({ data: { item: [{ price: 9 }, { price: 2 }] } });
      await run('update item set price = 1 where id = 1');
      await read(results);
    });
  });
});

describe('with an interval of one hour', () => {
  const hour = 3_600_000;

  async function mutate(streams: PolledStreams, mutation: string): Promise<void> {
    expect(await read(streams.open(mutation))).not.toHaveProperty('errors');
  }

  it('a mutation of this node is sent without waiting', async () => {
    await withStreams(hour, async (streams) => {
      const results = streams.open(prices);
      await read(results);
      await mutate(streams, 'mutation { update_item_by_pk(pk_columns: {id: 1}, _set: {price: 3}) { id } }');
      expect(await read(results)).toEqual({ data: { item: [{ price: 3 }, { price: 2 }] } });
      await mutate(streams, 'mutation { update_item(where: {id: {_eq: 1}}, _set: {price: 1}) { affected_rows } }');
      expect(await read(results)).toEqual({ data: { item: [{ price: 1 }, { price: 2 }] } });
    });
  });

  it('nested rows and deletes are sent', async () => {
    await withStreams(hour, async (streams) => {
      const results = streams.open('subscription { part_aggregate { aggregate { count } } }');
      const count = async () => {
        const body = (await read(results)) as { data: { part_aggregate: { aggregate: { count: number } } } };
        return body.data.part_aggregate.aggregate.count;
      };
      expect(await count()).toBe(0);
      const nested = '{id: 20, price: 1, parts: {data: [{}, {}]}}';
      await mutate(streams, `mutation { insert_item_one(object: ${nested}) { id } }`);
      expect(await count()).toBe(2);
      await mutate(streams, 'mutation { delete_part(where: {}) { affected_rows } }');
      expect(await count()).toBe(0);
      await run('delete from item where id = 20');
    });
  });

  it('a change of unknown tables is sent', async () => {
    await withStreams(hour, async (streams) => {
      const results = streams.open(prices);
      await read(results);
      await run('update item set price = 4 where id = 1');
      streams.changes.report(undefined);
      expect(await read(results)).toEqual({ data: { item: [{ price: 4 }, { price: 2 }] } });
      await run('update item set price = 1 where id = 1');
    });
  });

  it('a mutation of another table causes no poll', async () => {
    await withStreams(hour, async (streams) => {
      const results = streams.open(prices);
      const others = streams.open('subscription { other { id } }');
      await Promise.all([read(results), read(others)]);
      void results.next();
      const { polls } = streams;
      await mutate(streams, 'mutation { insert_other_one(object: {id: 30}) { id } }');
      await read(others);
      expect(streams.polls).toBe(polls + 1);
    });
  });
});
