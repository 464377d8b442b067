/** Requests of triggers: headers, signatures, batches, transforms, retries and logs. */
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { type SceneDefinition, triggerDefinition } from '../../../test/support/events/trigger-definitions.ts';
import { ServiceError } from '../../base/errors.ts';
import { TemplateError, type WrittenBody } from '../../base/templates/transform.ts';
import { outcomeOf } from '../delivery/retry-policy.ts';
import type { RequestTools } from '../webhook/request.ts';
import { readSigner } from '../webhook/signature.ts';
import { printData } from './envelope.ts';
import { batchId, buildTriggerRequest, joinData, type TriggerEvent } from './request.ts';
import { deliveredTrigger } from './trigger.ts';

const id = '5b0c1f9e-0000-8000-8000-000000000001';
const data = printData({ before: undefined, after: '{"id":7}' });
const tools: RequestTools = {
  environment: { HOOKS: 'https://hooks.example', HOOK_URL: 'https://other.example/x?y=1', HOOK_KEY: 'secret' },
  agent: 'joinery/1.2.3',
  sign: undefined,
  realTime: () => 1_788_000_000_500,
};

function changeOf(changes: Partial<TriggerEvent['changes'][number]> = {}): TriggerEvent['changes'][number] {
  return {
    id,
    operation: 'INSERT',
    createdAt: '2026-09-01T08:00:00.123456',
    session: '{"x-hasura-role":"user","x-hasura-user-id":"3"}',
    trace: undefined,
    ...changes,
  };
}

function eventOf(definition: SceneDefinition = {}, changes: Partial<TriggerEvent> = {}): TriggerEvent {
  const trigger = deliveredTrigger(7, triggerDefinition(definition));
  const { webhook, lane, numRetries, retryIntervalSeconds, timeoutSeconds, retryRules } = trigger;
  return {
    id,
    trigger,
    changes: [changeOf()],
    webhook,
    lane,
    dueAt: 0,
    scheduledAt: 0,
    payload: data,
    numRetries,
    retryIntervalSeconds,
    timeoutSeconds,
    toleranceSeconds: Number.POSITIVE_INFINITY,
    tries: 0,
    triesBefore: 0,
    retryRules,
    orderingKey: undefined,
    ...changes,
  };
}

const build = (event: TriggerEvent, changed: Partial<RequestTools> = {}) =>
  buildTriggerRequest(event, event.payload ?? '', { ...tools, ...changed });

/** Returns the values of a header in order. */
function valuesOf(headers: readonly (readonly [string, string])[], name: string): string[] {
  return headers.filter(([found]) => found.toLowerCase() === name).map(([, value]) => value);
}

describe('the request', () => {
  test('has method, URL, headers and body in the format of Hasura v2, and the headers of the attempt', () => {
    const { method, url, headers, body } = build(eventOf());
    expect([method, url]).toEqual(['POST', 'https://hooks.example/placed']);
    expect(headers).toEqual([
      ['Content-Type', 'application/json'],
      ['User-Agent', 'joinery/1.2.3'],
      ['webhook-id', id],
      ['webhook-timestamp', '1788000000'],
      ['webhook-attempt', '1'],
      ['traceparent', expect.stringMatching(/^00-5b0c1f9e000080008000000000000001-[0-9a-f]{16}-01$/)],
    ]);
    expect(body).toBe(
      '{"created_at":"2026-09-01T08:00:00.123456","delivery_info":{"current_retry":0,"max_retries":0},' +
        '"event":{"data":{"new":{"id":7},"old":null},"op":"INSERT",' +
        '"session_variables":{"x-hasura-role":"user","x-hasura-user-id":"3"},"trace_context":null},' +
        `"id":"${id}","table":{"name":"order","schema":"public"},"trigger":{"name":"placed"}}`,
    );
  });

  test('is sent to the URL of webhook_from_env', () => {
    const event = eventOf({ url: { fromEnv: 'HOOK_URL' } });
    expect(event.lane).toBe('{{HOOK_URL}}');
    expect(build(event).url).toBe('https://other.example/x?y=1');
  });

  test('has the configured headers in order with their duplicates; default headers cannot be overridden', () => {
    const { headers } = build(
      eventOf({
        headers: [
          { name: 'X-Key', value_from_env: 'HOOK_KEY' },
          { name: 'X-Tag', value: 'a' },
          { name: 'X-Tag', value: 'b' },
          { name: 'content-type', value: 'text/plain' },
          { name: 'Webhook-Id', value: 'other' },
        ],
      }),
    );
    expect(headers.slice(0, 5)).toEqual([
      ['Content-Type', 'application/json'],
      ['User-Agent', 'joinery/1.2.3'],
      ['X-Key', 'secret'],
      ['X-Tag', 'a'],
      ['X-Tag', 'b'],
    ]);
    expect(valuesOf(headers, 'content-type')).toHaveLength(1);
    expect(valuesOf(headers, 'webhook-id')).toEqual([id]);
  });

  test.each([
    ['the webhook', { url: { template: '{{ABSENT}}/x' } }],
    ['a header', { headers: [{ name: 'X-Key', value_from_env: 'ABSENT' }] }],
  ])('cannot be built while a variable of %s is not set', (_where, written) => {
    expect(() => build(eventOf(written))).toThrow(ServiceError);
    expect(() => build(eventOf(written))).toThrow('ABSENT');
  });

  test('counts calls since the redelivery in current_retry, and all calls in webhook-attempt', () => {
    const { headers, body = '' } = build(eventOf({}, { tries: 5, triesBefore: 3 }));
    expect(JSON.parse(body).delivery_info).toEqual({ current_retry: 2, max_retries: 0 });
    expect(valuesOf(headers, 'webhook-attempt')).toEqual(['6']);
  });
});

