import type { ColumnInfo } from '@joinery/metadata/api/sources/catalog';
import { buildSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { columnKey, fieldKey, suggestedKey, whyUnfitArgument, whyUnfitColumn } from './join-key.ts';

const schema = buildSchema(`
  enum State { OPEN SENT }
  input Place { city: String }
  scalar Any
  type Query { at(int: Int, float: Float, text: String, id: ID!, yes: Boolean, state: State, place: Place, ints: [Int!], any: Any): Int }
`);
const typeOf = (name: string) => {
  const found = schema
    .getQueryType()
    ?.getFields()
    .at?.args.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no argument ${name}`);
  return found.type;
};

const column = (name: string, type: string, more: Partial<ColumnInfo> = {}) =>
  columnKey({ name, type, ...more } as ColumnInfo);

describe('a column fits an argument', () => {
  test.each([
    ['int4', 'int', true],
    ['float8', 'int', false],
    ['int4', 'id', true],
    ['uuid', 'id', true],
    ['int4[]', 'int', false],
    ['int4[]', 'ints', true],
    ['int4', 'ints', true],
    ['bool', 'yes', true],
    ['text', 'yes', false],
    ['bool', 'text', false],
    ['text', 'state', true],
    ['int4', 'place', false],
    ['jsonb', 'place', true],
    ['timestamptz', 'any', true],
  ])('%s for %s: %s', (type, argument, fit) => {
    expect(whyUnfitArgument(column('a', type), typeOf(argument)) === undefined).toBe(fit);
  });

  test('an enum column by its values, and a domain by its base type', () => {
    expect(whyUnfitArgument(column('a', 'state', { values: ['OPEN'] }), typeOf('state'))).toBeUndefined();
    expect(whyUnfitArgument(column('a', 'state', { values: ['open'] }), typeOf('state'))).toContain('does not fit');
    expect(whyUnfitArgument(column('a', 'count', { base_type: 'int4' }), typeOf('int'))).toBeUndefined();
  });
});

test.each([
  ['Int!', 'int8', true],
  ['[Int!]', 'int4', true],
  ['String', 'int4', false],
  ['ID', 'uuid', true],
  ['uuid', 'uuid', true],
  ['Mystery', 'int4', true],
])('the field of type %s fits the column of type %s: %s', (type, sqlType, fit) => {
  expect(whyUnfitColumn(fieldKey('a', type), 'column', sqlType) === undefined).toBe(fit);
});

describe('suggests a key', () => {
  const keys = [column('id', 'int4'), column('customer_id', 'int4'), column('region', 'text')];
  const suggestion = (name: string, ...subjects: string[]) =>
    suggestedKey(name, keys, { subjects, owner: 'orders' }, () => true);

  test.each([
    ['region', [], 'region', true],
    ['customerId', [], 'customer_id', true],
    ['id', ['customers'], 'customer_id', true],
    ['id', ['order'], 'id', true],
    ['id', ['parcel'], 'id', false],
    ['orderId', [], 'id', true],
  ] as const)('for %s of %j: %s, certain: %s', (name, subjects, key, isCertain) => {
    expect(suggestion(name, ...subjects)).toMatchObject({ key: { name: key }, isCertain });
  });

  test('of a fitting type alone', () => {
    expect(suggestedKey('region', keys, { subjects: [], owner: 'a' }, () => false)).toBeUndefined();
    expect(suggestion('other')).toBeUndefined();
  });
});
