/** The Relay schema of sources with customized names and of several sources, and its connections under a row limit. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encoded, type RelayService, relayService } from './relay-fixture.ts';

let service: RelayService;

beforeAll(async () => {
  service = await relayService({ JOINERY_MAX_ROWS: '4' });
}, 60_000);

afterAll(() => service.stop());

const run = (text: string) => service.database.database.query({ text, values: [] });

/** Applies metadata with a source for each customization, all of the same database. */
async function apply(sources: Readonly<Record<string, object>>): Promise<void> {
  const entries = Object.entries(sources).map(([name, more]) => ({
    name,
    kind: 'postgres',
    configuration: { connection_info: { database_url: service.database.url } },
    tables: [
      {
        table: 'author',
        array_relationships: [
          { name: 'articles', using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } } },
        ],
      },
      { table: 'article' },
    ],
    functions: [{ function: 'search_articles' }],
    ...more,
  }));
  await service.command('replace_metadata', { metadata: { version: 3, sources: entries } });
}

const roots = async () => {
  const result = await service.relay('{ __schema { queryType { fields { name } } } }');
  return (
    result as { data: { __schema: { queryType: { fields: { name: string }[] } } } }
  ).data.__schema.queryType.fields
    .map(({ name }) => name)
    .toSorted();
};

