import { describe, expect, test } from 'vitest';
import { typeOf } from '../../../test/support/model/catalog.ts';
import type { CatalogType } from '../../postgres/catalog/catalog-types.ts';
import type { ColumnType } from '../types/column-type.ts';
import {
  argumentScalar,
  arrayOf,
  booleanType,
  builtInTypes,
  comparable,
  doubleType,
  hasEquality,
  integerType,
  siblingType,
  textType,
  typeReader,
} from './column-types.ts';

function read(oid: number, ...types: readonly CatalogType[]): ColumnType | undefined {
  return typeReader(new Map(types.map((type) => [type.oid, type])))(oid);
}

describe('the GraphQL scalar and the family of a type', () => {
  const cases: readonly (readonly [string, string, string, Partial<CatalogType>?])[] = [
    ['int2', 'smallint', 'number'],
    ['int4', 'Int', 'number'],
    ['int8', 'bigint', 'number'],
    ['float4', 'Float', 'number'],
    ['float8', 'float8', 'number'],
    ['numeric', 'numeric', 'number'],
    ['money', 'money', 'number'],
    ['bool', 'Boolean', 'boolean'],
    ['text', 'String', 'text'],
    ['varchar', 'String', 'text'],
    ['bpchar', 'bpchar', 'text'],
    ['char', 'bpchar', 'text'],
    ['name', 'name', 'text'],
    ['date', 'date', 'time'],
    ['time', 'time', 'time'],
    ['timetz', 'timetz', 'time'],
    ['timestamp', 'timestamp', 'time'],
    ['timestamptz', 'timestamptz', 'time'],
    ['interval', 'interval', 'interval'],
    ['uuid', 'uuid', 'uuid'],
    ['bytea', 'bytea', 'bytes'],
    ['json', 'json', 'json'],
    ['jsonb', 'jsonb', 'jsonb'],
    ['inet', 'inet', 'network'],
    ['cidr', 'cidr', 'network'],
    ['xml', 'xml', 'other'],
    ['tsvector', 'tsvector', 'other'],
    ['int4range', 'int4range', 'range', { kind: 'range' }],
    ['int4multirange', 'int4multirange', 'range', { kind: 'multirange' }],
    ['order_status', 'order_status', 'enum', { kind: 'enum', schema: 'shop' }],
    ['customer', 'customer_scalar', 'composite', { kind: 'composite', schema: 'public' }],
    ['citext', 'citext', 'citext', { extension: 'citext', schema: 'public' }],
    ['ltree', 'ltree', 'ltree', { extension: 'ltree', schema: 'public' }],
    ['geometry', 'geometry', 'geometry', { extension: 'postgis', schema: 'gis' }],
    ['geography', 'geography', 'geography', { extension: 'postgis', schema: 'gis' }],
    ['raster', 'raster', 'raster', { extension: 'postgis_raster', schema: 'gis' }],
    ['hstore', 'hstore', 'hstore', { extension: 'hstore', schema: 'public' }],
  ];
  test.each(cases.map(([name, scalar, family, more = {}]) => [name, scalar, family, more] as const))(
    '%s is %s of family %s',
    (name, scalar, family, more) => {
      expect(read(1, typeOf(1, name, more))).toMatchObject({ name, scalar, family, element: undefined });
    },
  );

  test('a user-defined type is not a built-in type of the same name', () => {
    expect(read(1, typeOf(1, 'int4', { schema: 'shop', kind: 'enum' }))).toMatchObject({
      scalar: 'int4',
      family: 'enum',
    });
    expect(read(1, typeOf(1, 'citext', { schema: 'shop' }))).toMatchObject({ family: 'other' });
    expect(read(1, typeOf(1, 'String', { schema: 'shop', kind: 'enum' }))).toMatchObject({ scalar: 'String_scalar' });
  });

  test('an invalid GraphQL name is changed to a valid one', () => {
    const scalar = (name: string) => read(1, typeOf(1, name, { schema: 'shop', kind: 'enum' }))?.scalar;
    expect(scalar('order status')).toBe('order_status');
    expect(scalar('2fa')).toBe('_2fa');
    expect(scalar('__hidden')).toBe('_hidden');
    expect(scalar('___hidden')).toBe('_hidden');
    expect(scalar('two__parts')).toBe('two__parts');
  });
});

