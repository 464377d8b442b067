/** Tests of Apollo Client 3 and 4, unmodified: its links over HTTP, batches, persisted queries and websockets. */
import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { ApolloClient, ApolloLink, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { BatchHttpLink } from '@apollo/client/link/batch-http';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { WebSocketLink } from '@apollo/client/link/ws';
import type { DocumentNode } from 'graphql';
import { createClient } from 'graphql-ws';
import { SubscriptionClient } from 'subscriptions-transport-ws';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import WebSocket from 'ws';
import { type Project, startProject } from './project.ts';

// Apollo Client 3 is CommonJS for Node.js.
type Apollo3 = typeof import('apollo-client-3/core/index.js');
const load = createRequire(import.meta.url);

const kinds = ['http', 'batch', 'persisted', 'persisted over GET', 'graphql-transport-ws', 'graphql-ws'] as const;
type Kind = (typeof kinds)[number];

interface Sent {
  readonly method: string;
  /** The parsed body, or the parameters of the URL. */
  readonly body: unknown;
}

/** The part of both versions that the tests use. */
interface Client {
  query(document: DocumentNode, variables?: Record<string, unknown>): Promise<unknown>;
  mutate(document: DocumentNode, variables?: Record<string, unknown>): Promise<unknown>;
  subscribe(document: DocumentNode, next: (data: unknown) => void, error: (error: unknown) => void): () => void;
  /** Returns the code and message of each error in the response that `error` was made of. */
  graphQLErrors(error: unknown): readonly { readonly code: unknown; readonly message: string }[];
}

let project: Project;
const sent: Sent[] = [];
const closers: (() => void)[] = [];

beforeAll(async () => {
  // Apollo Client compares errors with events of the global class, which Node.js 20 does not have.
  vi.stubGlobal('WebSocket', WebSocket);
  // Apollo Client 4 warns about its link for the legacy protocol.
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  project = await startProject();
});
afterAll(async () => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  await project?.stop();
});
beforeEach(() => project.reset());
afterEach(() => {
  for (const close of closers.splice(0)) close();
  sent.length = 0;
});

/** Fetches and records the request. */
const recordingFetch: typeof fetch = (input, init) => {
  const url = new URL(String(input));
  const body = init?.body === undefined || init.body === null ? Object.fromEntries(url.searchParams) : init.body;
  sent.push({ method: init?.method ?? 'GET', body: typeof body === 'string' ? JSON.parse(body) : body });
  return fetch(input, init);
};

const sha256 = (query: string): string => createHash('sha256').update(query).digest('hex');
const batching = { batchMax: 10, batchInterval: 20 };

function modernSocket(): ReturnType<typeof createClient> {
  const connectionParams = { headers: project.user };
  const client = createClient({ url: project.websocket, webSocketImpl: WebSocket, connectionParams });
  closers.push(() => void client.dispose());
  return client;
}

function legacySocket(): SubscriptionClient {
  const client = new SubscriptionClient(project.websocket, { connectionParams: { headers: project.user } }, WebSocket);
  closers.push(() => client.close(true));
  return client;
}

interface ErrorLike {
  readonly message: string;
  readonly extensions?: { readonly code?: unknown };
  readonly cause?: unknown;
}

/** Returns code and message of a list of errors, or of the one error that the legacy protocol throws. */
function errorsOf(error: unknown): { code: unknown; message: string }[] {
  if (Array.isArray(error)) return error.flatMap(errorsOf);
  const { message, extensions, cause } = error as ErrorLike;
  return extensions === undefined && cause !== undefined ? errorsOf(cause) : [{ message, code: extensions?.code }];
}

function apollo4(kind: Kind): Client {
  const options = { uri: project.endpoint, headers: project.user, fetch: recordingFetch };
  const links: Readonly<Record<Kind, () => ApolloLink>> = {
    http: () => new HttpLink(options),
    batch: () => new BatchHttpLink({ ...options, ...batching }),
    persisted: () => new PersistedQueryLink({ sha256 }).concat(new HttpLink(options)),
    'persisted over GET': () =>
      new PersistedQueryLink({ sha256, useGETForHashedQueries: true }).concat(new HttpLink(options)),
    'graphql-transport-ws': () => new GraphQLWsLink(modernSocket()),
    'graphql-ws': () => new WebSocketLink(legacySocket()),
  };
  const client = new ApolloClient({ link: ApolloLink.from([links[kind]()]), cache: new InMemoryCache() });
  closers.push(() => client.stop());
  return {
    query: async (query, variables = {}) =>
      (await client.query({ query, variables, fetchPolicy: 'network-only' })).data,
    mutate: async (mutation, variables = {}) => (await client.mutate({ mutation, variables })).data,
    subscribe: (query, next, error) => {
      // Version 4 passes errors of subscriptions to `next`.
      const observer = {
        next: (result: { readonly data?: unknown; readonly error?: unknown }) =>
          result.error === undefined ? next(result.data) : error(result.error),
        error,
      };
      const subscription = client.subscribe({ query }).subscribe(observer);
      return () => subscription.unsubscribe();
    },
    graphQLErrors: (error) => errorsOf(CombinedGraphQLErrors.is(error) ? error.errors : error),
  };
}

