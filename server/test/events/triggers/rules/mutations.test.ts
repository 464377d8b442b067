/** Changes by requests to the service: each causes its events, with the session variables of the caller. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTriggerService, type TriggerService } from '../../../support/events/trigger-service.ts';

let s: TriggerService;

const user = { 'x-hasura-role': 'user', 'x-hasura-user-id': '3' };
const admin = { 'x-hasura-role': 'admin' };

const permissions = ['item', 'owner'].flatMap((table) => [
  { type: 'pg_create_select_permission', args: { table, role: 'user', permission: { columns: '*', filter: {} } } },
  {
    type: 'pg_create_insert_permission',
    args: { table, role: 'user', permission: { columns: '*', check: table === 'item' ? { id: { _lt: 1_000 } } : {} } },
  },
  { type: 'pg_create_update_permission', args: { table, role: 'user', permission: { columns: '*', filter: {} } } },
  { type: 'pg_create_delete_permission', args: { table, role: 'user', permission: { filter: {} } } },
]);

beforeAll(async () => {
  s = await startTriggerService({
    sql: `create table owner (id int primary key, name text);
      create table item (id int primary key, name text, owner_id int references owner on delete cascade, price numeric default 0);
      create function add_item(id int, name text) returns setof item language sql as
        'insert into item (id, name) values (add_item.id, add_item.name) returning *'`,
    tables: ['item', 'owner'],
  });
  const all = { insert: { columns: '*' }, update: { columns: '*' }, delete: { columns: '*' } };
  const trigger = (table: string): object => ({
    type: 'pg_create_event_trigger',
    // Paused: the events are read from the log.
    args: { name: `${table}s`, table, ...all, paused: true, webhook: 'http://127.0.0.1:9' },
  });
  await s.run('bulk', [
    {
      type: 'pg_create_object_relationship',
      args: { table: 'item', name: 'owner', using: { foreign_key_constraint_on: 'owner_id' } },
    },
    {
      type: 'pg_create_array_relationship',
      args: {
        table: 'owner',
        name: 'items',
        using: { foreign_key_constraint_on: { table: 'item', column: 'owner_id' } },
      },
    },
    ...permissions,
    { type: 'pg_track_function', args: { function: 'add_item', configuration: { exposed_as: 'mutation' } } },
    { type: 'pg_create_function_permission', args: { function: 'add_item', role: 'user' } },
    {
      type: 'create_query_collection',
      args: {
        name: 'stored',
        definition: {
          queries: [{ name: 'put', query: 'mutation put($id: Int!) { insert_item_one(object: { id: $id }) { id } }' }],
        },
      },
    },
    {
      type: 'create_rest_endpoint',
      args: {
        name: 'put',
        url: 'items/:id',
        methods: ['PUT'],
        definition: { query: { collection_name: 'stored', query_name: 'put' } },
      },
    },
    trigger('item'),
    trigger('owner'),
  ]);
});
afterAll(() => s.stop());

interface Listed {
  readonly id: string;
  readonly payload: {
    readonly op: string;
    readonly data: Readonly<Record<'old' | 'new', { readonly id: number } | null>>;
    readonly session_variables: unknown;
  };
}

/** Returns the events of both tables, the newest first. */
async function events(): Promise<readonly Listed[]> {
  const lists = await Promise.all(
    ['items', 'owners'].map((name) => s.run('pg_get_event_logs', { name, limit: 10_000 }) as Promise<Listed[]>),
  );
  return lists.flat();
}

/** Returns operation and id of each new event, sorted, and their session variables, each once. */
async function causedBy(
  act: () => Promise<unknown>,
): Promise<{ readonly events: string[]; readonly sessions: unknown[] }> {
  const before = new Set((await events()).map(({ id }) => id));
  await act();
  const added = (await events()).filter(({ id }) => !before.has(id));
  const sessions = new Set(added.map(({ payload }) => JSON.stringify(payload.session_variables)));
  return {
    events: added.map(({ payload: { op, data } }) => `${op} ${(data.new ?? data.old)?.id}`).sort(),
    sessions: [...sessions].map((session) => JSON.parse(session)),
  };
}

