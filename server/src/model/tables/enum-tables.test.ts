/** Tests of the shape of enum tables. */

import { DEFAULT_SOURCE } from '@joinery/metadata/names';
import type { TableEntry } from '@joinery/metadata/schema/tables';
import { expect, test } from 'vitest';
import { typeOf } from '../../../test/support/model/catalog.ts';
import { type Catalog, type CatalogRelation, relationKey } from '../../postgres/catalog/catalog-types.ts';
import { enumColumns, enumTables } from './enum-tables.ts';

function relation(columns: Readonly<Record<string, number>>, key: readonly string[]): CatalogRelation {
  return {
    schema: 'public',
    name: 'color',
    kind: 'table',
    comment: undefined,
    columns: Object.entries(columns).map(([name, oid], index) => ({
      name,
      position: index + 1,
      type: oid,
      nullable: false,
      hasDefault: false,
      generated: false,
      identity: undefined,
      comment: undefined,
    })),
    primaryKey: key.length === 0 ? undefined : { name: 'color_pkey', columns: key },
    uniqueKeys: [],
    foreignKeys: [],
    insertable: true,
    updatable: true,
    deletable: true,
  };
}

function made(
  one: CatalogRelation,
  values: readonly string[],
  configuration?: TableEntry['configuration'],
  types: readonly string[] = ['text', 'int4'],
) {
  const key = relationKey('public', 'color');
  const catalog: Catalog = {
    version: 180000,
    types: new Map(types.map((name, index) => [index + 1, typeOf(index + 1, name)])),
    relations: new Map([[key, one]]),
    functions: new Map(),
    extensions: new Map(),
    enumValues: new Map([[key, values.map((value) => ({ value, comment: undefined }))]]),
  };
  const entry: TableEntry = {
    table: { schema: 'public', name: 'color' },
    is_enum: true,
    ...(configuration && { configuration }),
  };
  return enumTables([{ source: DEFAULT_SOURCE, entry, path: '$' }], catalog);
}

const text = { value: 1, comment: 1 };

test('a text key with a comment and a row is an enum, named after the table', () => {
  const enums = made(relation(text, ['value']), ['red']);
  expect([...enums.values()]).toEqual([{ name: 'color_enum', values: [{ value: 'red', comment: undefined }] }]);
});

test.each<readonly [string, CatalogRelation, readonly string[], string]>([
  ['no key', relation(text, []), ['red'], 'the table must have a primary key'],
  [
    'a key of two columns',
    relation(text, ['value', 'comment']),
    ['red'],
    'must not span multiple columns (value, comment)',
  ],
  [
    'a key that is not text',
    relation({ value: 2 }, ['value']),
    ['red'],
    '("value") must have type "text", not type "integer"',
  ],
  [
    'a comment that is not text',
    relation({ value: 1, note: 2 }, ['value']),
    ['red'],
    'comment column ("note") must have type "text"',
  ],
  ['a third column', relation({ ...text, more: 1 }, ['value']), ['red'], 'not 3 columns (comment, more, value)'],
  ['no rows', relation(text, ['value']), [], 'the table must have at least one row'],
  [
    'a value that is not a name',
    relation(text, ['value']),
    ['red', 'a b'],
    'the value "a b" is not a valid GraphQL enum value name',
  ],
  [
    'literals of GraphQL',
    relation(text, ['value']),
    ['true', 'null'],
    'the values "true", "null" are not valid GraphQL enum value names',
  ],
])('%s is rejected', (_, one, values, reason) => {
  expect([...made(one, values).values()]).toEqual([expect.stringContaining(reason)]);
});

test('a column has the enum of the table that its foreign key refers to, unless the key has several columns', () => {
  const enums = made(relation(text, ['value']), ['red']);
  const to = { foreignSchema: 'public', foreignTable: 'color', foreignColumns: ['value'] };
  const car: CatalogRelation = {
    ...relation({ paint: 1, a: 1, b: 1 }, []),
    foreignKeys: [
      { name: 'one', columns: ['paint'], ...to },
      { name: 'two', columns: ['a', 'b'], ...to, foreignColumns: ['value', 'comment'] },
    ],
  };
  expect([...enumColumns(car, enums).keys()]).toEqual(['paint']);
});

test('the name of the enum must be a GraphQL name', () => {
  const configuration = { custom_name: 'paint color' as never };
  expect([...made(relation(text, ['value']), ['red'], configuration).values()]).toEqual([
    expect.stringContaining('the name "paint color_enum" of the enum is not a GraphQL name; set a custom_name'),
  ]);
});

test.each(['text', 'varchar', 'bpchar', 'citext'])('a key of type %s has the values of an enum', (type) => {
  expect([...made(relation({ value: 1 }, ['value']), ['red'], undefined, [type]).values()]).toMatchObject([
    { name: 'color_enum' },
  ]);
});

test.each([
  ['int2', 'smallint'],
  ['int8', 'bigint'],
  ['bool', 'boolean'],
  ['float4', 'real'],
  ['float8', 'double precision'],
  ['timestamptz', 'timestamp with time zone'],
  ['timestamp', 'timestamp without time zone'],
  ['uuid', 'uuid'],
])('a key of type %s is rejected with the name that PostgreSQL prints: %s', (type, title) => {
  expect([...made(relation({ value: 1 }, ['value']), ['red'], undefined, [type]).values()]).toEqual([
    `the table "color" cannot be used as an enum because the table’s primary key ("value") must have type "text", not type "${title}"`,
  ]);
});

test('an unknown type is rejected', () => {
  expect([...made(relation({ value: 9 }, ['value']), ['red']).values()]).toEqual([
    expect.stringContaining('must have type "text", not type "unknown"'),
  ]);
});

test.each<readonly [string, CatalogRelation, readonly string[]]>([
  [
    'no key and three columns',
    relation({ ...text, more: 1 }, []),
    ['the table must have a primary key', 'not 3 columns (comment, more, value)'],
  ],
  [
    'a key of two columns and three columns',
    relation({ ...text, more: 1 }, ['value', 'more']),
    ['must not span multiple columns (value, more)', 'not 3 columns (comment, more, value)'],
  ],
  [
    'a key that is not text and three columns',
    relation({ value: 2, a: 2, b: 2 }, ['value']),
    ['primary key ("value") must have type "text"', 'not 3 columns (a, b, value)'],
  ],
])('%s are reported together', (_, one, reasons) => {
  const [found] = made(one, []).values();
  const lines = String(found).split('\n  • ').slice(1);
  expect(lines).toEqual(reasons.map((reason) => expect.stringContaining(reason)));
});

test('a table that is no enum table or that the database does not have has no enum', () => {
  const one = relation(text, ['value']);
  const catalog: Catalog = {
    ...{ version: 180000, types: new Map(), functions: new Map(), extensions: new Map() },
    relations: new Map([[relationKey('public', 'color'), one]]),
  };
  const entry = (name: string, is_enum: boolean): TableEntry => ({ table: { schema: 'public', name }, is_enum });
  const written = [entry('color', false), entry('none', true)].map((each) => ({
    source: DEFAULT_SOURCE,
    entry: each,
    path: '$',
  }));
  expect(enumTables(written, catalog).size).toBe(0);
});