function apollo3(kind: Kind): Client {
  const core = load('apollo-client-3/core') as Apollo3;
  const batch = load('apollo-client-3/link/batch-http') as typeof import('apollo-client-3/link/batch-http/index.js');
  const persisted = load(
    'apollo-client-3/link/persisted-queries',
  ) as typeof import('apollo-client-3/link/persisted-queries/index.js');
  const modern = load(
    'apollo-client-3/link/subscriptions',
  ) as typeof import('apollo-client-3/link/subscriptions/index.js');
  const legacy = load('apollo-client-3/link/ws') as typeof import('apollo-client-3/link/ws/index.js');
  const options = { uri: project.endpoint, headers: project.user, fetch: recordingFetch };
  const hashed = (useGETForHashedQueries: boolean) =>
    persisted.createPersistedQueryLink({ sha256, useGETForHashedQueries }).concat(new core.HttpLink(options));
  const links: Readonly<Record<Kind, () => InstanceType<Apollo3['ApolloLink']>>> = {
    http: () => new core.HttpLink(options),
    batch: () => new batch.BatchHttpLink({ ...options, ...batching }),
    persisted: () => hashed(false),
    'persisted over GET': () => hashed(true),
    'graphql-transport-ws': () => new modern.GraphQLWsLink(modernSocket()),
    'graphql-ws': () => new legacy.WebSocketLink(legacySocket()),
  };
  const client = new core.ApolloClient({ link: links[kind](), cache: new core.InMemoryCache() });
  closers.push(() => client.stop());
  return {
    query: async (query, variables = {}) =>
      (await client.query({ query, variables, fetchPolicy: 'network-only' })).data,
    mutate: async (mutation, variables = {}) => (await client.mutate({ mutation, variables })).data,
    subscribe: (query, next, error) => {
      const subscription = client.subscribe({ query }).subscribe({ next: ({ data }) => next(data), error });
      return () => subscription.unsubscribe();
    },
    graphQLErrors: (error) =>
      errorsOf(error instanceof core.ApolloError ? (error.networkError ?? error.graphQLErrors) : error),
  };
}

const posts = gql`
  query Posts($where: posts_bool_exp!) {
    posts(where: $where, order_by: { id: asc }) { id title views author { name role } reviewer { name } }
    posts_aggregate(where: $where) { aggregate { count sum { views } } }
  }
`;
const insert = gql`
  mutation Insert($object: posts_insert_input!) {
    insert_posts_one(object: $object) { id title tags author { id name } }
  }
`;
const greeting = gql`
  query Greet($name: String!) {
    greet(name: $name) { text }
  }
`;
const titles = gql`
  subscription Titles {
    posts(order_by: { id: asc }) { id title }
  }
`;
const stream = gql`
  subscription Stream {
    posts_stream(batch_size: 1, cursor: [{ initial_value: { id: 1 }, ordering: ASC }]) { id title }
  }
`;

/** Waits for `count` results of a subscription; runs `after` after each but the last. */
function results(
  client: Client,
  document: DocumentNode,
  count: number,
  after: () => Promise<unknown>,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const received: unknown[] = [];
    const unsubscribe = client.subscribe(
      document,
      (data) => {
        received.push(data);
        if (received.length < count) after().catch(reject);
        else {
          resolve(received);
          queueMicrotask(() => unsubscribe());
        }
      },
      reject,
    );
  });
}

