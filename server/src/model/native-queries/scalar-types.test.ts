import { describe, expect, test } from 'vitest';
import { catalogOf } from '../../../test/support/model/catalog.ts';
import type { ColumnType } from '../types/column-type.ts';
import { scalarNamed } from './scalar-types.ts';

const bare = catalogOf({});
const extended = {
  ...bare,
  extensions: new Map(
    ['citext', 'hstore', 'ltree', 'postgis', 'postgis_raster'].map((name) => [name, { schema: 'Ext' }]),
  ),
};

function typeNamed(written: string): ColumnType {
  const type = scalarNamed(written, extended);
  if (typeof type === 'string') throw new Error(type);
  return type;
}

describe('the name of a type of a native query', () => {
  test.each([
    ['int2', 'smallint'],
    ['int4', 'int', 'integer', 'serial'],
    ['int8', 'bigint', 'bigserial'],
    ['float4', 'real'],
    ['float8', 'float', 'double precision'],
    ['numeric', 'decimal'],
    ['bool', 'boolean'],
    ['text', 'string'],
    ['bpchar', 'character', 'char'],
    ['varchar', 'character varying'],
    ['varbit', 'bit varying'],
    ['time', 'time without time zone'],
    ['timetz', 'time with time zone'],
    ['timestamp', 'timestamp without time zone'],
    ['timestamptz', 'timestamp with time zone'],
  ])('%s has the aliases of PostgreSQL', (name, ...aliases) => {
    expect(aliases.map((alias) => typeNamed(alias))).toEqual(aliases.map(() => typeNamed(name)));
  });

  test.each([
    ['VARCHAR(20)', 'varchar'],
    [' Numeric ( 10, 2 ) ', 'numeric'],
    ['timestamp(3) with   time\nzone', 'timestamptz'],
    ['bit()', 'bit'],
  ])('%j has no case, white space, length or precision', (written, name) => {
    expect(typeNamed(written)).toEqual(typeNamed(name));
  });

  test.each(['nothing', 'constructor', 'toString', 'int4[]', 'a varchar', '', 'int4(', '"char"'])(
    '%j is rejected with the name as written',
    (written) => {
      expect(scalarNamed(written, extended)).toBe(`Did not recognize scalar type '${written}'`);
    },
  );
});

describe('a built-in type', () => {
  test.each([
    ['B', 'boolean', ['bool']],
    ['N', 'number', ['int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'money']],
    ['S', 'text', ['text', 'varchar', 'bpchar', 'name']],
    ['D', 'time', ['date', 'time', 'timetz', 'timestamp', 'timestamptz']],
    ['T', 'interval', ['interval']],
    ['I', 'network', ['inet', 'cidr']],
    ['U', 'network', ['macaddr', 'macaddr8']],
    ['U', 'uuid', ['uuid']],
    ['U', 'json', ['json']],
    ['U', 'jsonb', ['jsonb']],
    ['U', 'bytes', ['bytea']],
    ['U', 'other', ['xml', 'tsvector', 'tsquery', 'pg_lsn', 'txid_snapshot']],
    ['G', 'other', ['box', 'circle', 'line', 'lseg', 'path', 'point', 'polygon']],
    ['V', 'other', ['bit', 'varbit']],
  ])('has category %s of PostgreSQL and family %s: %j', (category, family, names) => {
    expect(names.map((name) => typeNamed(name))).toEqual(
      names.map((name) => expect.objectContaining({ name, category, family })),
    );
  });

  test('is cast to by its name, and to "bit" with quotes, because bit without them has a length of 1', () => {
    expect(['varbit', 'bit', 'float8'].map((name) => typeNamed(name).sqlName)).toEqual(['varbit', '"bit"', 'float8']);
  });
});

describe('a type of an extension', () => {
  const owners = [
    ['citext', 'citext'],
    ['hstore', 'hstore'],
    ['ltree', 'ltree'],
    ['lquery', 'ltree'],
    ['ltxtquery', 'ltree'],
    ['geometry', 'postgis'],
    ['geography', 'postgis'],
    ['raster', 'postgis_raster'],
  ] as const;

  test.each(owners)('%s is in the schema of its extension', (name) => {
    expect(typeNamed(name.toUpperCase())).toMatchObject({ name, sqlName: `"Ext".${name}`, extensionSchema: 'Ext' });
  });

  test.each(owners)('%s is rejected with the name of the extension if that is not installed', (name, extension) => {
    expect(scalarNamed(name, bare)).toBe(`the type "${name}" needs the extension ${extension}, which is not installed`);
  });
});
