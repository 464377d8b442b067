/** The tools of /mcp as roles see them, by the client of the official SDK. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../support/service/test-service.ts';
import { connectMcp, type TestClient } from './mcp-client.ts';

const sql = `
  create table author (id int primary key, name text not null, secret text);
  create table book (id int primary key, title text not null, author_id int not null references author);
  comment on table book is 'Printed works in the shop';
  insert into author values (1, 'Ada', 'x'), (2, 'Bea', 'y');
  insert into book select n, 'Book ' || n || repeat('.', 200), 1 from generate_series(1, 100) n;
`;

const queries = [
  {
    name: 'authors by name',
    query:
      '# Finds authors.\n# By their exact name.\nquery ($name: String!) { author(where: {name: {_eq: $name}}) { id name } }',
  },
  { name: 'search', query: 'query Search($where: author_bool_exp) { author(where: $where) { id } }' },
  { name: 'secrets', query: '{ author { secret } }' },
  {
    name: 'rename',
    query:
      'mutation ($id: Int!, $name: String!) { update_author_by_pk(pk_columns: {id: $id}, _set: {name: $name}) { name } }',
  },
  { name: 'live', query: 'subscription { author { id } }' },
];

let service: TestService;
let user: TestClient;
let admin: TestClient;

beforeAll(async () => {
  service = await startService({ JOINERY_ENABLE_MCP: 'true', JOINERY_MCP_MAX_RESULT: '2000' }, { sql });
  for (const table of ['author', 'book']) await service.command('track_table', table);
  await service.command('create_object_relationship', {
    table: 'book',
    name: 'author',
    using: { foreign_key_constraint_on: 'author_id' },
  });
  await service.command('create_array_relationship', {
    table: 'author',
    name: 'books',
    using: { foreign_key_constraint_on: { table: 'book', column: 'author_id' } },
  });
  const columns = { author: ['id', 'name'], book: ['id', 'title', 'author_id'] };
  for (const role of ['user', 'limited']) {
    for (const [table, allowed] of Object.entries(columns)) {
      await service.command('create_select_permission', { table, role, permission: { columns: allowed, filter: {} } });
    }
  }
  await service.command('create_update_permission', {
    table: 'author',
    role: 'user',
    permission: { columns: ['name'], filter: {} },
  });
  await service.command('create_query_collection', { name: 'shop', definition: { queries } });
  await service.command('create_query_collection', {
    name: 'internal',
    definition: { queries: [{ name: 'search', query: '{ book { id } }' }] },
  });
  await service.command('add_collection_to_allowlist', { collection: 'shop' });
  await service.command('set_api_limits', {
    rate_limit: { global: { max_reqs_per_min: 1000 }, per_role: { limited: { max_reqs_per_min: 2 } } },
    depth_limit: { global: 3, per_role: {} },
    disabled: false,
  });
  user = await connectMcp(`${service.url}/mcp`, { 'x-service-role': 'user' });
  admin = await connectMcp(`${service.url}/mcp`, { 'x-service-role': 'admin' });
});

afterAll(() => service?.stop());

describe('the list of tools', () => {
  it('has the saved operations of the allow list that are valid for the role', async () => {
    expect(await user.names()).toEqual([
      'authors_by_name',
      'search',
      'rename',
      'search_schema',
      'validate_operation',
      'run_operation',
    ]);
  });

  it('differs by role', async () => {
    expect(await admin.names()).toContain('secrets');
  });

  it('describes an operation by the comment that it begins with', async () => {
    const { tools } = await user.client.listTools();
    expect(tools[0]).toEqual({
      name: 'authors_by_name',
      description: 'Finds authors.\nBy their exact name.',
      inputSchema: {
        type: 'object',
        properties: { name: { type: 'string' } },
        required: ['name'],
        additionalProperties: false,
      },
      annotations: { title: 'authors by name', readOnlyHint: true, destructiveHint: false },
    });
  });

  it('describes input objects as definitions of the JSON schema', async () => {
    const { tools } = await user.client.listTools();
    const { inputSchema } = tools.find(({ name }) => name === 'search') ?? {};
    expect(inputSchema).toMatchObject({
      properties: { where: { anyOf: [{ $ref: '#/$defs/author_bool_exp' }, { type: 'null' }] } },
      $defs: { author_bool_exp: { type: 'object', properties: { name: expect.anything() } } },
    });
  });

  it('marks mutations as destructive', async () => {
    const { tools } = await user.client.listTools();
    expect(tools.find(({ name }) => name === 'rename')?.annotations).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
    });
  });
});

describe('a saved operation', () => {
  it('runs with the permissions of the role', async () => {
    const { json } = await user.call('authors_by_name', { name: 'Bea' });
    expect(json()).toEqual({ data: { author: [{ id: 2, name: 'Bea' }] } });
  });

  it('runs as a mutation', async () => {
    const { json } = await user.call('rename', { id: 1, name: 'Ada L' });
    expect(json()).toEqual({ data: { update_author_by_pk: { name: 'Ada L' } } });
  });

  it('returns an error with code and path for an argument that is not a variable', async () => {
    const { isError, json } = await user.call('authors_by_name', { name: 'Bea', other: 1 });
    expect({ isError, body: json() }).toMatchObject({
      isError: true,
      body: { errors: [{ extensions: { code: 'parse-failed', path: '$.arguments.other' } }] },
    });
  });

  it('returns the errors of the pipeline for a value of another type', async () => {
    const { isError, json } = await user.call('rename', { id: 'x', name: 'Y' });
    expect({ isError, body: json() }).toMatchObject({
      isError: true,
      body: { errors: [{ extensions: { code: 'data-exception', path: '$.variables.id' } }] },
    });
  });

  it('is unknown to a role for which it is not valid', async () => {
    await expect(user.call('secrets')).rejects.toThrow('there is no tool "secrets" for the role "user"');
  });
});

describe('search_schema', () => {
  it('finds a root field by a word of its description', async () => {
    const { text } = await user.call('search_schema', { words: 'printed works' });
    expect(text).toContain('type book {');
  });

  it('returns root fields of queries before enums of their arguments', async () => {
    const { text } = await user.call('search_schema', { words: 'book' });
    expect(text.indexOf('query { book(')).toBeGreaterThan(-1);
    expect(text.indexOf('query { book(')).toBeLessThan(`${text}enum `.indexOf('enum '));
  });

  it('leaves out subscriptions, which no tool runs', async () => {
    expect((await user.call('search_schema', { words: 'book' })).text).not.toContain('subscription {');
  });

  it('does not show fields that the role may not select', async () => {
    const { text } = await user.call('search_schema', { type: 'author' });
    expect(text).not.toContain('secret');
  });

  it('returns an input type by its name', async () => {
    const { text } = await user.call('search_schema', { type: 'author_bool_exp' });
    expect(text).toContain('input author_bool_exp {');
  });

  it('requires either words or a type', async () => {
    expect(await user.call('search_schema')).toMatchObject({ isError: true });
  });
});

describe('validate_operation', () => {
  it('returns the kind and the size of a valid operation', async () => {
    const { json } = await user.call('validate_operation', { query: '{ author { id } }' });
    expect(json()).toEqual({ valid: true, kind: 'query', name: null, depth: 2, nodes: 2 });
  });

  it('returns the errors of an invalid operation', async () => {
    const { json } = await user.call('validate_operation', { query: '{ author { secret } }' });
    expect(json()).toMatchObject({ valid: false, errors: [{ extensions: { code: 'validation-failed' } }] });
  });
});

describe('run_operation', () => {
  it('runs a query with variables', async () => {
    const query = 'query ($id: Int!) { author_by_pk(id: $id) { id } }';
    expect((await user.call('run_operation', { query, variables: { id: 2 } })).json()).toEqual({
      data: { author_by_pk: { id: 2 } },
    });
  });

  it('rejects mutations unless the settings permit them', async () => {
    const query = 'mutation { update_author(where: {}, _set: {name: "Z"}) { affected_rows } }';
    const { isError, text } = await user.call('run_operation', { query });
    expect({ isError, text }).toMatchObject({ isError: true, text: expect.stringContaining('method-not-allowed') });
  });

  it('rejects an operation beyond the depth limit of the role', async () => {
    const { isError, json } = await user.call('run_operation', { query: '{ book { author { books { id } } } }' });
    expect({ isError, body: json() }).toMatchObject({
      isError: true,
      body: { errors: [{ extensions: { code: 'depth-limit-exceeded' } }] },
    });
  });

  it('rejects a result beyond the limit, and says what to do', async () => {
    const { isError, json } = await user.call('run_operation', { query: '{ book { id title } }' });
    expect({ isError, body: json() }).toMatchObject({
      isError: true,
      body: {
        errors: [
          { message: expect.stringContaining('fewer fields or rows'), extensions: { code: 'result-limit-exceeded' } },
        ],
      },
    });
  });

  it('counts calls of all tools against the rate limit of the role', async () => {
    const limited = await connectMcp(`${service.url}/mcp`, { 'x-service-role': 'limited' });
    await limited.call('search_schema', { words: 'author' });
    await limited.call('run_operation', { query: '{ author { id } }' });
    const { text } = await limited.call('authors_by_name', { name: 'Ada' });
    expect(text).toContain('rate-limit-exceeded');
  });
});
