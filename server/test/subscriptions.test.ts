/** Live queries and streams over real sockets: who is told what, and when. */
import { createClient } from 'graphql-ws';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { startGraphQLServer } from './graphql-server.ts';
import { runningService, type TestService } from './running.ts';
import { admitted, type Frame, type FrameClient, frameClient } from './websocket-clients.ts';

const sql = `
  create table author (id int primary key, name text not null, big bigint);
  create table note (id serial primary key, author_id int references author, body text not null, at int not null default 0);
  insert into author values (1, 'Ada', 9007199254740993), (2, 'Bea', null), (3, 'Cyd', null);
  insert into note (author_id, body, at) values (1, 'one', 1), (2, 'two', 2), (2, 'more', 2), (3, 'three', 3);
`;

let service: TestService;
const clients: FrameClient[] = [];

beforeAll(async () => {
  service = await runningService(
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
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

afterAll(() => service?.stop());

async function connected(headers: unknown = {}): Promise<FrameClient> {
  const client = await admitted(service.url, headers);
  clients.push(client);
  return client;
}

function subscribe(client: FrameClient, query: string, variables?: unknown, id = 'a'): void {
  client.send({ id, type: 'subscribe', payload: { query, variables } });
}

async function nextData(client: FrameClient): Promise<unknown> {
  const frame = await client.next();
  expect(frame).toMatchObject({ type: 'next' });
  return (frame.payload as Frame).data;
}

const run = (text: string) => service.database.database.query({ text, values: [] });
const as = (id: number) => ({ 'X-Service-Role': 'user', 'x-service-user-id': String(id) });

describe('a live query', () => {
  it('is told the result at once, and every change after it', async () => {
    const client = await connected();
    subscribe(client, 'subscription { author_by_pk(id: 1) { name } }');
    expect(await nextData(client)).toEqual({ author_by_pk: { name: 'Ada' } });
    await run(`update author set name = 'Ada L.' where id = 1`);
    expect(await nextData(client)).toEqual({ author_by_pk: { name: 'Ada L.' } });
    await run(`update author set name = 'Ada' where id = 1`);
    expect(await nextData(client)).toEqual({ author_by_pk: { name: 'Ada' } });
  });

  it('is not told what has not changed', async () => {
    const client = await connected();
    subscribe(client, 'subscription { author(order_by: {id: asc}) { id } }', undefined, 'still');
    subscribe(client, 'subscription { note_aggregate { aggregate { count } } }', undefined, 'moving');
    await client.next();
    await client.next();
    for (let round = 0; round < 3; round += 1) {
      await run(`insert into note (author_id, body, at) values (1, 'moving', -1)`);
      expect(await client.next()).toMatchObject({ id: 'moving' });
    }
    await run(`delete from note where body = 'moving'`);
    expect(await client.next()).toMatchObject({ id: 'moving' });
    expect(client.unread).toEqual([]);
  });

  it('knows a row that is not there, and one that comes', async () => {
    const client = await connected();
    subscribe(client, 'subscription($id: Int!) { author_by_pk(id: $id) { name } }', { id: 9 });
    expect(await nextData(client)).toEqual({ author_by_pk: null });
    await run(`insert into author values (9, 'Ida')`);
    expect(await nextData(client)).toEqual({ author_by_pk: { name: 'Ida' } });
    await run('delete from author where id = 9');
    expect(await nextData(client)).toEqual({ author_by_pk: null });
  });

  it('has all arguments: lists, limits, variables of any type, related rows', async () => {
    const client = await connected();
    const query = `subscription($ids: [Int!], $n: Int, $pattern: String, $distinct: Boolean) {
      author(where: {id: {_in: $ids}, name: {_like: $pattern}}, order_by: {id: desc}, limit: $n) {
        name notes(order_by: {id: asc}, limit: 1) { body } notes_aggregate { aggregate { count(columns: at, distinct: $distinct) } }
      }
    }`;
    subscribe(client, query, { ids: [1, 2, 3], n: 2, pattern: '%', distinct: true });
    expect(await nextData(client)).toEqual({
      author: [
        { name: 'Cyd', notes: [{ body: 'three' }], notes_aggregate: { aggregate: { count: 1 } } },
        { name: 'Bea', notes: [{ body: 'two' }], notes_aggregate: { aggregate: { count: 1 } } },
      ],
    });
  });

  it('ends when the client says so', async () => {
    const client = await connected();
    subscribe(client, 'subscription { author { id } }');
    await client.next();
    client.send({ id: 'a', type: 'complete' });
    // The id is free again.
    subscribe(client, 'subscription { author_by_pk(id: 3) { name } }');
    expect(await nextData(client)).toEqual({ author_by_pk: { name: 'Cyd' } });
  });
});

describe('many subscribers to one statement', () => {
  it('never see rows of another session', async () => {
    const query = 'subscription { note(order_by: {id: asc}) { author_id } }';
    const sessions = await Promise.all([1, 2, 3].map((id) => connected(as(id))));
    for (const client of sessions) subscribe(client, query);
    const first = await Promise.all(sessions.map(nextData));
    expect(first).toEqual([
      { note: [{ author_id: 1 }] },
      { note: [{ author_id: 2 }, { author_id: 2 }] },
      { note: [{ author_id: 3 }] },
    ]);
    await run(`insert into note (author_id, body) values (3, 'secret')`);
    const [one, two, three] = sessions;
    if (one === undefined || two === undefined || three === undefined) throw new Error('three clients');
    expect(await nextData(three)).toEqual({ note: [{ author_id: 3 }, { author_id: 3 }] });
    await run(`insert into note (author_id, body) values (1, 'own')`);
    expect(await nextData(one)).toEqual({ note: [{ author_id: 1 }, { author_id: 1 }] });
    await run(`delete from note where body in ('secret', 'own')`);
    expect(await nextData(one)).toEqual({ note: [{ author_id: 1 }] });
    expect(await nextData(three)).toEqual({ note: [{ author_id: 3 }] });
    expect(two.unread).toEqual([]);
  });

  it('of which one sends a value that PostgreSQL cannot take leave the others alone', async () => {
    const query = 'subscription { note(order_by: {id: asc}) { body } }';
    const bad = await connected({ ...as(1), 'x-service-user-id': 'me; drop table note' });
    const good = await connected(as(3));
    subscribe(bad, query);
    subscribe(good, query);
    expect(await nextData(good)).toEqual({ note: [{ body: 'three' }] });
    expect(await bad.next()).toMatchObject({
      type: 'next',
      payload: { data: null, errors: [{ extensions: { code: 'data-exception', path: '$.selectionSet.note' } }] },
    });
    await run(`update note set body = 'three!' where body = 'three'`);
    expect(await nextData(good)).toEqual({ note: [{ body: 'three!' }] });
    await run(`update note set body = 'three' where body = 'three!'`);
    expect(await nextData(good)).toEqual({ note: [{ body: 'three' }] });
    expect(bad.unread).toEqual([]);
  });

  it('share the result when they ask for the same, also when one comes late', async () => {
    const query = 'subscription { author(order_by: {id: asc}, limit: 1) { name } }';
    const early = await connected();
    subscribe(early, query);
    expect(await nextData(early)).toEqual({ author: [{ name: 'Ada' }] });
    const late = await connected();
    subscribe(late, query);
    expect(await nextData(late)).toEqual({ author: [{ name: 'Ada' }] });
    await run(`update author set name = 'Zoe' where id = 1`);
    expect(await Promise.all([early, late].map(nextData))).toEqual([
      { author: [{ name: 'Zoe' }] },
      { author: [{ name: 'Zoe' }] },
    ]);
    await run(`update author set name = 'Ada' where id = 1`);
    await Promise.all([early, late].map(nextData));
  });
});

describe('a stream', () => {
  it('goes through the rows in batches, those that tie together, and waits for new ones', async () => {
    const client = await connected();
    const query = `subscription($from: Int!) {
      note_stream(batch_size: 2, cursor: {initial_value: {at: $from}, ordering: ASC}) { body at }
    }`;
    subscribe(client, query, { from: 0 });
    const first = (await nextData(client)) as { note_stream: Frame[] };
    expect(first.note_stream.map(({ body }) => body).toSorted()).toEqual(['more', 'one', 'two']);
    expect(await nextData(client)).toEqual({ note_stream: [{ body: 'three', at: 3 }] });
    await run(`insert into note (author_id, body, at) values (1, 'four', 4)`);
    expect(await nextData(client)).toEqual({ note_stream: [{ body: 'four', at: 4 }] });
    await run(`update note set at = 5 where body = 'four'`);
    expect(await nextData(client)).toEqual({ note_stream: [{ body: 'four', at: 5 }] });
    await run(`delete from note where body = 'four'`);
    expect(client.unread).toEqual([]);
  });

  it('goes downwards, under the row rule and a condition', async () => {
    const client = await connected(as(2));
    const query = `subscription {
      note_stream(batch_size: 1, cursor: [{initial_value: {id: 1000}, ordering: DESC}], where: {body: {_neq: "x"}}) { body author { name } }
    }`;
    subscribe(client, query);
    expect(await client.next()).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'validation-failed' } }],
    });
    subscribe(client, query.replace('author { name }', ''));
    expect(await nextData(client)).toEqual({ note_stream: [{ body: 'more' }] });
    expect(await nextData(client)).toEqual({ note_stream: [{ body: 'two' }] });
  });

  it.each([
    ['no column', 'initial_value: {}', '$.selectionSet.note_stream.args.cursor[0].initial_value'],
    ['two columns', 'initial_value: {id: 1, at: 1}', '$.selectionSet.note_stream.args.cursor[0].initial_value'],
    ['null', 'initial_value: {id: null}', '$.selectionSet.note_stream.args.cursor[0].initial_value.id'],
  ])('refuses a cursor with %s', async (_what, cursor, path) => {
    const client = await connected();
    subscribe(client, `subscription { note_stream(batch_size: 1, cursor: {${cursor}}) { id } }`);
    expect(await client.next()).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'validation-failed', path } }],
    });
  });
});

