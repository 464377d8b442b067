/** A program with the types that gql.tada infers, sent by graphql-request. */
import { initGraphQLTada, type ResultOf } from 'gql.tada';
import { GraphQLClient } from 'graphql-request';
import { expectType, type Same } from './expect-type';
import type { introspection } from './graphql-env';

const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { uuid: string; bigint: number; jsonb: unknown };
}>();

const postsOf = graphql(`
  query PostsOf($user: uuid!, $where: posts_bool_exp!) {
    users_by_pk(id: $user) {
      role
      posts(where: $where, order_by: [{ id: asc }]) { id title body views author { name } reviewer { name } }
      posts_aggregate { aggregate { count } }
    }
    greet(name: "Ann") { text }
  }
`);
const insert = graphql(`
  mutation Insert($objects: [posts_insert_input!]!) { insert_posts(objects: $objects) { affected_rows } }
`);

type User = NonNullable<ResultOf<typeof postsOf>['users_by_pk']>;
type Post = User['posts'][0];
expectType<Same<Post['title'], string>>();
expectType<Same<Post['body'], string | null>>();
expectType<Same<Post['views'], number>>();
expectType<Same<Post['author'], { name: string }>>();
expectType<Same<Post['reviewer'], { name: string } | null>>();
expectType<Same<User['role'], 'editor' | 'reader'>>();

export async function run(url: string, headers: Record<string, string>, user: string): Promise<unknown> {
  const client = new GraphQLClient(url, { headers });
  const data = await client.request(postsOf, { user, where: { published: { _eq: true } } });
  const found = data.users_by_pk;
  if (found === null) return undefined;
  const count = found.posts_aggregate.aggregate?.count;
  const inserted = await client.request(insert, { objects: [{ title: 'Typed', tags: ['x'] }] });
  const post = found.posts[0];
  const rows = inserted.insert_posts?.affected_rows;
  return { title: post.title, author: post.author.name, count, text: data.greet.text, rows };
}
