/** A service with authors and notes, and its subscribers. */
import { expect } from 'vitest';
import { connectedClient, type Frame, type FrameClient } from '../support/http/websocket-clients.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = `
  create table author (id int primary key, name text not null, big bigint);
  create table note (id serial primary key, author_id int references author, body text not null, at int not null default 0);
  insert into author values (1, 'Ada', 9007199254740993), (2, 'Bea', null), (3, 'Cyd', null);
  insert into note (author_id, body, at) values (1, 'one', 1), (2, 'two', 2), (2, 'more', 2), (3, 'three', 3);
`;

export interface Notes {
  readonly service: TestService;
  connected(headers?: unknown): Promise<FrameClient>;
  /** Runs SQL directly on the database. */
  run(text: string): Promise<unknown>;
  /** Resolves when a subscription of its own was polled three times, in which time all others were polled as well. */
  untilPolled(): Promise<void>;
  /** Closes the connected clients. */
  closeClients(): Promise<void>;
}

/** Starts the service. It polls every 40 ms. */
export async function startNotes(): Promise<Notes> {
  const clients: FrameClient[] = [];
  const service = await startService(
    {
      JOINERY_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '40',
      JOINERY_STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '40',
    },
    { sql },
  );
  for (const name of ['author', 'note']) await service.command('track_table', { schema: 'public', name });
  await service.command('create_array_relationship', {
    table: 'author',
    name: 'notes',
    using: { foreign_key_constraint_on: { table: 'note', column: 'author_id' } },
  });
  await service.command('create_select_permission', {
    table: 'note',
    role: 'user',
    permission: { columns: ['id', 'body', 'at', 'author_id'], filter: { author_id: 'X-Service-User-Id' }, limit: 100 },
  });
  const connected = async (headers: unknown = {}): Promise<FrameClient> => {
    const client = await connectedClient(service.url, headers);
    clients.push(client);
    return client;
  };
  const run = (text: string): Promise<unknown> => service.database.database.query({ text, values: [] });
  return {
    service,
    connected,
    run,
    untilPolled: async () => {
      const client = await connected();
      subscribe(client, 'subscription { note(where: {body: {_eq: "polled"}}, order_by: {id: asc}) { id } }');
      await client.next();
      for (let poll = 1; poll <= 3; poll += 1) {
        await run(`insert into note (author_id, body, at) values (1, 'polled', -1)`);
        await client.next();
      }
      await run(`delete from note where body = 'polled'`);
    },
    closeClients: async () => {
      await Promise.all(clients.splice(0).map((client) => client.close()));
    },
  };
}

export function subscribe(client: FrameClient, query: string, variables?: unknown, id = 'a'): void {
  client.send({ id, type: 'subscribe', payload: { query, variables } });
}

export async function nextData(client: FrameClient): Promise<unknown> {
  const frame = await client.next();
  expect(frame).toMatchObject({ type: 'next' });
  return (frame.payload as Frame).data;
}

/** Returns the headers of role `user` with that id. */
export const as = (id: number) => ({ 'X-Service-Role': 'user', 'x-service-user-id': String(id) });
