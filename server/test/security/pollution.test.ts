/** Prototype pollution through every endpoint, and operations with many directives. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { fromNow, type Sink, startSink } from '../support/events/delivery-node.ts';
import { frameClient } from '../support/http/websocket-clients.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { until } from '../support/until.ts';
import { codeOf } from './payloads.ts';

let service: TestService;
let sink: Sink;

beforeAll(async () => {
  sink = await startSink();
  const sql = 'create table note (id int primary key, docs jsonb, plain json); insert into note values (1)';
  service = await startService({ HOOK: sink.origin }, { sql });
  await service.command('track_table', 'note');
  const query = 'query ($docs: jsonb) { note(where: {docs: {_eq: $docs}}) { id } }';
  await service.command('create_query_collection', { name: 'c', definition: { queries: [{ name: 'q', query }] } });
  const definition = { query: { collection_name: 'c', query_name: 'q' } };
  await service.command('create_rest_endpoint', { name: 'r', url: 'r', methods: ['GET', 'POST'], definition });
});
afterAll(async () => {
  await service?.stop();
  await sink?.close();
});

// The service runs in this process, so that a changed prototype would be visible here.
const inherited = Reflect.ownKeys(Object.prototype);
afterEach(async () => {
  expect(Reflect.ownKeys(Object.prototype)).toEqual(inherited);
  expect(({} as Readonly<Record<string, unknown>>).polluted).toBeUndefined();
  expect(([] as unknown as Readonly<Record<string, unknown>>).polluted).toBeUndefined();
  expect(await service.graphql('{ note { id } }')).toEqual({ data: { note: [{ id: 1 }] } });
});

const polluting = [
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"a":{"__proto__":{"polluted":12345678901234567890}}}',
  '{"__proto__":null}',
  '{"__proto__":["x"],"toString":null,"hasOwnProperty":1}',
];

describe.each(polluting)('the JSON %s', (json) => {
  test('does not change the prototype of other objects', async () => {
    for (const [path, body] of [
      ['/v1/graphql', `{"query":"{ note { id } }","variables":${json},"extensions":${json}}`],
      [
        '/v1/graphql',
        `{"query":"query ($d: jsonb) { note(where: {docs: {_contains: $d}}) { id } }","variables":{"d":${json}}}`,
      ],
      ['/v1/graphql', json],
      ['/v1/graphql', `[${json},${json}]`],
      ['/v1/graphql/explain', `{"query":{"query":"{ note { id } }"},"user":${json}}`],
      ['/v1/metadata', json],
      ['/v1/metadata', `{"type":"pg_track_table","args":${json}}`],
      ['/v1/metadata', `{"type":"__proto__","args":${json}}`],
      ['/v1/metadata', `{"type":"constructor","args":${json}}`],
      ['/v1/metadata', `{"type":"bulk","args":[${json}]}`],
      ['/v1/metadata', `{"type":"replace_metadata","args":{"version":3,"sources":[${json}]}}`],
      ['/v1/metadata', `{"type":"set_custom_types","args":{"objects":[${json}]}}`],
      ['/v1/metadata', `{"type":"set_api_limits","args":{"depth_limit":{"global":5,"per_role":${json}}}}`],
      [
        '/v1/metadata',
        `{"type":"pg_set_table_customization","args":{"table":"note","configuration":{"column_config":${json}}}}`,
      ],
      ['/v1/query', `{"type":"select","args":{"table":"note","columns":["id"],"where":${json}}}`],
      ['/v1/query', `{"type":"get_scheduled_events","args":{"type":"one_off","payload_contains":${json}}}`],
      ['/api/rest/r', json],
      ['/api/rest/r', `{"docs":${json}}`],
      ['/api/rest/r?__proto__=1&__proto__[polluted]=1&constructor.prototype.polluted=1', '{}'],
    ] as const) {
      const { status, body: response } = await service.post(path, body);
      expect([path, body, status < 500, codeOf(response) ?? '']).toEqual([
        path,
        body,
        true,
        expect.not.stringMatching(/^unexpected|^postgres/),
      ]);
    }
    await service.command('remove_api_limits', {});
    const client = await frameClient(service.url);
    client.send(`{"type":"connection_init","payload":{"headers":${json},"__proto__":${json}}}`);
    await Promise.race([client.next(), client.closed]);
    client.socket.terminate();
  });

  test('is delivered as a member of the payload of an event', async () => {
    const at = fromNow(0);
    const body = `{"type":"create_scheduled_event","args":{"webhook":"{{HOOK}}/x","schedule_at":"${at}","payload":${json}}}`;
    const { event_id: id } = (await service.post('/v1/query', body)).body as { event_id: string };
    await until('the event is delivered', () => sink.callsOf(id).length === 1);
    expect(sink.callsOf(id)[0]?.text.replaceAll(/\s/g, '')).toContain(
      json.replace('1e400', ''.padStart(0)).slice(0, 12),
    );
  });
});

test.each([
  [null, '$.user'],
  [5, '$.user'],
  [['x-service-role', 'user'], '$.user'],
  [{ 'x-service-role': null }, '$.user.x-service-role'],
  [{ 'x-service-role': { toString: 'admin' } }, '$.user.x-service-role'],
])('rejects %j as the user of an explain request', async (user, path) => {
  const { body } = await service.post('/v1/graphql/explain', { query: { query: '{ note { id } }' }, user });
  expect(body).toMatchObject({ errors: [{ extensions: { code: 'parse-failed', path } }] });
});

test('rejects repeated directives, and accepts many fragments with one directive each', async () => {
  const many = (directive: string, count: number) => service.graphql(`{ note { id ${directive.repeat(count)} } }`);
  // A directive may occur once at a location.
  expect(codeOf(await many('@include(if: true) ', 2))).toBe('validation-failed');
  expect(codeOf(await many('@include(if: true) ', 5_000))).toBe('validation-failed');
  expect(codeOf(await many('@nosuch ', 20_000))).toBe('validation-failed');
  expect(codeOf(await many('@nosuch(a: 1) ', 60_000))).toBe('validation-failed');
  const fragments = Array.from({ length: 500 }, () => '... @include(if: true) { id }').join(' ');
  expect(await service.graphql(`{ note { ${fragments} } }`)).toEqual({ data: { note: [{ id: 1 }] } });
});
