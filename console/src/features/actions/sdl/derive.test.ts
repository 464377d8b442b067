import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { deriveAction } from './derive.ts';
import { knownTypes } from './known-types.ts';
import { checkSdl, typesIn } from './sdl-check.ts';

const schema = buildSchema(`
  schema { query: query_root mutation: mutation_root }
  type query_root { customer(limit: Int, order_by: [customer_order_by!]): [customer!]! size: sizes_enum }
  type mutation_root { insert_order(object: order_insert_input!, size: sizes_enum): order }
  type customer { id: Int! name: String orders: [order!]! }
  type order { id: Int! customer: customer }
  input order_insert_input { note: String parent: order_insert_input how: how }
  input customer_order_by { id: order_by }
  "The way of shipping"
  enum how { "By day" day night }
  enum order_by { asc desc }
  enum sizes_enum { S M }
`);

function derived(text: string) {
  const found = deriveAction(text, schema);
  if ('problem' in found) throw new Error(found.problem);
  return found;
}

test('variables become arguments, and the selection becomes the output with own types', () => {
  const operation = `mutation place_order($order: order_insert_input!, $size: sizes_enum = S) {
    insert_order(object: $order, size: $size) { id buyer: customer { ...Who } }
  }
  fragment Who on customer { __typename name orders { id } }`;
  const { signature, types } = derived(operation);
  expect(signature).toBe(
    'type Mutation {\n  place_order(\n    order: PlaceOrderOrderInsertInput!\n    size: sizes_enum = S\n  ): PlaceOrderOutput\n}',
  );
  expect(types).toBe(
    [
      'input PlaceOrderOrderInsertInput {\n  note: String\n  parent: PlaceOrderOrderInsertInput\n  how: PlaceOrderHow\n}',
      'enum PlaceOrderHow {\n  day\n  night\n}',
      'type PlaceOrderOutput {\n  id: Int!\n  buyer: PlaceOrderBuyer\n}',
      'type PlaceOrderBuyer {\n  name: String\n  orders: [PlaceOrderOrders!]!\n}',
      'type PlaceOrderOrders {\n  id: Int!\n}',
    ].join('\n\n'),
  );
  const known = knownTypes(new Map([['sizes_enum', 'enum']]), {});
  expect(checkSdl('types', types, known)).toEqual([]);
  expect(checkSdl('action', signature, new Map([...known, ...(typesIn(types) ?? [])]))).toEqual([]);
});

test('avoids names of root fields, and preserves lists', () => {
  expect(derived('query { customer { id } }').signature).toBe(
    'type Query {\n  customer_action: [CustomerActionOutput!]!\n}',
  );
});

test.each([
  ['query {', /Expected Name.*in line 1/],
  ['{ nothing }', /Cannot query field "nothing"/],
  ['{ customer { id } size }', /select one field/],
  ['query A { size } query B { size }', /one query or mutation/],
])('rejects %s', (text, problem) => {
  expect(deriveAction(text, schema)).toEqual({ problem: expect.stringMatching(problem) });
});
