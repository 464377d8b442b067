/** Tests of urql, graphql-request and graphql-ws, unmodified. */
import { CombinedError, cacheExchange, fetchExchange, subscriptionExchange, Client as Urql } from '@urql/core';
import { ClientError, GraphQLClient } from 'graphql-request';
import { createClient, type ExecutionResult, type FormattedExecutionResult, type Client as Socket } from 'graphql-ws';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { type Project, startProject } from './project.ts';

let project: Project;
const sockets: Socket[] = [];

beforeAll(async () => {
  project = await startProject();
});
afterAll(() => project?.stop());
beforeEach(() => project.reset());
afterEach(async () => {
  for (const socket of sockets.splice(0)) await socket.dispose();
});

const posts = `query Posts($where: posts_bool_exp = {}, $order: [posts_order_by!]) {
  posts(where: $where, order_by: $order) { id title author { name } }
}`;
const descending = { where: { published: { _eq: true } }, order: [{ id: 'desc' }] };
const published = [
  { id: 3, title: 'Other', author: { name: 'Bo' } },
  { id: 1, title: 'First', author: { name: 'Ann' } },
];
const update = `mutation Publish($id: Int!, $set: posts_set_input!) {
  update_posts_by_pk(pk_columns: {id: $id}, _set: $set) { id published title }
}`;
const greeting = 'query Greet($name: String!) { greet(name: $name) { text } }';
const titles = 'subscription Titles { posts(order_by: {id: asc}) { title } }';
const change = () => project.run("update posts set title = 'Changed' where id = 1");
const unknownField = { message: "field 'email' not found in type: 'posts'", extensions: { code: 'validation-failed' } };
const actionError = { message: 'a name is required', extensions: { code: 'no-name' } };

function connect(headers: Readonly<Record<string, string>> = project.user): Socket {
  const socket = createClient({
    url: project.websocket,
    webSocketImpl: WebSocket,
    connectionParams: { headers },
    retryAttempts: 0,
  });
  sockets.push(socket);
  return socket;
}

describe('urql', () => {
  const connectUrql = (preferGetMethod: boolean): Urql =>
    new Urql({
      url: project.endpoint,
      preferGetMethod,
      fetchOptions: () => ({ headers: project.user }),
      exchanges: [
        cacheExchange,
        fetchExchange,
        subscriptionExchange({
          forwardSubscription: ({ query = '', variables }) => ({
            subscribe: (observer) => {
              const next = ({ data = null, errors }: FormattedExecutionResult) =>
                observer.next({ data, ...(errors !== undefined && { errors }) });
              return {
                unsubscribe: connect().subscribe({ query, variables: { ...variables } }, { ...observer, next }),
              };
            },
          }),
        }),
      ],
    });

  test.each([
    ['POST', false],
    ['GET', true],
  ])('queries with %s', async (_method, preferGet) => {
    const result = await connectUrql(preferGet).query(posts, descending).toPromise();
    expect(result.error).toBeUndefined();
    expect(result.data).toMatchObject({ posts: published });
  });

  test('runs a mutation with variables', async () => {
    const result = await connectUrql(false)
      .mutation(update, { id: 2, set: { published: true } })
      .toPromise();
    expect(result.data).toMatchObject({ update_posts_by_pk: { id: 2, published: true, title: 'Draft' } });
    expect(await project.run('select published from posts where id = 2')).toEqual([['t']]);
  });

  test('returns the errors of validation and of an action with their codes', async () => {
    const client = connectUrql(false);
    const failed = await client.query('{ posts { email } }', {}).toPromise();
    expect(failed.error).toBeInstanceOf(CombinedError);
    expect(failed.error?.graphQLErrors).toMatchObject([unknownField]);
    const denied = await client.query(greeting, { name: '' }).toPromise();
    expect(denied.error?.graphQLErrors).toMatchObject([actionError]);
    expect(denied.data ?? null).toBeNull();
  });

  test('receives changes through the exchange for subscriptions', async () => {
    const received: unknown[] = [];
    await new Promise<void>((resolve, reject) => {
      const { unsubscribe } = connectUrql(false)
        .subscription(titles, {})
        .subscribe(({ data, error }) => {
          if (error !== undefined) reject(error);
          received.push(data?.posts[0]);
          if (received.length === 1) change().catch(reject);
          else {
            unsubscribe();
            resolve();
          }
        });
    });
    expect(received).toMatchObject([{ title: 'First' }, { title: 'Changed' }]);
  });
});