describe('what is refused', () => {
  it.each([
    ['two roots', 'subscription { a: author { id } b: author { id } }', 'validation-failed', '$'],
    ['a root that is no table', 'subscription { __typename }', 'validation-failed', '$'],
    [
      'an unknown field',
      'subscription { author { nothing } }',
      'validation-failed',
      '$.selectionSet.author.selectionSet.nothing',
    ],
    ['a syntax error', 'subscription { author', 'validation-failed', '$.query'],
    [
      'a missing variable',
      'subscription($i: Int!) { author_by_pk(id: $i) { id } }',
      'validation-failed',
      '$.variables.i',
    ],
  ])('%s', async (_what, query, code, path) => {
    const client = await connected();
    subscribe(client, query);
    expect(await client.next()).toMatchObject({
      id: 'a',
      type: 'error',
      payload: [{ message: expect.any(String), extensions: { code, path } }],
    });
    subscribe(client, 'subscription { author_by_pk(id: 1) { name } }');
    expect(await nextData(client)).toEqual({ author_by_pk: { name: 'Ada' } });
  });

  it('a subscription over HTTP', async () => {
    expect(await service.graphql('subscription { author { id } }')).toMatchObject({
      errors: [{ extensions: { code: 'unexpected-payload' } }],
    });
  });

  it('a root that the role may not subscribe to', async () => {
    await service.command('create_select_permission', {
      table: 'author',
      role: 'reader',
      permission: { columns: ['id'], filter: {}, subscription_root_fields: ['select_by_pk'] },
    });
    const client = await connected({ 'x-service-role': 'reader' });
    subscribe(client, 'subscription { author_by_pk(id: 1) { id } }');
    expect(await nextData(client)).toEqual({ author_by_pk: { id: 1 } });
    subscribe(client, 'subscription { author { id } }', undefined, 'b');
    expect(await client.next()).toMatchObject({ id: 'b', type: 'error' });
    subscribe(client, 'query { author { id } }', undefined, 'c');
    expect(await client.next()).toMatchObject({ id: 'c', type: 'next' });
  });
});

