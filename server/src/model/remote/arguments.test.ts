/** Tests of the arguments of a relationship: constants, keys, lists and objects against the declared types. */
import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { columnType } from '../../../test/support/model/draft.ts';
import { ExactNumber } from '../../base/json-value.ts';
import type { ColumnType } from '../types/column-type.ts';
import type { JoinKey } from '../types/table.ts';
import { choice, readArguments } from './arguments.ts';

const query = buildSchema(`
  scalar Moment
  enum Size { S M }
  input Filter { text: String! size: Size level: Int! = 1 inner: Filter at: Moment }
  type Query {
    find(
      int: Int float: Float text: String flag: Boolean id: ID size: Size at: Moment
      ints: [Int!] nested: [[Int]] where: Filter many: [Filter!]
    ): Int
    need(id: ID!, top: Int! = 1): Int
  }
`).getQueryType();

const status: ColumnType = { ...columnType('enum status'), labels: ['S', 'XL'] };
const columnTypes: Readonly<Record<string, ColumnType>> = {
  n: columnType('Int'),
  f: columnType('float8'),
  r: columnType('number float4'),
  d: columnType('numeric'),
  t: columnType('String'),
  c: columnType('citext citext'),
  u: columnType('uuid'),
  b: columnType('Boolean'),
  j: columnType('json'),
  jb: columnType('jsonb'),
  e: status,
  e2: { ...status, labels: ['XL'] },
  row: columnType('composite address'),
  ns: columnType('Int[]'),
  ts: columnType('String[]'),
  nss: { ...columnType('Int[]'), element: columnType('Int[]') },
};

const columns = new Map(Object.entries(columnTypes).map(([name, type]): [string, JoinKey] => [name, { name, type }]));

const argumentsOf = (field: string) => query?.getFields()[field]?.args ?? [];

/** Reads arguments of a field, by default `find`. */
function read(written: Readonly<Record<string, unknown>>, { field = 'find', open = false } = {}) {
  const scope = { noun: 'column', columns, keys: [] as JoinKey[], problems: [] as string[] } as const;
  const templates = readArguments(written, argumentsOf(field), 'field "f"', open, scope);
  return { templates, problems: scope.problems, keys: scope.keys.map(({ name }) => name) };
}

test.each([
  ['int', [0, 2147483647, -2147483648]],
  ['float', [0, 1.5, 2147483648]],
  ['text', ['', 'a']],
  ['flag', [true, false]],
  ['id', ['a', 1, 9007199254740991]],
  ['size', ['S']],
  ['at', ['a', 1.5, true]],
  ['ints', [1]],
  ['nested', [1]],
])('argument %s accepts the constants %j', (name, values) => {
  for (const value of values) {
    expect(read({ [name]: value })).toEqual({
      templates: { [name]: { kind: 'constant', value } },
      problems: [],
      keys: [],
    });
  }
});

test.each<[string, unknown, string]>([
  ['int', 1.5, '1.5 is not a value of type Int'],
  ['int', 2147483648, '2147483648 is not a value of type Int'],
  ['int', '1', '"1" is not a value of type Int'],
  ['float', '1.5', '"1.5" is not a value of type Float'],
  ['text', 1, '1 is not a value of type String'],
  ['flag', 'true', '"true" is not a value of type Boolean'],
  ['id', 1.5, '1.5 is not a value of type ID'],
  ['id', true, 'true is not a value of type ID'],
  ['size', 'XL', '"XL" is not a value of type Size'],
  ['size', 1, '1 is not a value of type Size'],
  ['ints', 'a', '"a" is not a value of type [Int!]'],
  ['where', 'a', '"a" is not a value of type Filter'],
  ['text', null, 'null cannot be written here; leave the argument out'],
  [
    'float',
    new ExactNumber('1.00000000000000000001'),
    'the number 1.00000000000000000001 would lose digits; write it as a string',
  ],
  ['at', undefined, 'it must be a string, a number, true, false, a list or an object'],
  ['text', ['a'], 'a list is not a value of type String'],
  ['where', ['a'], 'a list is not a value of type Filter'],
  ['text', {}, 'an object is not a value of type String'],
  ['size', {}, 'an object is not a value of type Size'],
  ['ints', {}, 'an object is not a value of type Int!'],
])('argument %s rejects %j: %s', (name, value, problem) => {
  expect(read({ [name]: value })).toEqual({
    templates: {},
    problems: [`argument "${name}" of field "f": ${problem}`],
    keys: [],
  });
});

const s = { kind: 'constant', value: 'a' } as const;
const one = { kind: 'constant', value: 1 } as const;
const key = (index: number) => ({ kind: 'key', index });
const list = (...items: unknown[]) => ({ kind: 'list', items });
const object = (fields: object) => ({ kind: 'object', fields });

