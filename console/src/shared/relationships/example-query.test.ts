import { buildSchema, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { exampleQuery } from './example-query.ts';

const schema = buildSchema(`
  type Query { order(limit: Int, where: String): [order!]! order_by_pk(id: Int!): order place(id: Int!): Placed }
  type Mutation { pay(id: ID!, id_of_card: String!): Paid }
  type order { id: Int! status: String customer: customer parcels(first: Int!): [Parcel!]! }
  type customer { id: Int! name: String card(id: Int!): String orders(limit: Int): [order!]! }
  type Parcel { code: String! }
  type Placed { item: Item }
  type Item { sku: String product: customer }
  type Paid { receipt: String buyer: customer }
`);

const lines = (type: string, field: string) => exampleQuery(schema, type, field)?.query.replaceAll(/\s+/g, ' ');

test('an example leads to the type by the fewest fields, without required arguments where possible', () => {
  expect(lines('order', 'customer')).toBe('query { order(limit: 5) { id status customer { id name } } }');
});

test('required arguments of the path and of the relationship become variables', () => {
  expect(lines('order', 'parcels')).toBe(
    'query($first: Int!) { order(limit: 5) { id status parcels(first: $first) { code } } }',
  );
  const example = exampleQuery(schema, 'Item', 'product');
  expect(example?.query).toContain('query($id: Int!)');
  expect(example?.variables).toBe('{\n  "id": 1\n}');
});

test('a type that only mutations return is reached by a mutation', () => {
  expect(lines('Paid', 'buyer')).toContain('mutation($id: ID!, $id_of_card: String!) { pay(');
});

test('every example is valid, and a field that no type has gives none', () => {
  for (const [type, field] of [
    ['order', 'customer'],
    ['order', 'parcels'],
    ['Item', 'product'],
    ['Paid', 'buyer'],
    ['shop_order', 'customer'],
  ] as const) {
    expect(validate(schema, parse(exampleQuery(schema, type, field)?.query ?? ''))).toEqual([]);
  }
  expect(exampleQuery(schema, 'order', 'nothing')).toBeUndefined();
});
