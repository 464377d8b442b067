import { expect, test } from 'vitest';
import { describeAddress, describeSource, openAddress, otherSettings } from './source-text.ts';

test.each([
  [undefined, 'the database that the service was started with'],
  [{ from_env: 'SHOP_URL' }, 'the value of SHOP_URL'],
  ['postgres://shop:secret@db:5433/shop?password=secret', 'postgres://shop@db:5433/shop'],
  ['host=db password=secret', 'an address that is written in the metadata'],
  [{ connection_parameters: { username: 'u', password: 'secret', host: 'h', database: 'd' } }, 'postgres://u@h:5432/d'],
])('describes the address %j as %s', (address, text) => {
  expect(describeAddress(address)).toBe(text);
});

test('describes a source by its tables, replicas and connections', () => {
  expect(
    describeSource({
      name: 'shop',
      kind: 'postgres',
      tables: [{ table: { schema: 'public', name: 'a' } }],
      configuration: { connection_info: { pool_settings: { max_connections: 5 } }, read_replicas: [{}] },
    }),
  ).toEqual(['1 table tracked', '1 read replica', 'at most 5 connections']);
});

test.each([
  ['postgres://shop@db/shop?sslmode=require', 'postgres://shop@db/shop?sslmode=require', false],
  ['postgres://shop:secret@db/shop?sslmode=require', 'postgres://shop@db/shop?sslmode=require', true],
  ['postgres://db/shop?password=secret', 'postgres://db/shop', true],
  ['host=db password=secret', '', true],
])('shows the address %s as %j', (address, text, secret) => {
  expect(openAddress(address)).toEqual({ text, secret });
});

test('lists connection settings without an input by name', () => {
  const pool_settings = { max_connections: 5, retries: 1, total_max_connections: null };
  const connection_info = {
    database_url: 'postgres://db/shop',
    isolation_level: 'serializable' as const,
    pool_settings,
  };
  const source = { name: 'shop', kind: 'postgres', tables: [], configuration: { connection_info } };
  expect(otherSettings(source)).toEqual(['isolation_level', 'pool_settings.retries']);
});
