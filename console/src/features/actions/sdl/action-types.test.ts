import { expect, test } from 'vitest';
import { definitionOf, outputTypes, signatureOf } from './action-types.ts';

const object = (name: string, ...fields: [string, string][]) => ({
  name,
  fields: fields.map(([field, type]) => ({ name: field, type })),
});
const action = {
  name: 'place',
  definition: { arguments: [{ name: 'ids', type: '[Int!]!' }], output_type: '[Placed!]!', handler: 'http://x' },
};

test('finds output types at any depth, also in cycles', () => {
  const types = {
    objects: [object('Other', ['id', 'Int']), object('Line', ['of', 'Placed']), object('Placed', ['lines', '[Line!]'])],
  };
  expect(outputTypes(action, types).map(({ name }) => name)).toEqual(['Placed', 'Line']);
});

test('prints a signature as SDL', () => {
  expect(signatureOf(action)).toBe('place(ids: [Int!]!): [Placed!]!');
});

test('finds the types of interfaces and unions', () => {
  const types = {
    objects: [
      { ...object('Book', ['writer', 'Person']), implements: ['Named'] },
      object('Film', ['title', 'String']),
      object('Person', ['name', 'String']),
      object('Other', ['id', 'Int']),
    ],
    interfaces: [object('Named', ['name', 'String'])],
    unions: [{ name: 'Thing', types: ['Named', 'Film'] }],
  };
  const found = outputTypes({ ...action, definition: { ...action.definition, output_type: 'Thing' } }, types);
  expect(found.map(({ name }) => name)).toEqual(['Film', 'Book', 'Person']);
});

test('a relationship to a table has the form of table relationships', () => {
  const remote_table = { schema: 'shop', name: 'customer' };
  const field_mapping = { customerId: 'id' };
  expect(definitionOf({ name: 'c', type: 'object', remote_table, field_mapping })).toEqual({
    to_source: { source: 'default', table: remote_table, relationship_type: 'object', field_mapping },
  });
});
