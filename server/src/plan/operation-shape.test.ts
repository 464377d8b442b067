import { describe, expect, test } from 'vitest';
import { modelFixture, user } from '../../test/support/model/sample-model.ts';
import { roleSchema } from '../schema/role-schema.ts';
import { prepare } from './operation.ts';
import { operationShape } from './operation-shape.ts';

const schema = roleSchema(modelFixture().model, user);
const shapeOf = (query: string, name?: string) => operationShape(prepare(schema, query, name));

describe('operations have the same text', () => {
  test.each([
    ['whatever their names', 'query A { author { id } }', '{ author { id } }'],
    ['whatever their whitespace', '{ author{id,name} }', '{\n author {\n id name } }'],
    ['whatever whole numbers they have', '{ author(limit: 1) { id } }', '{ author(limit: 20) { id } }'],
    [
      'whatever numbers they have',
      '{ article(where: {rating: {_eq: 1.5}}) { id } }',
      '{ article(where: {rating: {_eq: -2.25}}) { id } }',
    ],
    [
      'whatever strings they have',
      '{ author(where: {name: {_eq: "a"}}) { id } }',
      '{ author(where: {name: {_eq: """b"""}}) { id } }',
    ],
    [
      'whatever Booleans they have',
      '{ article(where: {published: {_eq: true}}) { id } }',
      '{ article(where: {published: {_eq: false}}) { id } }',
    ],
    [
      'whatever the lengths of their lists of values',
      '{ author(where: {id: {_in: [1, 2, 3]}}) { id } }',
      '{ author(where: {id: {_in: []}}) { id } }',
    ],
    [
      'whatever values their fragments have',
      '{ author { ...A } } fragment A on author { articles(limit: 1) { id } }',
      '{ author { ...A } } fragment A on author { articles(limit: 2) { id } }',
    ],
  ])('%s', (_rule, one, other) => {
    expect(shapeOf(one)).toBe(shapeOf(other));
  });
});

describe('operations have different texts', () => {
  test.each([
    ['for different fields', '{ author { id } }', '{ author { name } }'],
    ['for different enums', '{ author(order_by: {id: asc}) { id } }', '{ author(order_by: {id: desc}) { id } }'],
    [
      'for different variables',
      'query ($a: Int, $b: Int) { author(limit: $a) { id } }',
      'query ($a: Int, $b: Int) { author(limit: $b) { id } }',
    ],
    [
      'for lists of different conditions',
      '{ author(where: {_or: [{id: {_eq: 1}}]}) { id } }',
      '{ author(where: {_or: [{name: {_eq: "a"}}]}) { id } }',
    ],
    [
      'for different fragments of the same name',
      '{ author { ...A } } fragment A on author { id }',
      '{ author { ...A } } fragment A on author { name }',
    ],
  ])('%s', (_rule, one, other) => {
    expect(shapeOf(one)).not.toBe(shapeOf(other));
  });
});

test('the text is the selected operation with its fragments, and null for each value', () => {
  const document = 'query A { author(limit: 5) { ...F } } query B { motto } fragment F on author { id }';
  expect(shapeOf(document, 'A')).toBe('{\n  author(limit: null) {\n    ...F\n  }\n}\nfragment F on author {\n  id\n}');
});

test('a list with a value that is preserved is a list of which each other value is null', () => {
  expect(shapeOf('query ($a: Int!) { author(where: {id: {_in: [1, $a, 2]}}) { id } }')).toContain('[null, $a, null]');
});
