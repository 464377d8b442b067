/** Validation of literals and variables against a schema with inputs of every use. */
import { describe, expect, test } from 'vitest';
import { inputErrors } from '../../../test/support/model/input-schema.ts';

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
    expect(inputErrors(list(argument))).toEqual([]);
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
    expect(inputErrors(list(argument))).toEqual([error]);
  });

  test.each([
    ['in a list', 'where: {in: [true, 2, true]}', [`${at}.where.in[0]`, `${at}.where.in[2]`]],
    ['in an object', 'order: {size: X, other: 1}', [`${at}.order.size`, `${at}.order.other`]],
    ['in arguments', 'limit: "a", size: X', [`${at}.limit`, `${at}.size`]],
  ])('at every error %s', (_rule, argument, paths) => {
    expect(inputErrors(list(argument)).map((error) => error.split(': ')[0])).toEqual(paths);
  });
});

describe('the default of a variable is accepted', () => {
  test.each([
    ['as the text of an array column', '($v: [String!] = "{a}") { list(tags: $v) { id } }'],
    [
      'as the text of an array column in a fragment',
      '($v: [String!] = "{a}") { ...A } fragment A on List { list(tags: $v) { id } }',
    ],
    ['of a variable within the value of a scalar', '($v: Int = 5) { list(data: {a: [$v], b: $v}) { id } }'],
    ['as a string for a column of any type', '($v: Int = "5") { list(equals: $v) { id } }'],
    ['of an unused variable', '($v: Int = 5) { id }'],
  ])('%s', (_rule, query) => {
    expect(inputErrors(`query ${query}`)).toEqual([]);
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
    expect(inputErrors(`query ${query}`)).toEqual([error]);
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
    ['after other items of a list of such a scalar', '($v: Int) { list(broken: [1, $v]) { id } }'],
    ['in an object of a scalar whose literals cannot be read', '($v: Int) { list(broken: {a: 1, b: $v}) { id } }'],
  ])('%s', (_rule, query) => {
    expect(inputErrors(`query ${query}`)).toEqual([]);
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
    [
      'of an argument that does not exist',
      '($v: Int = 1) { list(foo: $v) { id } }',
      "$.selectionSet.list: 'list' has no argument named 'foo'",
    ],
    [
      'of a member that does not exist',
      '($v: Int = 1) { list(where: {foo: $v}) { id } }',
      `${at}.where.foo: field 'foo' not found in type: 'Condition'`,
    ],
    [
      'of an output type with a default',
      '($v: List = {a: 1}) { id }',
      '$: Variable "$v" cannot be non-input type "List".',
    ],
    [
      'of a type that does not exist, with a default',
      '($v: Missing = 1) { id }',
      "$: no such type exists in the schema: 'Missing'",
    ],
    [
      'for a fragment that does not exist',
      '($v: Int = 1) { ...A list(limit: $v) { id } }',
      '$.selectionSet: reference to undefined fragment "A"',
    ],
    ['of an output type', '($v: List) { id }', '$: Variable "$v" cannot be non-input type "List".'],
    [
      'of a type that does not exist, once',
      '($v: Missing) { list(limit: $v) { id } }',
      "$: no such type exists in the schema: 'Missing'",
    ],
  ])('%s', (_rule, query, error) => {
    expect(inputErrors(`query ${query}`)).toEqual([error]);
  });

  test('of another type in each operation', () => {
    const query =
      'query A($v: Int) { ...F } query B($v: String) { ...F } fragment F on List { list(limit: $v) { id } }';
    expect(inputErrors(query)).toEqual([`${at}.limit: ${declaredAs('String', 'Int')}`]);
  });
});

describe('a name that the schema does not have is reported once', () => {
  test.each([
    ['of a field with a selection', '{ foo { bar } }', "$.selectionSet.foo: field 'foo' not found in type: 'List'"],
    [
      'of a field with arguments',
      '{ foo(a: [1], b: {c: 1}) }',
      "$.selectionSet.foo: field 'foo' not found in type: 'List'",
    ],
    [
      'of a directive with arguments',
      '{ id @loud(a: 1) }',
      "$.selectionSet.id: directive 'loud' is not defined in the schema",
    ],
    [
      'of an argument with a list',
      '{ list(foo: [1]) { id } }',
      "$.selectionSet.list: 'list' has no argument named 'foo'",
    ],
  ])('%s', (_rule, query, error) => {
    expect(inputErrors(query)).toEqual([error]);
  });
});
