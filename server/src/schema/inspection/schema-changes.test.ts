import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { schemaChanges } from './schema-changes.ts';

const before = `
  type Query { author(id: Int!, page: Int = 1): author, old: Int, one: Thing }
  type author { id: Int!, name: String, born: String! }
  enum color { red, green }
  input filter { id: Int, name: String! }
  interface Named { name: String }
  union Thing = author
  type Gone { id: Int }
  type Root { color(filter: filter): color, named: Named, gone: Gone }
`;

const after = `
  type Query { author(id: Int, page: Int = 2, must: Int!): author, one: Thing, some(flag: Boolean!): Int }
  type author implements Named { id: Int!, name: String!, born: String }
  enum color { red, blue }
  input filter { id: Int!, name: String }
  interface Named { name: String }
  union Thing = author | Root
  type Root { color(filter: filter): color, named: Named, came: Came }
  type Came { id: Int }
`;

test('lists added, removed and changed elements by coordinate, and whether they break requests', () => {
  expect(schemaChanges(buildSchema(before), buildSchema(after))).toEqual([
    { at: 'Came', change: 'added', to: 'type', breaking: false },
    { at: 'Gone', change: 'removed', from: 'type', breaking: true },
    { at: 'Query.author(id:)', change: 'changed', from: 'Int!', to: 'Int', breaking: false },
    { at: 'Query.author(must:)', change: 'added', to: 'Int!', breaking: true },
    { at: 'Query.author(page:)', change: 'changed', from: 'Int = 1', to: 'Int = 2', breaking: false },
    { at: 'Query.old', change: 'removed', from: 'Int', breaking: true },
    { at: 'Query.some', change: 'added', to: 'Int', breaking: false },
    { at: 'Root.came', change: 'added', to: 'Came', breaking: false },
    { at: 'Root.gone', change: 'removed', from: 'Gone', breaking: true },
    { at: 'Thing = Root', change: 'added', breaking: false },
    { at: 'author implements Named', change: 'added', breaking: false },
    { at: 'author.born', change: 'changed', from: 'String!', to: 'String', breaking: true },
    { at: 'author.name', change: 'changed', from: 'String', to: 'String!', breaking: false },
    { at: 'color.blue', change: 'added', breaking: false },
    { at: 'color.green', change: 'removed', breaking: true },
    { at: 'filter.id', change: 'changed', from: 'Int', to: 'Int!', breaking: true },
    { at: 'filter.name', change: 'changed', from: 'String!', to: 'String', breaking: false },
  ]);
});

test('equal schemas have no changes', () => {
  expect(schemaChanges(buildSchema(before), buildSchema(before))).toEqual([]);
});
