/** Remote schemas for tests: the same schema on GraphQL Yoga and on Apollo Server. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import type { GraphQLFieldResolver } from 'graphql';
import { createGraphQLError, createSchema, createYoga } from 'graphql-yoga';

export interface ForeignServer {
  readonly url: string;
  /** Headers of every operation except introspection, in order, with lower-case names. */
  readonly requests: readonly Readonly<Record<string, string | undefined>>[];
  close(): Promise<void>;
}

type Resolvers = Readonly<
  Record<string, Readonly<Record<string, GraphQLFieldResolver<unknown, unknown>>> | Readonly<Record<string, unknown>>>
>;

export const foreignSdl = `
  interface Item { id: ID! title: String }
  type Film implements Item { id: ID! title: String year: Int director: Person }
  type Book implements Item { id: ID! title: String pages: Int }
  type Person { id: Int! name: String secret: String }
  union Found = Film | Book
  enum Order { OLD NEW }
  input Filter { owner: Int! title: String order: Order = NEW }
  type Query {
    film(id: ID!): Film
    films(ids: [ID!]!): [Film]!
    items: [Item!]!
    find(text: String!): [Found!]!
    echo(filter: Filter!): String
    whoami: String
    strict: Int!
  }
  type Mutation { rename(id: ID!, title: String!): Film }
`;

const film = (id: string, title = `film ${id}`) => ({ __typename: 'Film', id, title, year: 1990 + Number(id) });
const book = { __typename: 'Book', id: 'b', title: 'a book', pages: 100 };

const resolvers: Resolvers = {
  Query: {
    film: (_: unknown, { id }: { id: string }) => (id === '0' ? null : film(id)),
    films: (_: unknown, { ids }: { ids: string[] }) => ids.map((id) => film(id)),
    items: () => [film('1'), book],
    find: () => [book, film('2')],
    echo: (_: unknown, args: unknown) => JSON.stringify(args),
    whoami: (_: unknown, _args: unknown, context: { headers?: Readonly<Record<string, string>> }) =>
      context.headers?.['x-service-role'],
    strict: () => null,
  },
  Mutation: { rename: (_: unknown, { id, title }: { id: string; title: string }) => film(id, title) },
  Film: {
    director: ({ id }: { id: string }) => {
      if (id === '3') throw createGraphQLError('no director', { extensions: { code: 'LOST' } });
      return { id: Number(id), name: `director ${id}`, secret: 's' };
    },
  },
  Item: { __resolveType: ({ __typename }: { __typename: string }) => __typename },
  Found: { __resolveType: ({ __typename }: { __typename: string }) => __typename },
};

export async function startYoga(): Promise<ForeignServer> {
  const requests: Record<string, string | undefined>[] = [];
  const yoga = createYoga({
    schema: createSchema({ typeDefs: foreignSdl, resolvers: resolvers as never }),
    logging: false,
    context: ({ request }) => {
      const headers = Object.fromEntries(request.headers);
      requests.push(headers);
      return { headers };
    },
  });
  const server = createServer((incoming, outgoing) => void yoga(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export async function startApollo(): Promise<ForeignServer> {
  const requests: Record<string, string | undefined>[] = [];
  const server = new ApolloServer<{ headers: Record<string, string | undefined> }>({
    typeDefs: foreignSdl,
    resolvers: resolvers as never,
    introspection: true,
    stopOnTerminationSignals: false,
  });
  const { url } = await startStandaloneServer(server, {
    listen: { port: 0, host: '127.0.0.1' },
    context: async ({ req }) => {
      const headers = req.headers as Record<string, string | undefined>;
      requests.push(headers);
      return { headers };
    },
  });
  return { url, requests, close: () => server.stop() };
}
