/** A program with the client that genql generates. */
import { expectType, type Same } from './expect-type';
import { createClient, enumUserRoleEnum, GenqlError } from './generated';

export async function run(url: string, headers: Record<string, string>, user: string): Promise<unknown> {
  const client = createClient({ url, headers });
  const data = await client.query({
    users_by_pk: {
      __args: { id: user },
      role: true,
      posts: {
        __args: { where: { published: { _eq: true } }, order_by: [{ id: 'asc' }] },
        title: true,
        body: true,
        author: { name: true },
        reviewer: { name: true },
      },
      posts_aggregate: { aggregate: { count: true } },
    },
    users: { __args: { where: { role: { _eq: enumUserRoleEnum.editor } } }, name: true },
    greet: { __args: { name: 'Ann' }, text: true },
  });
  const found = data.users_by_pk;
  if (found === null) return undefined;
  const post = found.posts[0];
  expectType<Same<typeof post.title, string>>();
  expectType<Same<typeof post.body, string | null>>();
  expectType<Same<typeof post.author.name, string>>();
  expectType<Same<typeof data.greet.text, string>>();
  expectType<Same<null extends typeof post.reviewer ? true : false, true>>();
  const inserted = await client.mutation({
    insert_posts: { __args: { objects: [{ title: 'Typed', tags: ['x'] }] }, affected_rows: true },
  });
  const count = found.posts_aggregate.aggregate?.count;
  const rows = inserted.insert_posts?.affected_rows;
  return { title: post.title, author: post.author.name, count, text: data.greet.text, rows };
}

/** Returns the messages of the error that an invalid argument throws. */
export async function fail(url: string, headers: Record<string, string>): Promise<readonly string[]> {
  const failing = createClient({ url, headers }).query({ greet: { __args: { name: '' }, text: true } });
  const error = await failing.catch((reason: unknown) => reason);
  return error instanceof GenqlError ? error.errors.map(({ message }) => message) : [];
}
