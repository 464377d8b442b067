import { ADMIN_ROLE, RoleName } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { errorsOf, printForward, rootOf } from '../../../test/support/model/planning.ts';
import { remoteModel } from '../../../test/support/model/remote-model.ts';
import type { JoinPlan } from '../plan/query.ts';
import type { RemoteMember } from '../plan/remote.ts';

const schema = `
  interface Item { id: ID! }
  type Post implements Item { id: ID! authorId: Int tagIds: [Int!] place(unit: Unit): String next: Post }
  type Note implements Item { id: ID! text: String }
  enum Unit { KM MILE }
  input Filter { unit: Unit note: String }
  union Any = Post | Note
  type Query {
    post(id: ID!): Post
    posts(filter: Filter, filters: [Filter!]!): [Post!]!
    item: Item
    any: Any
    words: String
  }
  type Mutation { post(id: ID!): Post! }
`;
const rows = (table: string, relationship_type: string, field_mapping: unknown) => ({
  to_source: { source: 'default', table, relationship_type, field_mapping },
});
const relationships = {
  Post: [
    { name: 'author', definition: rows('author', 'object', { authorId: 'id' }) },
    { name: 'tags', definition: rows('tag', 'array', { authorId: 'author', id: 'name' }) },
  ],
};
const tables = { author: { id: 'Int', name: 'String' }, tag: { author: 'Int', name: 'String' } };
const customization = {
  type_names: { mapping: { Post: 'Article', Filter: 'Choice' } },
  field_names: [{ parent_type: 'Post', mapping: { authorId: 'writtenBy', place: 'where' } }],
};
const definition = { url: 'http://127.0.0.1/graphql', customization };

const plain = remoteModel({ remotes: { blog: { schema } } });
const renamed = remoteModel({ remotes: { blog: { schema, definition } } });
const joined = remoteModel({ tables, remotes: { blog: { schema, relationships } } });
const both = remoteModel({ tables, remotes: { blog: { schema, definition, relationships } } });

function forward(query: string, { model } = renamed, variables?: Readonly<Record<string, unknown>>) {
  return rootOf({ model, role: ADMIN_ROLE }, 'remote', query, variables).forward;
}

const selectionOf = (query: string, fixture = renamed) => printForward(forward(query, fixture)).selection;

/** Returns the members as text: `kind alias`, with the members of an object. */
function printMembers(members: readonly RemoteMember<JoinPlan>[] | undefined): unknown {
  return members?.map((one) =>
    one.kind === 'object' ? [`object ${one.alias}`, printMembers(one.members)] : `${one.kind} ${one.alias}`,
  );
}

test('the models are consistent', () => {
  expect([plain, renamed, joined, both].flatMap(({ reports }) => reports)).toEqual([]);
});

test('a key of a join has the presets of the role', () => {
  const permitted = (preset: string) => `
    type Post { id: ID! score(unit: Unit${preset}): Int }
    enum Unit { KM MILE }
    type Query { post(id: ID!): Post }`;
  const definition = rows('author', 'object', { score: 'id' });
  const { model, reports } = remoteModel({
    tables,
    remotes: {
      blog: {
        schema: permitted(''),
        permissions: { reader: permitted(' @preset(value: "x-service-unit")') },
        relationships: { Post: [{ name: 'author', definition }] },
      },
    },
    permissions: { reader: { author: ['id'] } },
  });
  expect(reports).toEqual([]);
  const reader = RoleName.parse('reader');
  const root = rootOf({ model, role: reader }, 'remote', '{ post(id: 1) { author { id } } }');
  const { selection, variables } = printForward(root.forward);
  expect(selection).toContain('joinery_Post_score: score(unit: $joinery_x_service_unit_Unit)');
  expect(variables).toEqual(['$joinery_x_service_unit_Unit: Unit']);
});

describe('a remote schema with its own names', () => {
  test('receives the selection as it is, with its variables', () => {
    const query = 'query ($u: Unit, $unused: Int) { post(id: 1) { a: place(unit: $u) __typename } }';
    const forwarded = forward(query, plain, { u: 'KM' });
    expect(printForward(forwarded)).toEqual({
      arguments: ['id: 1'],
      selection: '{ a: place(unit: $u) __typename }',
      variables: ['$u: Unit'],
      session: [],
    });
    expect(forwarded).toMatchObject({ field: 'post', operation: 'query', nullable: true, members: undefined });
  });

  test('receives mutations', () => {
    expect(forward('mutation { post(id: 1) { id } }', plain)).toMatchObject({ operation: 'mutation', nullable: false });
  });
});

