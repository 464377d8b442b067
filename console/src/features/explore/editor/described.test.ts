/** Tests of what is at a position of an operation. */
import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { describedAt } from './described.ts';

const schema = buildSchema(`
  enum order_by { asc desc }
  input name_exp { "Equal to" _eq: String }
  input customer_exp { name: name_exp }
  type customer { "The full name" name: String }
  type Query { customer("Only these rows" where: customer_exp, order: order_by): [customer!] }
`);
const text =
  'query A($w: customer_exp) { c: customer(where: {name: {_eq: "x"}}, order: asc) { name } }\n{ customer { na';

function at(part: string, index = 0): unknown {
  let offset = -1;
  for (let count = 0; count <= index; count += 1) offset = text.indexOf(part, offset + 1);
  const found = describedAt(text, offset + 1, schema);
  return (
    found && {
      word: text.slice(found.from, found.to),
      signature: found.signature,
      about: found.about,
      place: found.place,
    }
  );
}

test('describes fields, also with an alias and before a syntax error', () => {
  expect(at('customer(')).toMatchObject({
    signature: 'Query.customer: [customer!]',
    place: { type: 'Query', member: 'customer' },
  });
  expect(at('name }')).toMatchObject({ about: 'The full name', place: { type: 'customer', member: 'name' } });
  expect(at('customer { na')).toMatchObject({ word: 'customer', place: { type: 'Query', member: 'customer' } });
});

test('describes arguments, fields of input objects and types of variables', () => {
  expect(at('where')).toMatchObject({
    signature: 'where: customer_exp',
    about: 'Only these rows',
    place: { type: 'Query', member: 'customer', argument: 'where' },
  });
  expect(at('_eq')).toMatchObject({ about: 'Equal to', place: { type: 'name_exp', member: '_eq' } });
  expect(at('customer_exp')).toMatchObject({ place: { type: 'customer_exp' } });
});

test('describes nothing at punctuation and unfinished names', () => {
  expect(at(' }')).toBeUndefined();
  expect(at('na', 3)).toBeUndefined();
});
