/** A remote schema with types of every kind, and permissions on it. */
import { buildSchema } from 'graphql';
import { readPermission } from '../../../src/model/remote/permissions.ts';

export const upstream = buildSchema(`
  scalar Moment
  enum Size { S M L }
  interface Node { id: ID! }
  interface Named { name: String }
  type User implements Node & Named { id: ID! name: String posts(first: Int = 10, by: ID = null, where: Filter): [Post!]! }
  type Post implements Node { id: ID! at: Moment size: Size }
  union Entry = User | Post
  input Filter { text: String! size: Size tags: [String!] = ["a"] level: Int! = 1 inner: Filter }
  type Query { version: String user(id: ID!, top: Int! = 1): User entries: [Entry!] }
  type Mutation { rename(id: ID!): User }
  type Subscription { changed: Post }
`);

/** A permission on one field. */
export const version = 'type Query { version: String }';

/** A permission with these arguments of `user`. */
export const userBy = (args: string) => `type Query { version: String user(${args}): User } type User { name: String }`;

/** A permission with these arguments of `posts`. */
export const postsBy = (args: string) =>
  `${version} type User { posts(${args}): [Post!]! } type Post { id: ID! } input Filter { text: String! }`;

export function permission(sdl: string) {
  return readPermission(sdl, upstream, 'x-service-');
}
