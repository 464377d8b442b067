/** Clients that read what they wrote from replicas, by the position of a mutation, and from the primary. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Positions } from '../../src/service/sources/read-consistency.ts';
import { connectedClient } from '../support/http/websocket-clients.ts';
import { until } from '../support/until.ts';
import { by, type ReplicaShop, servedBy, startReplicaShop } from './replica-shop.ts';

let shop: ReplicaShop;

beforeAll(async () => {
  shop = await startReplicaShop({ JOINERY_CORS_DOMAIN: 'https://shop.example' });
  await shop.setReplica({});
  const stored = 'query { shop_served_by { server } }';
  await shop.service.command('create_query_collection', {
    name: 'stored',
    definition: { queries: [{ name: 'server', query: stored }] },
  });
  await shop.service.command('create_rest_endpoint', {
    name: 'server',
    url: 'server',
    methods: ['GET'],
    definition: { query: { collection_name: 'stored', query_name: 'server' } },
  });
}, 180_000);
afterAll(() => shop.stop());
beforeEach(async () => {
  await shop.resume();
  await shop.caughtUp();
});
afterEach(() => shop.resume());

const admin = { 'x-service-role': 'admin' };
const insert = 'mutation { shop_insert_item(objects: {name: "new"}) { affected_rows } }';
const send = (body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  shop.service.post('/v1/graphql', body, { ...admin, ...headers });

/** Returns the position in the response to a mutation. */
async function write(position = 'new'): Promise<string> {
  const { headers } = await send({ query: insert }, { 'joinery-position': position });
  return headers.get('joinery-position') ?? '';
}

const readSince = async (position: string) => (await send({ query: servedBy }, { 'joinery-position': position })).body;

describe('a query with the position of a mutation', () => {
  test('reads the primary while the replica has not replayed it', async () => {
    await shop.pause();
    const position = await write();
    expect(await readSince(position)).toEqual(by('primary'));
  });

  test('reads the replica when it has replayed it', async () => {
    const position = await write();
    await shop.caughtUp();
    expect(await readSince(position)).toEqual(by('standby'));
  });

  test('reads the primary where the position is of another cluster', async () => {
    const other = new Positions([]).print(new Map([['shop' as never, { cluster: '0badc0de', timeline: 1, lsn: 1n }]]));
    expect(await readSince(other)).toEqual(by('primary'));
  });

  test('reads the primary where the position is of a source that does not exist', async () => {
    const { headers } = await send({ query: insert }, { 'joinery-position': 'new' });
    const own = headers.get('joinery-position') ?? '';
    const other = new Positions([]).print(
      new Map([['renamed' as never, { cluster: '0badc0de', timeline: 1, lsn: 1n }]]),
    );
    await shop.caughtUp();
    expect(await readSince(other)).toEqual(by('primary'));
    expect(await readSince(`${other},${own}`)).toEqual(by('standby'));
  });

  test('is rejected where the position is malformed', async () => {
    expect(await readSince('0/16B3748')).toMatchObject({
      errors: [
        { message: expect.stringContaining('"joinery-position" must be "new"'), extensions: { code: 'bad-request' } },
      ],
    });
  });

  test('takes no further statement when the replica is known to have replayed it', async () => {
    const position = await write();
    await shop.caughtUp();
    await readSince(position);
    expect(await statementsOf(() => readSince(position))).toBe(1);
  });

  test('takes one statement to find out what the replica has replayed', async () => {
    const position = await write();
    await shop.caughtUp();
    expect(await statementsOf(() => readSince(position))).toBe(2);
  });
});

async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const name = 'joinery_statement_duration_seconds_count{pool="source shop"}';
  const before = await shop.metric(name);
  await work();
  return ((await shop.metric(name)) ?? 0) - (before ?? 0);
}

