/** Validation of literals, variables and directives against a schema with inputs of every use. */
import { describe, expect, test } from 'vitest';
import { inputSchema } from '../../../test/support/model/input-schema.ts';
import { readDocument } from './documents.ts';
import { InvalidDocument } from './validation.ts';

/** Returns the errors of the document as `path: message`. */
function errorsOf(query: string): readonly string[] {
  try {
    readDocument(inputSchema, query);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidDocument)) throw error;
    return error.errors.map(({ path, message }) => `${path}: ${message}`);
  }
}

const list = (argument: string) => `{ list(${argument}) { id } }`;
const at = '$.selectionSet.list.args';

describe('a literal is accepted', () => {
  test.each([
    ['as the text of an array column', 'tags: "{a,b}"'],
    ['with null in an array', 'tags: ["a", null]'],
    ['as the text of an array in a list of values', 'tagsIn: ["{a}", ["b", null]]'],
    ['as a string for a column of any type', 'equals: "5"'],
    ['as an item of a list of values that is a string', 'where: {in: ["5", 6]}'],
    ['as one value in place of a list', 'words: "a"'],
    ['as null of a nullable type', 'limit: null, where: null, words: null'],
    ['as digits that exceed an Int', 'offset: 3000000000'],
    ['as a string of digits', 'offset: "-3000000000"'],
    ['as the largest exact number', 'offset: "9007199254740991"'],
    ['as a list of a scalar of any value', 'data: [1, {a: null}]'],
    ['as an object without members that have defaults', 'order: {by: "a"}'],
    ['as a value of an enum', 'size: S'],
  ])('%s', (_rule, argument) => {
    expect(errorsOf(list(argument))).toEqual([]);
  });
});

describe('a literal is rejected', () => {
  test.each([
    ['a text that is no array', 'tags: "a"', `${at}.tags: malformed array literal: "a"`],
    ['null in a list of values', 'where: {in: [1, null]}', `${at}.where.in[1]: unexpected null value for type 'Int'`],
    ['null in another list', 'words: [null]', `${at}.words[0]: unexpected null value for type 'String'`],
    [
      'a string of another input',
      'limit: "5"',
      `${at}.limit: expected a 32-bit integer for type 'Int', but found a string`,
    ],
    [
      'a string in another list',
      'otherInts: ["5"]',
      `${at}.otherInts[0]: expected a 32-bit integer for type 'Int', but found a string`,
    ],
    [
      'an enum for a column',
      'equals: A',
      `${at}.equals: expected a 32-bit integer for type 'Int', but found an enum value`,
    ],
    [
      'text with digits in it',
      'offset: "1a"',
      `${at}.offset: expected a 32-bit integer for type 'Int', but found a string`,
    ],
    [
      'text with digits at its end',
      'offset: "a1"',
      `${at}.offset: expected a 32-bit integer for type 'Int', but found a string`,
    ],
    [
      'digits that no number represents',
      'offset: "9007199254740993"',
      `${at}.offset: expected a 32-bit integer for type 'Int', but found a string`,
    ],
    [
      'a whole number that no number represents',
      'offset: 9007199254740993',
      `${at}.offset: expected a 32-bit integer for type 'Int', but found a number`,
    ],
    ['a fraction', 'offset: 1.5', `${at}.offset: expected a 32-bit integer for type 'Int', but found the number 1.5`],
    [
      'a float that is whole',
      'offset: 1.0',
      `${at}.offset: expected a 32-bit integer for type 'Int', but found the number 1`,
    ],
    [
      'digits that exceed an Int of another argument',
      'limit: 3000000000',
      `${at}.limit: expected a 32-bit integer for type 'Int', but found the number 3000000000`,
    ],
    [
      'a string for an enum',
      'size: "S"',
      `${at}.size: expected one of the values ['S', 'L'] for type 'Size', but found 'S'`,
    ],
    [
      'a number for an enum',
      'size: 1',
      `${at}.size: expected one of the values ['S', 'L'] for type 'Size', but found the number 1`,
    ],
    ['a list for an object', 'where: []', `${at}.where: expected an object for type 'Condition', but found a list`],
    [
      'a member that objects inherit',
      'where: {constructor: 1}',
      `${at}.where.constructor: field 'constructor' not found in type: 'Condition'`,
    ],
    ['an object without a required member', 'rows: [{tags: []}]', `${at}.rows[0].id: missing required field 'id'`],
    [
      'a repeated member',
      'where: {count: 1, count: 2}',
      `${at}.where.count: There can be only one input field named "count".`,
    ],
    [
      'a list for a scalar that is no list',
      'limit: {a: [1]}',
      `${at}.limit: expected a 32-bit integer for type 'Int', but found an object`,
    ],
  ])('%s', (_rule, argument, error) => {
    expect(errorsOf(list(argument))).toEqual([error]);
  });

  test.each([
    ['in a list', 'where: {in: [true, 2, true]}', [`${at}.where.in[0]`, `${at}.where.in[2]`]],
    ['in an object', 'order: {size: X, other: 1}', [`${at}.order.size`, `${at}.order.other`]],
    ['in arguments', 'limit: "a", size: X', [`${at}.limit`, `${at}.size`]],
  ])('at every error %s', (_rule, argument, paths) => {
    expect(errorsOf(list(argument)).map((error) => error.split(': ')[0])).toEqual(paths);
  });
});

