/** SQL injection through values: hostile text in every input of the service stays a value. */
import { SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Sink, startSink } from '../support/events/delivery-node.ts';
import { connectedClient } from '../support/http/websocket-clients.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { codeOf, expectVictimUnchanged, payloads } from './payloads.ts';

const sql = `
  create table victim (id int primary key, owner text, note text, docs jsonb, labels text[]);
  insert into victim values (1, 'ann'), (2, 'bob'), (3, 'cid');
  create function search(term text) returns setof victim stable language sql as $$
    select * from victim where note = term $$;
  create function mine(session json) returns setof victim stable language sql as $$
    select * from victim where note = session ->> 'x-service-note' $$;
`;
const secret = { 'x-service-admin-secret': 'open sesame' };
const key = 'a key that is long enough for a hash of 256 bits';

let service: TestService;
let handler: Sink;

const command = (type: string, args: unknown) => service.post('/v1/metadata', { type, args }, secret);

async function run(type: string, args: unknown): Promise<void> {
  const { status, body } = await command(type, args);
  expect([type, status, status === 200 ? undefined : body]).toEqual([type, 200, undefined]);
}

const request = (query: string, variables: unknown = {}, headers: Readonly<Record<string, string>> = {}) =>
  service.graphql(query, { ...secret, ...headers }, variables);

beforeAll(async () => {
  // Responds with the argument `text`.
  handler = await startSink(({ body }, response) => {
    const { text } = body.input as { text: string };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ note: text }));
  });
  service = await startService(
    {
      JOINERY_ADMIN_SECRET: 'open sesame',
      JOINERY_JWT_SECRET: JSON.stringify({ type: 'HS256', key }),
      JOINERY_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50',
      JOINERY_STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '50',
      HANDLER: handler.origin,
    },
    { sql },
  );
  await run('pg_track_table', { table: 'victim' });
  await run('pg_track_function', { function: 'search' });
  await run('pg_track_function', { function: 'mine', configuration: { session_argument: 'session' } });
  const columns = ['id', 'note'];
  for (const [role, filter] of [
    ['reader', { note: 'X-Service-Note' }],
    ['several', { note: { _in: 'X-Service-Notes' } }],
    ['keeper', { docs: { _has_key: 'X-Service-Note' } }],
  ] as const) {
    await run('pg_create_select_permission', { table: 'victim', role, permission: { columns, filter } });
  }
  const permission = { columns: ['id'], check: {}, set: { note: 'X-Service-Note' } };
  await run('pg_create_insert_permission', { table: 'victim', role: 'reader', permission });
  await run('create_query_collection', {
    name: 'stored',
    definition: {
      queries: [{ name: 'byNote', query: 'query ($note: String!) { victim(where: {note: {_eq: $note}}) { note } }' }],
    },
  });
  for (const [name, url, methods] of [
    ['path', 'note/:note', ['GET']],
    ['any', 'note', ['GET', 'POST']],
  ]) {
    const definition = { query: { collection_name: 'stored', query_name: 'byNote' } };
    await run('create_rest_endpoint', { name, url, methods, definition });
  }
  await run('set_custom_types', {
    objects: [
      {
        name: 'Found',
        fields: [{ name: 'note', type: 'String' }],
        relationships: [{ name: 'row', type: 'object', remote_table: 'victim', field_mapping: { note: 'note' } }],
      },
    ],
  });
  await run('create_action', {
    name: 'find',
    definition: {
      kind: 'synchronous',
      type: 'query',
      output_type: 'Found',
      handler: '{{HANDLER}}',
      arguments: [{ name: 'text', type: 'String!' }],
    },
  });
  // One row for each payload, inserted through the service, so that the tests cover writes too.
  const objects = payloads.map((text, index) => ({
    id: 100 + index,
    note: text,
    docs: { [text]: [text] },
    labels: [text],
  }));
  const insert = 'mutation ($objects: [victim_insert_input!]!) { insert_victim(objects: $objects) { affected_rows } }';
  expect(await request(insert, { objects })).toEqual({ data: { insert_victim: { affected_rows: payloads.length } } });
});

afterAll(async () => {
  await service?.stop();
  await handler?.close();
});
afterEach(() => expectVictimUnchanged(service));

const only = (note: string) => ({ data: { victim: [{ note }] } });

/** Payloads that are not valid as regular expressions or SQL patterns. */
const invalidPatterns = ['") or 1=1 --', '$1::text); drop table victim; --', "/*'*/;drop/**/table/**/victim"];