const graphql = (fields: string, session: Readonly<Record<string, string>> = user) =>
  s.service.graphql(`mutation { ${fields} }`, session);

type Case = readonly [what: string, fields: string, events: readonly string[]];

const mutations: readonly Case[] = [
  ['insert_one', 'insert_item_one(object: { id: 1, name: "a" }) { id }', ['INSERT 1']],
  [
    'insert of several rows',
    'insert_item(objects: [{ id: 2 }, { id: 3 }]) { affected_rows }',
    ['INSERT 2', 'INSERT 3'],
  ],
  [
    'upsert that inserts and updates',
    'insert_item(objects: [{ id: 3, name: "b" }, { id: 4 }], on_conflict: { constraint: item_pkey, update_columns: [name] }) { affected_rows }',
    ['INSERT 4', 'UPDATE 3'],
  ],
  [
    'upsert that updates nothing',
    'insert_item(objects: [{ id: 4, name: "c" }], on_conflict: { constraint: item_pkey, update_columns: [] }) { affected_rows }',
    [],
  ],
  [
    'update',
    'update_item(where: { id: { _lte: 2 } }, _set: { name: "d" }) { affected_rows }',
    ['UPDATE 1', 'UPDATE 2'],
  ],
  ['update to the same value', 'update_item(where: { id: { _lte: 2 } }, _set: { name: "d" }) { affected_rows }', []],
  ['update of no rows', 'update_item(where: { id: { _eq: 0 } }, _set: { name: "e" }) { affected_rows }', []],
  ['update by primary key', 'update_item_by_pk(pk_columns: { id: 1 }, _inc: { price: 1 }) { id }', ['UPDATE 1']],
  [
    'update_many',
    'update_item_many(updates: [{ where: { id: { _eq: 1 } }, _set: { name: "f" } }, { where: { id: { _eq: 2 } }, _set: { name: "g" } }]) { affected_rows }',
    ['UPDATE 1', 'UPDATE 2'],
  ],
  ['delete by primary key', 'delete_item_by_pk(id: 4) { id }', ['DELETE 4']],
  ['delete', 'delete_item(where: { id: { _in: [2, 3] } }) { affected_rows }', ['DELETE 2', 'DELETE 3']],
  [
    'nested insert of an object',
    'insert_item_one(object: { id: 5, owner: { data: { id: 105 } } }) { id }',
    ['INSERT 105', 'INSERT 5'],
  ],
  [
    'nested insert of a list',
    'insert_owner_one(object: { id: 106, items: { data: [{ id: 6 }, { id: 7 }] } }) { id items { id } }',
    ['INSERT 106', 'INSERT 6', 'INSERT 7'],
  ],
  ['delete that cascades', 'delete_owner_by_pk(id: 106) { id }', ['DELETE 106', 'DELETE 6', 'DELETE 7']],
  ['function', 'add_item(args: { id: 8, name: "h" }) { id }', ['INSERT 8']],
  [
    'several fields',
    'a: insert_item_one(object: { id: 9 }) { id } b: update_item_by_pk(pk_columns: { id: 9 }, _set: { name: "i" }) { id } c: delete_item_by_pk(id: 9) { id }',
    ['DELETE 9', 'INSERT 9', 'UPDATE 9'],
  ],
];

const rejected: readonly (readonly [what: string, fields: string])[] = [
  ['violates a constraint', 'insert_item_one(object: { id: 1 }) { id }'],
  ['violates the check of a permission', 'insert_item(objects: [{ id: 20 }, { id: 2000 }]) { affected_rows }'],
  [
    'violates a constraint in a nested insert',
    'insert_item_one(object: { id: 21, owner: { data: { id: 105 } } }) { id }',
  ],
  [
    'fails in a later field',
    'a: insert_item_one(object: { id: 22 }) { id } b: insert_item_one(object: { id: 1 }) { id }',
  ],
  ['is invalid', 'insert_item_one(object: { id: 23, none: 1 }) { id }'],
];

