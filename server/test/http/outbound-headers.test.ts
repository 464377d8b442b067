/** Headers of outbound HTTP calls: credentials of the URL, and no headers of the caller's connection. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSchema, graphql } from 'graphql';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { column } from '../support/events/delivery-node.ts';
import { eventReader } from '../support/events/event-reader.ts';
import { sendRaw } from '../support/http/raw-request.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { until } from '../support/until.ts';

const sql = 'create table note (id int primary key, body text); insert into note values (1, null);';
const schema = buildSchema('type Query { hello: String }');
/** A user and a password with characters that are encoded in URLs. */
const credentials = 'us%40er:p%3Ass%2Fw%C3%B6rd';
const basic = `Basic ${Buffer.from('us@er:p:ss/wörd').toString('base64')}`;
const secret = { 'x-service-admin-secret': 'hush' };

let receiver: Server;
let origin: string;
/** The path and headers of each received request. */
let received: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
let service: TestService;

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    const path = request.url ?? '';
    received.push({ path, headers: request.headers });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    response.setHeader('content-type', 'application/json');
    if (path === '/graphql') {
      const { query } = JSON.parse(body) as { query: string };
      response.end(JSON.stringify(await graphql({ schema, source: query, rootValue: { hello: 'world' } })));
    } else if (path === '/session') response.end('{"X-Service-Role":"user"}');
    else if (path === '/hop') {
      response.setHeader('connection', 'keep-alive, x-hop');
      response.setHeader('x-hop', '1').setHeader('x-end', '2').end('"done"');
    } else response.end('"done"');
  });
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  origin = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  service = await startService(
    {
      WEBHOOK: `http://${credentials}@${origin}`,
      PLAIN: `http://${origin}`,
      JOINERY_ADMIN_SECRET: 'hush',
      JOINERY_AUTH_HOOK: `http://${credentials}@${origin}/session`,
    },
    { sql },
  );
  await command('track_table', 'note');
  const action = (name: string, handler: string, options: object = {}) =>
    command('create_action', {
      name,
      definition: { type: 'query', output_type: 'String', handler, ...options },
    });
  await action('authenticated', '{{WEBHOOK}}/action');
  await action('conflicting', '{{WEBHOOK}}/action', {
    headers: [{ name: 'Authorization', value: 'Bearer configured' }],
  });
  await action('forwarding', '{{PLAIN}}/forwarding', { forward_client_headers: true });
  await action('hopping', '{{PLAIN}}/hop', { forward_response_headers: ['x-hop', 'x-end'] });
  for (const name of ['authenticated', 'conflicting', 'forwarding', 'hopping']) {
    await command('create_action_permission', { action: name, role: 'user' });
  }
  const definition = { url: '{{WEBHOOK}}/graphql', forward_client_headers: true };
  await command('add_remote_schema', { name: 'remote', definition });
  const check = { type: 'http', definition: { url: '{{WEBHOOK}}/check', forward_client_headers: true } };
  await command('create_delete_permission', {
    table: 'note',
    role: 'user',
    permission: { filter: { id: { _gt: 5 } }, validate_input: check },
  });
});

afterAll(async () => {
  await service?.stop();
  receiver?.close();
});

beforeEach(() => {
  received = [];
});

async function command(type: string, args: unknown): Promise<unknown> {
  const response = await service.post('/v1/query', { type, args }, secret);
  if (response.status !== 200) throw new Error(`${type}: ${JSON.stringify(response.body)}`);
  return response.body;
}

const at = (path: string) => received.filter((one) => one.path === path).map(({ headers }) => headers);

async function query(document: string, headers: Readonly<Record<string, string>> = {}) {
  const sent = { 'content-type': 'application/json', ...headers };
  return sendRaw(`${service.url}/v1/graphql`, { headers: sent, body: JSON.stringify({ query: document }) });
}

