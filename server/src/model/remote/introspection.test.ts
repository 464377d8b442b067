/** Tests of the introspection of real GraphQL servers and of other servers. */
import { RemoteSchemaDefinition } from '@joinery/metadata/schema/remote-schemas';
import {
  GraphQLEnumType,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type GraphQLServer, startGraphQLServer } from '../../../test/support/http/graphql-server.ts';
import type { Environment } from '../../base/environment.ts';
import { ServiceError } from '../../base/errors.ts';
import { createHttpClient } from '../../base/http-client/http-client.ts';
import { introspect } from './introspection.ts';

const everyKind = `
"""A moment."""
scalar Moment @specifiedBy(url: "https://example.org/moment")
enum State { OPEN CLOSED @deprecated(reason: "not used") }
interface Thing { id: ID! state: State }
"A box."
type Box implements Thing { id: ID! state: State size(unit: String = "cm", old: Int @deprecated(reason: "gone")): Float }
type Letter implements Thing { id: ID! state: State sent: Moment }
union Parcel = Box | Letter
input Near { place: [Float!]! = [1.5, 2], state: State = OPEN, within: Near }
type Query { thing(id: ID!): Thing parcels(near: Near = { place: [0] }): [Parcel!]! }
type Mutation { open(id: ID!): Box! }
`;

const httpClient = createHttpClient({ connections: 4 });
let server: GraphQLServer;

beforeAll(async () => {
  server = await startGraphQLServer(everyKind);
});
afterAll(async () => {
  await server.close();
  await httpClient.close();
});
beforeEach(() => server.reset());

function read(definition: Readonly<Record<string, unknown>>, environment: Environment = {}) {
  return introspect(RemoteSchemaDefinition.parse(definition), { httpClient, environment });
}

async function rejection(
  definition: Readonly<Record<string, unknown>>,
  environment: Environment = {},
): Promise<ServiceError> {
  const error = await read(definition, environment).catch((thrown: unknown) => thrown);
  if (!(error instanceof ServiceError)) throw new Error(`no error: ${String(error)}`);
  return error;
}

test('types of every kind have descriptions, defaults and deprecations', async () => {
  const schema = await read({ url: server.url });
  expect(printSchema(lexicographicSortSchema(schema))).toMatchInlineSnapshot(`
    """"A box."""
    type Box implements Thing {
      id: ID!
      size(old: Int @deprecated(reason: "gone"), unit: String = "cm"): Float
      state: State
    }

    type Letter implements Thing {
      id: ID!
      sent: Moment
      state: State
    }

    """A moment."""
    scalar Moment @specifiedBy(url: "https://example.org/moment")

    type Mutation {
      open(id: ID!): Box!
    }

    input Near {
      place: [Float!]! = [1.5, 2]
      state: State = OPEN
      within: Near
    }

    union Parcel = Box | Letter

    type Query {
      parcels(near: Near = {place: [0], state: OPEN}): [Parcel!]!
      thing(id: ID!): Thing
    }

    enum State {
      CLOSED @deprecated(reason: "not used")
      OPEN
    }

    interface Thing {
      id: ID!
      state: State
    }"
  `);
  expect(server.introspections).toHaveLength(1);
});

test('the URL and the headers are expanded from the environment', async () => {
  const environment = { HOST: new URL(server.url).host, KEY: 's3cret', WHERE: server.url };
  await read(
    {
      url: 'http://{{HOST}}/graphql',
      headers: [
        { name: 'Authorization', value: 'Bearer {{KEY}}' },
        { name: 'X-Key', value_from_env: 'KEY' },
      ],
    },
    environment,
  );
  await read({ url_from_env: 'WHERE' }, environment);
  expect(server.introspections).toHaveLength(2);
  expect(server.introspections[0]?.headers).toMatchObject({ authorization: 'Bearer s3cret', 'x-key': 's3cret' });
});

