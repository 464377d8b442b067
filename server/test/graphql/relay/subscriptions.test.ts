/** Operations of the Relay schema over websockets, subscriptions among them. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { nextData, subscribe } from '../../subscriptions/notes-service.ts';
import { connectedClient, type FrameClient } from '../../support/http/websocket-clients.ts';
import { asUser, encoded, type RelayService, relayService } from './relay-fixture.ts';

let service: RelayService;
const clients: FrameClient[] = [];

async function connected(
  headers: Readonly<Record<string, string>> = {},
  path = '/v1beta1/relay',
  protocol = 'graphql-transport-ws',
) {
  const client = await connectedClient(service.url, headers, { path, protocol });
  clients.push(client);
  return client;
}

const run = (text: string) => service.database.database.query({ text, values: [] });

beforeAll(async () => {
  service = await relayService({ JOINERY_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '40' });
}, 60_000);

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

afterAll(() => service?.stop());

describe('a websocket on the Relay endpoint', () => {
  test('runs queries of the Relay schema', async () => {
    const client = await connected();
    subscribe(client, '{ author_connection(first: 1) { edges { node { id } } } }');
    expect(await nextData(client)).toEqual({
      author_connection: { edges: [{ node: { id: encoded('[1, "public", "author", 1]') } }] },
    });
  });

  test.each([
    ['graphql-transport-ws', 'subscribe', 'next'],
    ['graphql-ws', 'start', 'data'],
  ])('runs mutations over the protocol %s, and rows in responses have global ids', async (protocol, type, response) => {
    const client = await connected({}, '/v1beta1/relay', protocol);
    const query = `mutation { insert_author_one(object: {id: 90, name: "${protocol}"}) { id name } delete_author_by_pk(id: 90) { id } }`;
    client.send({ id: 'a', type, payload: { query } });
    const id = encoded('[1, "public", "author", 90]');
    expect(await client.next()).toMatchObject({
      id: 'a',
      type: response,
      payload: { data: { insert_author_one: { id, name: protocol }, delete_author_by_pk: { id } } },
    });
    expect(await client.next()).toMatchObject({ id: 'a', type: 'complete' });
  });

  test('sends a page over the legacy protocol when it is subscribed to, and again when it changes', async () => {
    const client = await connected({}, '/v1beta1/relay', 'graphql-ws');
    const query = 'subscription { author_connection(last: 1) { edges { node { name } } } }';
    client.send({ id: 'a', type: 'start', payload: { query } });
    for (const name of ['Author 4', 'Author 92']) {
      const data = { author_connection: { edges: [{ node: { name } }] } };
      expect(await client.next()).toMatchObject({ id: 'a', type: 'data', payload: { data } });
      if (name === 'Author 4') await run(`insert into author (id, name) values (92, 'Author 92')`);
    }
    await run('delete from author where id = 92');
  });

  test('sends a page when it is subscribed to, and again when it changes', async () => {
    const client = await connected();
    const query = `subscription ($first: Int, $after: String) {
      author_connection(order_by: { name: desc }, first: $first, after: $after) {
        pageInfo { hasNextPage hasPreviousPage } edges { cursor node { id name } } } }`;
    const page = (name: string, id: number) => ({
      author_connection: {
        pageInfo: { hasNextPage: true, hasPreviousPage: true },
        edges: [
          {
            cursor: encoded(`{"name" : "${name}", "id" : ${id}}`),
            node: { id: encoded(`[1, "public", "author", ${id}]`), name },
          },
        ],
      },
    });
    subscribe(client, query, { first: 1, after: encoded('{"name": "Author 4", "id": 4}') });
    expect(await nextData(client)).toEqual(page('Author 3', 3));
    await run(`insert into author (id, name) values (70, 'Author 35')`);
    expect(await nextData(client)).toEqual(page('Author 35', 70));
    await run('delete from author where id = 70');
    expect(await nextData(client)).toEqual(page('Author 3', 3));
  });

  test('sends each subscriber its own page of one statement', async () => {
    const [one, other] = [await connected(asUser(1)), await connected(asUser(2))];
    const query = `subscription ($after: String) { article_connection(where: { is_published: { _eq: false } }, after: $after) {
      edges { node { title } } } }`;
    subscribe(one, query, {});
    subscribe(other, query, { after: encoded('{"id": 2}') });
    expect(await nextData(one)).toEqual({ article_connection: { edges: [{ node: { title: 'Article 3' } }] } });
    expect(await nextData(other)).toEqual({ article_connection: { edges: [{ node: { title: 'Article 5' } }] } });
  });

  test('sends a node when it is subscribed to, and null when the role no longer sees it', async () => {
    const client = await connected({ 'x-service-role': 'user', 'x-service-user-id': '3' });
    await run(`insert into author (id, name) values (71, 'Author 71')`);
    await run(`insert into article (id, title, author_id, is_published) values (80, 'Shown', 71, true)`);
    subscribe(client, 'subscription ($id: ID!) { node(id: $id) { id ... on article { title } } }', {
      id: encoded('[1, "public", "article", 80]'),
    });
    const id = encoded('[1, "public", "article", 80]');
    expect(await nextData(client)).toEqual({ node: { id, title: 'Shown' } });
    await run('update article set is_published = false where id = 80');
    expect(await nextData(client)).toEqual({ node: null });
    await run('delete from article where id = 80; delete from author where id = 71');
  });

  test.each([
    ['a cursor in a variable', { after: 'random' }, 'the "after" or "before" cursor is invalid'],
    ['a cursor of another order', { after: encoded('{"name": "x"}') }, 'the "after" or "before" cursor is invalid'],
  ])('rejects %s that is invalid', async (_, variables, message) => {
    const client = await connected();
    subscribe(
      client,
      'subscription ($after: String) { author_connection(after: $after) { edges { cursor } } }',
      variables,
    );
    expect(JSON.stringify(await client.next())).toContain(JSON.stringify(message).slice(1, -1));
  });

  test('has no fields of the usual schema, and the usual endpoint none of the Relay schema', async () => {
    const [relay, usual] = [await connected(), await connected({}, '/v1/graphql')];
    subscribe(relay, '{ author { name } }');
    subscribe(usual, '{ author_connection { edges { cursor } } }');
    for (const client of [relay, usual]) {
      expect(await client.next()).toMatchObject({
        type: 'error',
        payload: [{ extensions: { code: 'validation-failed' } }],
      });
    }
  });
});

test('JOINERY_ENABLE_RELAY=false removes the endpoint', async () => {
  const without = await relayService({ JOINERY_ENABLE_RELAY: 'false' });
  try {
    expect((await without.post('/v1beta1/relay', { query: '{ __typename }' })).status).toBe(404);
    await expect(connectedClient(without.url, {}, { path: '/v1beta1/relay' })).rejects.toThrow('404');
    expect((await without.post('/v1/graphql', { query: '{ __typename }' })).status).toBe(200);
  } finally {
    await without.stop();
  }
}, 60_000);
