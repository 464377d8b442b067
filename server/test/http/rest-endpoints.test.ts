/** REST endpoints: stored operations with URLs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = `
  create table author (id int primary key, name text not null, tags jsonb, joined date);
  insert into author values (1, 'Ada', '{"a": 1}', '2020-01-02'), (2, 'Bea/Cee', null, null), (3, 'X%20Y', null, null);
`;

const queries = [
  { name: 'all', query: 'query @cached(ttl: 5) { author(order_by: {id: asc}) { id } }' },
  { name: 'byName', query: 'query ($name: String!) { author(where: {name: {_eq: $name}}) { id } }' },
  { name: 'byIds', query: 'query ($ids: [Int!]!) { author(where: {id: {_in: $ids}}) { id } }' },
  { name: 'byTags', query: 'query ($tags: jsonb) { author(where: {tags: {_contains: $tags}}) { id } }' },
  {
    name: 'since',
    query:
      'query ($day: date!, $off: Boolean = false) { author(where: {joined: {_gt: $day}}) { id @skip(if: $off) name } }',
  },
  {
    name: 'rename',
    query:
      'mutation ($id: Int!, $name: String!) { update_author_by_pk(pk_columns: {id: $id}, _set: {name: $name}) { name } }',
  },
  { name: 'live', query: 'subscription { author { id } }' },
];

const endpoint = (name: string, url: string, query: string, methods: readonly string[] = ['GET']) => ({
  name,
  url,
  methods,
  definition: { query: { collection_name: 'shop', query_name: query } },
});

let service: TestService;

beforeAll(async () => {
  service = await startService({}, { sql });
  await service.command('track_table', 'author');
  await service.command('create_select_permission', {
    table: 'author',
    role: 'user',
    permission: { columns: ['id'], filter: {} },
  });
  await service.command('create_query_collection', { name: 'shop', definition: { queries } });
  for (const one of [
    endpoint('all', 'authors', 'all'),
    endpoint('byName', 'authors/named/:name', 'byName'),
    endpoint('search', 'search', 'byName', ['GET', 'POST']),
    endpoint('byIds', 'by-ids', 'byIds', ['GET', 'POST']),
    endpoint('byTags', 'by-tags', 'byTags'),
    endpoint('since', 'since/:day', 'since'),
    endpoint('rename', 'authors/:id/name', 'rename', ['PUT', 'PATCH']),
  ]) {
    await service.command('create_rest_endpoint', one);
  }
});

afterAll(() => service?.stop());

async function call(path: string, init: RequestInit = {}): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${service.url}/api/rest/${path}`, init);
  return { status: response.status, body: await response.json() };
}

const ids = (...found: number[]) => ({ status: 200, body: { author: found.map((id) => ({ id })) } });
const asUser = { headers: { 'x-service-role': 'user' } };

describe('a REST endpoint', () => {
  test('responds with the data of the operation, without the member data', async () => {
    expect(await call('authors')).toEqual(ids(1, 2, 3));
    expect(await call('authors', asUser)).toEqual(ids(1, 2, 3));
  });

  test('rejects an unknown URL with 404 and another method with 405', async () => {
    expect(await call('nothing')).toEqual({
      status: 404,
      body: { path: '$', error: 'Endpoint not found', code: 'not-found' },
    });
    expect(await call('authors', { method: 'DELETE' })).toEqual({
      status: 405,
      body: { path: '$', error: 'Allowed methods: GET', code: 'method-not-allowed' },
    });
  });

  test('rejects an operation that the role may not run, with the status of the error', async () => {
    expect(await call('search?name=Ada', asUser)).toMatchObject({
      status: 400,
      body: {
        code: 'validation-failed',
        path: expect.stringContaining('$.selectionSet.author'),
        error: expect.any(String),
      },
    });
  });
});

describe('variables of a REST endpoint', () => {
  test('are taken from the path, decoded once', async () => {
    expect(await call('authors/named/Ada')).toEqual(ids(1));
    expect(await call('authors/named/Bea%2FCee')).toEqual(ids(2));
    expect(await call('authors/named/X%2520Y')).toEqual(ids(3));
    expect(await call('authors/named/%E0')).toMatchObject({ status: 400, body: { code: 'bad-request' } });
  });

  test('are taken from a form of at most 256 kB', async () => {
    const form = (length: number) => ({
      method: 'POST',
      body: `name=Ada&${'-=1&'.repeat(length / 4)}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(await call('search', form(100_000))).toEqual(ids(1));
    expect(await call('search', form(300_000))).toMatchObject({ status: 413, body: { code: 'payload-too-large' } });
  });

  test('are taken from the query string, a JSON body or a form', async () => {
    expect(await call('search?name=%41da')).toEqual(ids(1));
    expect(await call('search', { method: 'POST', body: '{"name":"Ada"}' })).toEqual(ids(1));
    expect(await call('search?name=Ada', { method: 'POST', body: 'null' })).toEqual(ids(1));
    const form = { method: 'POST', body: new URLSearchParams({ name: 'Ada' }) };
    expect(await call('search', form)).toEqual(ids(1));
  });

  test('are read from the path first, then from the body, then from the query string', async () => {
    expect(await call('search?name=Bea', { method: 'POST', body: '{"name":"Ada"}' })).toEqual(ids(1));
    expect(await call('authors/named/Ada?name=Bea')).toEqual(ids(1));
  });

  test('are parsed by their type: numbers, lists, JSON and other scalars', async () => {
    expect(await call('by-ids?ids=1&ids=3')).toEqual(ids(1, 3));
    expect(await call('by-ids?ids=[2,3]')).toEqual(ids(2, 3));
    expect(await call('by-ids', { method: 'POST', body: '{"ids":[2]}' })).toEqual(ids(2));
    expect(await call('by-tags?tags={"a":1}')).toEqual(ids(1));
    expect(await call('since/2020-1-1')).toEqual({ status: 200, body: { author: [{ id: 1, name: 'Ada' }] } });
    expect(await call('since/2020-1-1?off')).toEqual({ status: 200, body: { author: [{ name: 'Ada' }] } });
  });

  test('are rejected by name if they are missing or invalid', async () => {
    expect(await call('search')).toMatchObject({
      status: 400,
      body: { code: 'validation-failed', error: expect.stringContaining('"name"') },
    });
    expect(await call('by-ids?ids=one')).toMatchObject({
      status: 400,
      body: { code: 'validation-failed', path: '$.variables.ids' },
    });
    expect(await call('since/2020-1-1?off=maybe')).toMatchObject({ status: 400, body: { path: '$.variables.off' } });
    expect(await call('search', { method: 'POST', body: '[1]' })).toMatchObject({
      status: 400,
      body: { code: 'parse-failed' },
    });
  });

  test('are passed to a mutation', async () => {
    const renamed = { update_author_by_pk: { name: 'Cleo' } };
    expect(await call('authors/3/name', { method: 'PUT', body: '{"name":"Cleo"}' })).toEqual({
      status: 200,
      body: renamed,
    });
    await call('authors/3/name', { method: 'PATCH', body: '{"name":"X%20Y"}' });
  });
});

describe('the metadata of REST endpoints', () => {
  const rejectionOf = async (type: string, args: unknown) =>
    (await service.post('/v1/query', { type, args })) as { status: number; body: { code: string; error: string } };

  test.each([
    ['foo//bar', 'Empty segments'],
    ['foo/', 'Empty segments'],
    ['foo/:/bar', 'unnamed variables'],
    ['foo/:id/bar/:id', 'Duplicate variables'],
    [':anything', 'Ambiguous URL paths'],
    ['authors/named/:other', 'Ambiguous URL paths'],
    ['../../v1/graphql', '"." and ".." are not allowed as segments'],
    ['foo/./bar', '"." and ".." are not allowed as segments'],
    ['foo/%2E%2e/bar', '"." and ".." are not allowed as segments'],
    ['foo/a\r\nb', 'Control characters are not allowed'],
  ])('rejects the URL %s', async (url, reason) => {
    const { status, body } = await rejectionOf('create_rest_endpoint', endpoint('bad', url, 'all'));
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid-configuration' });
    expect(body.error).toContain(reason);
  });

  test('rejects a subscription and a missing operation', async () => {
    expect((await rejectionOf('create_rest_endpoint', endpoint('bad', 'live', 'live'))).body.error).toContain(
      'subscription',
    );
    expect((await rejectionOf('create_rest_endpoint', endpoint('bad', 'none', 'none'))).body.error).toContain('"none"');
    expect((await rejectionOf('drop_rest_endpoint', { name: 'none' })).body.code).toBe('not-exists');
  });

  const getMutation = endpoint('get', 'get/:id/:name', 'rename', ['GET', 'POST']);

  test('rejects a mutation under GET, alone and in a bulk, unless the endpoint permits it', async () => {
    const bulk = [{ type: 'create_rest_endpoint', args: getMutation }];
    for (const rejected of [
      await rejectionOf('create_rest_endpoint', getMutation),
      await rejectionOf('bulk', bulk),
      await rejectionOf('create_rest_endpoint', { ...getMutation, allow_get_mutation: false }),
    ]) {
      expect(rejected).toMatchObject({ status: 400, body: { code: 'not-supported' } });
      expect(rejected.body.error).toContain('allow_get_mutation');
    }
    await service.command('create_rest_endpoint', { ...getMutation, allow_get_mutation: true });
    expect(await call('get/3/X%2520Y')).toMatchObject({ status: 200 });
    const { rest_endpoints } = (await service.command('export_metadata', {})) as { rest_endpoints: unknown[] };
    expect(rest_endpoints).toContainEqual({ ...getMutation, allow_get_mutation: true });
    await service.command('drop_rest_endpoint', { name: 'get' });
  });

  test('rejects "allow_get_mutation" if it has no effect', async () => {
    for (const one of [endpoint('bad', 'bad', 'all'), endpoint('bad', 'bad', 'rename', ['POST'])]) {
      const { status, body } = await rejectionOf('create_rest_endpoint', { ...one, allow_get_mutation: true });
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'parse-failed' });
    }
  });

  test('loads metadata that has a mutation under GET without the permission, and runs it', async () => {
    const before = (await service.command('export_metadata', {})) as { rest_endpoints: unknown[] };
    const rest_endpoints = [...before.rest_endpoints, getMutation];
    await service.command('replace_metadata', { ...before, rest_endpoints });
    expect(await service.command('get_inconsistent_metadata', {})).toMatchObject({ inconsistent_objects: [] });
    expect(await call('get/3/X%2520Y')).toMatchObject({ status: 200 });
    await service.command('replace_metadata', before);
  });

  test('prevents the drop of a query, a collection or a table that an endpoint uses', async () => {
    const query = { collection_name: 'shop', query_name: 'byIds' };
    expect((await rejectionOf('drop_query_from_collection', query)).body.code).toBe('dependency-error');
    const drop = { collection: 'shop', cascade: false };
    expect((await rejectionOf('drop_query_collection', drop)).body.code).toBe('dependency-error');
    expect((await rejectionOf('untrack_table', { table: 'author' })).body.error).toContain('byIds in shop');
  });

  test('is updated when a collection is renamed, and is exported unchanged', async () => {
    await service.command('rename_query_collection', { name: 'shop', new_name: 'store' });
    expect(await call('authors')).toEqual(ids(1, 2, 3));
    const exported = (await service.command('export_metadata', {})) as { rest_endpoints: { name: string }[] };
    expect(exported.rest_endpoints).toContainEqual({
      ...endpoint('all', 'authors', 'all'),
      definition: { query: { collection_name: 'store', query_name: 'all' } },
    });
    await service.command('replace_metadata', exported);
    expect(await service.command('export_metadata', {})).toEqual(exported);
    await service.command('rename_query_collection', { name: 'store', new_name: 'shop' });
  });

  test('has no effect after an endpoint is dropped', async () => {
    await service.command('create_rest_endpoint', endpoint('brief', 'brief', 'all'));
    expect(await call('brief')).toEqual(ids(1, 2, 3));
    await service.command('drop_rest_endpoint', { name: 'brief' });
    expect(await call('brief')).toMatchObject({ status: 404 });
  });
});
