/** Tests of what is at a position of an operation. */
import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { type Described, describedAt } from './described.ts';

const schema = buildSchema(`
  "Caches the result"
  directive @cached("In seconds" ttl: Int = 60) on QUERY
  "An order"
  enum order_by { "Smallest first" asc desc @deprecated(reason: "Use asc.") }
  input name_exp { "Equal to" _eq: String = "x", _old: String @deprecated(reason: "Use _eq.") }
  "Rows to return"
  input customer_exp { name: name_exp, all: [order_by!] }
  "A person"
  type customer { "The full name" name: String, "The old name" nick: String @deprecated(reason: "Use name.") }
  type Query {
    customer("Only these rows" where: customer_exp, order: order_by = asc, old: Int @deprecated(reason: "Use order.")): [customer!]
  }
`);

const text = `query Mine($w: customer_exp = {all: [asc]}, $n: Int) @cached(ttl: 5) {
  c: customer(where: {name: {_eq: "x", _old: "y"}, all: [desc]}, order: asc, old: $n) {
    name nick ...Person @include(if: true)
    ... on customer { __typename }
  }
}
fragment Person on customer { name @skip(if: $w) }
{ customer(limit: 1) { na`;

interface Options {
  /** Which occurrence. */
  readonly index?: number;
  readonly variables?: string;
}

/** Describes the place one character after the start of `part`. */
function at(part: string, { index = 0, variables = '' }: Options = {}): Described | undefined {
  let offset = -1;
  for (let count = 0; count <= index; count += 1) offset = text.indexOf(part, offset + 1);
  return describedAt(text, offset + 1, { schema, variables });
}

const name = {
  signature: 'customer.name: String',
  about: ['The full name'],
  place: { type: 'customer', member: 'name' },
};

test.each([
  ['a field', 'name nick', name],
  [
    'an alias',
    'c: customer',
    { signature: 'Query.customer: [customer!]', place: { type: 'Query', member: 'customer' } },
  ],
  ['a field before a syntax error', 'customer(limit', { place: { type: 'Query', member: 'customer' } }],
  ['a field of a fragment', 'name @skip', name],
  ['a meta field', '__typename', { signature: 'customer.__typename: String!', place: { type: 'customer' } }],
  ['an argument', 'where', { signature: 'where: customer_exp', about: ['Only these rows'] }],
  ['an argument with a default', 'order:', { signature: 'order: order_by = asc' }],
  ['an input field', 'name: {', { signature: 'customer_exp.name: name_exp' }],
  ['an input field with a default', '_eq', { signature: 'name_exp._eq: String = "x"', about: ['Equal to'] }],
  ['an input field in the default of a variable', 'all: [asc', { signature: 'customer_exp.all: [order_by!]' }],
  ['an enum value', 'asc, old', { signature: 'order_by.asc', about: ['Smallest first'] }],
  ['an enum value in a list', 'desc', { signature: 'order_by.desc' }],
  ['an enum value in the default of a variable', 'asc]', { signature: 'order_by.asc' }],
  ['a type', 'customer_exp', { signature: 'customer_exp', about: ['Rows to return'] }],
  ['the type of a fragment', 'customer { __', { signature: 'customer', about: ['A person'] }],
  ['a directive of the schema', '@cached', { signature: '@cached(ttl: Int = 60)', about: ['Caches the result'] }],
  ['a directive of GraphQL', '@include', { signature: '@include(if: Boolean!)', place: undefined }],
  ['an argument of a directive', 'ttl', { signature: 'ttl: Int = 60', about: ['In seconds'], place: undefined }],
  ['a spread fragment', 'Person @', { signature: 'fragment Person on customer', about: ['A person'] }],
  ['the name of a fragment', 'Person on', { place: { type: 'customer' } }],
  ['the name of an operation', 'Mine', { signature: 'query Mine on Query', place: { type: 'Query' } }],
])('describes %s', (_, part, expected) => {
  expect(at(part)).toMatchObject(expected);
});

test.each([
  ['field', 'nick', ['The old name', 'Deprecated: Use name.']],
  ['argument', 'old: $n', ['Deprecated: Use order.']],
  ['input field', '_old', ['Deprecated: Use _eq.']],
  ['enum value', 'desc', ['Deprecated: Use asc.']],
])('gives the description and the reason of a deprecated %s', (_, part, about) => {
  expect(at(part)?.about).toEqual(about);
});

test('gives the type, the default and the value of a variable', () => {
  expect(at('$n)', { variables: '{"n": 12345678901234567890}' })).toMatchObject({
    signature: '$n: Int',
    about: ['Value: 12345678901234567890', expect.stringContaining('Int')],
    place: { type: 'Int' },
  });
  expect(at('$w')).toMatchObject({
    signature: '$w: customer_exp = {all: [asc]}',
    about: ['No value: the default applies.', 'Rows to return'],
  });
  expect(at('$n')?.about[0]).toBe('No value in the variables.');
});

test('describes a variable of a fragment by the operation that defines it', () => {
  expect(at('$w', { index: 1 })?.signature).toBe('$w: customer_exp = {all: [asc]}');
});

test('shortens a long value of a variable', () => {
  const value = JSON.stringify('v'.repeat(5_000));
  expect(at('$n', { variables: `{"n": ${value}}` })?.about[0]).toHaveLength('Value: …'.length + 200);
});

test('gives the offsets of a variable with its sign', () => {
  const found = at('$w');
  expect(text.slice(found?.from, found?.to)).toBe('$w');
});

test('describes nothing at punctuation and unfinished names', () => {
  expect(at(' {')).toBeUndefined();
  expect(describedAt(text, text.length, { schema, variables: '' })).toBeUndefined();
});
