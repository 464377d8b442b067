/** Live queries and streams over a websocket: results, changes, sessions, errors and joins. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startGraphQLServer } from '../support/http/graphql-server.ts';
import type { Frame } from '../support/http/websocket-clients.ts';
import type { TestService } from '../support/service/test-service.ts';
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

describe('a live query', () => {
  it('sends the result immediately and after each change', async () => {
    const client = await connected();
    subscribe(client, 'subscription { author_by_pk(id: 1) { name } }');
    expect(await nextData(client)).toEqual({ author_by_pk: { name: 'Ada' } });
    await run(`update author set name = 'Ada L.' where id = 1`);
    expect(await nextData(client)).toEqual({ author_by_pk: { name: 'Ada L.' } });
    await run(`update author set name = 'Ada' where id = 1`);
    expect(await nextData(client)).toEqual({ author_by_pk: { name: 'Ada' } });
  });

  it('sends nothing while the result has not changed', async () => {
    const client = await connected();
    subscribe(client, 'subscription { author(order_by: {id: asc}) { id } }', undefined, 'unchanged');
    subscribe(client, 'subscription { note_aggregate { aggregate { count } } }', undefined, 'changed');
    await client.next();
    await client.next();
    for (let round = 0; round < 3; round += 1) {
      await run(`insert into note (author_id, body, at) values (1, 'changed', -1)`);
      expect(await client.next()).toMatchObject({ id: 'changed' });
    }
    await run(`delete from note where body = 'changed'`);
    expect(await client.next()).toMatchObject({ id: 'changed' });
    expect(client.unread).toEqual([]);
  });

  it('sends null for a missing row, and the row after its insert', async () => {
    const client = await connected();
    subscribe(client, 'subscription($id: Int!) { author_by_pk(id: $id) { name } }', { id: 9 });
    expect(await nextData(client)).toEqual({ author_by_pk: null });
    await run(`insert into author values (9, 'Ida')`);
    expect(await nextData(client)).toEqual({ author_by_pk: { name: 'Ida' } });
    await run('delete from author where id = 9');
    expect(await nextData(client)).toEqual({ author_by_pk: null });
  });

  it('accepts list, limit and variable arguments, and related rows', async () => {
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

  it('ends when the client completes it', async () => {
    const client = await connected();
    subscribe(client, 'subscription { author { id } }');
    await client.next();
    client.send({ id: 'a', type: 'complete' });
    // The id can be used again.
    subscribe(client, 'subscription { author_by_pk(id: 3) { name } }');
    expect(await nextData(client)).toEqual({ author_by_pk: { name: 'Cyd' } });
  });
});

describe('subscribers of one statement', () => {
  it('get only rows of their own session', async () => {
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

  it('get their results if PostgreSQL rejects a value of another subscriber', async () => {
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

  it('share the result of equal subscriptions, also if one is added later', async () => {
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
  it('sends rows in batches with ties together, and waits for new rows', async () => {
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

  it('sends rows in descending order under row rule and condition', async () => {
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
  ])('rejects a cursor with %s', async (_what, cursor, path) => {
    const client = await connected();
    subscribe(client, `subscription { note_stream(batch_size: 1, cursor: {${cursor}}) { id } }`);
    expect(await client.next()).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'validation-failed', path } }],
    });
  });
});

describe('a subscription is rejected', () => {
  it.each([
    ['if it has two roots', 'subscription { a: author { id } b: author { id } }', 'validation-failed', '$'],
    ['if its root is not a table', 'subscription { __typename }', 'not-supported', '$'],
    [
      'if a field is unknown',
      'subscription { author { nothing } }',
      'validation-failed',
      '$.selectionSet.author.selectionSet.nothing',
    ],
    ['if it has a syntax error', 'subscription { author', 'validation-failed', '$.query'],
    [
      'if a variable is missing',
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

  it('over HTTP', async () => {
    expect(await service.graphql('subscription { author { id } }')).toMatchObject({
      errors: [{ extensions: { code: 'unexpected-payload' } }],
    });
  });

  it('if the role has no permission for its root', async () => {
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

describe('a join to a remote schema', () => {
  it('is fetched only when the rows change', async () => {
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
      const requests = remote.requests.length;
      await notes.untilPolled();
      expect(remote.requests.length).toBe(requests);
      await run(`update author set name = 'Eve' where id = 1`);
      expect(await nextData(client)).toEqual(both('Eve'));
      await run(`update author set name = 'Ada' where id = 1`);
      expect(await nextData(client)).toEqual(both('Ada'));
      remote.respondWith(() => ({ status: 500, body: 'unavailable' }));
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