describe('the Relay schema', () => {
  test('follows the naming convention of the source', async () => {
    await apply({ default: { customization: { naming_convention: 'graphql-default' } } });
    expect(await roots()).toEqual(['articleConnection', 'authorConnection', 'node', 'searchArticles_connection']);
    const query = `{ authorConnection(first: 1, orderBy: { articlesAggregate: { count: DESC } }) { __typename
      edges { __typename node { __typename articles_connection(last: 1) { __typename edges { node { authorId } } } } } } }`;
    expect(await service.relay(query)).toEqual({
      data: {
        authorConnection: {
          __typename: 'AuthorConnection',
          edges: [
            {
              __typename: 'AuthorEdge',
              node: {
                __typename: 'Author',
                articles_connection: { __typename: 'ArticleConnection', edges: [{ node: { authorId: 1 } }] },
              },
            },
          ],
        },
      },
    });
  });

  test('has prefixes, suffixes and the namespace of a source; node is outside of it', async () => {
    await apply({
      default: {
        customization: {
          root_fields: { namespace: 'shop', prefix: 'my_', suffix: '_now' },
          type_names: { prefix: 'My', suffix: 'Type' },
        },
      },
    });
    expect(await roots()).toEqual(['node', 'shop']);
    const ofFunction =
      '{ shop { my_search_articles_connection_now(args: {search: "1"}) { edges { node { title } } } } }';
    expect(await service.relay(ofFunction)).toEqual({
      data: { shop: { my_search_articles_connection_now: { edges: [{ node: { title: 'Article 1' } }] } } },
    });
    const id = encoded('[1, "public", "author", 1]');
    const query = `{ shop { my_author_connection_now(first: 1) { __typename edges { __typename node { __typename id } } } }
      node(id: "${id}") { __typename } }`;
    expect(await service.relay(query)).toEqual({
      data: {
        shop: {
          my_author_connection_now: {
            __typename: 'MyauthorConnectionType',
            edges: [{ __typename: 'MyauthorEdgeType', node: { __typename: 'MyauthorType', id } }],
          },
        },
        node: { __typename: 'MyauthorType' },
      },
    });
  });

  test('adds an underscore to names of its types that tables or actions have', async () => {
    await run(
      'create table "articleConnection" (id int primary key, x int); insert into "articleConnection" values (1, 5)',
    );
    const action = { name: 'ping', definition: { handler: 'http://127.0.0.1:1', output_type: 'authorEdge' } };
    await apply({ default: {} });
    await service.command('track_table', 'articleConnection');
    await service.command('set_custom_types', {
      objects: [{ name: 'authorEdge', fields: [{ name: 'y', type: 'Int' }] }],
    });
    await service.command('create_action', action);
    const query = `{ article_connection(first: 1) { __typename edges { __typename node { title } } }
      author_connection(first: 1) { __typename edges { __typename } }
      articleConnection_connection { __typename edges { node { __typename x } } }
      edge: __type(name: "authorEdge") { fields { name } } }`;
    expect(await service.relay(query)).toEqual({
      data: {
        article_connection: {
          __typename: 'articleConnection_',
          edges: [{ __typename: 'articleEdge', node: { title: 'Article 1' } }],
        },
        author_connection: { __typename: 'authorConnection', edges: [{ __typename: 'authorEdge_' }] },
        articleConnection_connection: {
          __typename: 'articleConnectionConnection',
          edges: [{ node: { __typename: 'articleConnection', x: 5 } }],
        },
        edge: { fields: [{ name: 'y' }] },
      },
    });
    await run('drop table "articleConnection"');
  });

  test('is rejected where a type of an action has the name of an interface', async () => {
    await apply({ default: {} });
    await service.command('set_custom_types', {
      objects: [{ name: 'PageInfo', fields: [{ name: 'y', type: 'Int' }] }],
    });
    const definition = { handler: 'http://127.0.0.1:1', output_type: 'PageInfo' };
    await service.command('create_action', { name: 'ping', definition });
    expect(await service.relay('{ author_connection { edges { cursor } } }')).toMatchObject({
      errors: [{ extensions: { code: 'not-supported' } }],
    });
    await service.command('drop_action', { name: 'ping' });
  });

  test('joins rows of other sources, and rejects ids of tables in several', async () => {
    const prefix = { root_fields: { prefix: 'other_' }, type_names: { prefix: 'other_' } };
    await apply({ default: {}, other: { customization: prefix } });
    await service.command('pg_create_remote_relationship', {
      source: 'default',
      table: 'article',
      name: 'writer',
      definition: {
        to_source: {
          source: 'other',
          table: 'author',
          relationship_type: 'object',
          field_mapping: { author_id: 'id' },
        },
      },
    });
    const query = `{ article_connection(last: 1) { edges { node { title writer { name } } } }
      author_connection(first: 1) { edges { node { articles_connection(first: 1) { edges { node { writer { name } } } } } } } }`;
    expect(await service.relay(query)).toEqual({
      data: {
        article_connection: { edges: [{ node: { title: 'Article 6', writer: { name: 'Author 3' } } }] },
        author_connection: {
          edges: [{ node: { articles_connection: { edges: [{ node: { writer: { name: 'Author 1' } } }] } } }],
        },
      },
    });
    const id = encoded('[1, "public", "author", 1]');
    expect(await service.relay(`{ node(id: "${id}") { id } }`)).toMatchObject({
      errors: [{ message: expect.stringContaining('more than one table across different sources') }],
    });
  });

  test('rejects a table with the name of one of its types, which the usual schema can have', async () => {
    const tables = [{ table: 'author', configuration: { custom_name: 'Node' } }];
    await apply({ default: { tables, functions: [] } });
    expect(await service.relay('{ __typename }')).toMatchObject({
      errors: [{ message: expect.stringContaining('set a custom_name'), extensions: { code: 'not-supported' } }],
    });
    expect(await service.graphql('{ Node(where: { id: { _eq: 1 } }) { name } }')).toEqual({
      data: { Node: [{ name: 'Author 1' }] },
    });
  });
});

test('has no hints of the usual schema in its errors', async () => {
  await apply({ default: {} });
  const query = '{ autor { name } }';
  expect(await service.graphql(query)).toMatchObject({ errors: [{ extensions: { hint: 'did you mean "author"?' } }] });
  expect(JSON.stringify(await service.relay(query))).not.toContain('hint');
});

describe('the row limit of the service', () => {
  test('fails a connection without a size, and permits smaller pages and page information', async () => {
    await apply({ default: {} });
    const page = (args: string, part = 'edges { cursor }') =>
      service.relay(`{ article_connection${args} { ${part} pageInfo { hasNextPage } } }`);
    const tooMany = { errors: [{ extensions: { code: 'result-limit-exceeded' } }] };
    expect(await page('')).toMatchObject(tooMany);
    expect(await page('(first: 5)')).toMatchObject(tooMany);
    expect(await page('(first: 4)')).toMatchObject({
      data: { article_connection: { pageInfo: { hasNextPage: true } } },
    });
    expect(await page('', '__typename')).toMatchObject({ data: {} });
  });
});