describe('the default of a variable is accepted', () => {
  test.each([
    ['as the text of an array column', '($v: [String!] = "{a}") { list(tags: $v) { id } }'],
    [
      'as the text of an array column in a fragment',
      '($v: [String!] = "{a}") { ...A } fragment A on List { list(tags: $v) { id } }',
    ],
    ['as a string for a column of any type', '($v: Int = "5") { list(equals: $v) { id } }'],
    ['of an unused variable', '($v: Int = 5) { id }'],
  ])('%s', (_rule, query) => {
    expect(errorsOf(`query ${query}`)).toEqual([]);
  });
});

describe('the default of a variable is rejected', () => {
  test.each([
    [
      'as a text that is no array',
      '($v: [String!] = "a") { list(tags: $v) { id } }',
      '$: malformed array literal: "a"',
    ],
    [
      'as a string of another input',
      '($v: Int = "5") { list(limit: $v) { id } }',
      "$: expected a 32-bit integer for type 'Int', but found a string",
    ],
    [
      'as null of a non-null type',
      '($v: Int! = null) { list(limit: $v) { id } }',
      "$: unexpected null value for type 'Int'",
    ],
  ])('%s', (_rule, query, error) => {
    expect(errorsOf(`query ${query}`)).toEqual([error]);
  });
});

describe('a variable is accepted', () => {
  test.each([
    ['of a narrower type', '($v: Int!) { list(limit: $v) { id } }'],
    ['of a nullable type for an argument with a default', '($v: Int) { list(page: $v) { id } }'],
    ['of a nullable type with a default', '($v: Int = 1) { list(rows: {id: $v}) { id } }'],
    ['of a nullable type for a member with a default', '($v: Int) { list(order: {written: $v}) { id } }'],
    ['of any type in a list that is one scalar', '($v: Condition) { list(data: [1, [$v], {a: $v}]) { id } }'],
    ['of any type in an object that is one scalar', '($v: Int) { list(data: {a: {b: [$v]}}) { id } }'],
    ['in a list of a scalar whose literals cannot be read', '($v: Int) { list(broken: [$v]) { id } }'],
    ['in an object of a scalar whose literals cannot be read', '($v: Int) { list(broken: {a: 1, b: $v}) { id } }'],
  ])('%s', (_rule, query) => {
    expect(errorsOf(`query ${query}`)).toEqual([]);
  });
});

