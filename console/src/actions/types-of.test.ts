import { expect, test } from 'vitest';
import { describeRelationship, outputTypes, signatureOf } from './types-of.ts';

const object = (name: string, ...fields: [string, string][]) => ({
  name,
  fields: fields.map(([field, type]) => ({ name: field, type })),
});
const action = {
  name: 'place',
  definition: { arguments: [{ name: 'ids', type: '[Int!]!' }], output_type: '[Placed!]!', handler: 'http://x' },
};

test('types of an answer are found at every depth, also in circles, and others are not', () => {
  const types = {
    objects: [object('Other', ['id', 'Int']), object('Line', ['of', 'Placed']), object('Placed', ['lines', '[Line!]'])],
  };
  expect(outputTypes(action, types).map(({ name }) => name)).toEqual(['Placed', 'Line']);
});

test('a signature is written as SDL has it', () => {
  expect(signatureOf(action)).toBe('place(ids: [Int!]!): [Placed!]!');
});

test('a relationship says where it leads', () => {
  const remote_table = { schema: 'shop', name: 'customer' };
  const field_mapping = { customerId: 'id' };
  expect(describeRelationship({ name: 'c', type: 'object', remote_table, field_mapping })).toBe(
    'shop.customer, customerId → id',
  );
});
