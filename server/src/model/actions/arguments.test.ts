import { FieldName, TypeName } from '@joinery/metadata/names';
import { type GraphQLInputObjectType, printType as printSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import type { Action, InputField, InputNamed, TypeRef } from '../types/action.ts';
import { argumentTypes, defaultProblem } from './arguments.ts';
import { mapNamed, parseTypeExpression } from './type-expression.ts';

const description = undefined;
const inner = new Map<string, InputField>();
const named: Readonly<Record<string, InputNamed>> = {
  json: { kind: 'scalar', name: 'json', origin: 'postgres', description },
  size: {
    kind: 'enum',
    name: TypeName.parse('size'),
    description,
    values: ['S', 'L'].map((value) => ({ value, description, deprecated: undefined })),
  },
  Filter: { kind: 'input', name: TypeName.parse('Filter'), description, fields: inner },
};

function typeOf(text: string): TypeRef<InputNamed> {
  const type = parseTypeExpression(text);
  const resolved =
    type &&
    mapNamed(type, (name) => named[name] ?? { kind: 'scalar' as const, name, origin: 'graphql' as const, description });
  if (resolved === undefined) throw new Error(`no type ${text}`);
  return resolved;
}

const field = (name: string, type: string, more: Partial<InputField> = {}): InputField => ({
  name: FieldName.parse(name),
  type: typeOf(type),
  description,
  ...more,
});
for (const [name, type] of Object.entries({
  id: 'Int!',
  data: 'json',
  list: '[json]',
  nested: 'Filter',
  size: 'size',
})) {
  inner.set(name, field(name, type));
}

describe('the arguments of an action', () => {
  const action = {
    arguments: [
      field('filter', 'Filter!', { defaultValue: { id: 1 } }),
      field('other', '[Filter]'),
      field('text', 'String'),
    ],
  } as unknown as Action;

  test('have their types and defaults in order', () => {
    expect(argumentTypes(action).map(({ name, type, defaultValue }) => [name, String(type), defaultValue])).toEqual([
      ['filter', 'Filter!', { id: 1 }],
      ['other', '[Filter]', undefined],
      ['text', 'String', undefined],
    ]);
  });

  test('share one type for each name, also if it refers to itself', () => {
    const [first, second] = argumentTypes(action).map(({ type }) => type);
    const [filter, other] = [first, second].map((type) =>
      type !== undefined && 'ofType' in type ? type.ofType : type,
    );
    expect(filter).toBe(other);
    expect(printSchema(filter as GraphQLInputObjectType)).toBe(
      'input Filter {\n  id: Int!\n  data: json\n  list: [json]\n  nested: Filter\n  size: size\n}',
    );
  });
});

describe('the default of an argument', () => {
  test.each<[string, unknown]>([
    ['Int', 5],
    ['Int', null],
    ['Float', 0.5],
    ['String', 'a'],
    ['Boolean', false],
    ['ID', 'a'],
    ['[Int!]', [1, 2]],
    ['[Int!]', 1],
    ['size', 'S'],
    ['json', 'text'],
    ['json', 1.5],
    ['json', true],
    ['[json]', ['a', null]],
    ['Filter', { id: 1, nested: { id: 2, data: 'x', list: [1] } }],
    ['[Filter!]!', [{ id: 1 }]],
  ])('of type %s may be %j', (type, defaultValue) => {
    expect(defaultProblem(field('a', type, { defaultValue }))).toBeUndefined();
  });

  const free =
    'default_value: the default of a scalar is a string, a number within the range of a double, true or false; write longer numbers as strings';
  test.each<[string, unknown, string]>([
    ['Int', 'x', 'default_value: Int cannot represent non-integer value: "x"'],
    ['Int!', null, 'default_value: Expected non-nullable type "Int!" not to be null.'],
    [
      '[Int]',
      [1, 'a', 'b'],
      [1, 2]
        .map((at) => `default_value[${at}]: Int cannot represent non-integer value: "${at === 1 ? 'a' : 'b'}"`)
        .join(', '),
    ],
    ['size', 'M', 'default_value: Value "M" does not exist in "size" enum. Did you mean the enum value "L" or "S"?'],
    ['Filter', { id: 1, none: 2 }, 'default_value: Field "none" is not defined by type "Filter".'],
    ['Filter', {}, 'default_value: Field "id" of required type "Int!" was not provided.'],
    ['Filter', { id: 1, nested: { id: 'x' } }, 'default_value.nested.id: Int cannot represent non-integer value: "x"'],
    ['json', { a: 1 }, free],
    ['json', [1], free],
    ['json!', {}, free],
    ['[json]', ['a', { a: 1 }], free],
    ['[json]', { a: 1 }, free],
    ['Filter', { id: 1, data: {} }, free],
    ['Filter', { id: 1, list: [[]] }, free],
    ['[Filter]', [{ id: 1 }, { id: 2, nested: { id: 3, data: [] } }], free],
  ])('of type %s cannot be %j', (type, defaultValue, problem) => {
    expect(defaultProblem(field('a', type, { defaultValue }))).toBe(problem);
  });
});

test.each<[string, Partial<InputField>, boolean]>([
  ['Int!', {}, false],
  ['Int!', { defaultValue: 1 }, true],
  ['Int', {}, true],
])('an argument of type %s with %j may be deprecated: %s', (type, more, permitted) => {
  const problem = defaultProblem(field('a', type, { deprecated: 'old', ...more }));
  expect(problem).toBe(permitted ? undefined : 'a required input cannot be deprecated; give it a default_value');
});

test('an argument that is required and not deprecated needs no default', () => {
  expect(defaultProblem(field('a', 'Int!'))).toBeUndefined();
});
