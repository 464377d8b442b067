import { expect, test } from 'vitest';
import type { SourceEntry } from '../../shared/sources/sources-api.ts';
import { emptySource, givenBy, sourceArguments, sourceChange, sourceDraftOf, sourceErrors } from './source-draft.ts';

test('requires only a name and an address', () => {
  expect(Object.keys(sourceErrors(emptySource))).toEqual(['name', 'address']);
  const draft = { ...emptySource, name: ' shop ', address: { from: 'environment' as const, text: 'SHOP_URL' } };
  expect(sourceErrors(draft)).toEqual({});
  expect(sourceArguments(draft)).toEqual({
    name: 'shop',
    configuration: { connection_info: { database_url: { from_env: 'SHOP_URL' } } },
  });
});

test('applies pool settings to replicas too', () => {
  const draft = {
    ...emptySource,
    name: 'shop',
    address: { from: 'url' as const, text: 'postgres://db/shop' },
    replicas: [{ from: 'environment' as const, text: 'REPLICA' }],
    maxConnections: '20',
    idleTimeout: '1.5',
    namespace: 'shop',
    typePrefix: 'Shop_',
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
  expect(Object.keys(sourceErrors({ ...emptySource, [field]: text }))).toContain(field);
});

const written: SourceEntry = {
  name: 'shop',
  kind: 'postgres',
  tables: [],
  configuration: {
    connection_info: {
      database_url: 'postgres://shop:secret@db/shop?sslmode=require',
      isolation_level: 'serializable',
      pool_settings: { max_connections: 20, idle_timeout: null, retries: 1 },
    },
    read_replicas: [
      {
        database_url: { from_env: 'REPLICA' },
        pool_settings: { max_connections: 20, idle_timeout: null, retries: 1 },
      },
      { database_url: 'postgres://other/shop', pool_settings: { max_connections: 3 } },
    ],
    extra: true,
  },
  customization: { root_fields: { namespace: 'shop' }, naming_convention: 'graphql-default', extra: 1 },
};

test('an unchanged form preserves a source', () => {
  expect(sourceChange(sourceDraftOf(written), written)).toEqual({});
  const bare: SourceEntry = { name: 'bare', kind: 'postgres', tables: [] };
  expect(sourceChange(sourceDraftOf(bare), bare)).toEqual({});
});

test('preserves members without an input, and pool settings of a replica', () => {
  const draft = { ...sourceDraftOf(written), maxConnections: '30', lifetime: '600' };
  const pool_settings = { max_connections: 30, connection_lifetime: 600, retries: 1 };
  expect(sourceChange(draft, written)).toEqual({
    configuration: {
      connection_info: {
        database_url: 'postgres://shop:secret@db/shop?sslmode=require',
        isolation_level: 'serializable',
        pool_settings,
      },
      read_replicas: [
        { database_url: { from_env: 'REPLICA' }, pool_settings },
        { database_url: 'postgres://other/shop', pool_settings: { max_connections: 3 } },
      ],
      extra: true,
    },
  });
});

test('does not show an address with a password, and preserves it until it is replaced', () => {
  const { address, ...draft } = sourceDraftOf(written);
  expect(address).toMatchObject({ from: 'kept', text: 'postgres://shop@db/shop?sslmode=require' });
  const given = { ...draft, address: { ...address, from: 'environment' as const, text: 'SHOP_URL' } };
  expect(sourceChange(given, written).configuration).toMatchObject({
    connection_info: { database_url: { from_env: 'SHOP_URL' }, isolation_level: 'serializable' },
  });
  expect(
    sourceDraftOf({ ...written, configuration: { connection_info: { database_url: 'postgres://db/shop' } } }),
  ).toMatchObject({
    address: { from: 'url', text: 'postgres://db/shop' },
  });
});

test('changing the kind of address starts from known values and preserves typed text', () => {
  const { address } = sourceDraftOf(written);
  const variable = givenBy(address, 'environment');
  expect(variable).toMatchObject({ from: 'environment', text: '' });
  expect(givenBy(variable, 'url')).toMatchObject({ from: 'url', text: 'postgres://shop@db/shop?sslmode=require' });
  expect(givenBy({ ...variable, text: 'SHOP_URL' }, 'kept').text).toBe('SHOP_URL');
  expect(givenBy({ ...emptySource.address, text: 'typed' }, 'url')).toEqual({ from: 'url', text: 'typed' });
});

test('changes one name, and removes all names together', () => {
  const draft = sourceDraftOf(written);
  expect(sourceChange({ ...draft, rootPrefix: 'my_', convention: '' }, written)).toEqual({
    customization: { root_fields: { namespace: 'shop', prefix: 'my_' }, extra: 1 },
  });
  const { extra: _extra, ...plain } = written.customization ?? {};
  const source = { ...written, customization: plain };
  expect(sourceChange({ ...draft, namespace: '', convention: '' }, source)).toEqual({ customization: null });
});

test('requires no address for the source from the startup options', () => {
  const started: SourceEntry = {
    name: 'default',
    kind: 'postgres',
    tables: [],
    configuration: { connection_info: { database_url: { from_env: 'DATABASE_URL' } } },
  };
  const draft = sourceDraftOf(started);
  expect(sourceErrors(draft)).toEqual({});
  expect(sourceChange({ ...draft, replicas: [{ from: 'environment', text: 'REPLICA' }] }, started)).toEqual({
    configuration: {
      connection_info: { database_url: { from_env: 'DATABASE_URL' } },
      read_replicas: [{ database_url: { from_env: 'REPLICA' } }],
    },
  });
});

test.each([
  ['namespace', '1shop'],
  ['rootPrefix', 'my-'],
  ['typeSuffix', 'é'],
])('%s cannot be %j', (field, text) => {
  expect(Object.keys(sourceErrors({ ...emptySource, [field]: text }))).toContain(field);
});
