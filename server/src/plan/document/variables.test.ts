import { buildSchema, type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../base/errors.ts';
import { ExactNumber } from '../../base/json-value.ts';
import { coerceVariables, declareVariables } from './variables.ts';

const schema = buildSchema(`
  enum Size { S L }
  input Line { sku: String!  qty: Int = 1  size: Size  parts: [Line!] }
  scalar numeric
  scalar anything
  type Query { a(all: anything): Int }
`);

function coerced(declaration: string, given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const [operation] = parse(`query (${declaration}) { a(all: [${declaration.match(/\$\w+/g)?.join()}]) }`).definitions;
  return coerceVariables(declareVariables(schema, operation as OperationDefinitionNode, new Map()), given);
}

function errorOf(declaration: string, given: Readonly<Record<string, unknown>>): string {
  try {
    coerced(declaration, given);
    return 'none';
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return `${error.path}: ${error.message}`;
  }
}

describe('a value that is not given', () => {
  test('is omitted, and null is preserved', () => {
    expect(coerced('$a: Int, $b: Int', { b: null })).toEqual({ b: null });
  });

  test('has its default, also at non-null positions', () => {
    expect(coerced('$a: Int = 3, $line: Line! = {sku: "x"}', {})).toEqual({ a: 3, line: { sku: 'x' } });
    expect(coerced('$a: Int = 3', { a: null })).toEqual({ a: null });
  });

  test('is rejected if it is required', () => {
    expect(errorOf('$id: Int!', {})).toBe('$.variables.id: expecting a value for non-nullable variable: "id"');
    expect(errorOf('$id: Int!', { id: null })).toBe('$.variables.id: null value found for non-nullable type: "Int!"');
  });

  test('is not read from inherited members', () => {
    expect(coerced('$constructor: Int, $toString: Int', {})).toEqual({});
  });
});

describe('a value', () => {
  test('preserves the order of its members', () => {
    const { line } = coerced('$line: Line', { line: { size: 'L', sku: 'x' } });
    expect(Object.keys(line as object)).toEqual(['size', 'sku']);
  });

  test('is coerced to a list of one', () => {
    expect(coerced('$ids: [Int!]', { ids: 5 })).toEqual({ ids: [5] });
  });

  test('preserves all digits in a Postgres type', () => {
    const exact = new ExactNumber('0.1234567890123456789');
    expect(coerced('$n: numeric', { n: exact }).n).toBe(exact);
  });

  test('of an undeclared variable is rejected', () => {
    expect(() => coerced('$a: Int', { a: 1, b: 2 })).toThrow('unexpected variables in variableValues: b');
  });
});

describe('an invalid value is rejected with its path', () => {
  test.each([
    ['$a: Int', { a: 'x' }, "$.variables.a: expected a 32-bit integer for type 'Int', but found a string"],
    ['$a: [Int!]', { a: [1, null] }, "$.variables.a[1]: unexpected null value for type 'Int'"],
    ['$l: Line', { l: [] }, "$.variables.l: expected an object for type 'Line', but found a list"],
    ['$l: Line', { l: { sku: 'x', foo: 1 } }, "$.variables.l.foo: field 'foo' not found in type: 'Line'"],
    ['$l: Line', { l: { qty: 1 } }, "$.variables.l.sku: missing required field 'sku'"],
    [
      '$l: Line',
      { l: { sku: 'x', parts: [{ sku: 'y', size: 'M' }] } },
      "$.variables.l.parts[0].size: expected one of the values ['S', 'L'] for type 'Size', but found 'M'",
    ],
    [
      '$s: Size',
      { s: 1 },
      "$.variables.s: expected one of the values ['S', 'L'] for type 'Size', but found the number 1",
    ],
    ['$l: Line', { l: { constructor: 1 } }, "$.variables.l.constructor: field 'constructor' not found in type: 'Line'"],
  ])('%s given %j', (declaration, given, error) => {
    expect(errorOf(declaration, given)).toBe(error);
  });
});