describe('a join that leads out of the source', () => {
  it('is run when the rows change, and only then', async () => {
    const remote = await startGraphQLServer('type Query { face(id: Int!): String }', {
      face: ({ id }: Frame) => `face ${id}`,
    });
    try {
      await service.command('add_remote_schema', { name: 'faces', definition: { url: remote.url } });
      await service.command('create_remote_relationship', {
        table: 'author',
        name: 'face',
        definition: {
          to_remote_schema: {
            remote_schema: 'faces',
            lhs_fields: ['id'],
            remote_field: { face: { arguments: { id: '$id' } } },
          },
        },
      });
      const client = await connected();
      subscribe(client, 'subscription { author(where: {id: {_lt: 3}}, order_by: {id: asc}) { name face } }');
      const both = (first: string) => ({
        author: [
          { name: first, face: 'face 1' },
          { name: 'Bea', face: 'face 2' },
        ],
      });
      expect(await nextData(client)).toEqual(both('Ada'));
      const asked = remote.requests.length;
      await run('select pg_sleep(0.15)');
      expect(remote.requests.length).toBe(asked);
      await run(`update author set name = 'Eve' where id = 1`);
      expect(await nextData(client)).toEqual(both('Eve'));
      await run(`update author set name = 'Ada' where id = 1`);
      expect(await nextData(client)).toEqual(both('Ada'));
      remote.misbehave(() => ({ status: 500, body: 'out of order' }));
      await run(`update author set name = 'Oda' where id = 1`);
      const partial = {
        data: {
          author: [
            { name: 'Oda', face: null },
            { name: 'Bea', face: null },
          ],
        },
        errors: [{ path: ['author', 0, 'face'] }, { path: ['author', 1, 'face'] }],
      };
      expect(await client.next()).toMatchObject({ type: 'next', payload: partial });
      remote.reset();
      expect(await nextData(client)).toEqual(both('Oda'));
      await run(`update author set name = 'Ada' where id = 1`);
      expect(await nextData(client)).toEqual(both('Ada'));
    } finally {
      await remote.close();
    }
  });
});

