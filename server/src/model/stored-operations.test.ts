/** Tests of REST endpoints and the allow list. */
import { Metadata } from '@joinery/metadata/metadata';
import { describe, expect, test } from 'vitest';
import { draftOf } from '../../test/support/model/draft.ts';
import { runAtOnce } from '../base/steps.ts';
import { resolveStoredOperations } from './stored-operations.ts';

const collection = (name: string, queries: Readonly<Record<string, string>>) => ({
  name,
  definition: { queries: Object.entries(queries).map(([query, text]) => ({ name: query, query: text })) },
});
const query_collections = [
  collection('shop', { orders: '{ orders }', pay: 'mutation { pay }' }),
  collection('blog', { posts: '{ posts }' }),
  collection('blog', { hidden: '{ hidden }' }),
];

function resolved(more: object) {
  const { draft, reports } = draftOf({});
  const metadata = Metadata.parse({ version: 3, query_collections, ...more });
  return { stored: runAtOnce(resolveStoredOperations({ ...draft, input: { ...draft.input, metadata } })), reports };
}

const endpoint = (url: string, more: object = {}) => ({
  name: url,
  url,
  methods: ['GET'],
  definition: { query: { collection_name: 'shop', query_name: 'orders' } },
  ...more,
});
const routesOf = (...rest_endpoints: unknown[]) => {
  const { stored, reports } = resolved({ rest_endpoints });
  return { urls: stored.routes.map(({ url }) => url), reports };
};
const reasonsOf = (...rest_endpoints: unknown[]) => routesOf(...rest_endpoints).reports.map(({ reason }) => reason);

test('lists all documents of the query collections', () => {
  expect(resolved({}).stored).toEqual({
    routes: [],
    allowed: { allRoles: [], byRole: new Map() },
    documents: ['{ orders }', 'mutation { pay }', '{ posts }', '{ hidden }'],
  });
});

describe('an endpoint', () => {
  test('has the segments of its URL and its query', () => {
    const { stored, reports } = resolved({
      rest_endpoints: [endpoint('shop/:id/orders', { name: 'orders', comment: 'of a shop' })],
    });
    expect(reports).toEqual([]);
    expect(stored.routes).toEqual([
      {
        name: 'orders',
        url: 'shop/:id/orders',
        segments: [
          { kind: 'text', text: 'shop' },
          { kind: 'variable', name: 'id' },
          { kind: 'text', text: 'orders' },
        ],
        methods: ['GET'],
        query: '{ orders }',
        comment: 'of a shop',
        allowsGetMutation: false,
      },
    ]);
  });

  test.each([null, undefined])('has no comment for %j', (comment) => {
    const { stored } = resolved({ rest_endpoints: [endpoint('a', { ...(comment === null && { comment }) })] });
    expect(stored.routes[0]).toMatchObject({ comment: undefined });
  });

  test('permits a mutation by GET only if it is set', () => {
    expect(
      resolved({ rest_endpoints: [endpoint('a', { allow_get_mutation: true })] }).stored.routes[0]?.allowsGetMutation,
    ).toBe(true);
  });

  test.each([
    ['a//b', 'Empty segments or unnamed variables are not allowed: a//b'],
    ['a/', 'Empty segments or unnamed variables are not allowed: a/'],
    ['a/:', 'Empty segments or unnamed variables are not allowed: a/:'],
    ['a/./b', '"." and ".." are not allowed as segments: a/./b'],
    ['a/..', '"." and ".." are not allowed as segments: a/..'],
    ['a/%2E%2e', '"." and ".." are not allowed as segments: a/%2E%2e'],
    ['a/b\u0001', 'Control characters are not allowed: "a/b\\u0001"'],
    [':id/:id', 'Duplicate variables found in endpoint path: :id/:id'],
  ])('with the URL %j is rejected', (url, reason) => {
    expect(reasonsOf(endpoint(url))).toEqual([reason]);
  });

  test.each(['a.b', '...', 'a..', '..a', '.a', 'a/id/:id', 'id/id', ':id/:other', 'a:b', 'a%2e'])(
    'may have the URL %s',
    (url) => {
      expect(routesOf(endpoint(url))).toEqual({ urls: [url], reports: [] });
    },
  );

  const noQuery = (collection_name: string, query_name: string) =>
    endpoint('a', { definition: { query: { collection_name, query_name } } });
  test.each([
    ['shop', 'none'],
    ['none', 'orders'],
    ['blog', 'hidden'],
  ])('needs its query: %s %s', (collection_name, query_name) => {
    const written = noQuery(collection_name, query_name);
    expect(routesOf(endpoint('b'), written)).toEqual({
      urls: ['b'],
      reports: [
        {
          type: 'rest_endpoint',
          name: 'rest_endpoint a',
          path: '$.rest_endpoints[1]',
          code: 'invalid-configuration',
          reason: `there is no query "${query_name}" in a query collection "${collection_name}"; add it with add_query_to_collection`,
          definition: written,
        },
      ],
    });
  });

  test('has the first of several queries with its name', () => {
    const [shop] = query_collections;
    const repeated = {
      name: 'shop',
      definition: { queries: [...(shop?.definition.queries ?? []), { name: 'orders', query: '{ other }' }] },
    };
    const { stored } = resolved({ query_collections: [repeated], rest_endpoints: [endpoint('a')] });
    expect(stored.routes[0]?.query).toBe('{ orders }');
  });
});