describe('graphql-request', () => {
  const client = () => new GraphQLClient(project.endpoint, { headers: { ...project.user } });

  test('queries and mutates with variables', async () => {
    expect(await client().request(posts, descending)).toEqual({ posts: published });
    const set = { title: 'Ready' };
    expect(await client().request(update, { id: 2, set })).toMatchObject({ update_posts_by_pk: set });
    expect(await client().request(greeting, { name: 'Bo' })).toEqual({ greet: { text: 'Hello Bo' } });
  });

  test('sends a batch, and returns the results in its order', async () => {
    const documents: { document: string; variables: object }[] = [
      { document: greeting, variables: { name: 'Ann' } },
      { document: posts, variables: descending },
    ];
    expect(await client().batchRequests(documents)).toEqual([
      { data: { greet: { text: 'Hello Ann' } } },
      { data: { posts: published } },
    ]);
  });

  test('throws a ClientError with the errors of the response', async () => {
    const errorOf = async (failing: Promise<unknown>): Promise<unknown> => {
      const error = await failing.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      return error instanceof ClientError ? error.response : error;
    };
    expect(await errorOf(client().request('{ posts { email } }'))).toMatchObject({ errors: [unknownField] });
    expect(await errorOf(client().request(greeting, { name: '' }))).toMatchObject({ errors: [actionError] });
    const wrong = new GraphQLClient(project.endpoint, { headers: { 'x-hasura-admin-secret': 'wrong' } });
    expect(await errorOf(wrong.request(posts))).toMatchObject({ errors: [{ extensions: { code: 'access-denied' } }] });
  });
});

describe('graphql-ws', () => {
  const only = async (socket: Socket, query: string, variables: Record<string, unknown> = {}): Promise<unknown> => {
    const results: ExecutionResult[] = [];
    for await (const result of socket.iterate({ query, variables })) results.push(result as ExecutionResult);
    expect(results).toHaveLength(1);
    return results[0];
  };

  test('runs queries, mutations and actions on one connection', async () => {
    const socket = connect();
    expect(await only(socket, posts, descending)).toEqual({ data: { posts: published } });
    expect(await only(socket, update, { id: 2, set: { title: 'Ready' } })).toMatchObject({
      data: { update_posts_by_pk: { title: 'Ready' } },
    });
    expect(await only(socket, greeting, { name: '' })).toMatchObject({ errors: [actionError] });
  });

  test('throws the errors of an operation that is invalid, and stays connected', async () => {
    const socket = connect();
    await expect(only(socket, 'subscription { posts { email } }')).rejects.toMatchObject([unknownField]);
    expect(await only(socket, '{ __typename }')).toEqual({ data: { __typename: 'query_root' } });
  });

  test('receives the rows again when they change, until the iteration ends', async () => {
    const received: unknown[] = [];
    for await (const { data } of connect().iterate<{ posts: { title: string }[] }>({ query: titles })) {
      received.push(data?.posts[0]);
      if (received.length === 2) break;
      await change();
    }
    expect(received).toEqual([{ title: 'First' }, { title: 'Changed' }]);
  });

  test('is closed with the code 4403 if its secret is wrong', async () => {
    const socket = connect({ 'x-hasura-admin-secret': 'wrong' });
    await expect(only(socket, '{ __typename }')).rejects.toMatchObject({ code: 4403 });
  });
});