describe('a mutation', () => {
  test.each(mutations)(
    'of the kind "%s" causes its events with the session variables',
    async (_what, fields, expected) => {
      const caused = await causedBy(async () => {
        expect(await graphql(fields)).not.toHaveProperty('errors');
      });
      expect(caused).toEqual({ events: expected, sessions: expected.length === 0 ? [] : [user] });
    },
  );

  test.each(rejected)('that %s causes no event', async (_what, fields) => {
    const caused = await causedBy(async () => {
      expect(await graphql(fields)).toHaveProperty('errors');
    });
    expect(caused.events).toEqual([]);
  });

  test('of the Relay schema causes its events with the session variables', async () => {
    const query = 'mutation { insert_item_one(object: { id: 30 }) { id } }';
    const caused = await causedBy(() => s.service.post('/v1beta1/relay', { query }, user));
    expect(caused).toEqual({ events: ['INSERT 30'], sessions: [user] });
  });

  test('of a REST endpoint causes its events with the session variables', async () => {
    const caused = await causedBy(async () => {
      const response = await fetch(`${s.service.url}/api/rest/items/31`, { method: 'PUT', headers: user });
      expect(response.status).toBe(200);
    });
    expect(caused).toEqual({ events: ['INSERT 31'], sessions: [user] });
  });

  test('of a batch causes its events with the session variables', async () => {
    const query = (id: number) => ({ query: `mutation { insert_item_one(object: { id: ${id} }) { id } }` });
    const caused = await causedBy(() => s.service.post('/v1/graphql', [query(32), query(33)], user));
    expect(caused).toEqual({ events: ['INSERT 32', 'INSERT 33'], sessions: [user] });
  });

  test('has the role and no user in the events of an admin', async () => {
    const caused = await causedBy(() => graphql('insert_item_one(object: { id: 34 }) { id }', admin));
    expect(caused).toEqual({ events: ['INSERT 34'], sessions: [admin] });
  });

  test('has the admin role without a role in the request', async () => {
    const caused = await causedBy(() => graphql('insert_item_one(object: { id: 35 }) { id }', {}));
    expect(caused).toEqual({ events: ['INSERT 35'], sessions: [admin] });
  });
});

describe('a command', () => {
  test('insert, update and delete cause events with the session variables', async () => {
    const caused = await causedBy(() =>
      s.run('bulk', [
        { type: 'insert', args: { table: 'item', objects: [{ id: 40 }] } },
        { type: 'update', args: { table: 'item', $set: { name: 'j' }, where: { id: 40 } } },
        { type: 'delete', args: { table: 'item', where: { id: 40 } } },
      ]),
    );
    expect(caused).toEqual({ events: ['DELETE 40', 'INSERT 40', 'UPDATE 40'], sessions: [admin] });
  });

  test.each([
    ['in a transaction', {}, admin],
    // A setting of the session could reach other clients behind a pooler.
    ['outside of a transaction', { transaction: false }, null],
  ])('run_sql %s causes events with its session variables', async (_where, more, session) => {
    const sql = 'insert into item (id) values (41); delete from item where id = 41';
    const caused = await causedBy(() => s.run('run_sql', { sql, ...more }));
    expect(caused).toEqual({ events: ['DELETE 41', 'INSERT 41'], sessions: [session] });
  });

  test('run_sql that fails causes no event', async () => {
    const sql = 'insert into item (id) values (42); insert into item (id) values (42)';
    expect((await causedBy(() => s.post('run_sql', { sql }, '/v1/query'))).events).toEqual([]);
  });
});

describe('another client', () => {
  test('causes events without session variables', async () => {
    const caused = await causedBy(() => s.sql('insert into item (id) values (50)'));
    expect(caused).toEqual({ events: ['INSERT 50'], sessions: [null] });
  });

  test('causes events with the session variables that it sets', async () => {
    const caused = await causedBy(() =>
      s.sql(`begin; set local "hasura.user" = '{"x-hasura-role":"job"}'; insert into item (id) values (51); commit`),
    );
    expect(caused).toEqual({ events: ['INSERT 51'], sessions: [{ 'x-hasura-role': 'job' }] });
  });

  test('causes no event by truncate', async () => {
    const caused = await causedBy(() => s.sql('truncate item'));
    expect(caused.events).toEqual([]);
  });
});
