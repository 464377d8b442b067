import { type GraphQLInputType, isInputType, parseType, parseValue, typeFromAST } from 'graphql';
import { describe, expect, test } from 'vitest';
import { inputSchema } from '../../../test/support/model/input-schema.ts';
import { ExactNumber } from '../../base/json-value.ts';
import { inputPlan, type Keep, readValue, VariableReference } from './arguments.ts';
import type { ColumnUse } from './column-values.ts';

function inputType(text: string): GraphQLInputType {
  const type = typeFromAST(inputSchema, parseType(text));
  if (!isInputType(type)) throw new Error(`no input type ${text}`);
  return type;
}

interface Options {
  readonly keep?: Keep;
  readonly use?: ColumnUse;
  /** The variables that were given. */
  readonly given?: Readonly<Record<string, unknown>>;
}

/** Returns the value of the literal, and the names of the variables whose values it depends on. */
function read(type: string, literal: string, { keep = 'scalars', use, given = {} }: Options = {}) {
  const settled: string[] = [];
  const variables = {
    state: (name: string) => (given[name] == null ? (given[name] as null | undefined) : ('given' as const)),
    settle: (name: string) => {
      settled.push(name);
      return given[name];
    },
  };
  return { value: readValue(parseValue(literal), inputType(type), variables, keep, use), settled };
}

describe('a literal is read as a JSON value', () => {
  test.each([
    ['Int!', '5', 5],
    ['Int', 'null', null],
    ['String', '"a"', 'a'],
    ['Size', 'L', 'large'],
    ['[Int!]', '[1, 2]', [1, 2]],
    ['[Int!]', '3', [3]],
    ['jsonb', '{a: [1, "b", null]}', { a: [1, 'b', null] }],
    ['jsonb', '[1, {a: 2}]', [1, { a: 2 }]],
    ['jsonb', '0.1234567890123456789', new ExactNumber('0.1234567890123456789')],
    ['Order', '{size: S, by: "a"}', { size: 'small', by: 'a' }],
    ['Order', '{written: 2}', { planned: 2 }],
    ['[Row!]', '[{id: 1, tags: ["a"]}]', [{ key: 1, tags: ['a'] }]],
  ])('of the type %s: %s', (type, literal, value) => {
    expect(read(type, literal).value).toEqual(value);
  });

  test('with its members in the order of the document', () => {
    expect(Object.keys(read('Order', '{next: "a", size: S, by: "b"}').value as object)).toEqual(['next', 'size', 'by']);
  });
});

describe('a string at the position of a column value', () => {
  test.each<[rule: string, type: string, literal: string, use: ColumnUse, value: unknown]>([
    ['is an array for an array column', '[String!]', '"{a,b}"', 0, '{a,b}'],
    ['is one item of a list of values', '[String!]', '"{a,b}"', 1, ['{a,b}']],
    ['is one item of another list', '[String!]', '"{a,b}"', undefined, ['{a,b}']],
    ['is parsed by PostgreSQL for any type', 'Int', '" 7 "', 0, ' 7 '],
    ['is parsed by PostgreSQL in a list of values', '[Int!]', '["7", 8]', 1, ['7', 8]],
    ['is parsed by PostgreSQL as an item of an array', '[Int!]', '["7", 8]', 0, ['7', 8]],
  ])('%s', (_rule, type, literal, use, value) => {
    expect(read(type, literal, { use }).value).toEqual(value);
  });

  test('is that of a member that takes column values', () => {
    expect(read('Row', '{id: 1, tags: "{a}"}').value).toEqual({ key: 1, tags: '{a}' });
  });
});

describe('a variable', () => {
  const reference = new VariableReference('v');

  test.each<[rule: string, type: string, keep: Keep, value: unknown, settled: string[]]>([
    ['of a scalar is bound when the plan runs', 'Int!', 'scalars', reference, []],
    ['of a list of scalars is bound when the plan runs', '[[Int!]!]!', 'scalars', reference, []],
    ['of an enum decides the plan', 'Size', 'scalars', 'given', ['v']],
    ['of a list of enums decides the plan', '[Size!]', 'scalars', 'given', ['v']],
    ['of an input object decides the plan', 'Order', 'scalars', 'given', ['v']],
    ['of an input object is bound when the plan runs if the value is not inspected', 'Order', 'all', reference, []],
    ['of a scalar decides the plan if nothing is bound later', 'Int', 'nothing', 'given', ['v']],
  ])('%s', (_rule, type, keep, value, settled) => {
    expect(read(type, '$v', { keep, given: { v: 'given' } })).toEqual({ value, settled });
  });

  test.each([
    ['that was not given has no value', {}, undefined],
    ['that was given as null is null', { v: null }, null],
  ])('%s', (_rule, given, value) => {
    expect(read('Int', '$v', { given }).value).toBe(value);
  });

  test('that was given as null is rejected at a non-null position', () => {
    expect(() => read('Int!', '$v', { given: { v: null } })).toThrow(
      expect.objectContaining({ path: '$.variables.v', message: "unexpected null value for type 'Int'" }),
    );
  });

  test.each([
    ['in an item of a list without a value is null', '[Int]', '[1, $v]', [1, null]],
    ['in a member without a value is omitted', 'Order', '{next: $v, by: "a"}', { by: 'a' }],
    ['in a condition without a value is null', 'Condition', '{count: $v}', { count: null }],
  ])('%s', (_rule, type, literal, value) => {
    expect(read(type, literal).value).toEqual(value);
  });

  test('in a decisive member decides the plan', () => {
    expect(read('Order', '{by: $v, next: $v}', { given: { v: 'a' } })).toEqual({
      value: { by: 'a', next: reference },
      settled: ['v'],
    });
  });

  test.each([
    ['{a: $v}', { a: 5 }],
    ['[$v]', [5]],
  ])('in the literal %s of a scalar decides the plan', (literal, value) => {
    expect(read('jsonb', literal, { given: { v: 5 } })).toEqual({ value, settled: ['v'] });
  });
});

describe('the plan of an argument', () => {
  const v = new VariableReference('v');
  const variable = { kind: 'variable', name: 'v' };
  const constant = (value: unknown) => ({ kind: 'constant', value });

  test.each([
    ['is a variable', v, variable],
    ['is one constant without variables', { a: [1, { b: null }] }, constant({ a: [1, { b: null }] })],
    ['is a constant for null', null, constant(null)],
    ['is a constant for a string', 'text', constant('text')],
    ['has the items of a list with variables', [1, v], { kind: 'list', items: [constant(1), variable] }],
    [
      'has the members of an object with variables',
      { a: 1, b: [v] },
      {
        kind: 'object',
        members: [
          { name: 'a', value: constant(1) },
          { name: 'b', value: { kind: 'list', items: [variable] } },
        ],
      },
    ],
  ])('%s', (_rule, value, plan) => {
    expect(inputPlan(value)).toEqual(plan);
  });
});
