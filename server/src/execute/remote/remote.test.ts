/** Tests of root fields of remote schemas, forwarded to real GraphQL servers with valid, invalid and missing responses. */

import { RoleName } from '@joinery/metadata/names';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { remoteModel } from '../../../test/support/model/remote-model.ts';
import { failure, type RemoteFixture, remoteFixture } from '../../../test/support/model/remote-servers.ts';
import { Cancellation } from '../../base/cancellation.ts';
import { ExactNumber, printJson } from '../../base/json-value.ts';

let fixture: RemoteFixture;

beforeAll(async () => {
  fixture = await remoteFixture();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.reset());

describe('root fields', () => {
  test('are sent with aliases, inlined fragments, arguments and variables, and without @skip and @include', async () => {
    const data = await fixture.forward(
      `query ($id: Int! = 3, $note: String, $zone: String, $no: Boolean!, $unused: Int) {
        first: shipment(orderId: $id, note: $note) { ...parts id @skip(if: $no) gone: code @include(if: $no) }
        things(ids: ["b1", "l2"]) { __typename ... on Box { size } ... on Letter { pages } }
      }
      fragment parts on Shipment { id status { when: eta(zone: $zone) eta(zone: "home") } }`,
      { variables: { no: false, zone: 'north' } },
    );
    expect(data).toEqual({
      first: { id: '3', status: { when: '3 in north after 1', eta: '3 in home after 1' } },
      things: [
        { __typename: 'Box', size: 5 },
        { __typename: 'Letter', pages: 2 },
      ],
    });
    expect(fixture.carrier.requests).toHaveLength(1);
    expect(fixture.carrier.requests[0]?.variables).toEqual({ id: 3, zone: 'north' });
    expect(fixture.carrier.requests[0]?.query).toMatchInlineSnapshot(`
      "query ($id: Int! = 3, $note: String, $zone: String) {
        first: shipment(orderId: $id, note: $note) {
          ... on Shipment {
            id
            status {
              when: eta(zone: $zone)
              eta(zone: "home")
            }
          }
          id
        }
        things(ids: ["b1", "l2"]) {
          __typename
          ... on Box {
            size
          }
          ... on Letter {
            pages
          }
        }
      }"
    `);
  });

  test('of a mutation are sent as a mutation, even if the query root has the same field', async () => {
    const data = await fixture.forward('mutation { send(order: 1) { id } shipment(orderId: 2) { id } }');
    expect(data).toEqual({ send: { id: '1' }, shipment: { id: '2' } });
    expect(fixture.carrier.requests).toHaveLength(1);
    expect(fixture.carrier.requests[0]?.query).toMatch(/^mutation/);
  });

  test('of several remote schemas are one request to each', async () => {
    const data = await fixture.forward(
      '{ a: shipment(orderId: 1) { id } rain b: shipment(orderId: 2) { id } dry: rain }',
    );
    expect(data).toEqual({ a: { id: '1' }, rain: 0.5, b: { id: '2' }, dry: 0.5 });
    expect([fixture.carrier.requests.length, fixture.weather.requests.length]).toEqual([1, 1]);
  });

  test('preserve exact numbers in variables and in the response', async () => {
    const big = new ExactNumber('12345678901234567890.5');
    await fixture.forward('query ($big: Big) { byBig(big: $big) }', { variables: { big } });
    expect(fixture.carrier.requests[0]?.body).toContain('"variables":{"big":12345678901234567890.5}');
    fixture.carrier.respondWith(() => ({ status: 200, body: '{"data":{"exact":12345678901234567890.5}}' }));
    expect(printJson(await fixture.forward('{ exact }'))).toBe('{"exact":12345678901234567890.5}');
  });

  test('that the remote schema rejects fail with its message and extensions, and with other details for admins only', async () => {
    const error = await failure(fixture.forward('{ ok: byBig no: fails }'));
    expect(error).toMatchObject({
      code: 'remote-schema-error',
      message: 'the carrier is unavailable',
      path: '$.selectionSet.fails',
      internal: { errors: [{ message: 'the carrier is unavailable', path: ['no'] }] },
      extensions: undefined,
    });
    const extensions = { code: 'LATE', exception: { stacktrace: ['secret'] } };
    fixture.carrier.respondWith(() => ({
      status: 400,
      body: printJson({ errors: [{ message: 'late', extensions }], data: { fails: 'x' } }),
    }));
    expect(await failure(fixture.forward('{ fails }'))).toMatchObject({
      message: 'late',
      extensions: { code: 'LATE' },
    });
  });
});

describe('a call', () => {
  test.each([
    ['without a response', 'never', 'did not respond: no complete response within 1000 ms'],
    ['with text', { status: 502, body: '<html>Bad Gateway</html>' }, 'sent something that is not JSON (status 502)'],
    ['with nothing', { status: 204, body: '' }, 'sent something that is not JSON (status 204)'],
    ['with other JSON', { status: 200, body: '{"a":1}' }, 'sent no GraphQL response (status 200)'],
    ['with a list', { status: 200, body: '[]' }, 'sent no GraphQL response (status 200)'],
    ['with null data', { status: 200, body: '{"data":null}' }, 'sent no GraphQL response (status 200)'],
    ['with no errors', { status: 200, body: '{"data":null,"errors":[]}' }, 'sent no GraphQL response (status 200)'],
    [
      'with errors that are no list',
      { status: 200, body: '{"errors":{"message":"no"}}' },
      'sent no GraphQL response (status 200)',
    ],
    [
      'with too much',
      { status: 200, body: ' '.repeat(1_000_001) },
      'did not respond: the response is larger than 1000000 bytes',
    ],
  ] as const)('%s fails with the name of the remote schema and without its URL', async (_what, reply, message) => {
    fixture.carrier.respondWith(() => reply);
    const hasty = fixture.modelWith(reply === 'never' ? 1 : 20);
    const runs = [
      () => fixture.forward('{ fails }', { model: hasty }),
      () => fixture.fetchJoin('shipment { id }', [[1]], { model: hasty }),
    ];
    for (const run of runs) {
      const error = await failure(run());
      expect(error).toMatchObject({ code: 'remote-schema-error', message: `remote schema "carrier" ${message}` });
      expect(error.message).not.toContain(new URL(fixture.carrier.url).host);
    }
  });

  test('of an unreachable server fails, and calls of other servers succeed', async () => {
    const environment = { CARRIER: '127.0.0.1:9' };
    const error = await failure(fixture.forward('{ fails }', { context: { environment } }));
    expect(error.message).toBe('remote schema "carrier" did not respond: the connection was refused');
    expect(await fixture.forward('{ rain }', { context: { environment } })).toEqual({ rain: 0.5 });
    expect((await failure(fixture.forward('{ fails }', { context: { environment: {} } }))).code).toBe(
      'invalid-configuration',
    );
  });

  test('is canceled when the client disconnects', async () => {
    const leaving = new Cancellation();
    fixture.carrier.respondWith(() => {
      leaving.abort();
      return 'never';
    });
    const error = await failure(fixture.forward('{ fails }', { context: { signal: leaving } }));
    expect(error.message).toContain('the call was canceled');
  });

  test('prefers configured headers to session variables, and these to headers of the client', async () => {
    const headers = [
      { name: 'X-Service-User-Id', value: 'fixed' },
      { name: 'Authorization', value_from_env: 'TOKEN' },
    ];
    const environment = { TOKEN: 'Bearer t' };
    const { model: other } = remoteModel({
      remotes: {
        weather: {
          schema: 'type Query { rain: Float }',
          definition: { url: fixture.weather.url, headers, forward_client_headers: true },
        },
      },
      environment,
    });
    await fixture.forward('{ rain }', {
      model: other,
      context: {
        environment,
        headers: {
          authorization: 'Basic client',
          'x-service-role': 'admin',
          'x-service-admin-secret': 'secret',
          'x-request-id': 'r1',
          'user-agent': 'browser',
          host: 'here',
          'content-length': '9999',
          connection: 'close',
          'accept-encoding': 'gzip',
          'sec-websocket-version': '13',
          'sec-websocket-extensions': 'permessage-deflate',
          cookie: 'a=1',
        },
      },
    });
    const sent = fixture.weather.requests[0]?.headers ?? {};
    expect(sent).toMatchObject({
      'x-service-user-id': 'fixed',
      'x-service-role': 'user',
      authorization: 'Bearer t',
      'x-request-id': 'r1',
      cookie: 'a=1',
      'user-agent': 'joinery/1.2.3',
      'x-forwarded-user-agent': 'browser',
      'x-forwarded-host': 'here',
      'content-type': 'application/json',
    });
    expect(sent).not.toHaveProperty('x-service-admin-secret');
    expect(sent).not.toHaveProperty('accept-encoding');
    expect(Object.keys(sent).filter((name) => name.startsWith('sec-websocket'))).toEqual([]);
    expect(sent.host).toBe(new URL(fixture.weather.url).host);
  });

  test('has the headers of its request, also where the session is the same', async () => {
    const headers = [{ name: 'Authorization', value_from_env: 'TOKEN' }];
    const schema = 'type Query { rain: Float }';
    const definition = { url: fixture.weather.url, headers, forward_client_headers: true };
    const remotes = {
      weather: { schema, definition },
      other: { schema: 'type Query { sun: Float }', definition: { url: fixture.weather.url } },
    };
    const { model } = remoteModel({ remotes, environment: { TOKEN: 'a' } });
    const session = { role: RoleName.parse('user'), variables: new Map([['x-service-user-id', '7']]) };
    const client = { 'x-request-id': 'r1' };
    const send = (query: string, token: string, sent: Readonly<Record<string, string>>) =>
      fixture.forward(query, { model, context: { session, headers: sent, environment: { TOKEN: token } } });
    await send('{ rain }', 'a', client);
    await send('{ rain }', 'a', client);
    await send('{ rain }', 'b', client);
    await send('{ rain }', 'b', { 'x-request-id': 'r2' });
    await fixture.forward('{ sun }', { model, context: { session, headers: client } }).catch(() => undefined);
    const sentHeaders = fixture.weather.requests.map(({ headers: got }) => [got.authorization, got['x-request-id']]);
    expect(sentHeaders).toEqual([
      ['a', 'r1'],
      ['a', 'r1'],
      ['b', 'r1'],
      ['b', 'r2'],
      [undefined, undefined],
    ]);
  });

  test('forwards no client headers unless configured', async () => {
    await fixture.forward('{ rain }', {
      context: { headers: { authorization: 'Basic client', 'x-service-org': '1' } },
    });
    expect(fixture.weather.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(fixture.weather.requests[0]?.headers).not.toHaveProperty('x-service-org');
    expect(fixture.weather.requests[0]?.headers).toMatchObject({ 'x-service-user-id': '7', 'x-service-role': 'user' });
  });
});
