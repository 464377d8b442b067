/** Connections of the Relay schema: pages, cursors and what is around a page. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asUser, encoded, type RelayService, relayService } from './relay-fixture.ts';

let service: RelayService;

beforeAll(async () => {
  service = await relayService();
}, 60_000);

afterAll(() => service.stop());

const info = 'pageInfo { startCursor endCursor hasPreviousPage hasNextPage }';

interface Page {
  readonly pageInfo: {
    readonly startCursor: string;
    readonly endCursor: string;
    readonly hasPreviousPage: boolean;
    readonly hasNextPage: boolean;
  };
  readonly edges: readonly { readonly cursor: string; readonly node: Readonly<Record<string, unknown>> }[];
}

async function articles(args: string, session?: Readonly<Record<string, string>>): Promise<Page> {
  const query = `{ article_connection${args} { ${info} edges { cursor node { title } } } }`;
  const result = await service.relay(query, session);
  return (result as { data: { article_connection: Page } }).data.article_connection;
}

/** The numbers of the titles, and whether there are rows before and after. */
async function summary(args: string, session?: Readonly<Record<string, string>>): Promise<string> {
  const { pageInfo, edges } = await articles(args, session);
  const numbers = edges.map(({ node }) => String(node.title).replace('Article ', ''));
  return `${pageInfo.hasPreviousPage ? '<' : ''}${numbers.join(' ')}${pageInfo.hasNextPage ? '>' : ''}`;
}

const after = (id: number) => `after: "${encoded(`{"id" : ${id}}`)}"`;
const before = (id: number) => `before: "${encoded(`{"id" : ${id}}`)}"`;