describe('types made of other types', () => {
  test('a domain is resolved to its base type at any depth, also for casts, but has a scalar of its own', () => {
    const base = typeOf(1, 'name');
    const inner = typeOf(2, 'sql_identifier', { kind: 'domain', schema: 'information_schema', baseType: 1 });
    const outer = typeOf(3, 'handle', { kind: 'domain', schema: 'shop', baseType: 2 });
    expect(read(3, base, inner, outer)).toMatchObject({ name: 'name', sqlName: 'name', scalar: 'handle' });
  });

  test('an array has its element type, and its own name for casts', () => {
    const email = typeOf(2, 'email', { kind: 'domain', schema: 'shop', sqlName: 'shop.email', baseType: 1 });
    const emails = typeOf(3, '_email', { kind: 'array', schema: 'shop', sqlName: 'shop.email[]', elementType: 2 });
    const type = read(3, typeOf(1, 'text'), email, emails);
    expect(type).toMatchObject({ family: 'array', sqlName: 'shop.email[]', scalar: 'email' });
    expect(type?.element).toMatchObject({ name: 'text', sqlName: 'text' });
    expect(type?.labels).toEqual([]);
  });

  test('an enum keeps its labels in order', () => {
    expect(read(1, typeOf(1, 'mood', { kind: 'enum', labels: ['b', 'a'] }))?.labels).toEqual(['b', 'a']);
  });

  test('a type of an extension has the schema of its operators', () => {
    const citext = typeOf(1, 'citext', { extension: 'citext', schema: 'ext' });
    expect(read(1, citext)?.extensionSchema).toBe('ext');
    expect(read(1, typeOf(1, 'text'))?.extensionSchema).toBeUndefined();
  });

  test('an unknown type and a type that contains itself are undefined', () => {
    expect(read(9)).toBeUndefined();
    expect(read(1, typeOf(1, 'loop', { kind: 'domain', baseType: 1 }))).toBeUndefined();
  });

  test('the same oid gives the same object', () => {
    const reader = typeReader(new Map([[1, typeOf(1, 'text')]]));
    expect(reader(1)).toBe(reader(1));
  });
});

test('built-in types are found by their scalar, String as text', () => {
  expect(builtInTypes.get('String')?.name).toBe('text');
  expect(builtInTypes.get('bpchar')?.name).toBe('bpchar');
  expect(builtInTypes.get('Int')?.name).toBe('int4');
  expect(builtInTypes.get('timestamptz')?.family).toBe('time');
});

test('an array type is named and cast as PostgreSQL does', () => {
  expect(arrayOf(textType)).toMatchObject({ name: '_text', sqlName: 'text[]', scalar: 'String', element: textType });
});

test('a sibling type is in the schema of its extension', () => {
  const geometry = read(1, typeOf(1, 'geometry', { extension: 'postgis', schema: 'My Gis' }));
  expect(geometry && siblingType(geometry, 'geography')).toMatchObject({
    sqlName: '"My Gis".geography',
    family: 'geography',
    extensionSchema: 'My Gis',
  });
});

describe('comparable columns', () => {
  const type = (scalar: string): ColumnType => {
    const found = builtInTypes.get(scalar);
    if (found === undefined) throw new Error(scalar);
    return found;
  };
  test.each([
    ['Int', 'bigint'],
    ['Int', 'numeric'],
    ['String', 'bpchar'],
    ['date', 'timestamptz'],
    ['uuid', 'uuid'],
    ['jsonb', 'jsonb'],
  ])('%s and %s do', (one, other) => {
    expect(comparable(type(one), type(other))).toBe(true);
    expect(comparable(arrayOf(type(one)), arrayOf(type(one)))).toBe(true);
  });
  test.each([
    ['Int', 'String'],
    ['uuid', 'String'],
    ['json', 'json'],
    ['date', 'time'],
    ['money', 'Int'],
    ['jsonb', 'json'],
  ])('exclude %s and %s', (one, other) => {
    expect(comparable(type(one), type(other))).toBe(false);
    expect(comparable(type(other), type(one))).toBe(false);
  });
  test('include arrays of the same element type', () => {
    expect(comparable(arrayOf(type('Int')), arrayOf(type('bigint')))).toBe(false);
    expect(comparable(arrayOf(type('Int')), type('Int'))).toBe(false);
    expect(hasEquality(arrayOf(type('json')))).toBe(false);
  });
});

test.each([
  ['String', 'String_scalar'],
  ['ID', 'ID_scalar'],
  ['uuid', 'uuid_scalar'],
  ['jsonb', 'jsonb_scalar'],
  ['handle', 'handle'],
  ['a handle', 'a_handle'],
])('a domain named %s has the scalar %s', (name, scalar) => {
  expect(read(2, typeOf(1, 'text'), typeOf(2, name, { kind: 'domain', schema: 'shop', baseType: 1 }))?.scalar).toBe(
    scalar,
  );
});

test('a domain of an array is the array', () => {
  const array = typeOf(2, '_text', { kind: 'array', sqlName: 'text[]', elementType: 1 });
  const list = typeOf(3, 'names', { kind: 'domain', schema: 'shop', baseType: 2 });
  expect(read(3, typeOf(1, 'text'), array, list)).toMatchObject({ name: '_text', family: 'array', scalar: 'String' });
});

