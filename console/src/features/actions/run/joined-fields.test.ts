/** Tests of joined fields in the request of an action. */
import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { joinedSource, selectedFields, withField, withoutField } from './joined-fields.ts';

const schema = buildSchema(`
  type Query { place: Placed }
  type Placed { id: Int customer: Customer invoices(limit: Int): [Invoice!]! quote(at: String!): Customer }
  type Customer { id: Int name: String path(of: String!): String invoices(limit: Int): [Invoice!]! }
  type Invoice { customer: Customer }
`);

test('a joined row is selected with its scalar fields that need no arguments', () => {
  expect(joinedSource(schema, 'Placed', 'customer')).toBe('customer {\n  id\n  name\n}');
});

test('joined rows are limited, and have a type name where no field is scalar', () => {
  expect(joinedSource(schema, 'Placed', 'invoices')).toBe('invoices(limit: 5) {\n  __typename\n}');
});

test('a field with a required argument, or of another type, has no source', () => {
  expect(joinedSource(schema, 'Placed', 'quote')).toBeUndefined();
  expect(joinedSource(schema, 'Other', 'customer')).toBeUndefined();
});

const text = `mutation Try {
  # keep
  place {
    id
  }
}
`;

test('a field is added to the call and removed from it, and the rest of the text is kept', () => {
  const added = withField(text, 'place', 'customer {\n  name\n}');
  expect(added).toBe(text.replace('    id\n', '    id\n    customer {\n      name\n    }\n'));
  expect([...(selectedFields(added, 'place') ?? [])]).toEqual(['id', 'customer']);
  expect(withoutField(added, 'place', 'customer')).toBe(text);
});

test('a text with a syntax error or without the action is left as it is', () => {
  expect(withField('mutation {', 'place', 'id')).toBe('mutation {');
  expect(withoutField('{ other }', 'place', 'id')).toBe('{ other }');
  expect(selectedFields('{ other }', 'place')).toBeUndefined();
});
