import { GraphQLInt, parseValue } from 'graphql';
import { describe, expect, test } from 'vitest';
import { ServiceError } from '../base/errors.ts';
import { ExactNumber } from '../base/json-value.ts';
import { coerceScalar, coerceScalarLiteral, makeScalar } from './scalars.ts';

test("GraphQL's own scalars are those of graphql-js, so that introspection and remote types share them", () => {
  expect(makeScalar('Int')).toBe(GraphQLInt);
  expect(makeScalar('numeric')).not.toBe(makeScalar('numeric'));
});

const large = new ExactNumber('12345678901234567890.5');

describe('values of variables', () => {
  test.each([
    ['Int', 7],
    ['Float', 1.5],
    ['Float', 3],
    ['String', 'a'],
    ['Boolean', false],
    ['bigint', 7],
    ['bigint', '9223372036854775807'],
    ['bigint', new ExactNumber('9223372036854775807')],
    ['numeric', large],
    ['numeric', 'NaN'],
    ['uuid', '28d6d683-1317-49f7-b1cf-7d195242e4e5'],
    ['timestamptz', '2026-01-01T00:00:00Z'],
    ['jsonb', { any: ['thing', null] }],
    ['unheard_of', { any: 'thing' }],
  ])('%s accepts %j unchanged', (name, value) => {
    expect(coerceScalar(makeScalar(name), value)).toBe(value);
  });

  test('an ID is a string, a Float that is exact beyond a double is rounded', () => {
    expect(coerceScalar(makeScalar('ID'), 7)).toBe('7');
    expect(coerceScalar(makeScalar('Float'), large)).toBe(12345678901234567000);
  });

  test.each([
    ['Int', '7', "expected a 32-bit integer for type 'Int', but found a string"],
    ['Int', 1.5, "expected a 32-bit integer for type 'Int', but found the number 1.5"],
    ['Int', 2 ** 31, "expected a 32-bit integer for type 'Int', but found the number 2147483648"],
    ['Float', '1.5', "expected a number for type 'Float', but found a string"],
    ['String', 5, "expected a string for type 'String', but found the number 5"],
    ['Boolean', 'true', "expected true or false for type 'Boolean', but found a string"],
    ['bigint', 'seven', 'invalid input syntax for type bigint: "seven"'],
    ['uuid', 'x', 'invalid input syntax for type uuid: "x"'],
  ])('%s rejects %j', (name, value, message) => {
    expect(() => coerceScalar(makeScalar(name), value)).toThrow(message);
    expect(() => coerceScalar(makeScalar(name), value)).toThrow(ServiceError);
  });
});

describe('literals', () => {
  test.each([
    ['Int', '7', 7],
    ['Float', '7', 7],
    ['String', '"a"', 'a'],
    ['ID', '7', '7'],
    ['numeric', '1.10', 1.1],
    ['bigint', '"7"', '7'],
    ['jsonb', '{a: [1, {b: null}], c: d}', { a: [1, { b: null }], c: 'd' }],
  ])('%s reads %s', (name, text, value) => {
    expect(coerceScalarLiteral(makeScalar(name), parseValue(text))).toEqual(value);
  });

  test('preserve digits beyond a double', () => {
    const value = coerceScalarLiteral(makeScalar('numeric'), parseValue('0.10000000000000000000000001'));
    expect(value).toEqual(new ExactNumber('0.10000000000000000000000001'));
  });

  test.each([
    ['Int', '7.0'],
    ['Int', '"7"'],
    ['String', 'a'],
    ['Boolean', '1'],
    ['bigint', '1.5'],
  ])('%s rejects the literal %s', (name, text) => {
    expect(() => coerceScalarLiteral(makeScalar(name), parseValue(text))).toThrow(ServiceError);
  });
});