/** The rows that a pattern matches: the row of its own payload, unless the payload has characters with a meaning. */
function matchesOf(operator: string, text: string): readonly number[] {
  const own = 100 + payloads.indexOf(text);
  // In a regular expression `$` is the end of the text.
  if (text.startsWith('$$') && operator.endsWith('regex')) return [];
  // A backslash before a quote escapes the quote, so that the pattern is that of the first payload.
  const pattern = text.replace(/^\\/, '');
  const first = 100 + payloads.indexOf(pattern);
  // A regular expression matches a part of the text: the first payload is a part of the one with a backslash.
  const withBackslash = 100 + payloads.indexOf(`\\${pattern}`);
  if (operator.endsWith('regex') && withBackslash >= 100) return [first, withBackslash];
  return [pattern === text ? own : first];
}

/** Returns the text as a string literal of GraphQL and JSON. */
const quoted = (text: string) => JSON.stringify(text);

describe.each(payloads)('the payload %j', (text) => {
  test('is a value in every operator, as a variable and as a literal', async () => {
    const where = [
      ['note: {_eq: $t}', 'String!'],
      ['note: {_in: [$t]}', 'String!'],
      ['_not: {note: {_neq: $t}}', 'String!'],
      ['labels: {_contains: [$t]}', 'String!'],
      ['docs: {_has_key: $t}', 'String!'],
      ['docs: {_has_keys_any: [$t]}', 'String!'],
      ['docs: {_contains: $t}', 'jsonb!', { [text]: [text] }],
    ] as const;
    for (const [condition, type, value = text] of where) {
      const query = `query ($t: ${type}) { victim(where: {${condition}}) { note } }`;
      expect([condition, await request(query, { t: value })]).toEqual([condition, only(text)]);
    }
    expect(await request(`{ victim(where: {note: {_eq: ${quoted(text)}}}) { note } }`)).toEqual(only(text));
    expect(await request(`{ search(args: {term: ${quoted(text)}}) { note } }`)).toEqual({
      data: { search: [{ note: text }] },
    });
    expect(await request('query ($t: String) { search(args: {term: $t}) { note } }', { t: text })).toEqual({
      data: { search: [{ note: text }] },
    });
  });

  test.each(['_like', '_ilike', '_similar', '_regex', '_iregex'])('is a value as the pattern of %s', async (name) => {
    const body = await request(
      `query ($t: String) { victim(where: {note: {${name}: $t}}, order_by: {id: asc}) { id } }`,
      {
        t: text,
      },
    );
    if (invalidPatterns.includes(text) && !name.endsWith('like')) return expect(codeOf(body)).toBe('data-exception');
    expect(body).toEqual({ data: { victim: matchesOf(name, text).map((id) => ({ id })) } });
  });

  test('is one step of a jsonb path, or is rejected as a path', async () => {
    const query = 'query ($p: String, $n: String) { victim(where: {note: {_eq: $n}}) { docs(path: $p) } }';
    expect(await request(query, { p: `$["${text.replace(/["\\]/g, '\\$&')}"][0]`, n: text })).toEqual({
      data: { victim: [{ docs: text }] },
    });
    const body = await request(query, { p: text, n: text });
    // Text with the syntax of a key is a path of one step.
    if (/^[\w-]+$/.test(text)) expect(body).toEqual({ data: { victim: [{ docs: [text] }] } });
    else expect(codeOf(body)).toBe('validation-failed');
  });

  test('is rejected as a column, a direction or an operator', async () => {
    for (const [query, variables] of [
      ['query ($o: [victim_order_by!]) { victim(order_by: $o) { id } }', { o: [{ [text]: 'asc' }] }],
      ['query ($o: [victim_order_by!]) { victim(order_by: $o) { id } }', { o: [{ id: text }] }],
      ['query ($d: [victim_select_column!]) { victim(distinct_on: $d) { id } }', { d: [text] }],
      ['query ($w: victim_bool_exp) { victim(where: $w) { id } }', { w: { [text]: { _eq: 1 } } }],
      ['query ($w: victim_bool_exp) { victim(where: $w) { id } }', { w: { id: { [text]: 1 } } }],
      ['query ($l: Int) { victim(limit: $l) { id } }', { l: text }],
      [
        'mutation ($s: victim_set_input) { update_victim(where: {}, _set: $s) { affected_rows } }',
        { s: { [text]: 1 } },
      ],
      ['query ($i: Int!) { victim_by_pk(id: $i) { id } }', { i: text }],
    ] as const) {
      const code = query.includes('_by_pk') ? 'data-exception' : 'validation-failed';
      expect([query, codeOf(await request(query, variables))]).toEqual([query, code]);
    }
    for (const query of [
      `{ victim(order_by: {id: ${text}}) { id } }`,
      `{ ${text} }`,
      `query ${text} { victim { id } }`,
    ]) {
      expect(codeOf(await request(query))).toBe('validation-failed');
    }
    const { body } = await service.post('/v1/graphql', { query: '{ victim { id } }', operationName: text }, secret);
    expect(codeOf(body)).toBe('validation-failed');
  });

  test('is a value as a claim of a token, also in a list', async () => {
    const token = (role: string, claims: object) =>
      new SignJWT({
        'https://hasura.io/jwt/claims': {
          'x-service-allowed-roles': [role],
          'x-service-default-role': role,
          ...claims,
        },
      })
        .setProtectedHeader({ alg: 'HS256' })
        .sign(new TextEncoder().encode(key));
    for (const signed of [
      token('reader', { 'x-service-note': text }),
      token('several', { 'x-service-notes': [text] }),
    ]) {
      const headers = { authorization: `Bearer ${await signed}` };
      expect(await service.graphql('{ victim { note } }', headers)).toEqual(only(text));
    }
    const keeper = { authorization: `Bearer ${await token('keeper', { 'x-service-note': text })}` };
    expect(await service.graphql('{ victim { note } }', keeper)).toEqual(only(text));
    const list = { authorization: `Bearer ${await token('several', { 'x-service-notes': text })}` };
    const listed = await service.graphql('{ victim { note } }', list);
    // Braces are an array literal of PostgreSQL.
    if (text.startsWith('{')) expect(listed).toEqual({ data: { victim: [] } });
    else expect(codeOf(listed)).toBe('data-exception');
  });

  test('is a value as a session variable of a websocket, and may occur in the name of the variable', async () => {
    const headers = { ...secret, 'x-service-role': 'reader', 'x-service-note': text, [`x-service-${text}`]: text };
    const client = await connectedClient(service.url, headers);
    const query = `mutation { insert_victim_one(object: {id: 99}) { note } }`;
    client.send({ id: '1', type: 'subscribe', payload: { query } });
    expect(await client.next()).toEqual({
      id: '1',
      type: 'next',
      payload: { data: { insert_victim_one: { note: text } } },
    });
    await client.close();
    const admin = await connectedClient(service.url, { ...headers, 'x-service-role': 'admin' });
    admin.send({ id: '2', type: 'subscribe', payload: { query: '{ mine(order_by: {id: desc}, limit: 1) { note } }' } });
    expect(await admin.next()).toMatchObject({ id: '2', payload: { data: { mine: [{ note: text }] } } });
    await admin.close();
    expect(await request('mutation { delete_victim_by_pk(id: 99) { note } }')).toEqual({
      data: { delete_victim_by_pk: { note: text } },
    });
  });

  test('is a value in a subscription, in the cursor of a stream, and as the join key in the response of a handler', async () => {
    const headers = { ...secret, 'x-service-role': 'reader', 'x-service-note': text };
    const two = await Promise.all([connectedClient(service.url, headers), connectedClient(service.url, headers)]);
    const subscription = 'subscription ($t: String) { victim(where: {note: {_eq: $t}}) { note } }';
    for (const client of two)
      client.send({ id: '1', type: 'subscribe', payload: { query: subscription, variables: { t: text } } });
    for (const client of two) expect(await client.next()).toEqual({ id: '1', type: 'next', payload: only(text) });
    const stream = `subscription ($t: String, $from: String) {
      victim_stream(where: {note: {_eq: $t}}, batch_size: 1, cursor: {initial_value: {note: $from}}) { note } }`;
    const [first] = two;
    first.send({ id: '2', type: 'subscribe', payload: { query: stream, variables: { t: text, from: '' } } });
    expect(await first.next()).toEqual({
      id: '2',
      type: 'next',
      payload: { data: { victim_stream: [{ note: text }] } },
    });
    // The last row is the cursor of the next poll, which returns no row and no error.
    first.send({ id: '3', type: 'subscribe', payload: { query: stream, variables: { t: text, from: text } } });
    first.send({ id: '4', type: 'subscribe', payload: { query: '{ victim { note } }' } });
    expect(await first.next()).toEqual({ id: '4', type: 'next', payload: only(text) });
    for (const client of two) await client.close();
    expect(await request('query ($t: String!) { find(text: $t) { note row { note } } }', { t: text })).toEqual({
      data: { find: { note: text, row: { note: text } } },
    });
  });

  test('is a value as a variable of a REST endpoint', async () => {
    const get = async (path: string, init: RequestInit = {}) =>
      (await fetch(`${service.url}/api/rest/${path}`, { headers: secret, ...init })).json();
    expect(await get(`note/${encodeURIComponent(text)}`)).toEqual(only(text).data);
    expect(await get(`note?note=${encodeURIComponent(text)}`)).toEqual(only(text).data);
    expect(await get('note', { method: 'POST', body: JSON.stringify({ note: text }) })).toEqual(only(text).data);
    const named = await get(`note?${encodeURIComponent(text)}=1&note=${encodeURIComponent(text)}`);
    expect(named).toEqual(only(text).data);
  });
});

test('a session variable of a header is a value', async () => {
  for (const text of payloads.filter((one) => /^[\x20-\x7e]+$/.test(one))) {
    const headers = { 'x-service-role': 'reader', 'x-service-note': text };
    expect(await request('{ victim { note } }', {}, headers)).toEqual(only(text));
  }
});