test.each([
  ['a domain without a base', typeOf(1, 'd', { kind: 'domain' })],
  ['a domain of an unknown type', typeOf(1, 'd', { kind: 'domain', baseType: 9 })],
  ['an array without an element', typeOf(1, '_a', { kind: 'array' })],
  ['an array of an unknown type', typeOf(1, '_a', { kind: 'array', elementType: 9 })],
])('%s is unknown', (_what, type) => {
  expect(read(1, type)).toBeUndefined();
});

test.each([
  ['text', textType, 'String'],
  ['int4', integerType, 'Int'],
  ['text[]', arrayOf(textType), '_text'],
  ['int4[]', arrayOf(integerType), '_int4'],
  ['an array with another name', { ...arrayOf(textType), name: 'my list' }, 'my_list'],
])('the argument of a function of type %s has the scalar of its name', (_name, type, scalar) => {
  expect(argumentScalar(type)).toBe(scalar);
});

test.each([
  ['bool', booleanType, { family: 'boolean', scalar: 'Boolean', category: 'B' }],
  ['int4', integerType, { family: 'number', scalar: 'Int', category: 'N' }],
  ['float8', doubleType, { family: 'number', scalar: 'float8', category: 'N' }],
  ['text', textType, { family: 'text', scalar: 'String', category: 'S' }],
])('the built-in type %s has its name in SQL, and its family, scalar and category', (name, type, members) => {
  expect(type).toEqual({ name, sqlName: name, ...members, element: undefined, labels: [] });
});

test('the category of a built-in type is that of PostgreSQL', () => {
  const categories = ['Boolean', 'bigint', 'bpchar', 'date', 'interval', 'inet', 'uuid', 'jsonb', 'bytea'].map(
    (scalar) => builtInTypes.get(scalar)?.category,
  );
  expect(categories).toEqual(['B', 'N', 'S', 'D', 'T', 'I', 'U', 'U', 'U']);
});

test('an array is of no extension, and has no labels', () => {
  expect(arrayOf(textType)).toEqual({
    ...{ name: '_text', sqlName: 'text[]', family: 'array', scalar: 'String', element: textType },
    ...{ labels: [], category: 'A' },
  });
});

test('a sibling of a type without an extension has its plain name', () => {
  expect(siblingType({}, 'lquery')).toEqual({
    ...{ name: 'lquery', sqlName: 'lquery', family: 'lquery', scalar: 'lquery', element: undefined },
    ...{ labels: [], category: 'U', extensionSchema: undefined },
  });
});

test('a sibling of an unknown name has no family', () => {
  expect(siblingType({ extensionSchema: 'gis' }, 'box2d')).toMatchObject({ sqlName: '"gis".box2d', family: 'other' });
});

describe('values are comparable', () => {
  const named = (name: string, family: ColumnType['family']): ColumnType => ({
    ...{ name, sqlName: name, family, scalar: name, element: undefined, labels: [], category: 'U' },
  });
  const citext = named('citext', 'citext');

  test.each([
    ['citext and text', citext, textType, true],
    ['text and citext', textType, citext, true],
    ['citext and itself', citext, citext, true],
    ['inet and cidr', named('inet', 'network'), named('cidr', 'network'), true],
    ['macaddr and itself', named('macaddr', 'network'), named('macaddr', 'network'), true],
    ['macaddr and inet', named('macaddr', 'network'), named('inet', 'network'), false],
    ['inet and macaddr8', named('inet', 'network'), named('macaddr8', 'network'), false],
    ['timetz and time', named('timetz', 'time'), named('time', 'time'), false],
    ['two enums', named('mood', 'enum'), named('color', 'enum'), false],
    ['uuid and bytea', named('uuid', 'uuid'), named('bytea', 'bytes'), false],
    ['citext and a number', citext, integerType, false],
    ['xml and text', named('xml', 'other'), textType, false],
    ['text and point', textType, named('point', 'other'), false],
    ['an array and its element', arrayOf(textType), textType, false],
    ['an element and its array', textType, arrayOf(textType), false],
    ['arrays of json', arrayOf(named('json', 'json')), arrayOf(named('json', 'json')), false],
    ['a domain of an array and the array', { ...arrayOf(textType), sqlName: 'names' }, arrayOf(textType), true],
  ])('%s: %s', (_what, one, other, expected) => {
    expect(comparable(one, other)).toBe(expected);
  });

  test.each([
    ...['json', 'xml', 'point', 'polygon', 'jsonpath', 'txid_snapshot', 'pg_snapshot', 'lquery', 'ltxtquery'],
  ])('%s has no equality', (name) => {
    expect(hasEquality(named(name, 'other'))).toBe(false);
  });
});
