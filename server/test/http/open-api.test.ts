/** The OpenAPI document of the REST endpoints for each role. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = `
  create table author (id int primary key, name text not null, tags jsonb, score numeric);
  create table book (id bigint primary key, title text not null, author_id int not null references author);
`;

const queries = [
  {
    name: 'byName',
    query: 'query ($name: String!, $ids: [Int!]) { author(where: {name: {_eq: $name}, id: {_in: $ids}}) { id } }',
  },
  {
    name: 'one',
    query: `query ($id: Int!, $short: Boolean = false) {
      author_by_pk(id: $id) { ...Parts tags score @skip(if: $short) books { key: id title } } }
      fragment Parts on author { id __typename }`,
  },
  { name: 'search', query: 'query ($where: author_bool_exp) { author(where: $where) { name } }' },
  {
    name: 'add',
    query: 'mutation ($id: Int!, $name: String!) { insert_author_one(object: {id: $id, name: $name}) { id } }',
  },
];

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

let service: TestService;

beforeAll(async () => {
  service = await startService({}, { sql });
  for (const table of ['author', 'book']) await service.command('track_table', table);
  await service.command('create_array_relationship', {
    table: 'author',
    name: 'books',
    using: { foreign_key_constraint_on: { table: 'book', column: 'author_id' } },
  });
  const permission = { columns: ['id', 'name'], filter: {} };
  await service.command('create_select_permission', { table: 'author', role: 'user', permission });
  await service.command('create_query_collection', { name: 'shop', definition: { queries } });
  for (const [name, url, query, methods] of [
    ['byName', 'authors/named/:name', 'byName', ['GET']],
    ['one', 'authors/:id', 'one', ['GET']],
    ['search', 'search', 'search', ['GET', 'POST']],
    ['add', 'authors/:id/:name', 'add', ['PUT']],
    ['addBody', 'authors', 'add', ['POST']],
  ] as const) {
    await service.command('create_rest_endpoint', {
      name,
      url,
      methods,
      comment: `about ${name}`,
      definition: { query: { collection_name: 'shop', query_name: query } },
    });
  }
});

afterAll(() => service?.stop());

async function documentOf(role: string): Promise<Document> {
  const response = await fetch(`${service.url}/api/swagger/json`, { headers: { 'x-service-role': role } });
  expect(response.status).toBe(200);
  return (await response.json()) as Document;
}

describe('/api/swagger/json', () => {
  it('describes the path variables, query parameters and response of each endpoint', async () => {
    const { openapi, paths } = await documentOf('admin');
    expect(openapi).toBe('3.0.3');
    expect(Object.keys(paths)).toEqual([
      '/api/rest/authors',
      '/api/rest/authors/named/{name}',
      '/api/rest/authors/{id}',
      '/api/rest/authors/{id}/{name}',
      '/api/rest/search',
    ]);
    const integer = { type: 'integer', format: 'int32' };
    expect(paths['/api/rest/authors/named/{name}']?.get).toMatchObject({
      summary: 'byName',
      description: 'about byName',
      parameters: [
        { name: 'name', in: 'path', required: true, schema: { type: 'string' } },
        { name: 'ids', in: 'query', required: false, schema: { type: 'array', items: integer, nullable: true } },
      ],
    });
    const book = {
      type: 'object',
      properties: { key: { type: 'integer', format: 'int64' }, title: { type: 'string' } },
      required: ['key', 'title'],
    };
    expect(paths['/api/rest/authors/{id}']?.get).toMatchObject({
      responses: {
        200: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['author_by_pk'],
                properties: {
                  author_by_pk: {
                    type: 'object',
                    nullable: true,
                    required: ['id', '__typename', 'tags', 'books'],
                    properties: {
                      id: integer,
                      tags: {},
                      score: { type: 'number', nullable: true },
                      books: { type: 'array', items: book },
                    },
                  },
                },
              },
            },
          },
        },
      },
    });
  });

  it('describes the bodies of methods with a body', async () => {
    const { paths } = await documentOf('admin');
    expect(paths['/api/rest/authors']?.post).toMatchObject({
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: { required: ['id', 'name'], properties: { name: { type: 'string' } } } },
        },
      },
    });
    expect(paths['/api/rest/authors/{id}/{name}']?.put).not.toHaveProperty('requestBody');
  });

  it('references input objects, which may be recursive, and contains every referenced schema', async () => {
    const document = await documentOf('admin');
    expect(document.paths['/api/rest/search']?.get).toMatchObject({
      parameters: [
        {
          name: 'where',
          in: 'query',
          content: { 'application/json': { schema: { allOf: [{ $ref: '#/components/schemas/author_bool_exp' }] } } },
        },
      ],
    });
    const { schemas } = document.components;
    expect(schemas.author_bool_exp).toMatchObject({
      properties: { _and: { type: 'array', items: { $ref: '#/components/schemas/author_bool_exp' } } },
    });
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(5);
    expect(references.map(([, name = '']) => name).filter((name) => !(name in schemas))).toEqual([]);
  });

  it('contains only the endpoints and fields that the role has permissions for', async () => {
    const document = await documentOf('user');
    expect(Object.keys(document.paths)).toEqual(['/api/rest/authors/named/{name}', '/api/rest/search']);
    expect(JSON.stringify(document)).not.toContain('score');
  });
});
