/** Websocket connections: metadata changes during subscriptions, queries and mutations, reconnects, and the end of polling. */
import { createClient } from 'graphql-ws';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { frameClient } from '../support/http/websocket-clients.ts';
import type { TestService } from '../support/service/test-service.ts';
import { until } from '../support/until.ts';
import { as, type Notes, nextData, startNotes, subscribe } from './notes-service.ts';

let notes: Notes;
let service: TestService;
const connected = (headers?: unknown) => notes.connected(headers);
const run = (text: string) => notes.run(text);

beforeAll(async () => {
  notes = await startNotes();
  service = notes.service;
});

afterEach(() => notes.closeClients());

afterAll(() => service?.stop());

describe('a change of the metadata', () => {
  it('ends subscriptions that became invalid with an error, and continues the others', async () => {
    await run('create table task (id int primary key, title text, secret text)');
    await run(`insert into task values (1, 'wash', 'x')`);
    await service.command('track_table', { schema: 'public', name: 'task' });
    const permission = (columns: string[]) => ({ table: 'task', role: 'user', permission: { columns, filter: {} } });
    await service.command('create_select_permission', permission(['id', 'title', 'secret']));
    const client = await connected(as(1));
    subscribe(client, 'subscription { task { title } }', undefined, 'valid');
    subscribe(client, 'subscription { task { secret } }', undefined, 'invalid');
    await client.next();
    await client.next();
    await service.command('bulk', [
      { type: 'drop_select_permission', args: { table: 'task', role: 'user' } },
      { type: 'create_select_permission', args: permission(['id', 'title']) },
    ]);
    expect(await client.next()).toMatchObject({
      id: 'invalid',
      type: 'error',
      payload: [{ extensions: { code: 'validation-failed' } }],
    });
    await run(`update task set title = 'dry'`);
    expect(await client.next()).toEqual({ id: 'valid', type: 'next', payload: { data: { task: [{ title: 'dry' }] } } });
  });

  it('applies to the rows of a running subscription', async () => {
    const client = await connected({ 'x-service-role': 'guest' });
    const rule = (filter: unknown) => ({ table: 'author', role: 'guest', permission: { columns: ['id'], filter } });
    await service.command('create_select_permission', rule({ id: 1 }));
    subscribe(client, 'subscription { author { id } }');
    expect(await nextData(client)).toEqual({ author: [{ id: 1 }] });
    await service.command('bulk', [
      { type: 'drop_select_permission', args: { table: 'author', role: 'guest' } },
      { type: 'create_select_permission', args: rule({ id: 2 }) },
    ]);
    expect(await nextData(client)).toEqual({ author: [{ id: 2 }] });
  });
});

describe('queries and mutations over a socket', () => {
  it('have the same results as over HTTP, with exact numbers and errors', async () => {
    const client = await connected();
    const raw = new Promise((resolve) => client.socket.once('message', (data) => resolve(String(data))));
    const query = 'query($n: bigint!) { author(where: {big: {_eq: $n}}) { name big } }';
    client.send(`{"id":"q","type":"subscribe","payload":{"query":"${query}","variables":{"n":9007199254740993}}}`);
    expect(await raw).toBe(
      '{"id":"q","type":"next","payload":{"data":{"author":[{"name":"Ada","big":9007199254740993}]}}}',
    );
    await client.next();
    expect(await client.next()).toEqual({ id: 'q', type: 'complete' });
    subscribe(client, 'query($n: numeric) { author { id } }', {}, 'unknown');
    expect(await client.next()).toMatchObject({ id: 'unknown', type: 'error' });
    subscribe(client, 'query { note(where: {author: {id: {_eq: 1}}}) { id } }', {}, 'unrelated');
    expect(await client.next()).toMatchObject({ id: 'unrelated', type: 'error' });
    subscribe(client, '{ author(limit: 1, offset: "99999999999999999999") { id } }', {}, 'late');
    expect(await client.next()).toMatchObject({ id: 'late' });
  });
});

describe('the client of the package graphql-ws', () => {
  it('subscribes, and subscribes again after its connection was lost', async () => {
    const sockets: WebSocket[] = [];
    class RecordedWebSocket extends WebSocket {
      constructor(address: string, protocols?: string | string[]) {
        super(address, protocols);
        sockets.push(this);
      }
    }
    const client = createClient({
      url: `${service.url.replace(/^http/, 'ws')}/v1/graphql`,
      webSocketImpl: RecordedWebSocket,
      connectionParams: { headers: as(3) },
      retryWait: async () => undefined,
      shouldRetry: () => true,
    });
    const results = client.iterate<{ note: unknown }>({ query: 'subscription { note(limit: 1) { author_id } }' });
    const expected = { data: { note: [{ author_id: 3 }] } };
    expect((await results.next()).value).toEqual(expected);
    sockets[0]?.terminate();
    expect((await results.next()).value).toEqual(expected);
    expect(sockets.length).toBe(2);
    await results.return?.();
    await client.dispose();
  });
});

describe('polling', () => {
  it('ends with the last subscriber, also if the client disconnects without a close frame', async () => {
    await run('create table watched (id int primary key)');
    await service.command('track_table', { schema: 'public', name: 'watched' });
    const client = await frameClient(service.url);
    client.send({ type: 'connection_init', payload: {} });
    await client.next();
    subscribe(client, 'subscription { watched { id } }');
    await client.next();
    await until('the subscription has started', async () => (await gauge('joinery_subscriptions')) === 1);
    client.socket.terminate();
    await until('the subscription has ended', async () => (await gauge('joinery_subscriptions')) === 0);
    expect(await gauge('joinery_live_cohorts')).toBe(0);
    await service.database.database.transaction(async (query) => {
      await query({ text: 'lock table watched', values: [] });
      await notes.untilPolled();
      // A poll of the ended subscription would wait for the lock.
      const text = `select count(*) from pg_locks where relation = 'watched'::regclass and not granted`;
      expect((await query({ text, values: [] })).rows).toEqual([['0']]);
    });
  });

  async function gauge(name: string): Promise<number> {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1]);
  }
});
