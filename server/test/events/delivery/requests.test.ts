/** Requests of deliveries: headers of the attempt, signatures, bodies, transforms, and addresses that are not permitted. */

import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { egressDefaults } from '../../../src/base/http-client/egress.ts';
import { parseJson, printJson } from '../../../src/base/json-value.ts';
import { readSigner } from '../../../src/events/webhook/signature.ts';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import {
  type Call,
  column,
  fromNow,
  type NodeOptions,
  type Respond,
  type Sink,
  startNode,
  startSink,
} from '../../support/events/delivery-node.ts';
import {
  createScheduledEvent,
  getScheduledEvent,
  getScheduledEventInvocations,
  redeliverScheduledEvent,
  updateScheduledEvent,
} from '../../support/events/event-commands.ts';
import { startServiceCore } from '../../support/service/service-core.ts';
import { until } from '../../support/until.ts';

const secret = (): string => `whsec_${randomBytes(32).toString('base64')}`;
const serviceKey = secret();
const eventKeys = { first: secret(), second: secret() };
const environment: Record<string, string> = {
  HOOK_KEY: eventKeys.first,
  BOTH_KEYS: `${eventKeys.second} ${eventKeys.first}`,
  NO_KEY: 'whsec_c2VjcmV0',
  TOKEN: 'secret-token',
};

let db: TestDatabase;
const cleanups: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  db = await testDatabase({ migrated: true });
});
afterEach(async () => {
  for (const one of cleanups.splice(0).reverse()) await one.close();
});
afterAll(() => db.drop());

async function sinkFor(respond?: Respond): Promise<Sink> {
  const sink = await startSink(respond);
  cleanups.push(sink);
  return sink;
}

async function deliverWith(options: NodeOptions = {}): Promise<void> {
  cleanups.push(await startNode(db, { environment, ...options }));
}

async function schedule(args: Record<string, unknown>): Promise<string> {
  const all = { schedule_at: fromNow(0), payload: { n: 1 }, ...args };
  return String((await createScheduledEvent(db.database.query, all, environment)).event_id);
}

async function processed(id: string): Promise<void> {
  const text = 'select id from joinery.processed_events where id = $1';
  await until('the event is processed', async () => (await column(db.database, text, [id])).length === 1);
}

/** Delivers one event to its own webhook and returns its calls. */
async function callsOf(
  args: Record<string, unknown>,
  respond?: Respond,
): Promise<{ id: string; calls: readonly Call[] }> {
  const sink = await sinkFor(respond);
  const id = await schedule({ webhook: `${sink.origin}/hook`, ...args });
  await processed(id);
  return { id, calls: sink.calls };
}

async function callOf(args: Record<string, unknown>): Promise<Call> {
  const [call] = (await callsOf(args)).calls;
  if (call === undefined) throw new Error('the webhook was not called');
  return call;
}

async function logOf(id: string): Promise<string> {
  const { invocations } = await getScheduledEventInvocations(db.database.query, { type: 'one_off', event_id: id });
  return printJson(invocations);
}

function verify(key: string, call: Call): unknown {
  return new Webhook(key).verify(call.text, call.headers as Record<string, string>);
}

describe('each call', () => {
  test('has headers for event, attempt and trace; attempts of an event share id and trace', async () => {
    await deliverWith();
    let attempts = 0;
    const { id, calls } = await callsOf(
      { retry_conf: { num_retries: 1, retry_interval_seconds: 0 } },
      (_call, response) => {
        attempts += 1;
        response.writeHead(attempts === 1 ? 500 : 200).end();
      },
    );
    expect(calls.map(({ headers }) => headers['webhook-attempt'])).toEqual(['1', '2']);
    const traces = calls.map(({ headers }) => String(headers.traceparent));
    for (const [index, { headers }] of calls.entries()) {
      expect(headers['webhook-id']).toBe(id);
      expect(headers['webhook-timestamp']).toMatch(/^\d{10}$/);
      expect(headers['webhook-signature']).toBeUndefined();
      expect(traces[index]).toMatch(new RegExp(`^00-${id.replaceAll('-', '')}-[0-9a-f]{16}-01$`));
    }
    expect(new Set(traces).size).toBe(2);
  });

  test('ignores configured headers with the names of these headers', async () => {
    await deliverWith();
    const reserved = ['Webhook-Id', 'webhook-signature', 'Webhook-Attempt', 'TraceParent', 'webhook-timestamp'];
    const headers = reserved.map((name) => ({ name, value: 'configured' }));
    expect(JSON.stringify((await callOf({ headers })).headers)).not.toContain('configured');
  });
});

