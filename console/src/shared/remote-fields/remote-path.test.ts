import { expect, test } from 'vitest';
import { Unreadable } from '../../ui/form/beside-text/json-format.ts';
import { graphqlText, keysIn, readGraphql, readPath, writePath } from './remote-path.ts';

const remoteField = {
  shop: {
    arguments: { id: '$shop_id' },
    field: {
      parcels: { arguments: { where: { owner: '$id', states: ['SENT', '$state'] }, first: 10, note: 'a "b"' } },
    },
  },
};

test('a remote field is read as steps and written back unchanged', () => {
  const steps = readPath(remoteField);
  expect(steps instanceof Unreadable ? steps.reason : writePath(steps)).toEqual(remoteField);
});

test('steps are printed as GraphQL with keys as variables, and read back', () => {
  const steps = readPath(remoteField);
  if (steps instanceof Unreadable) throw new Error(steps.reason);
  const text = graphqlText(steps);
  expect(text).toBe(
    '{\n  shop(id: $shop_id) {\n    parcels(where: {owner: $id, states: ["SENT", $state]}, first: 10, note: "a \\"b\\"")\n  }\n}\n',
  );
  expect(readGraphql(text)).toEqual(steps);
});

test('lists keys once, in the order of their use', () => {
  expect(keysIn({ a: '$b', c: ['$a', { d: '$b' }], e: 'b' })).toEqual(['b', 'a']);
});

test.each([
  ['{ a b }', 'Select one field at each level.'],
  ['{ b: a }', 'The field "a" cannot have an alias.'],
  ['{ a @skip(if: true) }', 'The field "a" cannot have directives.'],
  ['mutation { a }', 'A relationship leads to a query.'],
  ['{ a', 'Syntax Error: Expected Name, found <EOF>.'],
])('rejects the GraphQL %s with a reason', (text, reason) => {
  expect(readGraphql(text)).toEqual(new Unreadable(reason));
});

test('rejects two fields at a level, and members that the form does not have', () => {
  expect(readPath({ a: { arguments: {} }, b: { arguments: {} } })).toBeInstanceOf(Unreadable);
  expect(readPath({ a: { arguments: {}, other: 1 } })).toBeInstanceOf(Unreadable);
});
