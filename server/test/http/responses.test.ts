/** Transport of responses: compression, entity tags, persisted queries and the size limit. */
import { createHash } from 'node:crypto';
import { get } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chooseEncoding } from '../../src/http/middleware/compression.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = `
  create table author (id int primary key, name text not null);
  insert into author select n, repeat('name ', 20) from generate_series(1, 500) n;
`;
const all = '{ author(order_by: {id: asc}) { id name } }';
const stored = 'query Stored { author(where: {id: {_eq: 7}}) { id } }';

let service: TestService;

beforeAll(async () => {
  service = await startService({ JOINERY_MAX_RESULT_BYTES: '100000', JOINERY_PERSISTED_QUERIES: '3' }, { sql });
  await service.command('track_table', 'author');
  await service.command('create_query_collection', {
    name: 'app',
    definition: { queries: [{ name: 'stored', query: stored }] },
  });
  await service.command('create_rest_endpoint', {
    name: 'stored',
    url: 'stored',
    methods: ['GET'],
    definition: { query: { collection_name: 'app', query_name: 'stored' } },
  });
});

afterAll(() => service?.stop());

interface RawResponse {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

/** Returns the response as it is transferred; `fetch` would decompress it. */
function rawGet(path: string, headers: Readonly<Record<string, string>> = {}): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const request = get(service.url + path, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    request.on('error', reject);
  });
}

function pathOf(query: string): string {
  return `/v1/graphql?${new URLSearchParams({ query })}`;
}

describe('compression', () => {
  it('uses the first of the configured encodings that the client accepts', async () => {
    const plain = await rawGet(pathOf(all));
    expect(plain.headers).toMatchObject({ vary: expect.stringContaining('accept-encoding') });
    expect(plain.headers['content-encoding']).toBeUndefined();
    const gzipped = await rawGet(pathOf(all), { 'accept-encoding': 'br, gzip' });
    expect(gzipped.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzipped.body)).toEqual(plain.body);
    expect(gzipped.body.length).toBeLessThan(plain.body.length / 4);
    const brotli = await rawGet(pathOf(all), { 'accept-encoding': 'br, gzip;q=0' });
    expect(brotli.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(brotli.body)).toEqual(plain.body);
  });

  it('is not applied to small responses', async () => {
    const { headers } = await rawGet(pathOf('{ author(limit: 1) { id } }'), { 'accept-encoding': 'gzip' });
    expect(headers['content-encoding']).toBeUndefined();
  });

  it.each([
    ['gzip', 'gzip'],
    ['*', 'gzip'],
    ['br', 'br'],
    ['gzip;q=0, *', 'br'],
    ['identity', undefined],
    ['', undefined],
    ['GZIP ; Q=0.5', 'gzip'],
  ] as const)('for "Accept-Encoding: %s" uses %s', (accepted, encoding) => {
    expect(chooseEncoding(accepted, ['gzip', 'br'])).toBe(encoding);
  });
});

describe('an entity tag', () => {
  it.each(['/v1/graphql?query={author(limit:1){id}}', '/api/rest/stored'])(
    'of a GET %s gives 304 while the response is unchanged',
    async (path) => {
      const first = await rawGet(path);
      expect(first.headers['cache-control']).toBe('private, no-cache');
      const tag = String(first.headers.etag);
      expect(await rawGet(path, { 'if-none-match': tag })).toMatchObject({ status: 304, body: Buffer.alloc(0) });
      expect(await rawGet(path, { 'if-none-match': '"another"' })).toMatchObject({ status: 200, body: first.body });
    },
  );

  it('changes with the content of the response', async () => {
    const path = pathOf('{ author_by_pk(id: 3) { name } }');
    const tag = String((await rawGet(path)).headers.etag);
    await service.database.database.query({ text: "update author set name = 'other' where id = 3", values: [] });
    expect((await rawGet(path, { 'if-none-match': tag })).status).toBe(200);
  });

  it('is not sent for a POST', async () => {
    const response = await service.post('/v1/graphql', { query: '{ author(limit: 1) { id } }' });
    expect(response.headers.get('etag')).toBeNull();
  });
});

describe('persisted queries', () => {
  const hashOf = (query: string) => createHash('sha256').update(query).digest('hex');
  const sendHash = (sha256Hash: string, query?: string) =>
    service.post('/v1/graphql', { query, extensions: { persistedQuery: { version: 1, sha256Hash } } });

  it('are executed by hash after they were sent with it, in POST and GET', async () => {
    const query = 'query ByHash { author_by_pk(id: 5) { id } }';
    const data = { data: { author_by_pk: { id: 5 } } };
    expect(await sendHash(hashOf(query))).toMatchObject({
      status: 200,
      body: { errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }] },
    });
    expect((await sendHash(hashOf(query), query)).body).toEqual(data);
    expect((await sendHash(hashOf(query))).body).toEqual(data);
    const extensions = JSON.stringify({ persistedQuery: { version: 1, sha256Hash: hashOf(query) } });
    const { body } = await rawGet(`/v1/graphql?${new URLSearchParams({ extensions })}`);
    expect(JSON.parse(String(body))).toEqual(data);
  });

  it('of query collections are executed by hash without being sent before', async () => {
    expect((await sendHash(hashOf(stored))).body).toEqual({ data: { author: [{ id: 7 }] } });
  });

  it('are rejected with the hash of another query or an invalid hash', async () => {
    expect(await sendHash(hashOf('other'), '{ author { id } }')).toMatchObject({
      status: 400,
      body: { errors: [{ message: 'provided sha does not match query' }] },
    });
    expect((await sendHash('abc')).status).toBe(400);
  });

  it('are evicted in the order of their last use if there are too many', async () => {
    const documents = [1, 2, 3, 4].map((id) => `query N${id} { author_by_pk(id: ${id}) { id } }`);
    for (const document of documents) await sendHash(hashOf(document), document);
    expect((await sendHash(hashOf(documents[0] ?? ''))).body).toMatchObject({
      errors: [{ message: 'PersistedQueryNotFound' }],
    });
    expect((await sendHash(hashOf(documents[3] ?? ''))).body).toEqual({ data: { author_by_pk: { id: 4 } } });
  });
});

describe('a result that is larger than JOINERY_MAX_RESULT_BYTES', () => {
  it('is rejected', async () => {
    const response = await service.post('/v1/graphql', { query: '{ author { id name } more: author { id name } }' });
    expect(response.body).toMatchObject({
      errors: [{ message: expect.stringContaining('limit'), extensions: { code: 'result-limit-exceeded' } }],
    });
  });

  it('does not affect later requests on its connection', async () => {
    const requests = Array.from({ length: 20 }, () => service.post('/v1/graphql', { query: `{ a: ${all.slice(2)}` }));
    await Promise.all(requests);
    const over = { query: '{ author { id name } more: author { id name } }' };
    await Promise.all(Array.from({ length: 20 }, () => service.post('/v1/graphql', over)));
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => service.graphql('{ author_by_pk(id: 9) { id } }')),
    );
    expect(responses).toEqual(responses.map(() => ({ data: { author_by_pk: { id: 9 } } })));
  });
});