test.each<[string, unknown, unknown, string[]]>([
  ['int', '$n', key(0), ['n']],
  ['ints', [1, '$n', '$d'], list(one, key(0), key(1)), ['n', 'd']],
  ['nested', [[1], '$ns', ['$n', '$n']], list(list(one), key(0), list(key(1), key(1))), ['ns', 'n']],
  ['at', [1, { a: '$n' }], list(one, object({ a: key(0) })), ['n']],
  ['where', { text: 'a', inner: { text: '$t' } }, object({ text: s, inner: object({ text: key(0) }) }), ['t']],
  ['where', { text: 'a', at: { b: [1] } }, object({ text: s, at: object({ b: list(one) }) }), []],
  ['many', { text: 'a' }, object({ text: s }), []],
  ['many', [{ text: 'a' }], list(object({ text: s })), []],
])('argument %s accepts %j', (name, value, template, keys) => {
  expect(read({ [name]: value })).toEqual({ templates: { [name]: template }, problems: [], keys });
});

test('refers to each key once, in order of first use', () => {
  const { templates, keys } = read({ id: '$t', int: '$n', text: '$t' });
  expect(templates).toEqual({ id: key(0), int: key(1), text: key(0) });
  expect(keys).toEqual(['t', 'n']);
});

test.each<[string, unknown, string]>([
  [
    'where',
    { text: 'a', other: 1 },
    ': type Filter has no field "other"; use one of "text", "size", "level", "inner", "at"',
  ],
  ['at', { 'a b': 1 }, ': type Moment has no field "a b"'],
  ['at', { '1a': 1 }, ': type Moment has no field "1a"'],
  ['at', { 'a-': 1 }, ': type Moment has no field "a-"'],
  ['where', {}, ': the field "text" of type String! is required'],
  ['where', { text: 1 }, ': 1 is not a value of type String!'],
  ['many', [{ text: 'a', inner: {} }], ': the field "text" of type String! is required'],
])('argument %s rejects the members of %j', (name, value, problem) => {
  const { problems } = read({ [name]: value });
  expect(problems.map((text) => text.slice(text.lastIndexOf('"f"') + 3))).toEqual([problem]);
});

test('names the member of an object that is invalid', () => {
  const { problems, templates } = read({ where: { text: 'a', inner: { text: 1 } }, ints: [1, 'b'] });
  expect(problems).toEqual([
    'field "text" in field "inner" in argument "where" of field "f": 1 is not a value of type String!',
    'argument "ints" of field "f": "b" is not a value of type Int!',
  ]);
  expect(templates).toEqual({ where: object({ text: s, inner: object({}) }), ints: list(one) });
});

test('a field without a default is required, unless the client must give it', () => {
  expect(read({}, { field: 'need' }).problems).toEqual(['field "f" needs the argument "id" of type ID!']);
  expect(read({}, { field: 'need', open: true }).problems).toEqual([]);
  expect(read({ id: 1 }, { field: 'need' }).problems).toEqual([]);
  expect(read({ where: {} }, { open: true }).problems).toEqual([]);
});

test('rejects an argument that the field does not have, and reads the others', () => {
  expect(read({ other: 1, id: 1 }, { field: 'need' })).toEqual({
    templates: { id: one },
    problems: ['field "f" has no argument "other"; use one of "id", "top"'],
    keys: [],
  });
});

const scalarsOfText = ['text', 'id', 'at'];
test.each([
  ['n', ['int', 'float', ...scalarsOfText, 'ints', 'nested']],
  ['d', ['int', 'float', ...scalarsOfText, 'ints', 'nested']],
  ['f', ['float', 'text', 'at']],
  ['r', ['float', 'text', 'at']],
  ['t', [...scalarsOfText, 'size']],
  ['c', [...scalarsOfText, 'size']],
  ['u', scalarsOfText],
  ['b', ['flag', 'at']],
  ['e', [...scalarsOfText, 'size']],
  ['e2', scalarsOfText],
  ['row', ['at', 'where', 'many']],
  ['ns', ['at', 'ints', 'nested']],
  ['nss', ['at', 'nested']],
  ['ts', ['at']],
  ...['j', 'jb'].map((name): [string, string[]] => [
    name,
    ['int', 'float', ...scalarsOfText, 'flag', 'size', 'ints', 'nested', 'where', 'many'],
  ]),
])('column %s fits the arguments %j only', (column, fitting) => {
  const names = argumentsOf('find').map(({ name }) => name);
  const accepted = names.filter((name) => read({ [name]: `$${column}` }).problems.length === 0);
  expect(accepted.sort()).toEqual([...fitting].sort());
});

test.each([
  ['flag', '$n', 'column "n" has type int4, which does not fit type Boolean'],
  ['flag', '$ts', 'column "ts" has type text[], which does not fit type Boolean'],
  [
    'flag',
    '$none',
    `"$none" is not a column that the relationship lists; use one of "n", "f", "r", "d", "t", "c", "u", "b", "j", "jb" ...`,
  ],
])('argument %s rejects the key %s with the reason', (name, value, problem) => {
  expect(read({ [name]: value }).problems).toEqual([`argument "${name}" of field "f": ${problem}`]);
});

test.each([
  [0, ''],
  [1, '; use one of "a1"'],
  [10, '; use one of "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "a10"'],
  [11, '; use one of "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "a10" ...'],
])('a choice of %i names shows at most ten', (count, text) => {
  expect(choice(Array.from({ length: count }, (_none, index) => `a${index + 1}`))).toBe(text);
});
