/** A program with the types of graphql-codegen (client preset), sent by graphql-request. */
import { GraphQLClient } from 'graphql-request';
import { expectType, type Same } from './expect-type';
import { graphql } from './gql';
import { User_Role_Enum } from './gql/graphql';

const postsOf = graphql(`
  query PostsOf($user: uuid!, $where: posts_bool_exp!, $role: user_role_enum!) {
    users_by_pk(id: $user) { name role posts(where: $where, order_by: [{ id: asc }]) { ...Post } }
    users(where: { role: { _eq: $role } }) { name posts_aggregate { aggregate { count max { views } } } }
    greet(name: "Ann") { text }
  }
  fragment Post on posts { id title body views tags author { name } reviewer { name } }
`);
const insert = graphql(`
  mutation Insert($objects: [posts_insert_input!]!) {
    insert_posts(objects: $objects) { affected_rows returning { id title } }
  }
`);

export async function run(url: string, headers: Record<string, string>, user: string): Promise<unknown> {
  const client = new GraphQLClient(url, { headers });
  const role = User_Role_Enum.Editor;
  const data = await client.request(postsOf, { user, where: { published: { _eq: true } }, role });
  const found = data.users_by_pk;
  if (!found) return undefined;
  const [post] = found.posts;
  if (post === undefined) return undefined;
  expectType<Same<typeof post.title, string>>();
  expectType<Same<typeof post.author.name, string>>();
  expectType<Same<NonNullable<typeof post.body>, string>>();
  expectType<Same<null extends typeof post.body ? true : false, true>>();
  expectType<Same<null extends typeof post.reviewer ? true : false, true>>();
  expectType<Same<typeof post.views, number>>();
  expectType<Same<typeof found.role, User_Role_Enum>>();
  expectType<Same<typeof data.greet.text, string>>();
  const count: number = data.users[0].posts_aggregate.aggregate?.count ?? 0;
  const { insert_posts: inserted } = await client.request(insert, { objects: [{ title: 'Typed', tags: ['x'] }] });
  const rows: number | undefined = inserted?.affected_rows;
  return { title: found.posts[0].title, author: post.author.name, count, text: data.greet.text, rows };
}
