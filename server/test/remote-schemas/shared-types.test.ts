/** Types that a remote schema and the service have under one name. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GraphQLServer, startGraphQLServer } from '../support/http/graphql-server.ts';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const types = `
  enum order_by { desc asc asc_nulls_first asc_nulls_last desc_nulls_first desc_nulls_last }
  input Int_comparison_exp {
    _eq: Int _gt: Int _gte: Int _in: [Int!] _is_null: Boolean _lt: Int _lte: Int _neq: Int _nin: [Int!]
  }
  "An address of the remote schema"
  type Address { street: String! size: Size }
  enum Size { S M }
  input Where { ids: [Int!] size: Size }
`;
const schema = `${types} type Query { echo(where: Where, id: Int_comparison_exp, order: order_by): String home: Address homes: [Address!]! }`;
const field = (name: string, type: string) => ({ name, type });
const customTypes = {
  enums: [{ name: 'Size', values: [{ value: 'S' }, { value: 'M' }] }],
  input_objects: [{ name: 'Where', fields: [field('size', 'Size'), field('ids', '[Int!]')] }],
  objects: [
    { name: 'Address', description: 'An address', fields: [field('street', 'String!'), field('size', 'Size')] },
  ],
};

let remote: GraphQLServer;
let handlers: HandlerServer;
let service: TestService;
beforeAll(async () => {
  const home = { street: 'Far', size: 'M' };
  remote = await startGraphQLServer(schema, { echo: (args: unknown) => JSON.stringify(args), home, homes: [home] });
  handlers = await startHandlerServer({ '/move': ({ body }) => ({ street: JSON.stringify(body.input), size: 'S' }) });
  service = await startService({}, { sql: 'create table item (id int primary key); insert into item values (1), (2)' });
  await service.command('track_table', 'item');
  await service.command('set_custom_types', customTypes);
  await service.command('create_action', {
    name: 'move',
    definition: { arguments: [field('where', 'Where')], output_type: 'Address', handler: `${handlers.url}/move` },
  });
});
afterAll(() => Promise.all([remote?.close(), handlers?.close(), service?.stop()]));

test.each([
  ['fields of a custom object', 'type Address { street: String }', 'Address'],
  ['values of a custom enum', 'type Address { street: String! size: Size } enum Size { S }', 'Size'],
  ['values of order_by', 'type Address { street(o: order_by): Int } enum order_by { asc }', 'order_by|Address'],
  ['members of a comparison', 'enum Z { A } input Int_comparison_exp { _eq: Int }', 'Int_comparison_exp'],
])('a remote schema with other %s is rejected, and the other objects stay', async (_rule, sdl, name) => {
  const used = sdl.includes('type Address') ? 'a: Address' : 'a(w: Int_comparison_exp): Int';
  const rival = await startGraphQLServer(`${sdl} type Query { ${used} }`);
  try {
    const added = service.command('add_remote_schema', { name: 'rival', definition: { url: rival.url } });
    await expect(added).rejects.toThrow(new RegExp(`its type ..(${name})...*remote-schema-conflicts`));
    expect(await service.graphql('{ item(where: {id: {_eq: 1}}) { id } }')).toEqual({ data: { item: [{ id: 1 }] } });
  } finally {
    await rival.close();
  }
});

describe('a remote schema with equal types', () => {
  beforeAll(async () => {
    await service.command('add_remote_schema', { name: 'far', definition: { url: remote.url } });
  });

  test('equal types are one type, and each field is resolved by its owner', async () => {
    const query = `query ($order: order_by!, $id: Int_comparison_exp, $size: Size) {
      item(where: {id: $id}, order_by: {id: $order}) { id }
      echo(where: {size: $size, ids: [1]}, id: $id, order: $order)
      home { __typename street size }
      homes { street }
    }`;
    expect(await service.graphql(query, {}, { order: 'desc', id: { _in: [1, 2] }, size: 'M' })).toEqual({
      data: {
        item: [{ id: 2 }, { id: 1 }],
        echo: '{"where":{"ids":[1],"size":"M"},"id":{"_in":[1,2]},"order":"desc"}',
        home: { __typename: 'Address', street: 'Far', size: 'M' },
        homes: [{ street: 'Far' }],
      },
    });
    expect(await service.graphql('mutation { move(where: {size: S}) { __typename street size } }')).toEqual({
      data: { move: { __typename: 'Address', street: '{"where":{"size":"S"}}', size: 'S' } },
    });
  });

  test('the shared type is listed once', async () => {
    const names = async (role: string) => {
      const headers = { 'x-service-role': role };
      const { data } = (await service.graphql('{ __schema { types { name } } }', headers)) as {
        data: { __schema: { types: { name: string }[] } };
      };
      return data.__schema.types
        .map(({ name }) => name)
        .filter((name) => ['Address', 'Size', 'order_by'].includes(name));
    };
    expect((await names('admin')).sort()).toEqual(['Address', 'Size', 'order_by']);
    expect((await names('user')).sort()).toEqual(['Address', 'Size', 'order_by']);
  });
});
