/** Variables of the uses that only a bound schema has; `variables.test.ts` has those of any schema. */
import { GraphQLError, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { inputSchema } from '../../../test/support/model/input-schema.ts';
import { ServiceError } from '../../base/errors.ts';
import { ExactNumber } from '../../base/json-value.ts';
import { readDocument } from './documents.ts';
import { defaultInputLimits, InputCount, type InputLimits } from './input-limits.ts';
import { coerceVariables, declareVariables, scalarError, unknownMember } from './variables.ts';

/** Returns the values of the variables of `query`. */
function coerced(query: string, given: Readonly<Record<string, unknown>>, limits: Partial<InputLimits> = {}) {
  const { operations, fragments } = readDocument(inputSchema, `query ${query}`);
  const [operation] = operations;
  if (operation === undefined) throw new Error('no operation');
  const declared = declareVariables(inputSchema, operation, fragments);
  return coerceVariables(declared, given, new InputCount({ ...defaultInputLimits, ...limits }));
}

function errorOf(...request: Parameters<typeof coerced>): string {
  try {
    coerced(...request);
    return 'none';
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return `${error.path}: ${error.message}`;
  }
}

const array = '($v: [String!]) { list(tags: $v) { id } }';
const values = '($v: [Int!]) { list(where: {in: $v}) { id } }';
const arrays = '($v: [[String!]!]) { list(tagsIn: $v) { id } }';
const words = '($v: [String!]) { list(words: $v) { id } }';
const both = '($v: [Int!]) { list(ints: $v, otherInts: $v) { id } }';
const offset = '($v: Int) { list(offset: $v) { id } }';
const condition = '($v: Condition) { list(where: $v) { id } }';
const row = '($v: [Row!]) { list(rows: $v) { id } }';
const json = '($v: jsonb) { list(data: $v) { id } }';

describe('a value for a column', () => {
  test.each([
    ['is a list for an array', array, ['a'], ['a']],
    ['can be the text of an array', array, ' {a,b} ', ' {a,b} '],
    ['can contain null in an array', array, ['a', null], ['a', null]],
    ['can be an array that is the item of a list of values', arrays, ['{a}', ['b', null]], ['{a}', ['b', null]]],
    ['can be one string for a list of values', values, '5', ['5']],
    ['can be a string for any type', values, ['5', 6], ['5', 6]],
    ['can be a string within an object', row, [{ id: 1, tags: '{a}' }], [{ key: 1, tags: '{a}' }]],
    ['is a list of one for another value', '($v: [Int!]) { list(ints: $v) { id } }', 5, [5]],
    ['is a string in a list that is not for a column', words, '{a}', ['{a}']],
    ['is a list where a string would be ambiguous', both, [1], [1]],
    ['is a list of one number where a string would be ambiguous', both, 1, [1]],
  ])('%s', (_rule, query, value, result) => {
    expect(coerced(query, { v: value })).toEqual({ v: result });
  });

  test.each([
    ['a text that is no array', array, 'a', '$.variables.v: malformed array literal: "a"'],
    ['a text that is no array, in a list', arrays, ['{a}', 'b'], '$.variables.v[1]: malformed array literal: "b"'],
    ['null in a list of values', values, [1, null], "$.variables.v[1]: unexpected null value for type 'Int'"],
    [
      'null in a list that is not for a column',
      words,
      [null],
      "$.variables.v[0]: unexpected null value for type 'String'",
    ],
    [
      'null in a list where a string would be ambiguous',
      both,
      [null],
      "$.variables.v[0]: unexpected null value for type 'Int'",
    ],
    [
      'a string that would be ambiguous',
      both,
      '{1}',
      '$.variables.v: a string is an array for some of the inputs that take the variable, and one item for others; send a list',
    ],
    [
      'a string of a type with other uses',
      '($v: Int) { list(equals: $v, limit: $v) { id } }',
      '5',
      "$.variables.v: expected a 32-bit integer for type 'Int', but found a string",
    ],
  ])('is rejected: %s', (_rule, query, value, error) => {
    expect(errorOf(query, { v: value })).toBe(error);
  });
});

describe('an Int that can be a string of digits', () => {
  test.each([
    ['10', 10],
    ['-10', -10],
    [10, 10],
    [3_000_000_000, 3_000_000_000],
    ['9007199254740991', 9_007_199_254_740_991],
    [null, null],
  ])('accepts %j', (value, result) => {
    expect(coerced(offset, { v: value })).toEqual({ v: result });
  });

  test.each([
    ['1.5', 'a string'],
    ['1e3', 'a string'],
    ['a1', 'a string'],
    ['1a', 'a string'],
    ['', 'a string'],
    ['9007199254740993', 'a string'],
    [1.5, 'the number 1.5'],
    [true, 'true'],
    [new ExactNumber('9007199254740993'), 'a number'],
    [new ExactNumber('1e400'), 'a number'],
  ])('rejects %j', (value, found) => {
    expect(errorOf(offset, { v: value })).toBe(
      `$.variables.v: expected a 32-bit integer for type 'Int', but found ${found}`,
    );
  });
});

describe('an input object', () => {
  test('has the names of the planner', () => {
    expect(coerced('($v: [Order]) { list(order: $v) { id } }', { v: { written: 2 } })).toEqual({ v: [{ planned: 2 }] });
  });

  test('needs no member that has a default', () => {
    expect(coerced('($v: [Order]) { list(order: $v) { id } }', { v: { by: 'a' } })).toEqual({ v: [{ by: 'a' }] });
  });

  test('needs its required members, whose names for the planner differ', () => {
    expect(errorOf(row, { v: [{ id: 1 }, { tags: [] }] })).toBe("$.variables.v[1].id: missing required field 'id'");
  });

  test('is rejected at the second of its members', () => {
    expect(errorOf(row, { v: [{ id: 1, tags: ['a'], data: [], other: 1 }] })).toBe(
      "$.variables.v[0].other: field 'other' not found in type: 'Row'",
    );
  });
});

describe('the values of the variables are counted', () => {
  test.each([
    ['items of lists', words, ['a', 'b', 'c'], 3],
    ['members of objects', row, { id: 1, data: 1 }, 2],
    ['objects within lists', row, [{ id: 1 }, { id: 2 }], 4],
    ['members of a JSON value', json, { a: 1, b: 2 }, 2],
    ['values within a JSON value', json, { a: [1, { b: null }], c: null }, 5],
    ['an exact number within a JSON value', json, { a: new ExactNumber('0.1234567890123456789') }, 1],
    ['no number', json, new ExactNumber('0.1234567890123456789'), 0],
    ['no string', json, 'text', 0],
    ['no null', json, null, 0],
  ])('%s', (_rule, query, value, count) => {
    const beyond = `the variables hold more than ${count - 1} values; send fewer at once, or raise the limit (/docs/limits)`;
    expect([count - 1, count].map((most) => errorOf(query, { v: value }, { values: most }))).toEqual([
      count === 0 ? 'none' : expect.stringContaining(beyond),
      'none',
    ]);
  });

  test.each([
    ['members of a condition', { equals: 1, count: 2 }, 2],
    ['an empty condition as one', {}, 1],
    ['members of conditions within a condition, without the items of lists', { count: 1, and: [{ count: 1 }, {}] }, 4],
  ])('%s, as members of conditions', (_rule, value, count) => {
    const errors = [count - 1, count].map((most) => errorOf(condition, { v: value }, { predicateMembers: most }));
    expect(errors).toEqual([expect.stringContaining(`more than ${count - 1} members`), 'none']);
  });

  test('with the path of the value that exceeds the limit', () => {
    expect(errorOf(row, { v: [{ id: 1, data: { a: [1, 2] } }] }, { values: 4 })).toMatch(
      /^\$\.variables\.v\[0\]\.data: /,
    );
  });
});

describe('the declaration of a variable', () => {
  const declared = (query: string) => {
    const document = parse(`query ${query}`);
    const [operation] = document.definitions;
    if (operation?.kind !== 'OperationDefinition') throw new Error('no operation');
    return () => declareVariables(inputSchema, operation, new Map());
  };

  test('has its type, its use and its default', () => {
    const query = '($a: [Int!]!, $b: Int = 3, $c: [String!] = "{a}") { list(where: {in: $a}, tags: $c) { id } }';
    expect(declared(query)()).toMatchObject([
      { name: 'a', type: '[Int!]!', used: true, required: true, fallback: undefined },
      { name: 'b', type: 'Int', used: false, required: false, fallback: 3 },
      { name: 'c', type: '[String!]', used: true, required: false, fallback: '{a}' },
    ]);
  });

  test.each([
    ['of an output type', '($a: List) { id }', "variable 'a' cannot be declared"],
    ['of a type that does not exist', '($a: Missing) { id }', "variable 'a' cannot be declared"],
    [
      'that would be the prototype of the values',
      '($__proto__: Int) { id }',
      "variable '__proto__' cannot be declared",
    ],
  ])('%s is rejected', (_rule, query, message) => {
    expect(declared(query)).toThrow(expect.objectContaining({ code: 'validation-failed', path: '$.query', message }));
  });
});

describe('the variables of a request', () => {
  test('are rejected if the operation declares them without use', () => {
    expect(errorOf('($a: Int, $b: Int) { list(limit: $a) { id } }', { a: 1, b: 2 })).toBe(
      '$.variables: unexpected variables in variableValues: b',
    );
  });

  test('are missing if they are undefined', () => {
    expect(coerced('($v: Int) { list(limit: $v) { id } }', { v: undefined })).toEqual({});
  });

  test('are rejected at the one that is invalid', () => {
    expect(errorOf('($a: Int, $b: Int) { list(limit: $a, equals: $b) { id } }', { a: 1, b: true })).toMatch(
      /^\$\.variables\.b: /,
    );
  });

  test('of which more than twenty are unexpected are rejected with the first twenty', () => {
    const names = Array.from({ length: 22 }, (_, index) => `v${index}`);
    expect(errorOf('{ id }', Object.fromEntries(names.map((name) => [name, 1])))).toBe(
      `$.variables: unexpected variables in variableValues: ${names.slice(0, 20).join(', ')}`,
    );
  });

  test.each([
    [100, 'n'.repeat(100)],
    [101, `${'n'.repeat(100)}...`],
  ])('with a name of %i characters are rejected with at most a hundred of them', (length, shown) => {
    expect(errorOf('{ id }', { ['n'.repeat(length)]: 1 })).toBe(
      `$.variables: unexpected variables in variableValues: ${shown}`,
    );
  });

  test('with a long name of a member are rejected with a short path', () => {
    const shown = `${'n'.repeat(100)}...`;
    expect(errorOf(row, { v: { ['n'.repeat(101)]: 1 } })).toBe(
      `$.variables.v["${shown}"]: field '${shown}' not found in type: 'Row'`,
    );
  });
});

describe('an error', () => {
  test('of a scalar of any class has the path of the value and the reason', () => {
    expect(errorOf('($v: broken) { list(broken: $v) { id } }', { v: 1 })).toBe(
      "$.variables.v: not a value of type 'broken': no value fits",
    );
  });

  test('of a scalar preserves the error as its cause', () => {
    const cause = new GraphQLError('no');
    expect(scalarError(cause, 'date')).toMatchObject({ code: 'validation-failed', cause });
  });

  test('of a scalar can be any value', () => {
    expect(scalarError('no', 'date').message).toBe("not a value of type 'date': no");
  });

  test.each([
    [20, /'m18', 'm19'\] for/],
    [21, /'m18', 'm19', \.\.\.\] for/],
  ])('for an enum of %i members shows at most twenty', (count, shown) => {
    const members = Array.from({ length: count }, (_, index) => ({ name: `m${index}` }));
    expect(unknownMember(members, 'Size', 'x').message).toMatch(shown);
  });

  test('for an enum shows at most a hundred characters of the value', () => {
    expect(unknownMember([], 'Size', 'x'.repeat(200)).message).toBe(
      `expected one of the values [] for type 'Size', but found '${'x'.repeat(100)}'`,
    );
  });
});
