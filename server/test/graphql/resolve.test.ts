/** The model that `resolve` builds from metadata and the catalog of a database. */
import { Metadata } from '@joinery/metadata/metadata';
import { ADMIN_ROLE, DEFAULT_SOURCE, RoleName } from '@joinery/metadata/names';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Model } from '../../src/model/model.ts';
import { selectAccess } from '../../src/model/permissions/access.ts';
import { resolve } from '../../src/model/resolve.ts';
import type { Table } from '../../src/model/types/table.ts';
import { readCatalog } from '../../src/postgres/catalog/catalog.ts';
import { type Catalog, relationKey } from '../../src/postgres/catalog/catalog-types.ts';
import { testDatabase } from '../support/database/test-database.ts';

const schema = `
  create schema ext;
  create extension citext schema ext;
  create extension ltree;
  create schema shop;
  create type shop.mood as enum ('happy', 'sad');
  create domain shop.email as ext.citext check (value like '%@%');
  create domain shop.emails as shop.email[];
  create type shop.size as (width int, height int);
  create table shop.customer (
    id bigint generated always as identity primary key,
    email shop.email not null unique,
    others shop.emails,
    mood shop.mood default 'happy',
    size shop.size,
    full_name text not null,
    shouted text generated always as (upper(full_name)) stored,
    area ltree,
    "first name" text
  );
  comment on table shop.customer is 'Who buys';
  comment on column shop.customer.mood is 'Today';
  create table shop.orders (
    year int not null,
    number int not null,
    customer_id bigint not null references shop.customer,
    referrer_id bigint references shop.customer,
    total numeric(12, 2) not null,
    placed timestamptz not null default now(),
    tags text[] not null default '{}',
    details jsonb,
    primary key (year, number)
  ) partition by range (year);
  create table shop.orders_2024 partition of shop.orders for values from (2024) to (2025);
  create table shop.line (
    id uuid primary key,
    order_year int not null,
    order_number int not null,
    quantity smallint not null,
    price real,
    during tstzrange,
    foreign key (order_year, order_number) references shop.orders (year, number)
  );
  create view shop.open_orders as select year, number, customer_id from shop.orders;
  create materialized view totals as select customer_id, sum(total) as total from shop.orders group by customer_id;
  create table author (id serial primary key, name varchar(80));
`;

const inShop = (name: string) => ({ schema: 'shop', name });
const user = RoleName.parse('user');

const tables = [
  {
    table: inShop('customer'),
    configuration: { custom_name: 'customer', column_config: { full_name: { custom_name: 'fullName' } } },
    array_relationships: [
      { name: 'orders', using: { foreign_key_constraint_on: { table: inShop('orders'), column: 'customer_id' } } },
      {
        name: 'openOrders',
        using: { manual_configuration: { remote_table: inShop('open_orders'), column_mapping: { id: 'customer_id' } } },
      },
    ],
    select_permissions: [
      {
        role: 'user',
        permission: { columns: ['id', 'full_name', 'first name'], filter: { email: 'X-Service-Email' } },
      },
    ],
  },
  {
    table: inShop('orders'),
    object_relationships: [
      { name: 'customer', using: { foreign_key_constraint_on: 'customer_id' } },
      { name: 'referrer', using: { foreign_key_constraint_on: 'referrer_id' } },
      { name: 'gone', using: { foreign_key_constraint_on: 'total' } },
    ],
    array_relationships: [
      {
        name: 'lines',
        using: { foreign_key_constraint_on: { table: inShop('line'), columns: ['order_number', 'order_year'] } },
      },
    ],
    select_permissions: [
      {
        role: 'user',
        permission: { columns: '*', filter: { customer: { email: 'X-Service-Email' } }, allow_aggregations: true },
      },
      { role: 'guest', permission: { columns: '*', filter: { gone: {} } } },
    ],
  },
  {
    table: inShop('line'),
    object_relationships: [{ name: 'order', using: { foreign_key_constraint_on: ['order_year', 'order_number'] } }],
  },
  { table: inShop('open_orders') },
  { table: 'totals' },
  { table: 'author' },
  { table: 'nowhere' },
];

let drop: () => Promise<void>;
let model: Model;

beforeAll(async () => {
  const db = await testDatabase({ sql: schema });
  drop = db.drop;
  model = resolved(await readCatalog(db.database));
});

afterAll(() => drop());