describe('a change of the metadata', () => {
  it('ends the subscriptions that do not fit any more with an error, and keeps the others', async () => {
    await run('create table task (id int primary key, title text, secret text)');
    await run(`insert into task values (1, 'wash', 'x')`);
    await service.command('track_table', { schema: 'public', name: 'task' });
    const permission = (columns: string[]) => ({ table: 'task', role: 'user', permission: { columns, filter: {} } });
    await service.command('create_select_permission', permission(['id', 'title', 'secret']));
    const client = await connected(as(1));
    subscribe(client, 'subscription { task { title } }', undefined, 'stays');
    subscribe(client, 'subscription { task { secret } }', undefined, 'goes');
    await client.next();
    await client.next();
    await service.command('bulk', [
      { type: 'drop_select_permission', args: { table: 'task', role: 'user' } },
      { type: 'create_select_permission', args: permission(['id', 'title']) },
    ]);
    expect(await client.next()).toMatchObject({
      id: 'goes',
      type: 'error',
      payload: [{ extensions: { code: 'validation-failed' } }],
    });
    await run(`update task set title = 'dry'`);
    expect(await client.next()).toEqual({ id: 'stays', type: 'next', payload: { data: { task: [{ title: 'dry' }] } } });
  });

  it('takes effect on the rows that a subscription sees', async () => {
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
  it('answer as over HTTP, exact numbers and errors included', async () => {
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
  it('subscribes, and subscribes again after the connection was lost', async () => {
    const sockets: WebSocket[] = [];
    class Recorded extends WebSocket {
      constructor(address: string, protocols?: string | string[]) {
        super(address, protocols);
        sockets.push(this);
      }
    }
    const client = createClient({
      url: `${service.url.replace(/^http/, 'ws')}/v1/graphql`,
      webSocketImpl: Recorded,
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
  it('ends with the last subscriber, also when the client just vanishes', async () => {
    const client = await frameClient(service.url);
    client.send({ type: 'connection_init', payload: {} });
    await client.next();
    subscribe(client, 'subscription { author { id } }');
    await client.next();
    while ((await gauge('joinery_subscriptions')) !== 1);
    client.socket.terminate();
    while ((await gauge('joinery_subscriptions')) > 0);
    expect(await gauge('joinery_live_cohorts')).toBe(0);
    const statements = await gauge('joinery_live_statements_total');
    await run('select pg_sleep(0.15)');
    expect(await gauge('joinery_live_statements_total')).toBe(statements);
  });

  async function gauge(name: string): Promise<number> {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1]);
  }
});
