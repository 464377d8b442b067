/** Commands that describe tables and functions of a source and suggest relationships. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = `
  create type state as enum ('open', 'paid');
  create domain amount as numeric(10, 2) check (value >= 0);
  create table customers (id bigint generated always as identity primary key, name varchar(20) not null unique);
  comment on table customers is 'a buyer';
  comment on column customers.name is 'in full';
  create table profile (customer_id bigint primary key references customers, tags text[]);
  create table "order" (
    id serial primary key,
    customer_id bigint not null references customers,
    billed_id bigint references customers,
    state state default 'open',
    net amount not null,
    gross numeric generated always as (net * 1.19) stored
  );
  create table order_item (order_id int references "order", line int, primary key (order_id, line));
  create table far (id int primary key, order_id int references "order");
  create function top_customers(most int default 3) returns setof customers language sql stable
    as $$ select * from customers limit most $$;
  create function far_of(wanted int) returns far language sql stable as $$ select * from far where id = wanted $$;
  create function twice(a int) returns setof customers language sql as $$ select * from customers $$;
  create function twice(a text) returns setof customers language sql as $$ select * from customers $$;
  create function plain(a int) returns int language sql as $$ select a $$;
  insert into customers (name) select 'c' || n from generate_series(1, 500) n;
  analyze;
  create table unseen as select 1 as a;
  create view loud as select distinct id, upper(name) as name from customers;
  create materialized view counted as select count(*) from customers;
  create table parted (at date) partition by list (at);
  create table parted_one partition of parted for values in ('2026-01-01');`;

let service: TestService;

beforeAll(async () => {
  service = await startService({}, { sql });
  const tables = ['customers', 'profile', 'order', 'order_item'].map((table) => ({ table }));
  await service.command('pg_track_tables', { tables });
});

afterAll(() => service.stop());

const info = (table: unknown) => service.command('pg_get_table_info', { table }) as Promise<Record<string, unknown>>;

test('pg_get_table_info returns columns, keys and the estimated number of rows', async () => {
  const found = await info('order');
  expect(found).toMatchObject({
    table: { schema: 'public', name: 'order' },
    kind: 'table',
    comment: null,
    estimated_rows: 0,
    insertable: true,
    primary_key: ['id'],
    unique_keys: [],
    tracked: true,
    enum: false,
    changed: false,
  });
  expect(found.foreign_keys).toEqual([
    {
      constraint: 'order_billed_id_fkey',
      columns: { billed_id: 'id' },
      table: { schema: 'public', name: 'customers' },
    },
    {
      constraint: 'order_customer_id_fkey',
      columns: { customer_id: 'id' },
      table: { schema: 'public', name: 'customers' },
    },
  ]);
  const columns = found.columns as { name: string }[];
  const column = (name: string) => columns.find((one) => one.name === name);
  expect(column('id')).toEqual({
    name: 'id',
    type: 'int4',
    sql_type: 'integer',
    nullable: false,
    has_default: true,
    default: "nextval('order_id_seq'::regclass)",
    generated: false,
    identity: null,
    writable: true,
    comment: null,
  });
  expect(column('state')).toMatchObject({ type: 'state', values: ['open', 'paid'], nullable: true });
  expect(column('net')).toMatchObject({ type: 'amount', base_type: 'numeric', has_default: false });
  expect(column('gross')).toMatchObject({ generated: true, writable: false, has_default: false });
});

test('pg_get_table_info returns comments, lengths, arrays and identity columns', async () => {
  const found = await info('customers');
  expect(found).toMatchObject({ comment: 'a buyer', estimated_rows: 500, unique_keys: [['name']] });
  expect(found.columns).toMatchObject([
    { name: 'id', identity: 'always', writable: false },
    { name: 'name', sql_type: 'character varying(20)', comment: 'in full' },
  ]);
  expect((await info('profile')).columns).toMatchObject([{}, { type: 'text[]', sql_type: 'text[]' }]);
});

test.each([
  ['loud', { kind: 'view', primary_key: null, estimated_rows: null, insertable: false, tracked: false }],
  ['counted', { kind: 'materialized_view', updatable: false }],
  ['parted', { kind: 'partitioned_table', estimated_rows: 0 }],
])('pg_get_table_info returns the kind of the relation %s', async (table, expected) => {
  expect(await info(table)).toMatchObject(expected);
});

test('pg_get_table_info estimates no rows for a table without statistics', async () => {
  expect(await info('unseen')).toMatchObject({ estimated_rows: null, tracked: false });
});

test('get_table_info rejects a missing table or source with its path', async () => {
  const rejectionOf = async (args: object) => {
    const { status, body } = await service.post('/v1/metadata', { type: 'get_table_info', args });
    return { status, ...(body as object) };
  };
  expect(await rejectionOf({ table: 'nothing' })).toMatchObject({
    status: 400,
    code: 'not-exists',
    path: '$.args.table',
  });
  expect(await rejectionOf({ source: 'other', table: 'order' })).toMatchObject({
    code: 'not-exists',
    path: '$.args.source',
  });
});

interface Suggestion {
  readonly type: string;
  readonly name: string;
  readonly from: { readonly table: { readonly name: string } };
  readonly to: { readonly table: { readonly name: string } };
}

async function suggestions(args: object = {}): Promise<readonly string[]> {
  const result = await service.command('pg_suggest_relationships', args);
  const { relationships } = result as { relationships: readonly Suggestion[] };
  return relationships.map(({ type, name, from, to }) => `${type} ${from.table.name}.${name} -> ${to.table.name}`);
}

test('pg_suggest_relationships suggests two relationships with unique names for each foreign key between tracked tables', async () => {
  expect([...(await suggestions())].sort()).toEqual([
    'array customers.orders -> order',
    'array customers.orders_by_customer_id -> order',
    'array order.order_items -> order_item',
    'object customers.profile -> profile',
    'object order.billed -> customers',
    'object order.customer -> customers',
    'object order_item.order -> order',
    'object profile.customer -> customers',
  ]);
});

test('suggest_relationships returns the constraint on the side of the foreign key', async () => {
  expect(await service.command('suggest_relationships', { tables: ['order_item'] })).toEqual({
    relationships: [
      {
        type: 'object',
        name: 'order',
        from: {
          table: { schema: 'public', name: 'order_item' },
          columns: ['order_id'],
          constraint_name: 'order_item_order_id_fkey',
        },
        to: { table: { schema: 'public', name: 'order' }, columns: ['id'] },
      },
    ],
  });
});

test('pg_suggest_relationships returns existing relationships by their names, and omits them if requested', async () => {
  await service.command('pg_create_object_relationship', {
    table: 'order',
    name: 'buyer',
    using: { foreign_key_constraint_on: 'customer_id' },
  });
  const tables = ['order'];
  expect(await suggestions({ tables })).toContain('object order.buyer -> customers');
  expect([...(await suggestions({ tables, omit_tracked: true }))].sort()).toEqual([
    'array order.order_items -> order_item',
    'object order.billed -> customers',
  ]);
});

test('pg_get_source_functions returns functions that return rows, with the reason if one cannot be tracked', async () => {
  await service.command('pg_track_function', { function: 'top_customers' });
  expect(await service.command('pg_get_source_functions', {})).toEqual([
    {
      schema: 'public',
      name: 'far_of',
      arguments: [{ name: 'wanted', type: 'int4', has_default: false }],
      returns: { schema: 'public', name: 'far' },
      returns_set: false,
      volatility: 'stable',
      comment: null,
      tracked: false,
      problem: 'the table "far", whose rows it returns, is not tracked',
    },
    {
      schema: 'public',
      name: 'top_customers',
      arguments: [{ name: 'most', type: 'int4', has_default: true }],
      returns: { schema: 'public', name: 'customers' },
      returns_set: true,
      volatility: 'stable',
      comment: null,
      tracked: true,
    },
    expect.objectContaining({ name: 'twice', volatility: 'volatile', problem: expect.stringContaining('overloaded') }),
  ]);
});

test('pg_get_table_info marks a table as changed after a direct change until the source is reloaded', async () => {
  const text = 'alter table profile add column motto text';
  await service.database.database.query({ text, values: [] });
  expect(await info('profile')).toMatchObject({ changed: true, columns: [{}, {}, { name: 'motto' }] });
  await service.command('reload_metadata', { reload_sources: ['default'] });
  expect(await info('profile')).toMatchObject({ changed: false });
});

test('pg_get_table_info returns the computed fields that relationships can have as keys', async () => {
  await service.database.database.query({
    text: `create function mood_of(row_of customers) returns state language sql stable as $$ select 'open'::state $$;
      create function words_of(row_of customers) returns text[] language sql stable as $$ select array[row_of.name] $$;
      create function cut(row_of customers, length int) returns text language sql stable as $$ select left(row_of.name, length) $$;
      create function own_orders(row_of customers) returns setof "order" language sql stable
        as $$ select * from "order" where customer_id = row_of.id $$;`,
    values: [],
  });
  for (const [name, called] of [
    ['mood', 'mood_of'],
    ['words', 'words_of'],
    ['cut', 'cut'],
    ['own', 'own_orders'],
  ]) {
    await service.command('pg_add_computed_field', { table: 'customers', name, definition: { function: called } });
  }
  expect((await info('customers')).computed_keys).toEqual([
    { name: 'mood', type: 'state', values: ['open', 'paid'] },
    { name: 'words', type: 'text[]' },
  ]);
});