describe('credentials in the URL are sent as Basic authorization', () => {
  test('by actions', async () => {
    expect(JSON.parse((await query('{ authenticated }', secret)).text)).toEqual({ data: { authenticated: 'done' } });
    expect(at('/action').map(({ authorization }) => authorization)).toEqual([basic]);
  });

  test('by queries and introspections of remote schemas', async () => {
    await command('reload_remote_schema', { name: 'remote' });
    expect(JSON.parse((await query('{ hello }', secret)).text)).toEqual({ data: { hello: 'world' } });
    const sent = at('/graphql').map(({ authorization }) => authorization);
    expect(sent.length).toBeGreaterThanOrEqual(2);
    expect(new Set(sent)).toEqual(new Set([basic]));
  });

  test('by the authentication webhook', async () => {
    await query('{ __typename }');
    expect(at('/session').map(({ authorization }) => authorization)).toEqual([basic]);
  });

  test('by webhooks that validate input', async () => {
    await query('mutation { delete_note(where: {}) { affected_rows } }', { 'x-any': '1' });
    expect(at('/check').map(({ authorization }) => authorization)).toEqual([basic]);
  });

  test('by scheduled events', async () => {
    const args = { webhook: '{{WEBHOOK}}/event', schedule_at: new Date().toISOString(), payload: {} };
    await command('create_scheduled_event', args);
    await until('the event is delivered', () => at('/event').length > 0);
    expect(at('/event')[0]?.authorization).toBe(basic);
  });

  test('by cron triggers', async () => {
    await command('create_cron_trigger', {
      name: 'often',
      webhook: '{{WEBHOOK}}/cron',
      schedule: '* * * * *',
      payload: {},
      include_in_metadata: false,
    });
    const first = 'select id from joinery.scheduled_events order by schedule_at limit 1';
    const text = `update joinery.scheduled_events set schedule_at = now() where id = (${first}) returning id`;
    expect(await column(service.database.database, text)).toHaveLength(1);
    await until('the event is delivered', () => at('/cron').length > 0);
    expect(at('/cron')[0]?.authorization).toBe(basic);
    await command('delete_cron_trigger', { name: 'often' });
  });
});

describe('credentials in the URL with another Authorization header are rejected', () => {
  test('by actions, with an error that does not contain them', async () => {
    const { text } = await query('{ conflicting }', secret);
    expect(received).toEqual([]);
    expect(text).toContain('the address contains credentials, and an Authorization header is sent as well');
    expect(text).not.toContain('rd@');
  });

  test('by scheduled events, with the reason in their invocation log', async () => {
    const webhook = `http://literal:pass@${origin}/rejected`;
    const headers = [{ name: 'Authorization', value: 'Bearer configured' }];
    const args = { webhook, headers, schedule_at: new Date().toISOString(), payload: {} };
    const { event_id: id } = (await command('create_scheduled_event', args)) as { event_id: string };
    const events = eventReader(service.database);
    await events.untilProcessed(id);
    expect(at('/rejected')).toEqual([]);
    const [log] = await events.logOf(id);
    const text = JSON.stringify(log?.response);
    expect(text).toContain('the address contains credentials');
    expect(text).not.toContain('literal');
  });
});

describe('headers that the caller names in "Connection"', () => {
  const hop = { connection: 'keep-alive, X-Hop', 'x-hop': '1', 'x-end': '2' };

  test.each([
    ['the handler of an action', '/forwarding', '{ forwarding }'],
    ['a remote schema', '/graphql', '{ hello }'],
  ])('are not forwarded to %s, and others are', async (_target, path, document) => {
    await query(document, { ...hop, ...secret });
    expect(at(path)[0]).toMatchObject({ 'x-end': '2' });
    expect(at(path)[0]).not.toHaveProperty('x-hop');
  });

  test.each([
    ['the authentication webhook', '/session'],
    ['a webhook that validates input', '/check'],
  ])('are not forwarded to %s, and others are', async (_target, path) => {
    await query('mutation { delete_note(where: {}) { affected_rows } }', hop);
    expect(at(path)[0]).toMatchObject({ 'x-end': '2' });
    expect(at(path)[0]).not.toHaveProperty('x-hop');
  });

  test('are not returned from the response of a handler that names them', async () => {
    const { headers } = await query('{ hopping }', secret);
    expect(headers['x-end']).toBe('2');
    expect(headers).not.toHaveProperty('x-hop');
  });
});
