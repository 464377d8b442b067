/** Batches: several operations in one HTTP request. */
import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { testDatabase } from '../support/database/test-database.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { connectionTo } from '../support/service/two-sources.ts';

const sql = `
  create table counter (id int primary key, value int not null);
  insert into counter values (1, 0);
  create table entry (id serial primary key, text text not null check (text <> ''));
  -- The first statements of a batch are the slowest, so that a batch in another order ends with the wrong value.
  create function slow_set(new_value int, seconds float8) returns setof counter language sql volatile as
    $$ select pg_sleep(seconds); update counter set value = new_value where id = 1 returning * $$;
`;
const metadata = {
  version: 3,
  sources: [
    {
      name: 'default',
      tables: [{ table: 'counter' }, { table: 'entry' }],
      functions: [{ function: 'slow_set', configuration: { exposed_as: 'mutation' } }],
    },
  ],
};

let service: TestService;

beforeAll(async () => {
  service = await startService({}, { sql });
  await service.command('replace_metadata', metadata);
});
afterAll(() => service.stop());
beforeEach(() => service.database.database.query({ text: 'update counter set value = 0', values: [] }));

const set = (value: number, seconds = 0) => ({
  query: `mutation { slow_set(args: {new_value: ${value}, seconds: ${seconds}}) { value } }`,
});
const read = { query: '{ counter_by_pk(id: 1) { value } }' };
const counter = (value: number) => ({ data: { counter_by_pk: { value } } });
const updated = (value: number) => ({ data: { slow_set: [{ value }] } });

async function batch(operations: readonly unknown[]): Promise<unknown> {
  return (await service.post('/v1/graphql', operations)).body;
}

async function stored(): Promise<unknown> {
  const { rows } = await service.database.database.query({ text: 'select value from counter', values: [] });
  return rows[0]?.[0];
}

async function sleeping(): Promise<number> {
  const text = `select pid from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`;
  return (await service.database.database.query({ text, values: [] })).rows.length;
}

describe('operations of a batch', () => {
  test('that update one row leave the value of the last one', async () => {
    await batch([set(1, 0.4), set(2, 0.2), set(3)]);
    expect(await stored()).toBe('3');
  });

  test('see the changes of earlier mutations and none of later ones', async () => {
    expect(await batch([read, set(1, 0.2), read, read, set(2), read])).toEqual([
      counter(0),
      updated(1),
      counter(1),
      counter(1),
      updated(2),
      counter(2),
    ]);
  });

  test('run after one that failed, in the database or in validation', async () => {
    const insert = (text: string) => ({ query: `mutation { insert_entry_one(object: {text: "${text}"}) { text } }` });
    expect(
      await batch([insert(''), { query: 'mutation { nothing }' }, insert('stored'), { query: '{ entry { text } }' }]),
    ).toEqual([
      { errors: [expect.objectContaining({ extensions: expect.objectContaining({ code: 'permission-error' }) })] },
      { errors: [expect.objectContaining({ extensions: expect.objectContaining({ code: 'validation-failed' }) })] },
      { data: { insert_entry_one: { text: 'stored' } } },
      { data: { entry: [{ text: 'stored' }] } },
    ]);
  });

  test('run in order if the operation name selects a mutation of a document that also has a query', async () => {
    const query = `query Read { counter { value } }
      mutation Set($value: Int!, $seconds: float8!) { slow_set(args: {new_value: $value, seconds: $seconds}) { value } }`;
    const selected = (value: number, seconds: number) => ({
      query,
      operationName: 'Set',
      variables: { value, seconds },
    });
    await batch([selected(1, 0.3), selected(2, 0)]);
    expect(await stored()).toBe('2');
  });

  test('run at the same time if they are adjacent queries', async () => {
    const { database } = service.database;
    let result: Promise<unknown> | undefined;
    await database.transaction(async (query) => {
      await query({ text: 'lock table counter in access exclusive mode', values: [] });
      // With different plans, because equal reads are one statement.
      result = batch(['a', 'b', 'c'].map((name) => ({ query: `{ ${name}: counter_by_pk(id: 1) { value } }` })));
      const text = `select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
      await expect.poll(async () => (await database.query({ text, values: [] })).rows).toHaveLength(3);
    });
    expect(await result).toEqual(['a', 'b', 'c'].map((name) => ({ data: { [name]: { value: 0 } } })));
  });

  test('do not start after the client has disconnected', async () => {
    const body = JSON.stringify([set(1, 30), set(2)]);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const client = request(`${service.url}/v1/graphql`, { method: 'POST', headers });
    client.on('error', () => undefined);
    client.end(body);
    await expect.poll(sleeping).toBe(1);
    client.destroy();
    await expect.poll(sleeping).toBe(0);
    // This query would wait for an operation that was started after the disconnect.
    await service.graphql('{ counter { value } }');
    expect(await stored()).toBe('0');
  });
});

test('a query after a mutation of its batch reads the primary, and one before it a replica', async () => {
  const replica = await testDatabase({ sql: sql.replace('values (1, 0)', 'values (1, 100)') });
  const configuration = {
    ...connectionTo(service.database.url),
    read_replicas: Object.values(connectionTo(replica.url)),
  };
  try {
    await service.command('pg_add_source', {
      name: 'second',
      configuration,
      customization: { root_fields: { prefix: 'p_' }, type_names: { prefix: 'P_' } },
    });
    await service.command('pg_track_table', { source: 'second', table: 'counter' });
    const query = { query: '{ p_counter { value } }' };
    const mutation = { query: 'mutation { p_update_counter(where: {}, _set: {value: 5}) { affected_rows } }' };
    expect(await batch([query, mutation, query])).toEqual([
      { data: { p_counter: [{ value: 100 }] } },
      { data: { p_update_counter: { affected_rows: 1 } } },
      { data: { p_counter: [{ value: 5 }] } },
    ]);
  } finally {
    await service.command('pg_drop_source', { name: 'second', cascade: true });
    await replica.drop();
  }
});
