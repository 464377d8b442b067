/** What the Relay schema has, for each role. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asUser, type RelayService, relayService } from './relay-fixture.ts';

let service: RelayService;

beforeAll(async () => {
  service = await relayService();
}, 60_000);

afterAll(() => service.stop());

interface Introspected {
  readonly data: { readonly __type: { readonly fields: readonly { readonly name: string }[] } | null };
}

async function fieldsOf(type: string, session?: Readonly<Record<string, string>>): Promise<readonly string[] | null> {
  const result = await service.relay(`{ __type(name: "${type}") { fields { name } } }`, session);
  return (result as Introspected).data.__type?.fields.map(({ name }) => name) ?? null;
}

describe('the Relay schema', () => {
  const connections = ['article_connection', 'author_connection', 'person_connection', 'shop_item_connection'];
  const functions = ['first_article_connection', 'search_articles_connection'];

  test.each([
    ['query_root', [...connections, ...functions, 'node']],
    ['subscription_root', [...connections, ...functions, 'node']],
    ['articleConnection', ['edges', 'pageInfo']],
    ['articleEdge', ['cursor', 'node']],
    ['PageInfo', ['endCursor', 'hasNextPage', 'hasPreviousPage', 'startCursor']],
    ['Node', ['id']],
    ['author', ['articles', 'articles_aggregate', 'articles_connection', 'id', 'name']],
    ['person', ['age', 'first_name', 'id', 'last_name']],
    ['article_max_fields', ['author_id', 'content', 'id', 'title']],
  ])('has in %s the fields %j', async (type, fields) => {
    expect((await fieldsOf(type))?.toSorted()).toEqual(fields.toSorted());
  });

  test('has the mutations of the usual schema', async () => {
    const query = '{ __type(name: "mutation_root") { fields { name } } }';
    expect(await service.relay(query)).toEqual(await service.graphql(query));
  });

  test('hides from a role what it may not select', async () => {
    expect((await fieldsOf('query_root', asUser(1)))?.toSorted()).toEqual(
      ['article_connection', 'author_connection', ...functions, 'node'].toSorted(),
    );
    expect(await fieldsOf('personConnection', asUser(1))).toBeNull();
    expect(await fieldsOf('author', asUser(1))).toEqual(['articles', 'articles_connection', 'id', 'name']);
  });

  test('gives a role without permissions the field node alone', async () => {
    expect(await fieldsOf('query_root', { 'x-service-role': 'without_permissions' })).toEqual(['node']);
  });

  test.each([
    ['authorConnection', ['edges: [authorEdge!]!', 'pageInfo: PageInfo!']],
    ['authorEdge', ['cursor: String!', 'node: author!']],
    ['PageInfo', ['endCursor: String!', 'hasNextPage: Boolean!', 'hasPreviousPage: Boolean!', 'startCursor: String!']],
    [
      'author',
      [
        'articles: [article!]!',
        'articles_aggregate: article_aggregate!',
        'articles_connection: articleConnection!',
        'id: ID!',
        'name: String!',
      ],
    ],
    ['Node', ['id: ID!']],
  ])('types the fields of %s as Hasura v2 does', async (type, fields) => {
    const query = `{ __type(name: "${type}") { fields { name type { ...T } } } } ${typeFragment}`;
    const { data } = (await service.relay(query)) as { data: { __type: { fields: readonly Typed[] } } };
    expect(data.__type.fields.map(declared)).toEqual(fields);
  });

  test('has the arguments of Hasura v2', async () => {
    const query = `{ __schema { queryType { fields { name type { ...T } args { name type { ...T } } } } } } ${typeFragment}`;
    const { data } = (await service.relay(query)) as {
      data: { __schema: { queryType: { fields: readonly (Typed & { args: readonly Typed[] })[] } } };
    };
    const fields = data.__schema.queryType.fields.map((field) => {
      return [declared(field), field.args.map(declared).join(', ')];
    });
    const paged = 'last: Int, order_by: [article_order_by!], where: article_bool_exp';
    const page = `after: String, before: String, distinct_on: [article_select_column!], first: Int, ${paged}`;
    expect(Object.fromEntries(fields)).toMatchObject({
      'node: Node': 'id: ID!',
      'article_connection: articleConnection!': page,
      'search_articles_connection: articleConnection!': `after: String, args: search_articles_args!, ${page.slice(15)}`,
    });
  });

  test('has an interface for all rows with a primary key', async () => {
    const query = `{
      __type(name: "Node") { kind description possibleTypes { name } }
      row: __type(name: "article") { interfaces { name } }
    }`;
    expect(await service.relay(query)).toEqual({
      data: {
        __type: {
          kind: 'INTERFACE',
          description: 'An object with globally unique ID',
          possibleTypes: ['article', 'author', 'person', 'shop_item'].map((name) => ({ name })),
        },
        row: { interfaces: [{ name: 'Node' }] },
      },
    });
  });

  test('leaves the usual schema unchanged', async () => {
    expect(await service.graphql('{ author_connection { edges { cursor } } }')).toMatchObject({
      errors: [{ message: expect.stringContaining('author_connection'), extensions: { code: 'validation-failed' } }],
    });
    expect(await service.graphql('{ author(where: { id: { _eq: 1 } }) { id } }')).toEqual({
      data: { author: [{ id: 1 }] },
    });
  });
});

interface Typed {
  readonly name: string;
  readonly type: TypeReference;
}

const typeFragment =
  'fragment T on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }';

/** The field or argument in the notation of GraphQL. */
function declared({ name, type }: Typed): string {
  return `${name}: ${notation(type)}`;
}

interface TypeReference {
  readonly kind: string;
  readonly name: string | null;
  readonly ofType?: TypeReference | null;
}

function notation({ kind, name, ofType }: TypeReference): string {
  if (ofType === undefined || ofType === null) return String(name);
  return kind === 'LIST' ? `[${notation(ofType)}]` : `${notation(ofType)}!`;
}
