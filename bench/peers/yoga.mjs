// graphql-yoga with a dataloader for each type of user, created for each request as in its documentation.
import { createServer } from 'node:http';
import DataLoader from 'dataloader';
import { createSchema, createYoga } from 'graphql-yoga';
import { listen } from './server.mjs';
import { call, rowsFor } from './upstream.mjs';

const people = () => new DataLoader(async (ids) => (await rowsFor('person', ids)).map((text) => JSON.parse(text)));
const users = () => new DataLoader((ids) => call('/user', { inputs: ids.map((id) => ({ id })) }));

const yoga = createYoga({
  schema: createSchema({
    typeDefs: `
      type User { id: Int! name: String! email: String! }
      type Post { id: Int! title: String! userId: Int! person: User user: User }
      type Query { posts: [Post!]! }
    `,
    resolvers: {
      Query: { posts: () => call('/posts', {}) },
      Post: {
        person: ({ userId }, _args, { loaders }) => loaders.people.load(userId),
        user: ({ userId }, _args, { loaders }) => loaders.users.load(userId),
      },
    },
  }),
  context: () => ({ loaders: { people: people(), users: users() } }),
  graphiql: false,
  logging: false,
});

const server = createServer(yoga);
listen(server);