describe('a mutation', () => {
  test('without the header takes one statement and returns no position', async () => {
    let position: string | null = '';
    const run = async () => {
      position = (await send({ query: insert })).headers.get('joinery-position');
    };
    expect([await statementsOf(run), position]).toEqual([1, null]);
  });

  test('with the header takes one more statement', async () => {
    expect(await statementsOf(() => write())).toBe(2);
  });

  test('keeps the positions of other sources that the client has sent', async () => {
    const other = new Positions([]).print(new Map([['other' as never, { cluster: '0badc0de', timeline: 1, lsn: 1n }]]));
    expect((await write(other)).split(',')).toHaveLength(2);
    expect(await write(other)).toContain(other);
  });

  test('of a batch determines the position of its response', async () => {
    await shop.pause();
    const { headers } = await send([{ query: insert }, { query: insert }], { 'joinery-position': 'new' });
    const position = headers.get('joinery-position') ?? '';
    expect(position.split(',')).toHaveLength(1);
    expect(await readSince(position)).toEqual(by('primary'));
  });

  test('with a malformed position is rejected and changes nothing', async () => {
    const count = { query: '{ shop_item_aggregate { aggregate { count } } }' };
    const before = (await send(count, { 'joinery-read-from': 'primary' })).body;
    const { body } = await send({ query: insert }, { 'joinery-position': 'x' });
    expect(body).toMatchObject({ errors: [{ extensions: { code: 'bad-request' } }] });
    expect((await send(count, { 'joinery-read-from': 'primary' })).body).toEqual(before);
  });
});

test('pages of other origins may read the position', async () => {
  const { headers } = await send({ query: insert }, { 'joinery-position': 'new', origin: 'https://shop.example' });
  expect(headers.get('access-control-expose-headers')).toContain('joinery-position');
});

describe('joinery-read-from: primary', () => {
  const primary = { 'joinery-read-from': 'primary' };

  test('makes a query read the primary', async () => {
    expect((await send({ query: servedBy }, primary)).body).toEqual(by('primary'));
    expect((await send({ query: servedBy })).body).toEqual(by('standby'));
  });

  test('rejects another value', async () => {
    expect((await send({ query: servedBy }, { 'joinery-read-from': 'replica' })).body).toMatchObject({
      errors: [{ message: 'the header "joinery-read-from" must be "primary"', extensions: { code: 'bad-request' } }],
    });
  });

  test.each([
    ['a GET request', `/v1/graphql?query=${encodeURIComponent(servedBy)}`, (body: unknown) => body],
    ['a REST endpoint', '/api/rest/server', (body: unknown) => ({ data: body })],
  ])('makes %s read the primary', async (_name, path, resultOf) => {
    const get = async (headers: object) => {
      const response = await fetch(shop.service.url + path, { headers: { ...admin, ...headers } });
      return resultOf(await response.json());
    };
    expect(await get(primary)).toEqual(by('primary'));
    expect(await get({})).toEqual(by('standby'));
  });

  test.each(['query', 'subscription'])(
    'in connection_init makes a %s of the websocket read the primary',
    async (kind) => {
      const results = async (headers: object) => {
        const client = await connectedClient(shop.service.url, { ...admin, ...headers });
        client.send({ id: '1', type: 'subscribe', payload: { query: `${kind} ${servedBy}` } });
        const { payload } = await client.next();
        await client.close();
        return payload;
      };
      expect(await results(primary)).toEqual(by('primary'));
      expect(await results({})).toEqual(by('standby'));
    },
  );
});

test('a subscription with a position starts on a replica and has its rows when the replica has replayed them', async () => {
  await shop.pause();
  const position = await write();
  const client = await connectedClient(shop.service.url, { ...admin, 'joinery-position': position });
  const query = 'subscription { shop_item_aggregate { aggregate { count } } }';
  client.send({ id: '1', type: 'subscribe', payload: { query } });
  const countIn = (frame: unknown) =>
    (frame as { payload: { data: { shop_item_aggregate: { aggregate: { count: number } } } } }).payload.data
      .shop_item_aggregate.aggregate.count;
  const before = countIn(await client.next());
  await shop.resume();
  let after = before;
  await until('the subscription has the row', async () => {
    after = countIn(await client.next());
    return after > before;
  });
  expect(after).toBe(before + 1);
  await client.close();
});
