import { describe, expect, test } from 'vitest';
import { modelFixture, user } from '../../test/support/model/sample-model.ts';
import { roleSchema } from '../schema/role-schema.ts';
import { prepare } from './operation.ts';
import { operationCost } from './operation-cost.ts';

const schema = roleSchema(modelFixture().model, user);
const costOf = (query: string) => operationCost(prepare(schema, query, undefined));

describe('the depth of an operation', () => {
  test.each([
    ['is 1 for leaves at the root', '{ motto }', 1],
    ['is that of the deepest field', '{ article { author { articles { id } } } author { id } }', 4],
    ['is that of the deepest field in any order', '{ author { id } article { author { articles { id } } } }', 4],
    ['contains no level for an inline fragment', '{ author { ... { id } } }', 2],
    [
      'contains the levels of a fragment at its spread',
      '{ author { ...A } } fragment A on author { articles { id } }',
      3,
    ],
    ['contains no introspection', '{ motto __schema { queryType { fields { name } } } }', 1],
  ])('%s', (_rule, query, depth) => {
    expect(costOf(query).depth).toBe(depth);
  });
});

describe('the number of fields of an operation', () => {
  test.each([
    ['contains fields with and without a selection', '{ author { id name } motto }', 4],
    ['contains aliases of the same field', '{ a: motto b: motto }', 2],
    ['contains the fields of inline fragments', '{ author { id ... on author { name profile } } }', 4],
    [
      'contains the fields of a fragment at each spread',
      '{ a: author { ...A } b: author { ...A } } fragment A on author { id name }',
      6,
    ],
    [
      'contains the fields of fragments within fragments',
      '{ author { ...A } } fragment A on author { id ...B } fragment B on author { name }',
      3,
    ],
    ['contains no introspection', '{ motto __schema { queryType { name } } __type(name: "author") { name } }', 1],
  ])('%s', (_rule, query, nodes) => {
    expect(costOf(query).nodes).toBe(nodes);
  });

  test('is computed for nested fragments whose fields are too many to visit', () => {
    const levels = 40;
    const fragments = Array.from({ length: levels }, (_, level) => {
      const inner = level === levels - 1 ? 'id' : `...F${level + 1} ...F${level + 1}`;
      return `fragment F${level} on author { ${inner} }`;
    });
    expect(costOf(`{ author { ...F0 } } ${fragments.join(' ')}`).nodes).toBe(1 + 2 ** (levels - 1));
  });
});

describe('the number of root fields', () => {
  test.each([
    ['contains introspection', '{ motto author { id } __typename __schema { queryType { name } } }', 4],
    ['contains the fields of inline fragments', '{ ... { motto ... { author { id } } } }', 2],
    ['contains the fields of a fragment once', '{ ...A ...A } fragment A on query_root { motto author { id } }', 2],
    ['contains each field as often as it is selected', '{ motto motto }', 2],
  ])('%s', (_rule, query, roots) => {
    expect(costOf(query).roots).toBe(roots);
  });
});

describe('the number of introspection fields', () => {
  test.each([
    ['is 0 without introspection', '{ author { id } __typename }', 0],
    [
      'contains the roots and all fields within',
      '{ __schema { queryType { name kind } } __type(name: "a") { name } }',
      6,
    ],
    [
      'contains the fields of a fragment at each spread',
      '{ __schema { a: queryType { ...T } b: queryType { ...T } } } fragment T on __Type { name kind }',
      7,
    ],
    ['contains no other fields', '{ motto author { id } __type(name: "a") { name } }', 2],
  ])('%s', (_rule, query, introspected) => {
    expect(costOf(query).introspected).toBe(introspected);
  });
});

test('the cost is computed once for each prepared operation', () => {
  const prepared = prepare(schema, '{ author { id name } }', undefined);
  expect(operationCost(prepared)).toBe(operationCost(prepared));
});