describe('endpoints conflict', () => {
  test('if one request matches both: the more general one is dropped, and the error lists the URLs', () => {
    const { urls, reports } = routesOf(endpoint(':a/:b'), endpoint('x/:b'), endpoint(':a/y'), endpoint('x/z'));
    expect(urls).toEqual(['x/z', ':a/y']);
    expect(reports).toMatchObject([
      { path: '$.rest_endpoints[1]', name: 'rest_endpoint x/:b', reason: 'Ambiguous URL paths: x/:b, x/z' },
      { path: '$.rest_endpoints[0]', reason: 'Ambiguous URL paths: :a/:b, :a/y, x/z' },
    ]);
  });

  test.each([
    ['a', 'a'],
    ['a/:b', 'a/b'],
    [':a/b', 'a/:b'],
  ])('%s and %s', (one, other) => {
    expect(reasonsOf(endpoint(one, { name: 'one' }), endpoint(other))).toEqual([
      `Ambiguous URL paths: ${[one, other].sort().join(', ')}`,
    ]);
  });

  test.each([
    ['a', 'b', ['GET']],
    ['a', 'a/b', ['GET']],
    [':a', 'a/b', ['GET']],
    ['a/b', 'a/c', ['GET']],
    [':x/b', 'a/c', ['GET']],
    ['a', 'a', ['POST', 'PUT']],
  ])('not: %s and %s by %j', (one, other, methods) => {
    expect(reasonsOf(endpoint(one, { name: 'one' }), endpoint(other, { methods }))).toEqual([]);
  });

  test('if they share one of several methods', () => {
    expect(
      reasonsOf(endpoint('a', { name: 'one', methods: ['PUT', 'GET'] }), endpoint('a', { methods: ['POST', 'GET'] })),
    ).toHaveLength(1);
  });
});

describe('the allow list', () => {
  const allowedOf = (...allowlist: unknown[]) => resolved({ allowlist });

  test('permits the queries of a collection to all roles or to some', () => {
    const { stored, reports } = allowedOf(
      { collection: 'shop', scope: { global: false, roles: ['user', 'buyer'] } },
      { collection: 'blog', scope: { global: false, roles: ['user'] } },
      { collection: 'blog' },
      { collection: 'shop', scope: { global: true } },
    );
    expect(reports).toEqual([]);
    expect(stored.allowed).toEqual({
      allRoles: ['{ posts }', '{ orders }', 'mutation { pay }'],
      byRole: new Map([
        ['user', ['{ orders }', 'mutation { pay }', '{ posts }']],
        ['buyer', ['{ orders }', 'mutation { pay }']],
      ]),
    });
  });

  test('rejects a collection that does not exist, and permits the others', () => {
    const { stored, reports } = allowedOf({ collection: 'none' }, { collection: 'blog' });
    expect(stored.allowed.allRoles).toEqual(['{ posts }']);
    expect(reports).toEqual([
      {
        type: 'allowlist',
        name: 'allowlist collection none',
        path: '$.allowlist[0]',
        code: 'invalid-configuration',
        reason: 'query collection "none" does not exist; create it, or take it out of the allow list',
        definition: { collection: 'none' },
      },
    ]);
  });
});