describe('a variable is rejected', () => {
  const declaredAs = (type: string, wanted: string) =>
    `variable 'v' is declared as '${type}', but used where '${wanted}' is expected`;

  test.each([
    ['of another type', '($v: String) { list(limit: $v) { id } }', `${at}.limit: ${declaredAs('String', 'Int')}`],
    [
      'of a list with null',
      '($v: [Int]) { list(where: {in: $v}) { id } }',
      `${at}.where.in: ${declaredAs('[Int]', '[Int!]')}`,
    ],
    [
      'of another type in a list',
      '($v: String!) { list(words: "a", otherInts: [1, $v]) { id } }',
      `${at}.otherInts[1]: ${declaredAs('String!', 'Int!')}`,
    ],
    [
      'with null as its default at a non-null position',
      '($v: Int = null) { list(rows: {id: $v}) { id } }',
      `${at}.rows.id: ${declaredAs('Int', 'Int!')}`,
    ],
    [
      'of another type with a default',
      '($v: String = "a") { list(rows: {id: $v}) { id } }',
      `${at}.rows.id: ${declaredAs('String', 'Int!')}`,
    ],
    [
      'that is declared twice',
      '($v: Int, $v: Int) { list(limit: $v) { id } }',
      '$: multiple definitions for variable "v"',
    ],
    [
      'that only another operation declares',
      'A($v: Int) { list(limit: $v) { id } } query B { list(limit: $v) { id } }',
      `${at}.limit: unbound variable "v"`,
    ],
    [
      'that a fragment uses without declaration',
      '{ ...A } fragment A on List { list(limit: $v) { id } }',
      `${at}.limit: unbound variable "v"`,
    ],
    ['of an output type', '($v: List) { id }', '$: Variable "$v" cannot be non-input type "List".'],
    [
      'of a type that does not exist, once',
      '($v: Missing) { list(limit: $v) { id } }',
      "$: no such type exists in the schema: 'Missing'",
    ],
  ])('%s', (_rule, query, error) => {
    expect(errorsOf(`query ${query}`)).toEqual([error]);
  });

  test('of another type in each operation', () => {
    const query =
      'query A($v: Int) { ...F } query B($v: String) { ...F } fragment F on List { list(limit: $v) { id } }';
    expect(errorsOf(query)).toEqual([`${at}.limit: ${declaredAs('String', 'Int')}`]);
  });
});

describe('a directive', () => {
  test.each([
    ['on a query', 'query @skip(if: true) { id }', '$', 'a query'],
    [
      'on a variable definition',
      'query ($v: Int @skip(if: true)) { list(limit: $v) { id } }',
      '$',
      'a variable definition',
    ],
    ['on a fragment definition', '{ ...A } fragment A on List @skip(if: true) { id }', '$', 'a fragment definition'],
    ['on a field', '{ id @deprecated }', '$.selectionSet.id', 'a field'],
    ['on a fragment spread', '{ ...A @deprecated } fragment A on List { id }', '$', 'a fragment spread'],
    ['on an inline fragment', '{ list { ... @deprecated { id } } }', '$.selectionSet.list', 'an inline fragment'],
  ])('%s that it does not permit is rejected', (_rule, query, path, place) => {
    const name = query.includes('@skip') ? 'skip' : 'deprecated';
    expect(errorsOf(query)).toEqual([`${path}: directive '${name}' is not allowed on ${place}`]);
  });

  test.each([
    ['on a field', '{ id @skip(if: true) @include(if: true) }'],
    ['on a fragment spread', '{ ...A @skip(if: true) } fragment A on List { id }'],
    ['on an inline fragment', '{ ... @include(if: true) { id } }'],
  ])('%s that it permits is accepted', (_rule, query) => {
    expect(errorsOf(query)).toEqual([]);
  });

  test('that is repeated is rejected once', () => {
    const three = '@skip(if: true) @include(if: true) @skip(if: false) @include(if: true) @skip(if: true)';
    expect(errorsOf(`{ id ${three} }`)).toEqual([
      "$.selectionSet.id: the following directives are used more than once: ['skip', 'include']",
    ]);
  });

  test('has valid arguments', () => {
    expect(errorsOf('{ id @skip(if: "x", when: true) }')).toEqual([
      "$.selectionSet.id: 'skip' has no argument named 'when'",
      "$.selectionSet.id.args.if: expected true or false for type 'Boolean', but found a string",
    ]);
  });
});