test('the request has the headers of GraphQL over HTTP, and a user agent', async () => {
  await read({ url: server.url });
  expect(server.introspections[0]?.headers).toMatchObject({
    'content-type': 'application/json',
    accept: 'application/graphql-response+json, application/json;q=0.9',
    'user-agent': 'joinery',
  });
});

test('input objects with one member at a time and repeatable directives are read as such', async () => {
  const other = await startGraphQLServer(
    'directive @note repeatable on OBJECT input Key @oneOf { id: ID name: String } type Query { find(key: Key): Int }',
  );
  const schema = await read({ url: other.url });
  await other.close();
  expect(schema.getType('Key')).toMatchObject({ isOneOf: true });
  expect(schema.getDirective('note')).toMatchObject({ isRepeatable: true });
});

test('a configured header replaces the default one', async () => {
  await read({ url: server.url, headers: [{ name: 'ACCEPT', value: 'application/json' }] });
  expect(server.introspections[0]?.headers.accept).toBe('application/json');
});

test('a server that rejects newer introspection queries gets older ones', async () => {
  server.respondWith(({ query }) =>
    /isOneOf|args\(includeDeprecated/.test(query)
      ? { status: 400, body: '{"errors":[{"message":"Cannot query field"}]}' }
      : undefined,
  );
  const schema = await read({ url: server.url });
  expect(schema.getType('Near')).toBeDefined();
  expect(server.introspections).toHaveLength(3);
});

test('the error names a variable that is not set', async () => {
  const error = await rejection({ url: '{{NOWHERE}}/graphql' });
  expect(error).toMatchObject({ code: 'invalid-configuration', message: 'environment variable "NOWHERE" is not set' });
});

test('the error distinguishes an unreachable, a slow and an oversized server, without the URL', async () => {
  const down = await rejection({ url: 'http://127.0.0.1:9/graphql' });
  expect(down).toMatchObject({
    code: 'remote-schema-error',
    message: 'the remote schema could not be introspected: the connection was refused',
  });
  server.respondWith(() => 'never');
  const slow = await rejection({ url: server.url, timeout_seconds: 1 });
  expect(slow.message).toBe('the remote schema could not be introspected: no complete response within 1000 ms');
  server.respondWith(() => ({ status: 200, body: ' '.repeat(33 * 1024 * 1024) }));
  const large = await rejection({ url: server.url });
  expect(large.message).toContain('larger than');
  const wrong = await rejection({ url: 'ftp://127.0.0.1/graphql' });
  expect(wrong.message).toContain('not an http or https URL');
});

test.each([
  ['text', 200, '<html>welcome</html>', 'is not JSON'],
  ['nothing', 204, '', 'is not JSON'],
  ['another JSON', 200, '{"hello":"world"}', 'is JSON, but not a GraphQL response'],
  ['null', 200, 'null', 'is JSON, but not a GraphQL response'],
  ['errors', 401, '{"errors":[{"message":"unknown caller"}]}', 'rejected the introspection: unknown caller'],
  [
    'an error that is not an object',
    200,
    '{"errors":["no"]}',
    'rejected the introspection: an error without a message',
  ],
  ['half an introspection', 200, '{"data":{"__schema":{}}}', 'is not usable'],
])('a response that is %s is rejected with a reason', async (_what, status, body, reason) => {
  server.respondWith(() => ({ status, body }));
  const error = await rejection({ url: server.url });
  expect(error.code).toBe('remote-schema-error');
  expect(error.message).toContain(reason);
});

test('a schema that is not valid GraphQL is rejected', async () => {
  const broken = new GraphQLSchema({
    assumeValid: true,
    query: new GraphQLObjectType({
      name: 'Query',
      fields: { a: { type: GraphQLString }, b: { type: new GraphQLEnumType({ name: '__Secret', values: { A: {} } }) } },
    }),
  });
  const other = await startGraphQLServer(broken);
  const error = await rejection({ url: other.url });
  await other.close();
  expect(error.message).toContain('is not valid GraphQL');
});
