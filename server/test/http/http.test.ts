/** HTTP endpoints of a service: health, GraphQL, explain, admin secret. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = `
  create table author (id bigint primary key, name text not null, born date, price numeric(20, 4));
  insert into author values (1, 'Ada', '1815-12-10', 12345678901234.5678), (9007199254740993, 'Bea', null, null);
`;

let service: TestService;

beforeAll(async () => {
  service = await startService({}, { sql });
  await service.command('track_table', { schema: 'public', name: 'author' });
  await service.command('create_select_permission', {
    table: 'author',
    role: 'user',
    permission: { columns: ['id', 'name'], filter: { id: 'X-Service-User-Id' } },
  });
});

afterAll(() => service?.stop());

describe('a running service', () => {
  it('reports health, readiness and version', async () => {
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    expect(await (await fetch(`${service.url}/readyz`)).json()).toEqual({ ready: true, waiting_for: [] });
    expect(await (await fetch(`${service.url}/v1/version`)).json()).toMatchObject({
      server_type: 'joinery',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
  });

  it('counts requests in Prometheus metrics', async () => {
    await service.graphql('{ author { id } }');
    const text = await (await fetch(`${service.url}/metrics`)).text();
    expect(text).toMatch(/joinery_http_requests_total\{method="POST",path="\/v1\/graphql",status="200"\} [1-9]/);
  });

  it('reports its version and that of Node.js in a metric', async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    const { version } = (await (await fetch(`${service.url}/v1/version`)).json()) as { readonly version: string };
    expect(text).toContain(`\njoinery_build_info{version="${version}",node_version="${process.versions.node}"} 1\n`);
  });

  it('responds to an unknown endpoint with 404 and its path', async () => {
    const response = await service.post('/v1/nothing', {});
    expect(response).toMatchObject({
      status: 404,
      body: { code: 'not-found', error: expect.stringContaining('/v1/nothing') },
    });
  });
});

describe('GraphQL over HTTP', () => {
  it('executes a POST with exact numbers', async () => {
    const response = await service.post(
      '/v1/graphql',
      '{"query":"query($id: bigint!) { author(where: {id: {_eq: $id}}) { id name } }","variables":{"id":9007199254740993}}',
    );
    expect(response.body).toEqual({
      data: { author: [{ id: expect.objectContaining({ text: '9007199254740993' }), name: 'Bea' }] },
    });
  });

  it('executes a query with variables in a GET', async () => {
    const query = new URLSearchParams({
      query: 'query($n: String!) { author(where: {name: {_eq: $n}}) { name } }',
      variables: '{"n":"Ada"}',
    });
    const response = await fetch(`${service.url}/v1/graphql?${query}`);
    expect(await response.json()).toEqual({ data: { author: [{ name: 'Ada' }] } });
  });

  it('responds to a batch in order', async () => {
    const response = await service.post('/v1/graphql', [
      { query: '{ a: author_by_pk(id: 1) { name } }' },
      { query: '{ nothing }' },
    ]);
    expect(response.body).toMatchObject([
      { data: { a: { name: 'Ada' } } },
      { errors: [{ extensions: { code: 'validation-failed' } }] },
    ]);
  });

  it('executes requests at /v1alpha1/graphql with error statuses', async () => {
    const good = await service.post('/v1alpha1/graphql', { query: '{ author_by_pk(id: 1) { name } }' });
    expect(good).toMatchObject({ status: 200, body: { data: { author_by_pk: { name: 'Ada' } } } });
    const bad = await service.post('/v1alpha1/graphql', { query: '{ nothing }' });
    expect(bad).toMatchObject({ status: 400, body: { errors: [{ extensions: { code: 'validation-failed' } }] } });
    expect(bad.headers.get('content-type')).toContain('application/json');
  });

  it('responds to errors with 200, or with an error status to clients that accept the specified media type', async () => {
    const bad = { query: '{ nothing }' };
    expect((await service.post('/v1/graphql', bad)).status).toBe(200);
    const specified = await service.post('/v1/graphql', bad, { accept: 'application/graphql-response+json' });
    expect(specified.status).toBe(400);
    expect(specified.headers.get('content-type')).toContain('application/graphql-response+json');
  });

  it.each([
    ['invalid JSON', '{"query": ', 'invalid-json', '$'],
    ['an empty body', '', 'invalid-json', '$'],
    ['a body without a query', '{}', 'parse-failed', '$.query'],
    ['variables that are a list', '{"query":"{ author { id } }","variables":[]}', 'parse-failed', '$.variables'],
    ['a syntax error', '{"query":"{ author { id }"}', 'validation-failed', '$.query'],
    [
      'an unknown field',
      '{"query":"{ author { nothing } }"}',
      'validation-failed',
      '$.selectionSet.author.selectionSet.nothing',
    ],
    [
      'a missing variable',
      '{"query":"query($id: bigint!) { author_by_pk(id: $id) { id } }"}',
      'validation-failed',
      '$.variables.id',
    ],
    [
      'a value that is invalid for the type',
      '{"query":"{ author(where: {born: {_eq: \\"soon\\"}}) { id } }"}',
      'data-exception',
      '$.selectionSet.author',
    ],
  ])('rejects %s with code and path', async (_reason, body, code, path) => {
    const response = await service.post('/v1/graphql', body);
    expect(response.body).toMatchObject({ errors: [{ message: expect.any(String), extensions: { code, path } }] });
    expect(await service.graphql('{ author_by_pk(id: 1) { name } }')).toEqual({
      data: { author_by_pk: { name: 'Ada' } },
    });
  });

  it('returns no SQL and no internal details to roles other than admin', async () => {
    const response = await service.graphql('{ author(where: {id: {_eq: 1}}) { name } }', {
      'x-service-role': 'user',
      'x-service-user-id': 'me; drop table author',
    });
    const text = JSON.stringify(response);
    expect(response).toMatchObject({ errors: [{ extensions: { code: 'data-exception' } }] });
    expect(text).not.toMatch(/from "public"|"internal"|bigint\)/i);
  });

  it('returns only the rows of a role', async () => {
    const session = { 'x-service-role': 'user', 'x-service-user-id': '1' };
    expect(await service.graphql('{ author { id name } }', session)).toEqual({
      data: { author: [{ id: 1, name: 'Ada' }] },
    });
    expect(await service.graphql('{ author { born } }', session)).toMatchObject({
      errors: [{ extensions: { code: 'validation-failed' } }],
    });
  });

  it('explains a request to an admin, also for the session of another user', async () => {
    const query = { query: '{ author { name } }' };
    const own = await service.post('/v1/graphql/explain', query);
    expect(own.body).toMatchObject([
      { field: 'author', sql: expect.stringContaining('from "public"."author"'), plan: expect.any(Array) },
    ]);
    const user = await service.post('/v1/graphql/explain', {
      query,
      user: { 'x-service-role': 'user', 'x-service-user-id': '1' },
    });
    expect(user.body).toMatchObject([{ sql: expect.stringContaining('where') }]);
    const rejected = await service.post('/v1/graphql/explain', query, { 'x-service-role': 'user' });
    expect(rejected.body).toMatchObject({ errors: [{ extensions: { code: 'access-denied' } }] });
  });
});

describe('a service with a body limit', () => {
  it('rejects a larger body and continues to respond', async () => {
    const small = await startService({ JOINERY_MAX_BODY_BYTES: '2000' }, service.database);
    try {
      const response = await small.post('/v1/graphql', { query: `{ author { id } } # ${'x'.repeat(3000)}` });
      expect(response).toMatchObject({ status: 413, body: { code: 'payload-too-large' } });
      expect(await small.graphql('{ author { id } }')).toHaveProperty('data');
    } finally {
      await small.stop();
    }
  });
});

describe('an admin secret', () => {
  it('is required for every endpoint except health', async () => {
    const secured = await startService({ JOINERY_ADMIN_SECRET: 'open sesame' }, service.database);
    try {
      expect(await secured.post('/v1/query', { type: 'export_metadata', args: {} })).toMatchObject({
        status: 401,
        body: { code: 'access-denied' },
      });
      expect((await secured.post('/v1/graphql', { query: '{ author { id } }' })).body).toMatchObject({
        errors: [{ extensions: { code: 'access-denied' } }],
      });
      const right = { 'x-service-admin-secret': 'open sesame' };
      expect((await secured.post('/v1/graphql', { query: '{ author { name } }' }, right)).body).toHaveProperty('data');
      expect((await fetch(`${secured.url}/healthz`)).status).toBe(200);
    } finally {
      await secured.stop();
    }
  });
});

describe('each of two services on one database', () => {
  it('applies the metadata changes of the other', async () => {
    const other = await startService({}, service.database);
    try {
      await service.command('run_sql', { sql: 'create table news (id int primary key)' });
      await service.command('track_table', { schema: 'public', name: 'news' });
      await expect.poll(() => other.graphql('{ news { id } }')).toEqual({ data: { news: [] } });
    } finally {
      await other.stop();
    }
  });
});