describe('a signature', () => {
  test('uses the keys of the service, and is absent if the event has signing: false', async () => {
    await deliverWith({ sign: readSigner(serviceKey) });
    const call = await callOf({ payload: parseJson('{"amount":12345678901234567890.5}') });
    expect(verify(serviceKey, call)).toMatchObject({ id: call.headers['webhook-id'] });
    expect((await callOf({ signing: false })).headers).not.toHaveProperty('webhook-signature');
  });

  test('uses all keys of a variable of the event in place of those of the service', async () => {
    await deliverWith({ sign: readSigner(serviceKey) });
    const call = await callOf({ signing: { key_from_env: 'HOOK_KEY' } });
    expect(verify(eventKeys.first, call)).toBeDefined();
    expect(() => verify(serviceKey, call)).toThrow();
    const rotating = await callOf({ signing: { key_from_env: 'BOTH_KEYS' } });
    for (const key of Object.values(eventKeys)) expect(verify(key, rotating)).toBeDefined();
  });

  test('covers the body as sent', async () => {
    await deliverWith({ sign: readSigner(serviceKey) });
    const call = await callOf({
      body: 'payload',
      request_transform: { version: 2, body: { action: 'transform', template: '{"number": {{$body.n}}}' } },
    });
    expect(verify(serviceKey, call)).toEqual({ number: 1 });
  });

  test('exposes no key in the log or in the event', async () => {
    await deliverWith({ sign: readSigner(serviceKey) });
    const { id } = await callsOf({
      signing: { key_from_env: 'HOOK_KEY' },
      headers: [{ name: 'Authorization', value: 'Bearer {{TOKEN}}' }],
    });
    const { event } = await getScheduledEvent(db.database.query, { event_id: id });
    const shown = (await logOf(id)) + printJson(event);
    for (const key of [eventKeys.first, serviceKey, 'secret-token']) expect(shown).not.toContain(key);
    expect(shown).toContain('Bearer {{TOKEN}}');
    expect(event).toMatchObject({ signing: { key_from_env: 'HOOK_KEY' } });
  });

  test('fails the call if the variable is no longer set, and the log names the variable', async () => {
    const id = await schedule({ webhook: (await sinkFor()).origin, signing: { key_from_env: 'HOOK_KEY' } });
    await deliverWith({ environment: {} });
    await processed(id);
    expect(await logOf(id)).toMatch(/HOOK_KEY\\*" is not set/);
  });
});

describe('the body', () => {
  test('is exactly the payload with body: payload', async () => {
    await deliverWith();
    const payload = parseJson('{"amount":12345678901234567890.50}');
    const { id, calls } = await callsOf({ body: 'payload', payload });
    expect(calls[0]?.text).toBe('{"amount":12345678901234567890.50}');
    expect(calls[0]?.headers['webhook-id']).toBe(id);
    expect(await logOf(id)).toContain('"payload":{"amount":12345678901234567890.50}');
  });

  test('is built by the request transform, as are method, URL and headers', async () => {
    await deliverWith();
    const call = await callOf({
      headers: [{ name: 'X-Token', value_from_env: 'TOKEN' }],
      comment: 'due',
      request_transform: {
        version: 2,
        method: 'PUT',
        url: '{{$base_url}}/{{$body.payload.n}}',
        query_params: { why: '{{$body.comment}}' },
        request_headers: { add_headers: { 'X-Made': 'by {{$body.id}}' }, remove_headers: ['user-agent'] },
        body: { action: 'transform', template: '{"at": {{$body.scheduled_time}}, "id": {{$body.id}}}' },
      },
    });
    expect(call.path).toBe('/hook/1?why=due');
    expect(call.body).toEqual({ at: expect.stringMatching(/Z$/), id: call.headers['webhook-id'] });
    expect(call.headers).toMatchObject({ 'x-token': 'secret-token', 'x-made': `by ${call.body.id}` });
    expect(call.headers).not.toHaveProperty('user-agent');
  });

  test('is not sent if the transform fails, which is logged and retried', async () => {
    await deliverWith();
    const { id, calls } = await callsOf({
      request_transform: { body: '{"x": {{$body.payload.gone.deeper}}}' },
      retry_conf: { num_retries: 1, retry_interval_seconds: 0 },
    });
    expect(calls).toEqual([]);
    expect((await logOf(id)).match(/the request_transform failed: body: line 1/g)).toHaveLength(2);
  });

  test('is the same on redelivery, follows updates of the event, and returns to the default by null', async () => {
    await deliverWith();
    const sink = await sinkFor();
    const id = await schedule({ webhook: sink.origin, body: 'payload', signing: { key_from_env: 'HOOK_KEY' } });
    await processed(id);
    await redeliverScheduledEvent(db.database.query, { event_id: id });
    await until('the webhook is called again', () => sink.calls.length === 2);
    expect(sink.calls.map(({ text }) => text)).toEqual(['{"n":1}', '{"n":1}']);
    expect(verify(eventKeys.first, sink.calls[1] as Call)).toEqual({ n: 1 });

    const later = await schedule({
      webhook: sink.origin,
      schedule_at: '2126-01-01T00:00:00Z',
      body: 'payload',
      signing: false,
    });
    const change = (args: object) => updateScheduledEvent(db.database.query, { event_id: later, ...args }, environment);
    const shown = async () => (await getScheduledEvent(db.database.query, { event_id: later })).event;
    await change({ request_transform: { query_params: { b: '1', a: '2' } }, comment: 'c' });
    expect(await shown()).toMatchObject({
      body: 'payload',
      signing: false,
      request_transform: { query_params: { b: '1' } },
    });
    await change({ body: null, signing: { key_from_env: 'HOOK_KEY' }, request_transform: null });
    expect(await shown()).toMatchObject({ signing: { key_from_env: 'HOOK_KEY' }, request_transform: null });
    await change({ signing: null, body: 'envelope' });
    expect(await shown()).not.toHaveProperty('signing');
    expect(
      await column(db.database, 'select 1 from joinery.scheduled_events where id = $1 and delivery is null', [later]),
    ).toEqual(['1']);
  });

  test('is built in the same way for an event scheduled from SQL', async () => {
    await deliverWith();
    const sink = await sinkFor();
    const [id = ''] = await column(
      db.database,
      `select joinery.schedule_event($1, now(), '{"n": 2}', body => 'payload', signing => '{"key_from_env":"HOOK_KEY"}',
        request_transform => '{"url":"{{$base_url}}/sql"}')`,
      [sink.origin],
    );
    await processed(id);
    expect(sink.calls).toMatchObject([{ path: '/sql', body: { n: 2 } }]);
    expect(verify(eventKeys.first, sink.calls[0] as Call)).toEqual({ n: 2 });
  });
});

test('requests of a cron trigger follow its body, signing and request_transform, which are exported', async () => {
  const service = await startServiceCore(db, { environment });
  cleanups.push({ close: () => service.stop() });
  const sink = await sinkFor();
  const delivery = { body: 'payload', signing: { key_from_env: 'HOOK_KEY' }, request_transform: { method: 'PUT' } };
  const trigger = { name: 'transformed', webhook: sink.origin, schedule: '0 2 * * *', payload: { n: 3 }, ...delivery };
  await service.run('create_cron_trigger', { ...trigger, include_in_metadata: true });
  const exported = (await service.run('export_metadata', {})) as { cron_triggers: unknown };
  expect(exported.cron_triggers).toEqual([{ ...trigger, include_in_metadata: true }]);
  const [id = ''] = await column(
    db.database,
    `update joinery.scheduled_events set schedule_at = now() where id = (
      select id from joinery.scheduled_events where trigger_name = 'transformed' order by schedule_at limit 1) returning id`,
  );
  await deliverWith();
  await processed(id);
  expect(sink.calls).toMatchObject([{ text: '{"n":3}' }]);
  expect(verify(eventKeys.first, sink.calls[0] as Call)).toEqual({ n: 3 });
  const next = `select delivery from joinery.scheduled_events where trigger_name = 'transformed' limit 1`;
  expect(JSON.parse((await column(db.database, next))[0] ?? '')).toEqual(delivery);
  await service.run('create_cron_trigger', { ...trigger, signing: false, include_in_metadata: true, replace: true });
  expect(JSON.parse((await column(db.database, next))[0] ?? '')).toEqual({ ...delivery, signing: false });
});

test.each([
  ['an unknown body', { body: 'raw' }, 'parse-failed', '$.args.body'],
  ['a signing key in place of a variable', { signing: { key: 'whsec_x' } }, 'parse-failed', '$.args.signing.key'],
  ['signing: true', { signing: true }, 'parse-failed', '$.args.signing'],
  [
    'a key variable that is not set',
    { signing: { key_from_env: 'GONE' } },
    'invalid-configuration',
    '$.args.signing.key_from_env',
  ],
  [
    'a key variable without a key',
    { signing: { key_from_env: 'NO_KEY' } },
    'invalid-configuration',
    '$.args.signing.key_from_env',
  ],
  [
    'a setting of the service as key variable',
    { signing: { key_from_env: 'JOINERY_WEBHOOK_SIGNING_KEYS' } },
    'parse-failed',
    '$.args.signing.key_from_env',
  ],
  [
    'an invalid template',
    { request_transform: { url: '{{$base_url' } },
    'parse-failed',
    '$.args.request_transform.url',
  ],
  [
    'an unknown member of a transform',
    { request_transform: { uri: 'x' } },
    'parse-failed',
    '$.args.request_transform.uri',
  ],
  [
    'the address of a cloud metadata service',
    { webhook: 'http://0xA9FEA9FE/latest' },
    'parse-failed',
    '$.args.webhook',
  ],
])('create_scheduled_event rejects %s', async (_what, args, code, path) => {
  await expect(schedule({ webhook: 'https://example.com', ...args })).rejects.toMatchObject({ code, path });
});

describe('a call to an address that is not permitted', () => {
  const publicOnly = { ...egressDefaults, privateAddresses: 'refuse' as const };

  test('is logged and retried, and does not open the circuit of its destination', async () => {
    await deliverWith({ egress: publicOnly, settings: { circuitFailures: 1 } });
    const { id, calls } = await callsOf({ retry_conf: { num_retries: 1, retry_interval_seconds: 0 } });
    expect(calls).toEqual([]);
    expect((await logOf(id)).match(/egress: the address is not public/g)).toHaveLength(2);
    const open = `select 1 from joinery.event_destinations where circuit_opened_at is not null`;
    expect(await column(db.database, open)).toEqual([]);
  });

  test('is made if an allowed range contains the address', async () => {
    await deliverWith({ egress: { ...publicOnly, allowed: ['127.0.0.0/8'] } });
    expect((await callOf({})).body.payload).toEqual({ n: 1 });
  });

  test('is rejected if the address comes from a variable or a transform', async () => {
    await deliverWith({ environment: { META: 'http://169.254.169.254' } });
    const inserted = `insert into joinery.scheduled_events (webhook, schedule_at, delivery) values ($1, now(), $2) returning id`;
    const url = '{"request_transform":{"url":"http://[::ffff:169.254.169.254]/"}}';
    const [first = ''] = await column(db.database, inserted, ['{{META}}/latest', null]);
    const [second = ''] = await column(db.database, inserted, ['https://example.com', url]);
    for (const id of [first, second]) {
      await processed(id);
      expect(await logOf(id)).toContain('egress: the address is that of a cloud metadata service');
    }
  });
});
