/** Tests of completion in variables. */
import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { operationsIn } from '../../../shared/graphql/operation-draft.ts';
import { expectedVariables } from './variable-check.ts';
import { completeVariables } from './variable-completion.ts';

const schema = buildSchema(`
  enum Order { asc desc }
  input Where { id: Int, or: [Where!], order: Order, orders: [Order!] }
  type Query { a: Int }
`);
const query = 'query A($where: Where, $order: Order!, $on: Boolean) { a }';
const expected = expectedVariables(query, operationsIn(query)[0], schema) ?? [];

/** `|` is the caret. */
function labels(marked: string): readonly string[] | undefined {
  const offset = marked.indexOf('|');
  return completeVariables(marked.replace('|', ''), offset, expected)?.options.map(({ label }) => label);
}

test('completes names of variables that are not written yet', () => {
  expect(labels('{|}')).toEqual(['where', 'order', 'on']);
  expect(labels('{"|"}')).toEqual(['where', 'order', 'on']);
  expect(labels('{"on": true, "w|"}')).toEqual(['where', 'order']);
});

test('completes fields of nested input objects', () => {
  expect(labels('{"where": {|}}')).toEqual(['id', 'or', 'order', 'orders']);
  expect(labels('{"where": {"or": [{"id": 1, "o|"}]}}')).toEqual(['or', 'order', 'orders']);
});

test('completes enum values and booleans, also in lists', () => {
  expect(labels('{"order": |}')).toEqual(['asc', 'desc']);
  expect(labels('{"order": "a|"}')).toEqual(['asc', 'desc']);
  expect(labels('{"on": t|}')).toEqual(['true', 'false']);
  expect(labels('{"where": {"orders": ["asc", |]}}')).toEqual(['asc', 'desc']);
  expect(labels('{"where": {"order": |}}')).toEqual(['asc', 'desc']);
});

test('has no options where any value can be written', () => {
  expect(labels('{"where": {"id": |}}')).toBeUndefined();
  expect(labels('{"nope": |}')).toBeUndefined();
  expect(labels('|')).toBeUndefined();
});