describe('the signature', () => {
  const key = `whsec_${randomBytes(32).toString('base64')}`;
  const now = (): number => Date.now();

  test('is made with the key of the service, or that of the trigger', () => {
    const own = `whsec_${randomBytes(32).toString('base64')}`;
    const events = [
      [key, eventOf()],
      [own, eventOf({ signing: { key_from_env: 'OWN' } })],
    ] as const;
    for (const [used, event] of events) {
      const environment = { ...tools.environment, OWN: own };
      const { headers, body = '' } = build(event, { sign: readSigner(key), environment, realTime: now });
      expect(new Webhook(used).verify(body, Object.fromEntries(headers))).toEqual(JSON.parse(body));
    }
  });

  test('is absent with "signing": false', () => {
    const { headers } = build(eventOf({ signing: false }), { sign: readSigner(key) });
    expect(valuesOf(headers, 'webhook-signature')).toEqual([]);
  });
});

describe('a batch', () => {
  const second = '5b0c1f9e-0000-8000-8000-000000000002';
  const changes = [changeOf(), changeOf({ id: second, operation: 'DELETE', session: undefined })];
  const rows = ['{"new":{"id":1},"old":null}', '{"new":null,"old":{"id":1}}'];
  const batched = (list = changes) =>
    eventOf(
      { batch: { maxEvents: 10, maxWaitMs: 0 } },
      { id: batchId(list), changes: list, payload: joinData(rows.slice(0, list.length)) },
    );

  test('is a list of the bodies of its events in order', () => {
    const bodies = JSON.parse(build(batched()).body ?? '');
    expect(
      bodies.map((body: { id: string; event: { op: string; data: unknown } }) => [body.id, body.event.op]),
    ).toEqual([
      [id, 'INSERT'],
      [second, 'DELETE'],
    ]);
    expect(bodies[1].event.data).toEqual({ new: null, old: { id: 1 } });
  });

  test('of one event is a list', () => {
    expect(JSON.parse(build(batched(changes.slice(0, 1))).body ?? '')).toHaveLength(1);
  });

  test('has an id that depends on all its events and their order', () => {
    const ids = [changes, changes.slice(0, 1), changes.slice(1), changes.toReversed()].map(batchId);
    expect(new Set(ids).size).toBe(4);
    expect(batchId(changes)).toBe(batchId([...changes]));
    for (const one of ids) expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-b[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(valuesOf(build(batched()).headers, 'webhook-id')).toEqual([ids[0]]);
  });

  test('has the session variables of its changes for templates only if all are equal', () => {
    const template = { body: { action: 'transform' as const, template: '{{$session_variables}}' } };
    const written = { batch: { maxEvents: 10, maxWaitMs: 0 }, requestTransform: template };
    const bodyOf = (list: TriggerEvent['changes']) => build(eventOf(written, { changes: list })).body;
    expect(bodyOf(changes)).toBe('{}');
    expect(bodyOf([changeOf(), changeOf({ id: second })])).toBe('{"x-hasura-role":"user","x-hasura-user-id":"3"}');
  });
});

describe('a request transform', () => {
  const transform = {
    method: 'PUT',
    url: '{{$base_url}}/{{$body.event.data.new.id}}',
    query_params: { by: '{{getSessionVariable("x-hasura-user-id")}}' },
    request_headers: { add_headers: { 'X-Op': '{{$body.event.op}}' }, remove_headers: ['User-Agent'] },
    body: { action: 'transform' as const, template: '{"order":{{$body.event.data.new.id}}}' },
  };

  test('changes method, URL, query, headers and body from the body and the session variables of the change', () => {
    const { method, url, headers, body } = build(eventOf({ requestTransform: transform }));
    expect([method, url, body]).toEqual(['PUT', 'https://hooks.example/placed/7?by=3', '{"order":7}']);
    expect(valuesOf(headers, 'x-op')).toEqual(['INSERT']);
    expect(valuesOf(headers, 'user-agent')).toEqual([]);
  });

  test('throws a TemplateError for a session variable that the change does not have', () => {
    const event = eventOf({ requestTransform: transform }, { changes: [changeOf({ session: undefined })] });
    expect(() => build(event)).toThrow(TemplateError);
  });
});

describe('the log of a call', () => {
  test('has headers as configured, without values from the environment, and no payload that follows from the event', () => {
    const { logged } = build(eventOf({ headers: [{ name: 'X-Key', value_from_env: 'HOOK_KEY' }] }));
    expect(JSON.parse(logged)).toEqual({
      headers: [
        { name: 'Content-Type', value: 'application/json' },
        { name: 'User-Agent', value: 'joinery/1.2.3' },
        { name: 'X-Key', value_from_env: 'HOOK_KEY' },
      ],
      max_retries: 0,
      sent: {
        url: '{{HOOKS}}/placed',
        timestamp: expect.stringMatching(/^\d+$/),
        traceparent: expect.stringMatching(/^00-/),
        headers: [
          ['Content-Type', 'application/json'],
          ['User-Agent', 'joinery/1.2.3'],
          ['X-Key', '{{HOOK_KEY}}'],
        ],
      },
    });
  });

  test('has the list of a batch as sent', () => {
    const { logged, body = '' } = build(eventOf({ batch: { maxEvents: 10, maxWaitMs: 0 } }));
    expect(JSON.parse(logged).payload).toEqual(JSON.parse(body));
  });

  test.each<[what: string, body: WrittenBody, payload: unknown]>([
    ['the transformed body', { action: 'transform', template: '{{$body.event.op}}' }, 'INSERT'],
    ['null for a body that is not JSON', { action: 'x_www_form_urlencoded', form_template: { a: 'b' } }, null],
    ['null for a request without a body', { action: 'remove' }, null],
  ])('has %s', (_what, body, payload) => {
    const { logged } = build(eventOf({ requestTransform: { body } }));
    expect(JSON.parse(logged).payload).toBe(payload);
  });

  test.each([
    ['a string', '{{$base_url}}', '{{HOOKS}}/placed'],
    ['a part of a string', '"to {{$base_url}}"', 'to {{HOOKS}}/placed'],
    ['a list in an object', '{"a":[1, {{$base_url}}]}', { a: [1, '{{HOOKS}}/placed'] }],
  ])('has no values from the environment in %s that a transform makes of the URL', (_what, template, shown) => {
    const body = { action: 'transform', template } as const;
    const request = build(eventOf({ requestTransform: { body } }));
    expect(request.body).toContain('https://hooks.example/placed');
    expect(JSON.parse(request.logged).payload).toEqual(shown);
    const ofResponse = { action: 'transform', template: template.replace('$base_url', '$request.base_url') } as const;
    const { loggedBody } = build(eventOf({ responseTransform: { body: ofResponse } }));
    expect(JSON.parse(loggedBody?.(200, '{}') ?? '')).toEqual(shown);
  });

  test('has the result of the response transform as the body of a successful response', () => {
    const { loggedBody } = build(
      eventOf({ responseTransform: { body: { action: 'transform', template: '{"a":{{$body.a}}}' } } }),
    );
    expect(loggedBody?.(200, '{"a":1,"b":2}')).toBe('{"a":1}');
    expect(() => loggedBody?.(200, 'not JSON')).toThrow(TemplateError);
    expect(build(eventOf()).loggedBody).toBeUndefined();
  });
});

describe('the outcome of a failed call', () => {
  const failed = (retryAfter?: string) => ({
    delivered: false,
    startedAt: 0,
    durationMs: 5,
    status: 503,
    response: '{}',
    retryAfter,
    health: undefined,
  });
  const conf = { num_retries: 1, interval_sec: 30, timeout_sec: 5 };

  test('is a retry after interval_sec, up to num_retries', () => {
    const event = eventOf({ retry: conf });
    expect(event.timeoutSeconds).toBe(5);
    expect(outcomeOf(event, failed(), 1_000)).toEqual({ kind: 'retry', at: 31_000 });
    expect(outcomeOf({ ...event, tries: 1 }, failed(), 1_000)).toEqual({ kind: 'error' });
    expect(outcomeOf({ ...event, tries: 2, triesBefore: 2 }, failed(), 1_000)).toEqual({ kind: 'retry', at: 31_000 });
  });

  test('is a retry after `Retry-After` within num_retries, so that no webhook is called forever', () => {
    const event = eventOf({ retry: conf });
    expect(outcomeOf(event, failed('3'), 1_000)).toEqual({ kind: 'retry', at: 4_000 });
    expect(outcomeOf({ ...event, tries: 1 }, failed('3'), 1_000)).toEqual({ kind: 'error' });
  });

  test('is an error without retry_conf', () => {
    expect(outcomeOf(eventOf(), failed(), 1_000)).toEqual({ kind: 'error' });
    expect(eventOf().timeoutSeconds).toBe(60);
  });

  test('counts the delays of retry_delays_seconds as retries', () => {
    const event = eventOf({ retry: { ...conf, retry_delays_seconds: [1, 2, 3] } });
    expect(event.trigger.numRetries).toBe(3);
    expect(outcomeOf({ ...event, tries: 2 }, failed(), 0)).toEqual({ kind: 'retry', at: 3_000 });
  });
});