describe('a selection is sent with the names of the remote schema', () => {
  test.each([
    ['fields under their response keys', '{ post(id: 1) { writtenBy id } }', '{ writtenBy: authorId id }'],
    ['aliases that are the name of the field', '{ post(id: 1) { authorId: writtenBy } }', '{ authorId }'],
    ['other aliases', '{ post(id: 1) { a: writtenBy b: id } }', '{ a: authorId b: id }'],
    ['arguments', '{ post(id: 1) { where(unit: KM) } }', '{ where: place(unit: KM) }'],
    ['nested fields', '{ post(id: 1) { next { writtenBy } } }', '{ next { writtenBy: authorId } }'],
    ['types of fragments', '{ item { ... on Article { where } } }', '{ ... on Post { where: place } }'],
    ['fragments without a type', '{ post(id: 1) { ... @include(if: true) { where } } }', '{ ... { where: place } }'],
    [
      'fragments of a union',
      '{ any { ... on Article { where } ... on Note { id } } }',
      '{ ... on Post { where: place } ... on Note { id } }',
    ],
    ['named fragments', '{ any { ...P } } fragment P on Article { where }', '{ ... on Post { where: place } }'],
    ['type names', '{ any { __typename t: __typename } }', '{ __typename t: __typename }'],
  ])('for %s', (_what, query, selection) => {
    expect(selectionOf(query)).toBe(selection);
  });

  test('no selection is sent for a field without one', () => {
    expect(printForward(forward('{ words }'))).toEqual({
      arguments: [],
      selection: undefined,
      variables: [],
      session: [],
    });
  });

  test('variables are sent with the types of the remote schema, if they are used', () => {
    const query =
      'query ($f: Choice, $fs: [Choice!]!, $u: Unit, $no: Int) { posts(filter: $f, filters: $fs) { where(unit: $u) } }';
    expect(printForward(forward(query, renamed, { fs: [] }))).toEqual({
      arguments: ['filter: $f', 'filters: $fs'],
      selection: '{ where: place(unit: $u) }',
      variables: ['$f: Filter', '$fs: [Filter!]!', '$u: Unit'],
      session: [],
    });
  });
});

describe('the members of a response that are processed', () => {
  test.each([
    ['type names', '{ post(id: 1) { id t: __typename } }', ['typename t']],
    [
      'objects that contain type names',
      '{ post(id: 1) { n: next { __typename next { id } } next { id } } }',
      [['object n', ['typename __typename']]],
    ],
    [
      'objects that contain them in one of several selections',
      '{ post(id: 1) { next { __typename } next { id } ... on Article { next { t: __typename } } } }',
      [['object next', ['typename __typename', 'typename t']]],
    ],
    ['none', '{ post(id: 1) { where next { id } } }', undefined],
  ])('are %s', (_what, query, expected) => {
    expect(printMembers(forward(query).members)).toEqual(expected);
  });

  test('type names are replaced by those of the schema', () => {
    expect(forward('{ any { __typename } }').members).toEqual([
      {
        kind: 'typename',
        alias: '__typename',
        names: new Map([
          ['Post', 'Article'],
          ['Filter', 'Choice'],
        ]),
      },
    ]);
  });

  test('are no type names if all types have their own names', () => {
    expect(forward('{ any { __typename } }', joined).members).toBeUndefined();
  });
});

describe('a relationship of a remote type', () => {
  test('selects its keys, which are removed from the response, and its type at its position', () => {
    const forwarded = forward('{ post(id: 1) { id a: author { name } place } }', joined);
    expect(printForward(forwarded).selection).toBe('{ id a: __typename place joinery_Post_authorId: authorId }');
    expect(forwarded.members).toMatchObject([
      {
        kind: 'join',
        alias: 'a',
        join: {
          keys: [{ name: 'joinery_Post_authorId' }],
          target: { kind: 'table', want: { shape: 'object', rows: { fields: [{ alias: 'name' }] } } },
        },
      },
      { kind: 'phantom', alias: 'joinery_Post_authorId' },
    ]);
  });

  test('has several keys, arguments and an aggregate', () => {
    const forwarded = forward(
      '{ post(id: 1) { tags(limit: 2) { name } tags_aggregate { aggregate { count } } } }',
      joined,
    );
    expect(printMembers(forwarded.members)).toEqual([
      'join tags',
      'phantom joinery_Post_authorId',
      'phantom joinery_Post_id',
      'join tags_aggregate',
    ]);
    expect(forwarded.members).toMatchObject([
      { join: { target: { want: { shape: 'array', rows: { limit: { value: 2 } } } } } },
      {},
      {},
      { join: { target: { want: { shape: 'aggregate' } } } },
    ]);
  });

  test.each([
    ['one object', '{ post(id: 1) { author { id } author { name } } }'],
    ['a fragment', '{ post(id: 1) { author { id } ... on Post { author { name } } } }'],
    [
      'several fragments',
      '{ any { ...A ...B } } fragment A on Post { author { id } } fragment B on Post { author { name } }',
    ],
  ])('has the fields of all of its selections in %s', (_what, query) => {
    const { members } = forward(query, joined);
    expect(members?.[0]).toMatchObject({
      join: { target: { want: { rows: { fields: [{ alias: 'id' }, { alias: 'name' }] } } } },
    });
  });

  test('selects its keys once in each fragment', () => {
    expect(selectionOf('{ post(id: 1) { author { id } author { name } ... on Post { author { id } } } }', joined)).toBe(
      '{ author: __typename ... on Post { author: __typename joinery_Post_authorId: authorId } joinery_Post_authorId: authorId }',
    );
  });

  test('has keys under the names of the remote schema', () => {
    expect(selectionOf('{ post(id: 1) { author { id } } }', both)).toBe(
      '{ author: __typename joinery_Post_authorId: authorId }',
    );
  });

  test('is found in nested objects', () => {
    const query = '{ any { ... on Post { next { author { id } } } } }';
    expect(printMembers(forward(query, joined).members)).toEqual([
      ['object next', ['join author', 'phantom joinery_Post_authorId']],
    ]);
  });

  test('has arguments with the path of the selection', () => {
    const query = '{ post(id: 1) { next { tags(limit: -1) { name } } } }';
    expect(errorsOf({ model: joined.model, role: ADMIN_ROLE }, query)).toEqual([
      '$.selectionSet.post.selectionSet.next.selectionSet.tags.args.limit: unexpected negative value; give zero or a positive number',
    ]);
  });
});
