import { ADMIN_ROLE } from '@joinery/metadata/names';
import {
  buildSchema,
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  getIntrospectionQuery,
  Kind,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { modelFixture, user } from '../../../test/support/model/sample-model.ts';
import { runAtOnce } from '../../base/steps.ts';
import { assembleSchema } from '../../schema/assemble.ts';
import { ListedObject } from '../../schema/lazy-schema.ts';
import { roleSchema } from '../../schema/role-schema.ts';
import { createContext } from '../context/create-context.ts';
import { defaultInputLimits, InputCount } from '../document/input-limits.ts';
import { executeIntrospection } from './executed.ts';
import { writeIntrospection } from './writer.ts';

const { model } = modelFixture();

const described = buildSchema(`
  """An "escaped" description \\\\ with
  lines and ünïcödé \\u2028"""
  directive @own(reason: String = "no \\"reason\\"", of: [Kind!] = [B, A]) repeatable on FIELD | OBJECT
  enum Kind { B A @deprecated(reason: "old") C }
  input Deep @oneOf { list: [[Int!]!] deep: Deep }
  input Old { gone: Int @deprecated, kind: Kind = A, range: Range = { from: 1.5, kinds: [A] } }
  input Range { from: Float kinds: [Kind] }
  interface Node { id: ID! }
  interface Named implements Node { id: ID! name: String }
  type User implements Named & Node { id: ID! name: String old(a: Int @deprecated b: Old = {}): Int @deprecated }
  type Post implements Node { id: ID! }
  union Any = User | Post
  scalar Url @specifiedBy(url: "https://example.com/url")
  type Query { any(deep: Deep, old: Old): [[Any!]]! url: Url node: Node }
`);

/** Each with an equal schema whose types list their fields, where there is one. */
const schemas: readonly (readonly [string, GraphQLSchema, GraphQLSchema | undefined])[] = [
  ['a schema with every kind of definition', described, undefined],
  ['the schema of admins', roleSchema(model, ADMIN_ROLE).schema, assembleSchema(model, ADMIN_ROLE, false, false, true)],
  ['the schema of a role', roleSchema(model, user).schema, assembleSchema(model, user, false, false, true)],
  [
    'the schema of admins for Relay',
    roleSchema(model, ADMIN_ROLE, false, true).schema,
    assembleSchema(model, ADMIN_ROLE, false, true, true),
  ],
];

/** The document that graphiql, Apollo and graphql-codegen send, by their options. */
const documents: Readonly<Record<string, string>> = {
  'the default document': getIntrospectionQuery(),
  'all options': getIntrospectionQuery({
    descriptions: true,
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    oneOf: true,
  }),
  'no descriptions': getIntrospectionQuery({ descriptions: false }),
  aliases:
    '{ __schema { t: types { __typename n: name k: kind kind f: fields { name a: args { defaultValue } } possibleTypes { name } } __typename } }',
  'fields in several fragments':
    '{ __schema { ...A ...B types { kind } } } fragment A on __Schema { types { name } } fragment B on __Schema { types { fields { name } ... on __Type { fields { isDeprecated } } } }',
  'variables and directives':
    'query ($d: Boolean = true, $no: Boolean!) { __schema { types { name @skip(if: $no) fields(includeDeprecated: $d) { name } enumValues(includeDeprecated: true) { name deprecationReason } inputFields { name } } directives @include(if: $no) { name locations } } }',
  'types twice':
    '{ __schema { types { name fields { name type { name possibleTypes { name } } } } more: types { kind inputFields { name } } } }',
  'one type':
    '{ __type(name: "User") { name interfaces { name possibleTypes { name } } fields { type { name ofType { kind } } } } }',
  'a type that does not exist': '{ __type(name: "nothing") { name } }',
  'a type of introspection': '{ __type(name: "__TypeKind") { enumValues { name description } } }',
};

const variables = { no: true };

function rootOf(schema: GraphQLSchema, text: string) {
  const { definitions } = parse(text);
  const [operation] = definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  if (operation === undefined) throw new Error('expected an operation');
  const fragments = definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
  const given = (operation.variableDefinitions ?? []).map((one) => [one.variable.name.value, one] as const);
  const { context } = createContext({
    schema,
    role: ADMIN_ROLE,
    fragments: new Map(fragments.map((one) => [one.name.value, one])),
    variableDefinitions: new Map(given),
    variables: { d: true, ...variables },
    count: new InputCount(defaultInputLimits),
  });
  const query = schema.getQueryType();
  const [field] = query ? context.collect(query, [operation.selectionSet], '$') : [];
  if (field === undefined) throw new Error('expected a field');
  const { selection, variables: used } = context.forward(field.selections, field.arguments);
  const node: FieldNode = {
    kind: Kind.FIELD,
    name: { kind: Kind.NAME, value: field.name },
    arguments: field.arguments,
    ...(selection && { selectionSet: selection }),
  };
  const written: OperationDefinitionNode = { ...operation, variableDefinitions: used };
  const document = (root: FieldNode): DocumentNode => ({
    kind: Kind.DOCUMENT,
    definitions: [{ ...written, selectionSet: { kind: Kind.SELECTION_SET, selections: [root] } }],
  });
  return { node, document, operation: written };
}

describe.each(schemas)('of %s the writer prints the same bytes as graphql-js', (_name, schema, listed) => {
  test.each(Object.entries(documents))('for %s', (_document, text) => {
    const { node, document, operation } = rootOf(schema, text);
    const variableValues = { d: true, ...variables };
    const executed = executeIntrospection(schema, node, document, variableValues);
    const write = (of: GraphQLSchema) =>
      runAtOnce(writeIntrospection({ schema: of, operation, variableValues }, node)).join('');
    expect(write(schema)).toBe(executed);
    if (listed !== undefined) expect(write(listed)).toBe(executed);
  });
});

test('a type is released when it has been written', () => {
  const listed = assembleSchema(model, user, false, false, true);
  const { node, operation } = rootOf(listed, getIntrospectionQuery());
  const query = listed.getQueryType();
  if (!(query instanceof ListedObject)) throw new Error('expected a type that lists its fields');
  const fields = query.listFields();
  expect(query.listFields()).toBe(fields);
  runAtOnce(writeIntrospection({ schema: listed, operation, variableValues: {} }, node));
  expect(query.listFields()).not.toBe(fields);
  expect(fields.map(({ name }) => name)).toEqual(Object.keys(query.getFields()));
});

test('the writer yields after each type', () => {
  const { node, operation } = rootOf(described, getIntrospectionQuery());
  const steps = [...writeIntrospection({ schema: described, operation, variableValues: {} }, node)];
  expect(steps.length).toBeGreaterThanOrEqual(Object.keys(described.getTypeMap()).length);
});
