/** What requests to remote schemas carry of the client's request, and what their responses add to the client's response. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type GraphQLServer, startGraphQLServer } from '../support/http/graphql-server.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const sdl = 'type Query { price(id: Int!): Int slogan: String } type Mutation { login: Boolean }';
const root = { price: ({ id }: { id: number }) => id * 10, slogan: 'fresh', login: true };

let shop: GraphQLServer;
let service: TestService;

beforeAll(async () => {
  shop = await startGraphQLServer(sdl, root);
  service = await startService(
    {},
    { migrated: true, sql: 'create table item (id int primary key); insert into item values (1), (2)' },
  );
  await service.command('track_table', 'item');
  await service.command('add_remote_schema', { name: 'shop', definition: { url: shop.url } });
  const remote_field = { price: { arguments: { id: '$id' } } };
  await service.command('create_remote_relationship', {
    name: 'price',
    table: 'item',
    definition: { to_remote_schema: { remote_schema: 'shop', lhs_fields: ['id'], remote_field } },
  });
});
afterAll(async () => {
  await Promise.all([shop?.close(), service?.stop()]);
});
beforeEach(() => shop.reset());

const bodyOf = (index: number) => JSON.parse(shop.requests[index]?.body ?? '') as Record<string, unknown>;

describe('the name of the operation', () => {
  test('is sent with root fields, in the document and as operationName', async () => {
    const query = 'query One { slogan } query Two($id: Int!) { price(id: $id) }';
    const { body } = await service.post('/v1/graphql', { query, operationName: 'Two', variables: { id: 2 } });
    expect(body).toEqual({ data: { price: 20 } });
    expect(bodyOf(0)).toMatchObject({ operationName: 'Two', variables: { id: 2 } });
    expect(bodyOf(0).query).toMatch(/^query Two\(\$id: Int!\)/);
  });

  test('is that of the document if the request names none', async () => {
    expect(await service.graphql('mutation Enter { login }')).toEqual({ data: { login: true } });
    expect(bodyOf(0)).toMatchObject({ operationName: 'Enter', query: expect.stringMatching(/^mutation Enter/) });
  });

  test('is absent for an anonymous operation', async () => {
    expect(await service.graphql('{ slogan }')).toEqual({ data: { slogan: 'fresh' } });
    expect(bodyOf(0)).not.toHaveProperty('operationName');
  });

  test('is not sent with relationships', async () => {
    expect(await service.graphql('query Items { item { price } }')).toEqual({
      data: { item: [{ price: 10 }, { price: 20 }] },
    });
    expect(bodyOf(0)).not.toHaveProperty('operationName');
    expect(bodyOf(0).query).not.toContain('Items');
  });
});

describe('Set-Cookie of a remote schema', () => {
  const cookies = ['session=1; HttpOnly; Path=/', 'theme=dark'];
  const cookiesOf = async (query: string) => {
    const body = JSON.stringify({ query });
    return (await fetch(`${service.url}/v1/graphql`, { method: 'POST', body })).headers.getSetCookie();
  };

  test.each([
    ['a query', '{ slogan }', '{"data":{"slogan":"a"}}'],
    ['a mutation', 'mutation { login }', '{"data":{"login":true}}'],
    ['a relationship', '{ item(limit: 1) { price } }', '{"data":{"f0":1,"f1":2}}'],
  ])('reaches the client from %s', async (_what, query, body) => {
    shop.respondWith(() => ({ status: 200, body, cookies }));
    expect(await cookiesOf(query)).toEqual(cookies);
  });

  test('is absent where the remote schema sets none', async () => {
    expect(await cookiesOf('{ slogan }')).toEqual([]);
  });
});
