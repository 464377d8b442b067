import { expect, test } from 'vitest';
import { describeAddress, describeSource, emptySource, faultsIn, sourceArguments } from './source-draft.ts';

test('the least is a name and an address', () => {
  expect(Object.keys(faultsIn(emptySource))).toEqual(['name', 'address']);
  const draft = { ...emptySource, name: ' shop ', address: { from: 'environment' as const, text: 'SHOP_URL' } };
  expect(faultsIn(draft)).toEqual({});
  expect(sourceArguments(draft)).toEqual({
    name: 'shop',
    configuration: { connection_info: { database_url: { from_env: 'SHOP_URL' } } },
  });
});

test('settings of the pool hold for replicas as well', () => {
  const draft = {
    ...emptySource,
    name: 'shop',
    address: { from: 'url' as const, text: 'postgres://db/shop' },
    replicas: [{ from: 'environment' as const, text: 'REPLICA' }],
    maxConnections: '20',
    idleTimeout: '1.5',
    namespace: 'shop',
    prefix: 'Shop_',
  };
  const pool_settings = { max_connections: 20, idle_timeout: 1.5 };
  expect(sourceArguments(draft)).toEqual({
    name: 'shop',
    configuration: {
      connection_info: { database_url: 'postgres://db/shop', pool_settings },
      read_replicas: [{ database_url: { from_env: 'REPLICA' }, pool_settings }],
    },
    customization: { root_fields: { namespace: 'shop' }, type_names: { prefix: 'Shop_' } },
  });
});

test.each([
  ['maxConnections', '0'],
  ['maxConnections', '1.5'],
  ['poolTimeout', 'soon'],
])('%s cannot be %j', (field, text) => {
  expect(Object.keys(faultsIn({ ...emptySource, [field]: text }))).toContain(field);
});

test.each([
  [undefined, 'the database that the service was started with'],
  [{ from_env: 'SHOP_URL' }, 'the value of SHOP_URL'],
  ['postgres://shop:secret@db:5433/shop?password=secret', 'postgres://shop@db:5433/shop'],
  ['host=db password=secret', 'an address that is written in the metadata'],
  [{ connection_parameters: { username: 'u', password: 'secret', host: 'h', database: 'd' } }, 'postgres://u@h:5432/d'],
])('the address %j is told as %s', (address, text) => {
  expect(describeAddress(address)).toBe(text);
});

test('a source is told by its tables, replicas and connections', () => {
  expect(
    describeSource({
      name: 'shop',
      kind: 'postgres',
      tables: [{ table: { schema: 'public', name: 'a' } }],
      configuration: { connection_info: { pool_settings: { max_connections: 5 } }, read_replicas: [{}] },
    }),
  ).toEqual(['1 table tracked', '1 read replica', 'at most 5 connections']);
});
