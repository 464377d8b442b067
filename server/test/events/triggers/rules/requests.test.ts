/** The requests of triggers: headers, signature and transforms, as a webhook receives them. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../../../support/events/delivery-node.ts';
import { startTriggerService, type TriggerService } from '../../../support/events/trigger-service.ts';

const key = Buffer.alloc(24, 7);

interface Case {
  readonly rule: string;
  readonly members: object;
  readonly check: (call: Call) => void;
}

const headers = (list: readonly object[], expected: Readonly<Record<string, string | undefined>>) => ({
  members: { headers: list },
  check: (call: Call) => {
    for (const [name, value] of Object.entries(expected)) expect([name, call.headers[name]]).toEqual([name, value]);
  },
});

const transformed = (request_transform: object, expected: Partial<Call> | ((call: Call) => void)) => ({
  members: { request_transform: { version: 2, template_engine: 'Kriti', ...request_transform } },
  check: (call: Call) => (typeof expected === 'function' ? expected(call) : expect(call).toMatchObject(expected)),
});

const body = (template: string) => ({ body: { action: 'transform', template } });

const cases: readonly Case[] = [
  {
    rule: 'is a POST of JSON with the headers of the call',
    members: {},
    check: (call) => {
      expect(call.method).toBe('POST');
      expect(call.headers).toMatchObject({
        'content-type': 'application/json',
        'user-agent': expect.stringMatching(/^joinery\//),
        'webhook-id': call.body.id,
        'webhook-attempt': '1',
        'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
        traceparent: `00-${call.body.id.replaceAll('-', '')}-${String(call.headers.traceparent).slice(36, 52)}-01`,
      });
      expect(call.headers['webhook-signature']).toBeUndefined();
      expect(call.headers['content-length']).toBe(String(Buffer.byteLength(call.text)));
    },
  },
  {
    rule: 'has headers from values, templates and the environment',
    ...headers(
      [
        { name: 'X-Plain', value: 'a' },
        { name: 'X-Template', value: 'Bearer {{KEY}}' },
        { name: 'X-Env', value_from_env: 'KEY' },
        { name: 'X-Twice', value: 'a' },
        { name: 'X-Twice', value: 'b' },
      ],
      { 'x-plain': 'a', 'x-template': 'Bearer a secret', 'x-env': 'a secret', 'x-twice': 'a, b' },
    ),
  },
  {
    rule: 'keeps its own Content-Type and User-Agent',
    ...headers(
      [
        { name: 'content-type', value: 'text/plain' },
        { name: 'USER-AGENT', value: 'mine' },
      ],
      { 'content-type': 'application/json' },
    ),
  },
  {
    rule: 'keeps its own headers of the call',
    members: { headers: [{ name: 'Webhook-Id', value: 'mine' }] },
    check: (call) => expect(call.headers['webhook-id']).toBe(call.body.id),
  },
  {
    rule: 'is signed with a key of the environment',
    members: { signing: { key_from_env: 'SIGNING_KEY' } },
    check: (call) => {
      const message = `${call.body.id}.${call.headers['webhook-timestamp']}.${call.text}`;
      const signature = createHmac('sha256', key).update(message).digest('base64');
      expect(call.headers['webhook-signature']).toBe(`v1,${signature}`);
    },
  },
  { rule: 'has the method of a transform', ...transformed({ method: 'put' }, { method: 'PUT' }) },
  {
    rule: 'has the url of a transform',
    ...transformed(
      { url: '{{$base_url}}/{{$body.event.data.new.id}}/{{escapeUri($body.event.data.new.name)}}' },
      (call) => expect(call.path).toMatch(/\/7\/a%20%26%20b$/),
    ),
  },
  {
    rule: 'has the parameters of a transform, without those that are null',
    ...transformed(
      {
        query_params: { id: '{{$body.event.data.new.id}}', op: '{{$body.event.op}}', none: '{{$body.event.data.old}}' },
      },
      (call) => expect(call.path).toMatch(/\?id=7&op=INSERT$/),
    ),
  },
  {
    rule: 'has the parameters of one template',
    ...transformed({ query_params: 'a={{$body.event.data.new.id}}&b' }, (call) =>
      expect(call.path).toMatch(/\?a=7&b$/),
    ),
  },
  {
    rule: 'has the headers that a transform adds, and not those that it removes',
    members: {
      headers: [
        { name: 'X-Kept', value: 'kept' },
        { name: 'X-Removed', value: 'removed' },
      ],
      request_transform: {
        version: 2,
        template_engine: 'Kriti',
        request_headers: {
          add_headers: { 'X-Added': '{{$body.trigger.name}}', 'content-type': 'application/cloudevents+json' },
          remove_headers: ['x-removed', 'content-type', 'user-agent'],
        },
      },
    },
    check: ({ headers: sent }) => {
      expect(sent['x-kept']).toBe('kept');
      expect(sent['x-added']).toMatch(/^request_/);
      expect(sent['x-removed']).toBeUndefined();
      expect(sent['content-type']).toBe('application/cloudevents+json');
      expect(sent['user-agent']).toBeUndefined();
    },
  },
  {
    rule: 'has the body of a transform',
    ...transformed(body('{"name": {{$body.event.data.new.name}}, "retry": {{$body.delivery_info.current_retry}}}'), {
      text: '{"name":"a & b","retry":0}',
    }),
  },
  {
    rule: 'has the body of a transform of version 1',
    members: {
      request_transform: { version: 1, template_engine: 'Kriti', body: '{"id": {{$body.event.data.new.id}}}' },
    },
    check: (call) => expect(call.text).toBe('{"id":7}'),
  },
  {
    rule: 'has the body of a transform without a version',
    members: { request_transform: { template_engine: 'Kriti', body: '{{$body.table.name}}' } },
    check: (call) => expect(call.text).toBe('"item"'),
  },
  { rule: 'has no body where a transform removes it', ...transformed({ body: { action: 'remove' } }, { text: '' }) },
  {
    rule: 'has a form of a transform',
    ...transformed(
      {
        body: {
          action: 'x_www_form_urlencoded',
          form_template: {
            name: '{{$body.event.data.new.name}}',
            none: '{{$body.event.data.old}}',
            op: '{{$body.event.op}}',
          },
        },
        content_type: 'application/x-www-form-urlencoded',
      },
      (call) => {
        expect(call.text).toBe('name=a%20%26%20b&op=INSERT');
        expect(call.headers['content-type']).toBe('application/x-www-form-urlencoded');
      },
    ),
  },
  {
    rule: 'has the session variables of the change in a transform',
    ...transformed(
      body(
        '[{{$session_variables["x-hasura-user-id"]}}, {{getSessionVariable("X-Hasura-Role")}}, {{$body.event.session_variables["x-hasura-user-id"]}}]',
      ),
      { text: '["3","admin","3"]' },
    ),
  },
];

const nameOf = (index: number): string => `request_${index}`;

let s: TriggerService;

beforeAll(async () => {
  s = await startTriggerService({
    sql: 'create table item (id int primary key, name text); create table note (id int primary key)',
    tables: ['item', 'note'],
    environment: { KEY: 'a secret', SIGNING_KEY: `whsec_${key.toString('base64')}` },
    respond: (_call, response) => response.writeHead(200, { 'x-count': 'yes' }).end('{"count": 2}'),
  });
  const create = (name: string, members: object): object => ({
    type: 'pg_create_event_trigger',
    args: { name, table: 'item', insert: { columns: '*' }, webhook: `{{HOOKS}}/${name}`, ...members },
  });
  await s.run('bulk', [
    ...cases.map(({ members }, index) => create(nameOf(index), members)),
    create('from_env', { webhook: undefined, webhook_from_env: 'HOOKS' }),
    create('response', {
      response_transform: {
        version: 2,
        template_engine: 'Kriti',
        ...body('{"sum": {{$body.count}}, "status": {{$response.status}}}'),
      },
    }),
    create('bad_response', {
      response_transform: { version: 2, template_engine: 'Kriti', ...body('{{$body.none.none}}') },
    }),
    create('bad_request', {
      table: 'note',
      request_transform: { version: 2, template_engine: 'Kriti', ...body('{{getSessionVariable("x-hasura-none")}}') },
    }),
  ]);
  await s.service.graphql('mutation { insert_item_one(object: { id: 7, name: "a & b" }) { id } }', {
    'x-hasura-role': 'admin',
    'x-hasura-user-id': '3',
  });
  await s.sql('insert into note values (1)');
});
afterAll(() => s.stop());

describe('the request', () => {
  test.each(cases.map(({ rule, check }, index) => [rule, check, index] as const))('%s', async (_rule, check, index) => {
    const [call] = await s.called(nameOf(index));
    if (call === undefined) throw new Error('the webhook was not called');
    check(call);
  });

  test('goes to the URL of a variable', async () => {
    await expect.poll(() => s.sink.calls.some(({ path }) => path === '/')).toBe(true);
  });
});

interface Logged {
  readonly http_status: number | null;
  readonly request: {
    readonly payload: unknown;
    readonly headers: readonly object[];
    readonly sent: {
      readonly method: string;
      readonly url: string;
      readonly headers: readonly { readonly name: string; readonly value: string }[];
      readonly body: string | null;
    };
  };
  readonly response: { readonly type: string; readonly data: { readonly body?: string; readonly message?: string } };
}

async function logged(name: string): Promise<Logged> {
  let found: Logged | undefined;
  await expect
    .poll(async () => {
      [found] = (await s.run('pg_get_event_invocation_logs', { name })) as readonly Logged[];
      return found === undefined ? 'not called' : 'called';
    })
    .toBe('called');
  if (found === undefined) throw new Error('no log');
  return found;
}

const statusOf = async (name: string): Promise<unknown> => {
  const [event] = (await s.run('pg_get_event_logs', { name })) as readonly { readonly status: string }[];
  return event?.status;
};

describe('the log of a call', () => {
  test('has names of variables and templates in place of their values', async () => {
    const log = await logged(nameOf(1));
    expect(log.request.headers).toEqual([
      { name: 'Content-Type', value: 'application/json' },
      { name: 'User-Agent', value: expect.stringMatching(/^joinery\//) },
      { name: 'X-Plain', value: 'a' },
      { name: 'X-Template', value: 'Bearer {{KEY}}' },
      { name: 'X-Env', value_from_env: 'KEY' },
      { name: 'X-Twice', value: 'a' },
      { name: 'X-Twice', value: 'b' },
    ]);
    expect(JSON.stringify(log)).not.toContain('a secret');
  });

  test.each([0, 1])('has the whole request as it was received, but for values of variables (%i)', async (index) => {
    const [call] = await s.called(nameOf(index));
    const { sent } = (await logged(nameOf(index))).request;
    expect(sent).toMatchObject({ method: call?.method, url: `{{HOOKS}}/${nameOf(index)}`, body: call?.text });
    const own = sent.headers.filter(({ name }) => /^(webhook-|traceparent|content-type|user-agent)/i.test(name));
    expect(own.map(({ name, value }) => [name.toLowerCase(), value === '***' ? undefined : value])).toEqual(
      own.map(({ name, value }) => [
        name.toLowerCase(),
        value === '***' ? undefined : call?.headers[name.toLowerCase()],
      ]),
    );
    expect(own.map(({ name }) => name.toLowerCase())).toEqual(
      expect.arrayContaining([
        'content-type',
        'user-agent',
        'webhook-id',
        'webhook-timestamp',
        'webhook-attempt',
        'traceparent',
      ]),
    );
  });

  test('has the body as sent, after the transform', async () => {
    const [call] = await s.called(nameOf(0));
    expect((await logged(nameOf(0))).request.payload).toEqual(JSON.parse(call?.text ?? ''));
    const index = cases.findIndex(({ rule }) => rule === 'has the body of a transform');
    expect((await logged(nameOf(index))).request.payload).toEqual({ name: 'a & b', retry: 0 });
  });

  test('has null in place of a body that is no JSON', async () => {
    const index = cases.findIndex(({ rule }) => rule === 'has a form of a transform');
    expect((await logged(nameOf(index))).request.payload).toBeNull();
  });

  test('has the body of the response after the response transform', async () => {
    const { response } = await logged('response');
    expect(response).toMatchObject({ type: 'webhook_response', data: { status: 200, body: '{"sum":2,"status":200}' } });
  });

  test('has the response and the error of a response transform that fails, and the event is delivered', async () => {
    const { response } = await logged('bad_response');
    expect(response.data).toMatchObject({ body: '{"count": 2}', transform_error: expect.any(String) });
    expect(await statusOf('bad_response')).toBe('delivered');
  });

  test('has the reason why a request transform failed, without a call', async () => {
    const { http_status, response } = await logged('bad_request');
    expect([http_status, response.type]).toEqual([null, 'client_error']);
    expect(JSON.stringify(response)).toContain('x-hasura-none');
    expect(s.callsOf('bad_request')).toEqual([]);
    expect(await statusOf('bad_request')).toBe('error');
  });
});
