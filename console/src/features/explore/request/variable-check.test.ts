/** Tests of the checks of variables. */
import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { operationsIn } from '../../../shared/graphql/operation-draft.ts';
import { expectedVariables, variableMarks } from './variable-check.ts';

const schema = buildSchema(`
  scalar bigint
  enum Order { asc desc }
  input Inner { min: Int!, note: String = "x" }
  input Where { id: Inner, or: [Where!], order: Order, big: bigint }
  type Query { a(id: ID, where: Where, n: Int, on: Boolean, f: Float): Int }
`);
const query =
  'query A($n: Int!, $where: Where, $tags: [String!], $on: Boolean! = true, $f: Float, $id: ID) { a }\nquery B { a }';

function marks(text: string, of = 0): readonly (readonly [string, string])[] {
  const expected = expectedVariables(query, operationsIn(query)[of], schema);
  return variableMarks(text, expected).map(({ from, to, message }) => [text.slice(from, to), message]);
}

test('accepts values of the types of the operation', () => {
  const where = '{"id": {"min": 1}, "or": {"order": "asc"}, "big": "12345678901234567890"}';
  expect(marks(`{"n": 1, "where": ${where}, "tags": ["a"], "on": false, "f": 1, "id": 7}`)).toEqual([]);
});

test('marks missing and unknown variables', () => {
  expect(marks('')).toEqual([['', 'The variable `n` of type `Int!` is missing']]);
  expect(marks('{"m": 1}')).toEqual([
    ['{', 'The variable `n` of type `Int!` is missing'],
    ['"m"', 'The operation has no variable `m`'],
  ]);
  expect(marks('{"n": 1}', 1)).toEqual([['"n"', 'The operation has no variable `n`']]);
});

test('marks values of another type at their place', () => {
  expect(marks('{"n": "1", "tags": [1, null], "f": true, "id": 1.5}')).toEqual([
    ['"1"', 'Expected a 32-bit integer: `Int`'],
    ['1', 'Expected a string: `String`'],
    ['null', 'Must not be null: `String!`'],
    ['true', 'Expected a number: `Float`'],
    ['1.5', 'Expected a string or a whole number: `ID`'],
  ]);
  expect(marks('{"n": 2147483648}')).toEqual([['2147483648', 'Expected a 32-bit integer: `Int`']]);
});

test('marks nested input objects and enum values', () => {
  expect(marks('{"n": 1, "where": {"id": {}, "nope": 1, "or": [{"order": "up"}, 3]}}')).toEqual([
    ['{', 'The field `min` of type `Int!` is missing'],
    ['"nope"', '`Where` has no field `nope`'],
    ['"up"', 'Expected a value of `Order`, such as "asc"'],
    ['3', 'Expected an object of type `Where`'],
  ]);
});

test('marks syntax errors where they are, and values that are no object', () => {
  expect(variableMarks('{"n": }', undefined)).toMatchObject([{ from: 6, to: 7, severity: 'error' }]);
  expect(variableMarks('{"n": 1', undefined)).toMatchObject([{ severity: 'error' }]);
  expect(variableMarks('[1]', undefined)).toMatchObject([{ from: 0, to: 3, message: 'Variables are a JSON object' }]);
  expect(variableMarks('{"n": 1}', undefined)).toEqual([]);
});

test('knows no variables without a schema and for a syntax error', () => {
  expect(expectedVariables(query, operationsIn(query)[0], undefined)).toBeUndefined();
  expect(expectedVariables('query {', operationsIn('query {')[0], schema)).toBeUndefined();
});
