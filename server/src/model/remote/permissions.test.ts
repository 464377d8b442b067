/** Tests of the SDL of a role's permission on a remote schema: the permitted parts, and the errors in it. */
import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { permission, postsBy, userBy, version } from '../../../test/support/model/permitted-schema.ts';
import { readPermission } from './permissions.ts';

const problemsOf = (sdl: string) => permission(sdl).problems;

test('permits the written fields, arguments, values, members and interfaces', () => {
  const { permitted, problems } = permission(`
    schema { query: Query mutation: Mutation subscription: Subscription }
    directive @preset(value: String, static: Boolean) on ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION
    scalar Moment @specifiedBy(url: "https://example.org")
    enum Size { S L }
    interface Node { id: ID! }
    interface Named { name: String }
    type User implements Named { name: String @deprecated posts(first: Int = 10, by: ID = null, where: Filter): [Post!]! }
    type Post implements Node { id: ID! at: Moment size: Size }
    union Entry = Post
    input Filter { text: String! size: Size tags: [String!] = "a" }
    type Query { version: String user(id: ID!): User entries: [Entry!] }
    type Mutation { rename(id: ID!): User }
    type Subscription { changed: Post }
  `);
  expect(problems).toEqual([]);
  const fieldsOf = (type: string) =>
    Object.fromEntries([...(permitted.get(type)?.fields ?? [])].map(([name, args]) => [name, [...args]]));
  const namesOf = (type: string) => [...(permitted.get(type)?.names ?? [])];
  expect(fieldsOf('User')).toEqual({ name: [], posts: ['first', 'by', 'where'] });
  expect(fieldsOf('Filter')).toEqual({ text: [], size: [], tags: [] });
  expect(fieldsOf('Node')).toEqual({ id: [] });
  expect(fieldsOf('Size')).toEqual({});
  expect(['Size', 'Entry', 'User', 'Node', 'Filter', 'Moment'].map(namesOf)).toEqual([
    ['S', 'L'],
    ['Post'],
    ['Named'],
    [],
    [],
    [],
  ]);
});

test('lists the presets of arguments by field and argument, and those of input objects by field', () => {
  const { permitted, problems } = permission(`
    type Query { version: String user(id: ID! @preset(value: "x-service-user-id"), top: Int! @preset(value: 2)): Post2 }
    ${'type Post { id: ID! }'}
    input Filter { text: String! @preset(value: "a") tags: [String!] }
  `);
  expect(problems).not.toEqual([]);
  expect([...(permitted.get('Query')?.presets.keys() ?? [])]).toEqual(['user.id', 'user.top']);
  expect(permitted.get('Query')?.presets.get('user.id')).toEqual({ kind: 'session', name: 'x-service-user-id' });
  expect([...(permitted.get('Filter')?.presets.keys() ?? [])]).toEqual(['text']);
  expect(permitted.get('Post')?.presets.size).toBe(0);
});

test.each([
  ['text that is no SDL', 'type Query {', 'it is not valid SDL: Syntax Error: Expected Name, found <EOF>.'],
  ['no query root', 'type Post { id: ID! }', 'the query root "Query" is missing'],
  [
    'two schema definitions',
    `schema { query: Query } schema { query: Query } ${version}`,
    'it has more than one schema definition',
  ],
  [
    'another query root',
    `schema { query: Post } ${version}`,
    'the query root is "Post", and the remote schema has "Query"',
  ],
  [
    'another mutation root',
    `schema { mutation: Post } ${version}`,
    'the mutation root is "Post", and the remote schema has "Mutation"',
  ],
  [
    'another subscription root',
    `schema { subscription: Post } ${version}`,
    'the subscription root is "Post", and the remote schema has "Subscription"',
  ],
  [
    'another directive',
    `${version} directive @other on FIELD`,
    'DirectiveDefinition has no meaning here; write the types that the role may see',
  ],
  [
    'an operation',
    `${version} query preset { version }`,
    'OperationDefinition has no meaning here; write the types that the role may see',
  ],
  [
    'an extension',
    `${version} extend type Post { id: ID! }`,
    'ObjectTypeExtension has no meaning here; write the types that the role may see',
  ],
  ['a type that is defined twice', `${version} ${version}`, 'type "Query" is defined twice'],
  ['an unknown type', `${version} type Other { id: ID }`, 'the remote schema has no type "Other"'],
  [
    'a type of another kind',
    `${version} input Post { id: ID! }`,
    'type "Post" is of another kind in the remote schema',
  ],
  ['a scalar of another kind', `${version} scalar Post`, 'type "Post" is of another kind in the remote schema'],
  [
    'a directive of a type',
    `${version} type Post @own { id: ID! }`,
    'type "Post" has the directive @own, which has no meaning there',
  ],
  [
    'a preset of a type',
    `${version} type Post @preset(value: 1) { id: ID! }`,
    'type "Post" has the directive @preset, which has no meaning there',
  ],
  [
    'a directive of a field',
    'type Query { version: String @own }',
    'field "version" of type "Query" has the directive @own, which has no meaning there',
  ],
  [
    'a directive of an argument',
    `${version} type Mutation { rename(id: ID! @own @deprecated): User } type User { name: String }`,
    'argument "id" of field "rename" of type "Mutation" has the directive @own, which has no meaning there',
  ],
  [
    'an unknown value',
    `${version} enum Size { XL }`,
    '"XL" is not in the remote schema among enum "Size"; use one of "S", "M", "L"',
  ],
  ['a repeated value', `${version} enum Size { S S }`, '"S" is twice among enum "Size"'],
  [
    'an unknown member',
    `${version} union Entry = Query`,
    '"Query" is not in the remote schema among union "Entry"; use one of "User", "Post"',
  ],
  [
    'an unknown interface',
    `${version} type Post implements Named { id: ID! } interface Named { name: String }`,
    '"Named" is not in the remote schema among the interfaces of type "Post"; use one of "Node"',
  ],
  [
    'an unknown field',
    `${version} type Post { name: String }`,
    'field "name" of type "Post" is not in the remote schema; use one of "id", "at", "size"',
  ],
  ['a repeated field', `${version} type Post { id: ID! id: ID! }`, 'field "id" of type "Post" is defined twice'],
  [
    'another type of a field',
    `${version} type Post { id: ID }`,
    'field "id" of type "Post" has type ID, and in the remote schema it has type ID!',
  ],
  [
    'an unknown field of an interface',
    `${version} interface Node { name: String }`,
    'field "name" of type "Node" is not in the remote schema; use one of "id"',
  ],
  [
    'an unknown argument',
    'type Query { version(of: Int): String }',
    'argument "of" of field "version" of type "Query" is not in the remote schema',
  ],
  [
    'an unknown input field',
    `${version} input Filter { text: String! other: Int }`,
    'field "other" of input object "Filter" is not in the remote schema; use one of "text", "size", "tags", "level", "inner"',
  ],
  [
    'a repeated input field',
    `${version} input Filter { text: String! text: String! }`,
    'field "text" of input object "Filter" is defined twice',
  ],
  [
    'another type of an input field',
    `${version} input Filter { text: String }`,
    'field "text" of input object "Filter" has type String, and in the remote schema it has type String!',
  ],
  [
    'a missing required input field',
    `${version} input Filter { tags: [String!] }`,
    'input object "Filter" needs its field "text" of type String!',
  ],
  [
    'an undefined type of a field',
    `${version} type Post { at: Moment }`,
    'type "Moment" is used and not defined; write it too',
  ],
  [
    'an undefined type of items',
    'type Query { entries: [Entry!] }',
    'type "Entry" is used and not defined; write it too',
  ],
  ['an undefined member', `${version} union Entry = Post`, 'type "Post" is used and not defined; write it too'],
  [
    'an undefined interface',
    `${version} type Post implements Node { id: ID! }`,
    'type "Node" is used and not defined; write it too',
  ],
  [
    'an undefined type of an input field',
    `${version} input Filter { text: String! size: Size }`,
    'type "Size" is used and not defined; write it too',
  ],
])('rejects %s', (_what, sdl, problem) => {
  expect(problemsOf(sdl)).toEqual([problem]);
});

