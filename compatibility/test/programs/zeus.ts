/** A program with the client that graphql-zeus generates. */
import { expectType, type Same } from './expect-type';
import { $, Chain, GraphQLError, order_by, user_role_enum } from './zeus';

function connect(url: string, headers: Record<string, string>): ReturnType<typeof Chain> {
  return Chain(url, { headers: { 'Content-Type': 'application/json', ...headers } });
}

export async function run(url: string, headers: Record<string, string>, user: string): Promise<unknown> {
  const chain = connect(url, headers);
  const data = await chain('query')(
    {
      users_by_pk: [
        { id: $('user', 'uuid!') },
        {
          role: true,
          posts: [
            { where: { published: { _eq: true } }, order_by: [{ id: order_by.asc }] },
            { title: true, body: true, author: { name: true }, reviewer: { name: true } },
          ],
          posts_aggregate: [{}, { aggregate: { count: [{}, true] } }],
        },
      ],
      users: [{ where: { role: { _eq: user_role_enum.editor } } }, { name: true }],
      greet: [{ name: 'Ann' }, { text: true }],
    },
    { variables: { user } },
  );
  const found = data.users_by_pk;
  if (!found) return undefined;
  const post = found.posts[0];
  expectType<Same<typeof post.title, string>>();
  expectType<Same<NonNullable<typeof post.body>, string>>();
  expectType<Same<undefined extends typeof post.body ? true : false, true>>();
  expectType<Same<typeof post.author.name, string>>();
  expectType<Same<undefined extends typeof post.reviewer ? true : false, true>>();
  expectType<Same<typeof data.greet.text, string>>();
  const inserted = await chain('mutation')({
    insert_posts: [{ objects: [{ title: 'Typed' }] }, { affected_rows: true }],
  });
  const count = found.posts_aggregate.aggregate?.count;
  const rows = inserted.insert_posts?.affected_rows;
  return { title: post.title, author: post.author.name, count, text: data.greet.text, rows };
}

/** Returns the messages of the error that an invalid argument throws. */
export async function fail(url: string, headers: Record<string, string>): Promise<readonly string[]> {
  const failing = connect(url, headers)('query')({ greet: [{ name: '' }, { text: true }] });
  const error = await failing.catch((reason: unknown) => reason);
  return error instanceof GraphQLError ? (error.response.errors ?? []).map(({ message }) => message) : [];
}