describe('a connection', () => {
  test('has ids, cursors and the page as Hasura v2 encodes them', async () => {
    const query = `{ article_connection(first: 1) { __typename ${info} edges { __typename cursor
      node_id: node { id } node { title author { name } } } } }`;
    expect(await service.relay(query)).toEqual({
      data: {
        article_connection: {
          __typename: 'articleConnection',
          pageInfo: {
            startCursor: 'eyJpZCIgOiAxfQ==',
            endCursor: 'eyJpZCIgOiAxfQ==',
            hasPreviousPage: false,
            hasNextPage: true,
          },
          edges: [
            {
              __typename: 'articleEdge',
              cursor: 'eyJpZCIgOiAxfQ==',
              node_id: { id: 'WzEsICJwdWJsaWMiLCAiYXJ0aWNsZSIsIDFd' },
              node: { title: 'Article 1', author: { name: 'Author 1' } },
            },
          ],
        },
      },
    });
  });

  test.each([
    ['', '1 2 3 4 5 6'],
    ['(first: 2)', '1 2>'],
    [`(first: 2, ${after(2)})`, '<3 4>'],
    [`(first: 2, ${after(4)})`, '<5 6'],
    [`(first: 9, ${after(4)})`, '<5 6'],
    [`(${after(4)})`, '<5 6'],
    ['(last: 3)', '<4 5 6'],
    [`(last: 2, ${before(4)})`, '<2 3>'],
    [`(last: 2, ${before(2)})`, '1>'],
    [`(${before(3)})`, '1 2>'],
    [`(first: 2, ${before(5)})`, '1 2>'],
    [`(first: 4, ${before(5)})`, '1 2 3 4>'],
    [`(last: 2, ${after(2)})`, '<5 6'],
    [`(last: 4, ${after(2)})`, '<3 4 5 6'],
    [`(first: 2, ${after(6)})`, ''],
    [`(last: 2, ${before(1)})`, ''],
    ['(first: 0)', ''],
    ['(last: 0)', ''],
    [`(${after(99)})`, ''],
    ['(first: null, last: 1, after: null)', '<6'],
    ['(order_by: { title: desc }, first: 2)', '6 5>'],
    ['(order_by: { is_published: asc }, first: 3)', '3 5 1>'],
    ['(order_by: [{ author_id: desc }, { title: desc }], last: 2)', '<2 1'],
    ['(order_by: { author: { name: desc } }, first: 3)', '6 4 5>'],
    ['(where: { author_id: { _eq: 1 } }, last: 2)', '<2 3'],
    ['(distinct_on: author_id, first: 2)', '1 4>'],
    ['(distinct_on: author_id, order_by: [{ author_id: asc }, { id: desc }], last: 2)', '<5 6'],
  ])('with %s has the rows %j', async (args, rows) => {
    expect(await summary(args)).toBe(rows);
  });

  test('has empty cursors without rows', async () => {
    expect((await articles('(where: { id: { _eq: 99 } })')).pageInfo).toEqual({
      startCursor: '',
      endCursor: '',
      hasPreviousPage: false,
      hasNextPage: false,
    });
  });

  test.each([
    ['(order_by: { title: asc }, first: 1)', '{"title" : "Article 1", "id" : 1}'],
    ['(order_by: { author: { name: asc } }, first: 1)', '{"author" : {"name" : "Author 1"}, "id" : 1}'],
    [
      '(order_by: [{ author: { name: asc } }, { author: { id: desc } }, { id: desc }], first: 1)',
      '{"author" : {"name" : "Author 1", "id" : 1}, "id" : 3}',
    ],
    ['(order_by: { id: asc, title: desc }, first: 1)', '{"id" : 1, "title" : "Article 1"}'],
  ])('with %s has the cursor %s', async (args, cursor) => {
    const { edges, pageInfo } = await articles(args);
    expect(Buffer.from(edges[0]?.cursor ?? '', 'base64').toString()).toBe(cursor);
    expect(pageInfo).toMatchObject({ startCursor: edges[0]?.cursor, endCursor: edges[0]?.cursor });
  });

  test('is sorted by aggregates, whose values are in the cursor', async () => {
    const page = (args: string) => `{ author_connection(order_by: { articles_aggregate: { count: asc } }, ${args}) {
      ${info} edges { cursor node { name articles_aggregate { aggregate { count } } } } } }`;
    const result = await service.relay(page('first: 2'));
    const end = 'eyJhcnRpY2xlc19hZ2dyZWdhdGUiIDogeyJjb3VudCIgOiAxfSwgImlkIiA6IDN9';
    expect(result).toMatchObject({
      data: {
        author_connection: {
          pageInfo: { endCursor: end, hasPreviousPage: false, hasNextPage: true },
          edges: [{ node: { name: 'Author 4' } }, { cursor: end, node: { name: 'Author 3' } }],
        },
      },
    });
    expect(await service.relay(page(`first: 2, after: "${end}"`))).toMatchObject({
      data: {
        author_connection: {
          pageInfo: { hasPreviousPage: true, hasNextPage: false },
          edges: [{ node: { name: 'Author 2' } }, { node: { name: 'Author 1' } }],
        },
      },
    });
  });

  test('takes a cursor and a size from variables', async () => {
    const query = `query ($after: String, $first: Int) {
      article_connection(after: $after, first: $first) { pageInfo { hasNextPage } edges { node { title } } } }`;
    const page = async (variables: object) => JSON.stringify(await service.relay(query, {}, variables));
    expect(await page({ after: encoded('{"id": 4}'), first: 1 })).toContain(
      '"pageInfo":{"hasNextPage":true},"edges":[{"node":{"title":"Article 5"}}]',
    );
    expect(await page({ after: encoded('{"id": 5}'), first: 1 })).toContain(
      '"pageInfo":{"hasNextPage":false},"edges":[{"node":{"title":"Article 6"}}]',
    );
    expect(await page({ after: encoded('{"id": "x"}'), first: 1 })).toContain('cursor is invalid');
    expect(await page({ after: null, first: null })).toContain('Article 1');
  });

  test('is a field of a row for each array relationship, with its own page', async () => {
    const query = `{ author_connection(first: 2) { edges { node { name
      articles_connection(first: 1, order_by: { id: desc }) { ${info} edges { node { title } } } } } } }`;
    const article = (title: string, id: number) => ({
      pageInfo: {
        startCursor: encoded(`{"id" : ${id}}`),
        endCursor: encoded(`{"id" : ${id}}`),
        hasPreviousPage: false,
        hasNextPage: true,
      },
      edges: [{ node: { title } }],
    });
    expect(await service.relay(query)).toEqual({
      data: {
        author_connection: {
          edges: [
            { node: { name: 'Author 1', articles_connection: article('Article 3', 3) } },
            { node: { name: 'Author 2', articles_connection: article('Article 5', 5) } },
          ],
        },
      },
    });
  });

  test('reads the rows of a function', async () => {
    const query = `{ search_articles_connection(args: { search: "article" }, first: 1, ${after(2)}) {
      ${info} edges { node { title } } }
      first_article_connection { ${info} edges { node { title } } } }`;
    expect(await service.relay(query)).toMatchObject({
      data: {
        search_articles_connection: {
          pageInfo: { hasPreviousPage: true, hasNextPage: true },
          edges: [{ node: { title: 'Article 3' } }],
        },
        first_article_connection: { pageInfo: { startCursor: '' }, edges: [] },
      },
    });
  });

  test('is one statement with the other roots of the source', async () => {
    const query = `{ article_connection(first: 1) { ${info} edges { node { author { id } } } } node(id: "${encoded(
      '[1, "public", "author", 1]',
    )}") { id } }`;
    const { body } = await service.post('/v1/graphql/explain', { query: { query }, is_relay: true });
    expect(new Set((body as readonly { sql: string }[]).map(({ sql }) => sql)).size).toBe(1);
  });
});

