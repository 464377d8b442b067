import { ADMIN_ROLE } from '@joinery/metadata/names';
import {
  buildSchema,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  Kind,
  parse,
  print,
  type SelectionSetNode,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { defaultInputLimits, InputCount } from '../document/input-limits.ts';
import type { PlanContext, SelectedField } from './context.ts';
import { createContext } from './create-context.ts';

const schema = buildSchema(`
  interface Named { name: String }
  type User implements Named { id: ID name(length: Int, case: String): String friend: User old: Int }
  type Post { id: ID title: String }
  union Any = User | Post
  type Query { user(id: Int): User named: Named any: Any }
`);

interface Fixture {
  readonly context: PlanContext;
  readonly settled: ReadonlySet<string>;
  readonly selection: SelectionSetNode;
}

function read(text: string, variables: Readonly<Record<string, unknown>> = {}): Fixture {
  const { definitions } = parse(text);
  const [operation] = definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  if (operation === undefined) throw new Error('expected an operation');
  const fragments = definitions.filter((one): one is FragmentDefinitionNode => one.kind === Kind.FRAGMENT_DEFINITION);
  const { context, settled } = createContext({
    schema,
    role: ADMIN_ROLE,
    fragments: new Map(fragments.map((one) => [one.name.value, one])),
    variableDefinitions: new Map((operation.variableDefinitions ?? []).map((one) => [one.variable.name.value, one])),
    variables,
    count: new InputCount(defaultInputLimits),
  });
  return { context, settled, selection: operation.selectionSet };
}

function typeNamed(name: string): GraphQLNamedType {
  const type = schema.getType(name);
  if (type === undefined) throw new Error(`no type ${name}`);
  return type;
}

function collect(type: string, text: string, variables?: Readonly<Record<string, unknown>>): readonly SelectedField[] {
  const { context, selection } = read(text, variables);
  return context.collect(typeNamed(type), [selection], '$');
}

const aliases = (...given: Parameters<typeof collect>) => collect(...given).map(({ alias }) => alias);

/** Returns the selection as it is forwarded, and the names of the variables. */
function forward(text: string, variables?: Readonly<Record<string, unknown>>) {
  const { context, selection } = read(text, variables);
  const forwarded = context.forward([selection], []);
  return {
    selection: forwarded.selection && print(forwarded.selection).replaceAll(/\s+/g, ' '),
    variables: forwarded.variables.map(({ variable }) => variable.name.value),
  };
}

describe('the members of an object', () => {
  test.each([
    ['fields and aliases in order', 'User', '{ b: id name a: id }', ['b', 'name', 'a']],
    ['one for each response key', 'User', '{ id name id }', ['id', 'name']],
    [
      'those of fragments on its type',
      'User',
      '{ ... on User { id } ...F } fragment F on User { name }',
      ['id', 'name'],
    ],
    ['those of fragments without a type', 'User', '{ ... { id } }', ['id']],
    [
      'those of fragments on its interfaces',
      'User',
      '{ ... on Named { name } ...F } fragment F on Named { n: name }',
      ['name', 'n'],
    ],
    ['those of fragments on unions of it', 'Post', '{ ... on Any { __typename } }', ['__typename']],
    [
      'no members of fragments on other types',
      'Post',
      '{ id ... on User { name } ...F } fragment F on User { old }',
      ['id'],
    ],
    ['no members of fragments on other interfaces', 'Post', '{ id ... on Named { name } }', ['id']],
    ['no members of fragments on unknown types', 'Post', '{ id ... on Nothing { name } }', ['id']],
  ])('are %s', (_what, type, text, expected) => {
    expect(aliases(type, text)).toEqual(expected);
  });

  test.each([
    ['@skip(if: true)', []],
    ['@skip(if: false)', ['id']],
    ['@include(if: true)', ['id']],
    ['@include(if: false)', []],
    ['@include(if: $yes)', ['id']],
    ['@include(if: $no)', []],
    ['@skip(if: $yes)', []],
    ['@skip(if: $no)', ['id']],
    ['@skip(if: $no) @include(if: $no)', []],
    ['@include(if: $yes) @skip(if: $yes)', []],
    ['@cached', ['id']],
    ['@cached(if: false)', ['id']],
  ])('with %s are %j', (directives, expected) => {
    const variables = { yes: true, no: false };
    expect(aliases('User', `{ id ${directives} }`, variables)).toEqual(expected);
    expect(aliases('User', `{ ... ${directives} { id } }`, variables)).toEqual(expected);
    expect(aliases('User', `{ ...F ${directives} } fragment F on User { id }`, variables)).toEqual(expected);
  });

  test('have the selections of all occurrences, with the path and the definition of the field', () => {
    const [field] = collect('User', '{ f: friend { id } ... on User { f: friend { name } } }');
    expect(field).toMatchObject({ alias: 'f', name: 'friend', path: '$.selectionSet.friend', arguments: [] });
    expect(field?.definition?.name).toBe('friend');
    expect(field?.selections.map((set) => print(set).replaceAll(/\s+/g, ' '))).toEqual(['{ id }', '{ name }']);
    expect(collect('User', '{ id id }')[0]?.selections).toEqual([]);
  });

  test('have the selections of a named fragment once', () => {
    const [field] = collect('User', '{ ...F ...F } fragment F on User { friend { id } }');
    expect(field?.selections).toHaveLength(1);
  });

  test.each([
    ['Query', '__schema { types { name } }', '__schema'],
    ['Query', '__type(name: "a") { name }', '__type'],
    ['Query', '__typename', undefined],
    ['User', '__schema { types { name } }', undefined],
    ['Any', 'id', undefined],
    ['Named', 'name', 'name'],
  ])('of %s: %s has the definition %s', (type, text, expected) => {
    expect(collect(type, `{ ${text} }`)[0]?.definition?.name).toBe(expected);
  });

  test.each([
    ['equal arguments', '{ name(length: 1, case: "a") name(case: "a", length: 1) }'],
    ['equal variables', '{ name(length: $a) name(length: $a) }'],
  ])('with one response key may have %s', (_what, text) => {
    expect(aliases('User', text)).toEqual(['name']);
  });

  test.each([
    ['names', '{ a: id a: old }', "selection of both 'id' and 'old' specify the same response name, 'a'"],
    [
      'arguments',
      '{ name(length: 1) name(length: 2) }',
      "inconsistent arguments between multiple selections of field 'name'",
    ],
    ['variables', '{ name(length: $a) name(length: $b) }', 'inconsistent arguments'],
  ])('with one response key have no different %s', (_what, text, message) => {
    expect(() => collect('User', text)).toThrow(expect.objectContaining({ message: expect.stringContaining(message) }));
  });
});

describe('the limit of fields', () => {
  const fields = (count: number) => `{ ${Array.from({ length: count }, (_, index) => `a${index}: id`).join(' ')} }`;

  test('counts each response key once', () => {
    expect(collect('User', fields(20_000))).toHaveLength(20_000);
    expect(() => collect('User', fields(20_001))).toThrow(
      'the operation selects more than 20000 fields; request fewer fields at once',
    );
  });

  test('counts forwarded fields', () => {
    expect(() => forward(fields(20_001))).toThrow('more than 20000 fields');
  });
});

describe('a forwarded selection', () => {
  test.each([
    ['has its fields', '{ a: id name(length: 1) }', '{ a: id name(length: 1) }'],
    ['has inline fragments', '{ ... on User { id } ... { name } }', '{ ... on User { id } ... { name } }'],
    [
      'has named fragments inline',
      '{ ...F } fragment F on User { id ...G } fragment G on User { name }',
      '{ ... on User { id ... on User { name } } }',
    ],
    ['has a named fragment once', '{ ...F id ...F } fragment F on User { name }', '{ ... on User { name } id }'],
    [
      'has a named fragment in each object',
      '{ ...F friend { ...F } } fragment F on User { name }',
      '{ ... on User { name } friend { ... on User { name } } }',
    ],
    ['has no directives', '{ id @cached friend @include(if: true) { id @skip(if: false) } }', '{ id friend { id } }'],
    ['has no skipped members', '{ id @skip(if: true) name ... @include(if: false) { old } }', '{ name }'],
    ['has no directives of fragments', '{ ... @include(if: true) { id } }', '{ ... { id } }'],
    ['selects the type where all is skipped', '{ friend { id @skip(if: true) } }', '{ friend { __typename } }'],
    [
      'selects the type in an empty fragment',
      '{ ... on User { id @skip(if: true) } }',
      '{ ... on User { __typename } }',
    ],
    [
      'selects the type in an empty named fragment',
      '{ ...F } fragment F on User { id @skip(if: true) }',
      '{ ... on User { __typename } }',
    ],
    ['selects the type where nothing remains', '{ id @skip(if: true) }', '{ __typename }'],
  ])('%s', (_what, text, expected) => {
    expect(forward(text).selection).toBe(expected);
  });

  test('has the variables of its arguments at any depth, in the order of the operation', () => {
    const text = `query ($d: Int, $a: Int, $b: Int, $c: String, $s: Boolean!) {
      friend { ...F } ... @skip(if: $s) { name(length: $b) } id @skip(if: $s)
    } fragment F on User { name(length: $a, case: $c) }`;
    expect(forward(text, { s: false }).variables).toEqual(['a', 'b', 'c']);
    expect(forward(text, { s: true }).variables).toEqual(['a', 'c']);
  });

  test('has the variables of the arguments of its field, and no selection if there is none', () => {
    const { context, selection } = read('query ($a: Int, $b: Int) { user(id: $a) { id } }');
    const [field] = context.collect(typeNamed('Query'), [selection], '$');
    const forwarded = context.forward([], field?.arguments ?? []);
    expect(forwarded.variables.map(({ variable }) => variable.name.value)).toEqual(['a']);
    expect(forwarded.selection).toBeUndefined();
  });
});

describe('a plan depends on', () => {
  test.each([
    ['the variables of @skip and @include', '{ id @skip(if: $s) ... @include(if: $i) { name } }', ['s', 'i']],
    ['no variables of arguments', '{ name(length: $a) }', []],
  ])('%s', (_what, text, expected) => {
    const { context, settled, selection } = read(text, { s: true, i: true, a: 1 });
    context.collect(typeNamed('User'), [selection], '$');
    expect([...settled]).toEqual(expected);
  });
});