function resolved(catalog: Catalog): Model {
  return resolve({
    version: 1,
    metadata: Metadata.parse({ version: 3, sources: [{ name: 'default', tables }] }),
    catalogs: new Map([[DEFAULT_SOURCE, catalog]]),
    upstreams: new Map(),
    environment: {},
    sessionPrefix: 'x-service-',
  });
}

function table(name: string, schema_ = 'shop'): Table {
  const found = model.sources.get(DEFAULT_SOURCE)?.tables.get(relationKey(schema_, name));
  if (found === undefined) throw new Error(`no table ${name}`);
  return found;
}

describe('the model of a database', () => {
  test('drops only invalid objects, and lists them and columns without a name as inconsistencies', () => {
    expect(model.inconsistencies.map(({ name }) => name)).toEqual([
      'table nowhere in source default',
      'column first name of table shop.customer in source default',
      'object_relation gone in table shop.orders in source default',
      'select_permission guest in table shop.orders in source default',
    ]);
    expect(model.inconsistencies[3]?.reason).toContain('relationship "gone" of table "orders" was dropped');
    expect(model.sources.get(DEFAULT_SOURCE)?.tables.size).toBe(6);
  });

  test('has tables, partitioned tables, views and materialized views with names and comments', () => {
    expect(table('customer')).toMatchObject({ graphqlName: 'customer', comment: 'Who buys' });
    expect(table('orders').roots.select_by_pk).toBe('shop_orders_by_pk');
    expect(table('open_orders').primaryKey).toBeUndefined();
    expect([...table('totals', 'public').columns.keys()]).toEqual(['customer_id', 'total']);
  });

  test('has the scalar type and the family of each column', () => {
    const types = (name: string, schema_?: string) =>
      Object.fromEntries(
        [...table(name, schema_).columns.values()].map(({ field, type, nullable }) => [
          field,
          `${type.element ? `[${type.scalar}]` : type.scalar} ${type.family}${nullable ? '' : '!'}`,
        ]),
      );
    expect(types('customer')).toEqual({
      id: 'bigint number!',
      email: 'email citext!',
      others: '[email] array',
      mood: 'mood enum',
      size: 'size_scalar composite',
      fullName: 'String text!',
      shouted: 'String text',
      area: 'ltree ltree',
    });
    expect(types('orders')).toMatchObject({
      year: 'Int number!',
      total: 'numeric number!',
      placed: 'timestamptz time!',
      tags: '[String] array!',
      details: 'jsonb jsonb',
    });
    expect(types('line')).toMatchObject({
      id: 'uuid uuid!',
      quantity: 'smallint number!',
      price: 'Float number',
      during: 'tstzrange range',
    });
    expect(types('author', 'public')).toEqual({ id: 'Int number!', name: 'String text' });
    expect(table('customer').columns.get('mood')).toMatchObject({
      comment: 'Today',
      type: { labels: ['happy', 'sad'] },
    });
    expect(table('customer').columns.get('email')?.type.extensionSchema).toBe('ext');
  });

  test('has relationships by foreign keys of one and of several columns, in both directions', () => {
    const mapping = (name: string, relationship: string) =>
      table(name)
        .relationships.get(relationship)
        ?.mapping.map(({ from, to }) => `${from.name} = ${to.name}`);
    expect(mapping('line', 'order')).toEqual(['order_year = year', 'order_number = number']);
    expect(mapping('orders', 'lines')).toEqual(['year = order_year', 'number = order_number']);
    expect(mapping('customer', 'openOrders')).toEqual(['id = customer_id']);
    expect(table('orders').relationships.get('customer')?.nullable).toBe(false);
    expect(table('orders').relationships.get('referrer')?.nullable).toBe(true);
  });

  test('has primary keys with their columns in order', () => {
    expect(table('orders').primaryKey?.map(({ name }) => name)).toEqual(['year', 'number']);
    expect(table('customer').uniqueKeys.map(({ columns }) => columns)).toEqual([['email']]);
  });

  test('has the select access of a role by its permission, and full access of admin', () => {
    const access = selectAccess(table('customer'), user);
    expect([...(access?.columns ?? [])].map(({ field }) => field)).toEqual(['id', 'fullName']);
    expect(selectAccess(table('orders'), user)?.filter).toMatchObject({ kind: 'related' });
    expect(selectAccess(table('line'), user)).toBeUndefined();
    expect(selectAccess(table('line'), ADMIN_ROLE)?.columns.size).toBe(6);
    expect([...model.roles]).toEqual(['user', 'guest']);
  });
});