describe('permissions', () => {
  test('hide rows from pages, and from what is around them', async () => {
    expect(await summary('', asUser(2))).toBe('1 2 4 5 6');
    expect(await summary('(first: 2)', asUser(2))).toBe('1 2>');
    expect(await summary(`(first: 2, ${after(3)})`, asUser(2))).toBe('<4 5>');
    expect(await summary(`(last: 2, ${before(5)})`, asUser(1))).toBe('<3 4>');
  });

  test('do not let a cursor of a hidden row say more than its position', async () => {
    expect(await summary(`(first: 1, ${after(5)})`, asUser(1))).toBe('<6');
  });

  test('restrict order_by and where to the columns of the role', async () => {
    const query = '{ article_connection(order_by: { id: asc }) { edges { cursor } } }';
    expect(await service.relay(query, asUser(1))).toMatchObject({
      errors: [{ extensions: { code: 'validation-failed' } }],
    });
  });

  test('limit the rows of each page', async () => {
    await service.command('create_select_permission', {
      table: 'article',
      role: 'limited',
      permission: { columns: ['title'], filter: {}, limit: 2 },
    });
    const limited = { 'x-service-role': 'limited' };
    expect(await summary('', limited)).toBe('1 2>');
    expect(await summary('(first: 5)', limited)).toBe('1 2>');
    expect(await summary('(last: 5)', limited)).toBe('<5 6');
    expect(await summary(`(first: 1, ${after(1)})`, limited)).toBe('<2>');
  });
});

describe('a connection is rejected', () => {
  const path = '$.selectionSet.article_connection.args';
  const invalid = 'the "after" or "before" cursor is invalid';
  test.each([
    ['first: 1, last: 1', '"first" and "last" are not allowed at once', path],
    [`${after(1)}, ${before(3)}`, '"after" and "before" are not allowed at once', path],
    ['after: "random"', invalid, path],
    ['before: ""', invalid, path],
    [`after: "${encoded('[1]')}"`, invalid, path],
    [`after: "${encoded('{"title": "x"}')}"`, invalid, path],
    [`after: "${encoded('{"id": "1) or true --"}')}"`, invalid, path],
    [`after: "${encoded('{"id": null}')}"`, invalid, path],
    [`after: "${encoded('{"id": {"a": 1}}')}"`, invalid, path],
    [`order_by: { title: asc }, after: "${encoded('{"id": 1}')}"`, invalid, path],
    ['first: -1', 'unexpected negative value', `${path}.first`],
    ['last: -1', 'unexpected negative value', `${path}.last`],
    ['distinct_on: title, order_by: { id: asc }', '"distinct_on" columns must match', path],
    ['limit: 1', "'limit'", '$.selectionSet.article_connection'],
  ])('with %s', async (args, message, at) => {
    expect(await service.relay(`{ article_connection(${args}) { edges { cursor } } }`)).toMatchObject({
      errors: [{ message: expect.stringContaining(message), extensions: { path: at, code: 'validation-failed' } }],
    });
  });
});