describe('a fragment', () => {
  test.each([
    [
      'with the name of another is rejected',
      '{ ...A } fragment A on List { id } fragment A on List { id }',
      ['$: multiple definitions for fragment "A"'],
    ],
    [
      'that spreads itself is rejected',
      '{ ...A } fragment A on List { list { ...A } }',
      ['$.selectionSet.A.selectionSet.list.selectionSet: the fragment definition(s) A form a cycle'],
    ],
    [
      'in an unused cycle is rejected',
      '{ id } fragment A on List { ...B } fragment B on List { ...A }',
      ['$.selectionSet.A.selectionSet.B.selectionSet: the fragment definition(s) A and B form a cycle'],
    ],
    [
      'in a cycle of three is rejected with all names',
      '{ list { ...A } } fragment A on List { ...B } fragment B on List { ... { ...C } } fragment C on List { ...A }',
      [
        '$.selectionSet.list.selectionSet.A.selectionSet.B.selectionSet.C.selectionSet: the fragment definition(s) A, B and C form a cycle',
      ],
    ],
    [
      'before a cycle is not part of it',
      '{ ...A } fragment A on List { ...B } fragment B on List { list { ...B } }',
      ['$.selectionSet.A.selectionSet.B.selectionSet.list.selectionSet: the fragment definition(s) B form a cycle'],
    ],
    ['that is spread twice is accepted', '{ ...A list { ...A } } fragment A on List { id }', []],
    [
      'that does not exist is rejected at its spread',
      '{ list { ... { ...A } } }',
      ['$.selectionSet.list.selectionSet: reference to undefined fragment "A"'],
    ],
    [
      'with an error is rejected at its first spread',
      '{ list { ...A } ...A } fragment A on List { foo }',
      ["$.selectionSet.list.selectionSet.foo: field 'foo' not found in type: 'List'"],
    ],
    [
      'with an error that is not spread is rejected',
      '{ id } fragment A on List { foo }',
      ["$.selectionSet.foo: field 'foo' not found in type: 'List'"],
    ],
    ['on a scalar is rejected', '{ ... on Int { id } }', ['$: Fragment cannot condition on non composite type "Int".']],
  ])('%s', (_rule, query, errors) => {
    expect(errorsOf(query)).toEqual(errors);
  });

  test('in a cycle with an error has the error and the cycle', () => {
    const errors = errorsOf('{ id } fragment A on List { list { ...B } } fragment B on List { list { ...A } foo }');
    expect(errors).toContainEqual(expect.stringContaining('A and B form a cycle'));
    expect(errors).toContainEqual(expect.stringContaining("field 'foo' not found in type: 'List'"));
  });
});

describe('an operation', () => {
  test.each([
    ['has no name of another', 'query A { id } query A { id }', 'There can be only one operation named "A".'],
    [
      'without a name is the only one',
      '{ id } query A { id }',
      'This anonymous operation must be the only defined operation.',
    ],
    ['is not beside a type', '{ id } type A { id: Int }', 'The "A" definition is not executable.'],
  ])('%s', (_rule, query, message) => {
    expect(errorsOf(query)).toEqual([`$: ${message}`]);
  });

  test('has no argument twice', () => {
    expect(errorsOf(list('limit: 1, limit: 2'))).toEqual([
      `${at}.limit: There can be only one argument named "limit".`,
    ]);
  });

  test('selects no lists of introspection within each other', () => {
    const nested = '{ fields { type { fields { type { fields { name } } } } } }';
    expect(errorsOf(`{ __type(name: "List") ${nested} }`)[0]).toContain('Maximum introspection depth exceeded');
  });

  test('has at most twenty errors, and one that reports the limit', () => {
    const errors = errorsOf(`{ ${Array.from({ length: 30 }, (_, index) => `f${index}`).join(' ')} }`);
    expect([errors.length, errors.at(-1)]).toEqual([
      21,
      '$: Too many validation errors, error limit reached. Validation aborted.',
    ]);
  });

  test('has all errors of an operation with twenty', () => {
    expect(errorsOf(`{ ${Array.from({ length: 20 }, (_, index) => `f${index}`).join(' ')} }`)).toHaveLength(20);
  });
});