describe.each([
  ['3', apollo3],
  ['4', apollo4],
] as const)('Apollo Client %s', (_version, connect) => {
  describe.each(kinds)('over %s', (kind) => {
    test('reads rows with relationships and aggregates by a condition in a variable', async () => {
      expect(await connect(kind).query(posts, { where: { published: { _eq: true } } })).toEqual({
        posts: [
          {
            __typename: 'posts',
            id: 1,
            title: 'First',
            views: 7,
            author: { __typename: 'users', name: 'Ann', role: 'editor' },
            reviewer: null,
          },
          {
            __typename: 'posts',
            id: 3,
            title: 'Other',
            views: 3,
            author: { __typename: 'users', name: 'Bo', role: 'reader' },
            reviewer: null,
          },
        ],
        posts_aggregate: {
          __typename: 'posts_aggregate',
          aggregate: {
            __typename: 'posts_aggregate_fields',
            count: 2,
            sum: { __typename: 'posts_sum_fields', views: 10 },
          },
        },
      });
    });

    test('inserts a row with variables, and receives the preset value', async () => {
      expect(await connect(kind).mutate(insert, { object: { title: 'New', tags: ['x', { y: 1 }] } })).toMatchObject({
        insert_posts_one: { title: 'New', tags: ['x', { y: 1 }], author: { name: 'Ann' } },
      });
      expect(await project.run("select count(*) from posts where title = 'New'")).toEqual([['1']]);
    });

    test('throws errors with their code: of a constraint, of validation, of an action', async () => {
      const client = connect(kind);
      const errorOf = async (failing: Promise<unknown>): Promise<unknown> =>
        failing.then(() => [], client.graphQLErrors);
      expect(await errorOf(client.mutate(insert, { object: { title: '' } }))).toMatchObject([
        { code: 'permission-error', message: expect.stringContaining('heck constraint') },
      ]);
      const unknown = gql`{ posts { email } }`;
      expect(await errorOf(client.query(unknown))).toEqual([
        { code: 'validation-failed', message: "field 'email' not found in type: 'posts'" },
      ]);
      expect(await errorOf(client.query(greeting, { name: '' }))).toEqual([
        { code: 'no-name', message: 'a name is required' },
      ]);
      expect(await client.query(greeting, { name: 'Ann' })).toMatchObject({ greet: { text: 'Hello Ann' } });
    });
  });

  describe.each(['graphql-transport-ws', 'graphql-ws'] as const)('subscriptions over %s', (kind) => {
    test('receive the rows again when they change', async () => {
      const change = () => project.run("update posts set title = 'Changed' where id = 1");
      expect(await results(connect(kind), titles, 2, change)).toMatchObject([
        { posts: [{ title: 'First' }, { title: 'Draft' }, { title: 'Other' }] },
        { posts: [{ title: 'Changed' }, { title: 'Draft' }, { title: 'Other' }] },
      ]);
    });

    test('stream rows in batches from the cursor', async () => {
      expect(await results(connect(kind), stream, 2, async () => undefined)).toMatchObject([
        { posts_stream: [{ id: 2, title: 'Draft' }] },
        { posts_stream: [{ id: 3, title: 'Other' }] },
      ]);
    });

    test('throw the error of an invalid operation', async () => {
      const client = connect(kind);
      const invalid = gql`subscription { posts { email } }`;
      const failed = results(client, invalid, 1, async () => undefined);
      const errors = await failed.then(() => [], client.graphQLErrors);
      expect(errors).toEqual([{ code: 'validation-failed', message: "field 'email' not found in type: 'posts'" }]);
    });
  });

  test('batches operations of one moment into one request, and separates their errors', async () => {
    const client = connect('batch');
    const [read, failed, greeted] = await Promise.allSettled([
      client.query(posts, { where: { id: { _eq: 1 } } }),
      client.query(gql`{ posts { email } }`),
      client.query(greeting, { name: 'Bo' }),
    ]);
    expect(sent).toMatchObject([{ method: 'POST', body: [{}, {}, {}] }]);
    expect(read).toMatchObject({ value: { posts: [{ title: 'First' }] } });
    expect(failed?.status === 'rejected' && client.graphQLErrors(failed.reason)).toMatchObject([
      { code: 'validation-failed' },
    ]);
    expect(greeted).toMatchObject({ value: { greet: { text: 'Hello Bo' } } });
  });

  test.each([
    ['persisted', 'POST'],
    ['persisted over GET', 'GET'],
  ] as const)('%s: sends the text once, and the hash alone afterwards', async (kind, method) => {
    const client = connect(kind);
    const document = gql(`query Once { users(where: {name: {_eq: "${_version} ${kind}"}}) { id } }`);
    expect(await client.query(document)).toEqual({ users: [] });
    const [first, second, ...more] = sent.splice(0);
    expect([first?.method, second?.method, more]).toEqual([method, 'POST', []]);
    expect(first?.body).not.toHaveProperty('query');
    expect(second?.body).toMatchObject({ query: expect.stringContaining('users'), extensions: { persistedQuery: {} } });
    expect(await connect(kind).query(document)).toEqual({ users: [] });
    expect(sent.map(({ body, method }) => [method, Object.keys(body as object).includes('query')])).toEqual([
      [method, false],
    ]);
  });
});
