/** A program with the artifacts of the Relay compiler, run by the Relay runtime. */
import { type Client, createClient } from 'graphql-ws';
import {
  commitMutation,
  createOperationDescriptor,
  Environment,
  fetchQuery,
  Network,
  Observable,
  RecordSource,
  requestSubscription,
  Store,
} from 'relay-runtime';
import nodeQuery, { type documentsNodeQuery } from './__generated__/documentsNodeQuery.graphql';
import postsQuery, { type documentsPostsQuery } from './__generated__/documentsPostsQuery.graphql';
import renameMutation, { type documentsRenameMutation } from './__generated__/documentsRenameMutation.graphql';
import titles, { type documentsTitlesSubscription } from './__generated__/documentsTitlesSubscription.graphql';

export interface Page {
  readonly titles: readonly string[];
  readonly ids: readonly string[];
  readonly end: string;
  readonly more: boolean;
}

export interface App {
  /** Loads a page after the cursor, and returns all that the store has of the connection. */
  load(first: number, after?: string): Promise<Page>;
  node(id: string): Promise<unknown>;
  rename(from: string, title: string): Promise<unknown>;
  /** Returns the next two titles of the row; runs `change` between them. */
  watch(id: string, change: () => Promise<unknown>): Promise<readonly unknown[]>;
  stop(): Promise<void>;
}

export function start(url: string, headers: Record<string, string>, webSocketImpl: unknown): App {
  const socket: Client = createClient({
    url: url.replace(/^http/, 'ws'),
    webSocketImpl,
    connectionParams: { headers },
  });
  const network = Network.create(
    async ({ text }, variables) => {
      const body = JSON.stringify({ query: text, variables });
      const sent = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body };
      return (await fetch(url, sent)).json();
    },
    ({ text }, variables) =>
      Observable.create((sink) => socket.subscribe({ query: text ?? '', variables }, sink as never)),
  );
  const environment = new Environment({ network, store: new Store(new RecordSource()) });
  return {
    async load(first, after) {
      await fetchQuery<documentsPostsQuery>(environment, postsQuery, { first, after }).toPromise();
      const all = createOperationDescriptor(postsQuery, { first, after });
      const data = environment.lookup(all.fragment).data as documentsPostsQuery['response'];
      const { edges, pageInfo } = data.posts_connection;
      return {
        titles: edges.map(({ node }) => `${node.title} by ${node.author.name}`),
        ids: edges.map(({ node }) => node.id),
        end: pageInfo.endCursor,
        more: pageInfo.hasNextPage,
      };
    },
    async node(id) {
      return (await fetchQuery<documentsNodeQuery>(environment, nodeQuery, { id }).toPromise())?.node;
    },
    rename(from, title) {
      return new Promise((resolve, reject) => {
        commitMutation<documentsRenameMutation>(environment, {
          mutation: renameMutation,
          variables: { where: { title: { _eq: from } }, title },
          onCompleted: ({ update_posts }, errors) => resolve(errors ?? update_posts),
          onError: reject,
        });
      });
    },
    watch(id, change) {
      return new Promise((resolve, reject) => {
        const seen: unknown[] = [];
        const subscription = requestSubscription<documentsTitlesSubscription>(environment, {
          subscription: titles,
          variables: { id },
          onNext: (response) => {
            seen.push(response?.node?.title);
            if (seen.length === 1) change().catch(reject);
            else {
              subscription.dispose();
              resolve(seen);
            }
          },
          onError: reject,
        });
      });
    },
    stop: async () => socket.dispose(),
  };
}