test.each([
  [
    userBy('top: Int!'),
    'field "user" of type "Query" needs its argument "id" of type ID!; write it, with @preset if need be',
  ],
  [userBy('id: ID!, id: ID!'), 'argument "id" of field "user" of type "Query" is defined twice'],
  [
    userBy('id: Int!'),
    'argument "id" of field "user" of type "Query" has type Int!, and in the remote schema it has type ID!',
  ],
  [
    userBy('id: ID! = 1'),
    'argument "id" of field "user" of type "Query" has the default value 1, and another in the remote schema',
  ],
  [
    userBy('id: ID! @preset(value: 1) @preset(value: 2)'),
    'argument "id" of field "user" of type "Query" has two presets',
  ],
  [
    postsBy('first: Int = 11'),
    'argument "first" of field "posts" of type "User" has the default value 11, and another in the remote schema',
  ],
  [
    postsBy('first: Int = null'),
    'argument "first" of field "posts" of type "User" has the default value null, and another in the remote schema',
  ],
  [
    postsBy('by: ID = 1.5'),
    'argument "by" of field "posts" of type "User" has the default value 1.5, and another in the remote schema',
  ],
  [
    postsBy('where: Filter = null'),
    'argument "where" of field "posts" of type "User" has the default value null, and another in the remote schema',
  ],
])('rejects arguments: %s', (sdl, problem) => {
  expect(problemsOf(sdl)).toEqual([problem]);
});

test('reports an undefined type of an argument', () => {
  const sdl = `${version} type User { posts(where: Filter): [Post!]! } type Post { id: ID! }`;
  expect(problemsOf(sdl)).toEqual(['type "Filter" is used and not defined; write it too']);
});

test('reports all errors at once, and undefined types only without other errors', () => {
  expect(problemsOf('type Query { none: Int entries: [Entry!] } type Post { name: String }')).toEqual([
    'field "none" of type "Query" is not in the remote schema; use one of "version", "user", "entries"',
    'field "name" of type "Post" is not in the remote schema; use one of "id", "at", "size"',
  ]);
});

test('a remote schema without a mutation root has no mutation root in permissions', () => {
  const { problems } = readPermission(
    `schema { query: Query mutation: Query } ${version}`,
    buildSchema(version),
    'x-service-',
  );
  expect(problems).toEqual(['the mutation root is "Query", and the remote schema has none']);
});

test.each([
  ['S', []],
  [
    'M',
    [
      'argument "where" of field "posts" of type "User": the preset M is not among the values that the role has of enum "Size"',
    ],
  ],
])('an enum value %s in a preset is one that the role has', (value, problems) => {
  const sdl = `${version} type User { posts(where: Filter @preset(value: { text: "a", size: ${value} })): [Post!]! }
    type Post { id: ID! } input Filter { text: String! size: Size } enum Size { S }`;
  expect(problemsOf(sdl).map((one) => one.replace('field "size" in ', ''))).toEqual(problems);
});

test('an enum value in a preset needs the enum in the permission', () => {
  const sdl = `${version} type User { posts(where: Filter @preset(value: { text: "a", size: S })): [Post!]! }
    type Post { id: ID! } input Filter { text: String! }`;
  expect(problemsOf(sdl)).toEqual([
    expect.stringContaining('the preset S is not among the values that the role has of enum "Size"'),
  ]);
});
