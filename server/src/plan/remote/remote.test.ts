import { RoleName } from '@joinery/metadata/names';
import { print } from 'graphql';
import { describe, expect, test } from 'vitest';
import { printForward, rootOf, rowsOf } from '../../../test/support/model/planning.ts';
import { remoteModel } from '../../../test/support/model/remote-model.ts';
import type { RemoteTarget } from '../plan/query.ts';

const upstream = `
  input Range { from: Int to: Int tenant: String }
  input Filter { id: Int range: Range ranges: [Range] note: String tenant: String }
  type Post { title(size: Int, tenant: String): String author(tenant: String): User }
  type User { name(tenant: String): String found(filter: Filter, filters: [Filter!], plain: Int): String }
  type Query {
    post(id: Int!, tenant: String): Post
    user(id: Int): User
    find(filter: Filter, filters: [Filter!], plain: Int): String
  }
  type Mutation { post(id: Int!): Post! }
`;
const preset = '@preset(value: "x-service-tenant")';
const reader = `
  input Range { from: Int to: Int tenant: String ${preset} }
  input Filter { id: Int range: Range ranges: [Range] note: String tenant: String ${preset} }
  type Post { title(size: Int, tenant: String ${preset}): String author(tenant: String): User }
  type User { name(tenant: String): String found(filter: Filter, filters: [Filter!], plain: Int): String }
  type Query {
    post(id: Int!, tenant: String ${preset}): Post
    user(id: Int): User
    find(filter: Filter, filters: [Filter!], plain: Int): String
  }
`;
const relationship = (name: string, remote_field: unknown) => ({
  name,
  definition: { to_remote_schema: { remote_schema: 'blog', lhs_fields: ['id'], remote_field } },
});
const { model, reports } = remoteModel({
  tables: { account: { id: 'Int', name: 'String' } },
  remotes: { blog: { schema: upstream, permissions: { reader } } },
  relationships: {
    account: [
      relationship('post', { post: { arguments: { id: '$id' } } }),
      relationship('title', { post: { arguments: { id: '$id' }, field: { title: { arguments: { size: 3 } } } } }),
      relationship('author', { post: { arguments: { id: '$id' }, field: { author: { arguments: {} } } } }),
      relationship('user', { user: { arguments: { id: '$id' } } }),
      relationship('find', { find: { arguments: { filter: { id: '$id', range: { from: 1 } }, plain: 2 } } }),
      relationship('several', {
        find: { arguments: { filters: [{ id: '$id', ranges: [{ to: 1 }, { to: 2 }] }, { note: 'a' }] } },
      }),
      relationship('found', {
        user: { arguments: { id: '$id' }, field: { found: { arguments: { filter: { note: 'a' } } } } },
      }),
    ],
  },
  permissions: { reader: { account: ['id'] } },
});
const role = RoleName.parse('reader');
const admin = RoleName.parse('admin');

function targetOf(selection: string, by = role): RemoteTarget {
  const [field] = rowsOf({ model, role: by }, `{ account { ${selection} } }`).fields;
  const target = field?.kind === 'join' ? field.join.target : undefined;
  if (target?.kind !== 'remote') throw new Error('expected a join to a remote schema');
  return target;
}

const presetsOf = (selection: string, by = role) => targetOf(selection, by).presets.map((step) => step.map(print));
const tenant = 'tenant: $joinery_x_service_tenant_String';
const session = ['joinery_x_service_tenant_String: String = x-service-tenant'];

test('the model is consistent', () => {
  expect(reports).toEqual([]);
});

describe('a root field', () => {
  test('is forwarded to the field of the remote schema', () => {
    const { forward } = rootOf({ model, role: admin }, 'remote', '{ p: post(id: 1) { title } }');
    expect(forward).toMatchObject({ remote: { name: 'blog' }, operation: 'query', field: 'post', nullable: true });
  });

  test('that is a mutation is forwarded as one', () => {
    const { forward } = rootOf({ model, role: admin }, 'remote', 'mutation { post(id: 1) { title } }');
    expect(forward).toMatchObject({ operation: 'mutation', field: 'post', nullable: false });
  });
});

describe('the presets of a relationship', () => {
  test.each<[string, string, readonly (readonly string[])[]]>([
    ['of the last field are part of the forwarded arguments', 'post { title }', [[]]],
    ['of the fields before are presets of their steps', 'title', [[tenant], []]],
    ['are none where the fields have none', 'user { name }', [[]]],
    ['are in the input objects that it supplies', 'find', [[`filter: {range: {${tenant}}, ${tenant}}`]]],
    [
      'are in the lists of input objects that it supplies',
      'several',
      [[`filters: [{ranges: [{${tenant}}, {${tenant}}], ${tenant}}, {${tenant}}]`]],
    ],
    ['are in the input objects of the last field', 'found', [[], [`filter: {${tenant}}`]]],
  ])('%s', (_what, selection, expected) => {
    expect(presetsOf(selection)).toEqual(expected);
  });

  test('are none for a role without permissions of its own', () => {
    expect(presetsOf('title', admin)).toEqual([[], []]);
  });
});

describe('the session variables of a relationship', () => {
  test.each([
    ['the fields before the last', 'author { name }'],
    ['the input objects that it supplies', 'find'],
    ['the last field', 'post { title }'],
    ['the last field and those before it', 'title'],
  ])('are those of %s, once', (_what, selection) => {
    expect(printForward(targetOf(selection))).toMatchObject({
      session,
      variables: ['$joinery_x_service_tenant_String: String'],
    });
  });

  test('are none without presets', () => {
    expect(printForward(targetOf('user { name(tenant: "a") }'))).toEqual({
      arguments: [],
      selection: '{ name(tenant: "a") }',
      variables: [],
      session: [],
    });
  });
});

test('a relationship is sent with the arguments and the selection of the client', () => {
  expect(printForward(targetOf('find(filter: {note: "b"})'))).toMatchObject({
    arguments: [`filter: {note: "b", ${tenant}}`],
    selection: undefined,
  });
  expect(printForward(targetOf('post { title(size: 1) }'))).toMatchObject({
    arguments: [tenant],
    selection: `{ title(size: 1, ${tenant}) }`,
  });
});
