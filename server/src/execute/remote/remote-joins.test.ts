/** Tests of joins to a real GraphQL server: one request for all keys, which cannot change the document. */
import { parse } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { failure, type RemoteFixture, remoteFixture } from '../../../test/support/model/remote-servers.ts';
import { ExactNumber, parseJson, printJson } from '../../base/json-value.ts';

let fixture: RemoteFixture;

beforeAll(async () => {
  fixture = await remoteFixture();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.reset());

describe('a join', () => {
  test('sends one request for all keys, and returns the values in the order of the keys', async () => {
    expect(await fixture.fetchJoin('shipment { id status { speed } }', [[2], [405], [1]])).toEqual([
      { id: '2', status: { speed: 'FAST' } },
      null,
      { id: '1', status: { speed: 'FAST' } },
    ]);
    expect(fixture.carrier.requests.map(({ query }) => query)).toMatchInlineSnapshot(`
      [
        "query {
      f0:shipment(orderId:2){...S}
      f1:shipment(orderId:405){...S}
      f2:shipment(orderId:1){...S}
      }
      fragment S on Shipment {
        id
        status {
          speed
        }
      }",
      ]
    `);
    expect(fixture.carrier.requests[0]?.variables).toBeUndefined();
  });

  test('sends no request for no keys', async () => {
    expect(await fixture.fetchJoin('shipment { id }', [])).toEqual([]);
    expect(fixture.carrier.requests).toEqual([]);
  });

  test('sends one request with one copy of the selection for a thousand keys', async () => {
    const keys = Array.from({ length: 1000 }, (_, index) => [index]);
    const values = await fixture.fetchJoin(
      'shipment { id status { eta(zone: "a rather long name of a zone") speed } }',
      keys,
    );
    expect(values).toHaveLength(1000);
    expect(values[999]).toMatchObject({ id: '999' });
    expect(fixture.carrier.requests).toHaveLength(1);
    expect(fixture.carrier.requests[0]?.query.split('rather long').length).toBe(2);
  });

  test('follows nested fields, returns null if one of them is null, and selects nothing of a leaf', async () => {
    expect(await fixture.fetchJoin('eta(zone: "z")', [[1], [404], [405]])).toEqual(['1 in z after 2', null, null]);
    expect(await fixture.fetchJoin('status { speed }', [[1], [404]])).toEqual([{ speed: 'FAST' }, null]);
    expect(await fixture.fetchJoin('things { id ... on Box { size } }', [['l2']])).toEqual([
      [{ id: 'b1', size: 5 }, { id: 'l2' }],
    ]);
  });

  test('preserves the arguments of the client, with only the used variables', async () => {
    const variables = { zone: 'south "quoted"', yes: true };
    const head = '($zone: String, $yes: Boolean!, $other: Int)';
    const values = await fixture.fetchJoin('eta(zone: $zone) id @include(if: $yes)', [[1]], { variables, head });
    expect(values).toEqual(['1 in south "quoted" after 2']);
    expect(fixture.carrier.requests[0]?.variables).toEqual({ zone: 'south "quoted"' });
    const [nested] = await fixture.fetchJoin('shipment { ...more }', [[1]], {
      variables: { text: 'hé', big: new ExactNumber('1234567890123456789') },
      head: '($text: String, $big: Big)',
      tail: 'fragment more on Shipment { echo(text: $text, big: $big) ... { status { eta(zone: $text) } } }',
    });
    expect(nested).toMatchObject({ status: { eta: '1 in hé after 1' } });
    expect(fixture.carrier.requests[1]?.body).toContain('"big":1234567890123456789}');
  });

  test('merges values of the client into a partly supplied argument', async () => {
    const rest =
      '(filter: { speed: FAST, note: $note, inner: { note: "i" }, some: [{ note: "s1" }, { speed: $speed }] }, also: $also)';
    const variables = { note: 'n', speed: 'SLOW', also: 'a' };
    const head = '($note: String, $speed: Speed, $also: String)';
    const values = await fixture.fetchJoin(`filtered${rest}`, [[1], [2]], { variables, head });
    expect(values.map((value) => JSON.parse(String(value)) as unknown)).toEqual(
      [1, 2].map((order) => ({
        filter: {
          order,
          speed: 'FAST',
          note: 'n',
          inner: { order: 1, note: 'i' },
          some: [
            { order, note: 's1' },
            { order, speed: 'SLOW' },
          ],
        },
        also: 'a',
      })),
    );
    expect(fixture.carrier.requests).toHaveLength(1);
    expect(fixture.carrier.requests[0]?.variables).toEqual({ also: 'a' });
  });

  test('merges the value of a variable of a derived type, which the remote schema does not have', async () => {
    const head = '($rest: Filter_remote_rel_orderfiltered)';
    const variables = { rest: { note: 'v', some: { speed: 'FAST' } } };
    const [value] = await fixture.fetchJoin('filtered(filter: $rest)', [[1]], { variables, head });
    expect(JSON.parse(String(value))).toEqual({
      filter: { order: 1, note: 'v', inner: { order: 1 }, some: [{ order: 1, speed: 'FAST' }] },
    });
    expect(fixture.carrier.requests[0]?.query).not.toContain('remote_rel');
    const [plain] = await fixture.fetchJoin('filtered(filter: $rest)', [[1]], { head });
    expect(JSON.parse(String(plain))).toEqual({ filter: { order: 1, inner: { order: 1 }, some: [{ order: 1 }] } });
  });

  test('prints enums, lists and custom scalars by their types', async () => {
    const [bySpeed] = await fixture.fetchJoin('by_speed { id }', [['FAST', [1, 2]]]);
    expect(JSON.parse((bySpeed as { id: string }).id)).toEqual({ speed: 'FAST', ids: ['1', '2'] });
    const extra = { deep: [null, { text: 'a"b' }] };
    const [byBig] = await fixture.fetchJoin('by_big', [[new ExactNumber('12345678901234567890'), extra]]);
    expect(fixture.carrier.requests[1]?.query).toContain('list:[12345678901234567890,1]');
    expect(JSON.parse(String(byBig))).toMatchObject({ text: 'x', extra });
  });

  test('escapes keys, so that a key cannot change the document', async () => {
    const hostile = [
      'x") { id } f1: fails g: byCode(code: "y',
      '"""',
      '\\',
      '\\"',
      'a\nb\r\n\t\u0001\u2028',
      '}#{',
      '$id',
      '🚚 𝒳',
      '',
    ];
    const values = await fixture.fetchJoin(
      'by_code { code }',
      hostile.map((text) => [text]),
    );
    expect(values).toEqual(hostile.map((code) => ({ code })));
    const [document] = fixture.carrier.requests.map(({ query }) => parse(query));
    const [operation] = document?.definitions ?? [];
    expect(operation?.kind === 'OperationDefinition' && operation.selectionSet.selections.length).toBe(hostile.length);
  });

  test.each([
    ['shipment { id }', [2147483648], 'argument "orderId" of "shipment": the number is not a value of type Int'],
    ['shipment { id }', ['1 f1: fails'], 'argument "orderId" of "shipment": the string is not a value of type Int'],
    [
      'by_speed { id }',
      ['FAST) { id } f1: fails', []],
      'argument "speed" of "bySpeed": the string is not a value of type Speed',
    ],
    ['by_big', [1, { 'a: 1} x': 1 }], 'argument "big" of "byBig": the object is not a value of type Big'],
  ])('with an invalid key fails before it sends a request (%s)', async (selection, key, message) => {
    const error = await failure(fixture.fetchJoin(selection, [key]));
    expect(error).toMatchObject({
      code: 'remote-schema-error',
      message: `a key cannot be sent to remote schema "carrier": ${message}`,
    });
    expect(fixture.carrier.requests).toEqual([]);
  });

  test('fails for all keys if the error of the remote schema has no path', async () => {
    fixture.carrier.respondWith(() => ({
      status: 200,
      body: '{"data":{"f0":{"id":"1"},"f1":null},"errors":[{"message":"no f1"}]}',
    }));
    expect(await failure(fixture.fetchJoin('shipment { id }', [[1], [2]]))).toMatchObject({
      code: 'remote-schema-error',
      message: 'no f1',
      internal: { errors: [{ message: 'no f1' }] },
    });
  });

  test('preserves exact numbers of the response', async () => {
    fixture.carrier.respondWith(() => ({ status: 200, body: '{"data":{"f0":{"id":12345678901234567890}}}' }));
    const values = await fixture.fetchJoin('shipment { id }', [[1]]);
    expect(printJson(values)).toBe('[{"id":12345678901234567890}]');
    expect(values).toEqual(parseJson('[{"id":12345678901234567890}]'));
  });
});
