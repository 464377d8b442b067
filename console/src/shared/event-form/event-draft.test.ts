import type { ScheduledEvent } from '@joinery/metadata/api/events/events';
import type { EventDelivery } from '@joinery/metadata/schema/events/delivery';
import { describe, expect, test } from 'vitest';
import { emptyTarget, targetDraftOf } from '../targets/target-draft.ts';
import { deliveryOf, emptyDelivery, readDelivery } from './delivery-draft.ts';
import { type Draft, emptyDraft, fieldAt, isAdvanced, readDraft } from './event-draft.ts';
import { verificationCode } from './verification-code.ts';

const now = Date.parse('2026-09-01T08:00:00.250Z');

function draft(part: Partial<Draft> = {}): Draft {
  return { ...emptyDraft(), webhook: 'https://example.com/remind', ...part };
}

function argsOf(part: Partial<Draft> = {}): unknown {
  const read = readDraft(draft(part), now);
  if ('problems' in read) throw new Error(JSON.stringify([...read.problems]));
  return JSON.parse(read.args);
}

function problemsOf(part: Partial<Draft>): Record<string, string> {
  const read = readDraft(draft(part), now);
  return 'problems' in read ? Object.fromEntries(read.problems) : {};
}

test('a target replaces the webhook and all that describes its request', () => {
  const target = { operation: { collection: 'shop', name: 'cancel', role: 'clerk', variables: { id: 7 } } };
  const args = argsOf({ target: targetDraftOf(target) });
  expect(args).toMatchObject({ target });
  for (const member of ['webhook', 'headers', 'body', 'signing']) expect(args).not.toHaveProperty(member);
});

test('errors of a target are at its inputs', () => {
  const named = { ...emptyTarget, collection: 'shop', name: 'cancel' };
  expect(Object.keys(problemsOf({ target: named }))).toEqual(['target.role']);
  expect(Object.keys(problemsOf({ target: { ...named, role: 'clerk', inputs: '{' } }))).toEqual(['target.inputs']);
  expect(fieldAt('$.args.target.operation.variables.id', draft())).toBe('target.inputs');
  expect(fieldAt('$.args.target.function.function', draft())).toBe('target.called');
});

describe('the arguments of a draft', () => {
  test('an empty draft sends the defaults of the service, the current time, and no comment', () => {
    expect(argsOf()).toEqual({
      webhook: 'https://example.com/remind',
      schedule_at: '2026-09-01T08:00:00.250Z',
      headers: [],
      retry_conf: { num_retries: 0, retry_interval_seconds: 10, timeout_seconds: 60, tolerance_seconds: 21_600 },
      payload: {},
    });
  });

  test('contain the payload unchanged, including its digits', () => {
    const payload = '{"id": 12345678901234567890}';
    expect(readDraft(draft({ payload }), now)).toMatchObject({
      args: expect.stringContaining(`"payload":${payload}}`),
    });
  });

  test('contain the chosen time, the headers with a name, and the comment', () => {
    const given = argsOf({
      when: { kind: 'at', local: '', utc: '', ms: Date.parse('2027-01-01T00:00:00Z') },
      headers: [
        { key: 4, name: '', from: 'value', text: '' },
        { key: 5, name: ' X-Key ', from: 'environment', text: 'NOTIFY_KEY ' },
        { key: 6, name: 'X-Plain', from: 'value', text: ' as it is ' },
      ],
      comment: ' renewal ',
    });
    expect(given).toMatchObject({
      schedule_at: '2027-01-01T00:00:00.000Z',
      headers: [
        { name: 'X-Key', value_from_env: 'NOTIFY_KEY' },
        { name: 'X-Plain', value: ' as it is ' },
      ],
      comment: 'renewal',
    });
  });

  test('accept a template as webhook, which the service expands', () => {
    expect(argsOf({ webhook: '{{NOTIFY_URL}}/remind' })).toMatchObject({ webhook: '{{NOTIFY_URL}}/remind' });
  });
});

describe('request options', () => {
  const transform = '{"version": 2, "method": "PUT"}';

  test.each([
    [{}, {}],
    [{ body: 'payload' }, { body: 'payload' }],
    [{ signing: 'none' }, { signing: false }],
    [{ signing: 'own', variable: ' SHOP_KEY ' }, { signing: { key_from_env: 'SHOP_KEY' } }],
    [{ transform }, { request_transform: { version: 2, method: 'PUT' } }],
  ] as const)('%j is sent as %j', (given, sent) => {
    const { body, signing, request_transform } = argsOf({ delivery: { ...emptyDelivery, ...given } }) as EventDelivery;
    const delivery = JSON.parse(JSON.stringify({ body, signing, request_transform }));
    expect(delivery).toEqual(sent);
    expect(readDelivery(deliveryOf(delivery))).toEqual(sent);
  });

  test.each([
    [{ signing: 'own' }, 'signing'],
    [{ signing: 'own', variable: 'JOINERY_ADMIN_SECRET' }, 'signing'],
    [{ transform: '{' }, 'request_transform'],
    [{ transform: '{"verb": "PUT"}' }, 'request_transform'],
  ] as const)('rejects %j at %s', (given, field) => {
    expect(Object.keys(problemsOf({ delivery: { ...emptyDelivery, ...given } }))).toEqual([field]);
  });

  test('resets options to the defaults when an event is edited', () => {
    const event = { id: 'e', scheduled_time: '2026-09-01T08:00:00Z' } as ScheduledEvent;
    const read = readDraft(draft(), now, event);
    expect('args' in read && JSON.parse(read.args)).toMatchObject({
      body: null,
      signing: null,
      request_transform: null,
    });
  });

  test('decides how a receiver verifies, and whether it can', () => {
    expect(verificationCode({ ...emptyDelivery, signing: 'none' }, 'standardwebhooks')).toBeUndefined();
    expect(verificationCode(emptyDelivery, 'joinery/webhooks')).toContain('receiver.receive(body');
    expect(verificationCode({ ...emptyDelivery, body: 'payload' }, 'joinery/webhooks')).toContain('JSON.parse(body)');
  });
});

describe('a draft that cannot be sent', () => {
  test.each([
    ['no webhook', { webhook: ' ' }, 'webhook', 'must not be empty'],
    ['a webhook that is not a URL', { webhook: 'ftp://example.com' }, 'webhook', 'http or https'],
    ['half a time', { when: { kind: 'at', local: '', utc: '', ms: undefined } }, 'schedule_at', 'a date and a time'],
    ['no payload', { payload: ' ' }, 'payload', 'write null'],
    ['a payload that is not JSON', { payload: '{' }, 'payload', 'JSON'],
    ['a comment that is too long', { comment: 'x'.repeat(10_001) }, 'comment', ''],
    [
      'a header without a name',
      { headers: [{ key: 7, name: '', from: 'value', text: 'x' }] },
      'headers.7.name',
      'name',
    ],
    [
      'a header of the service itself',
      { headers: [{ key: 7, name: 'Content-Length', from: 'value', text: '3' }] },
      'headers.7.name',
      'sets itself',
    ],
    [
      'a header without a variable',
      { headers: [{ key: 7, name: 'X-Key', from: 'environment', text: '' }] },
      'headers.7.value',
      'must not be empty',
    ],
    [
      'a setting of the service as a header',
      { headers: [{ key: 7, name: 'X-Key', from: 'environment', text: 'JOINERY_ADMIN_SECRET' }] },
      'headers.7.value',
      'JOINERY_',
    ],
  ] as const)('with %s reports an error at that field', (_what, part, field, message) => {
    const problems = problemsOf(part as Partial<Draft>);
    expect(Object.keys(problems)).toEqual([field]);
    expect(problems[field]).toContain(message);
  });

  test.each([['-1'], ['1.5'], ['a day'], ['']])('with %j retries reports an error', (num_retries) => {
    const { retry } = emptyDraft();
    expect(problemsOf({ retry: { ...retry, num_retries } })).toEqual({
      'retry_conf.num_retries': 'must be a whole number',
    });
  });

  test('reports all errors at once', () => {
    const { retry } = emptyDraft();
    const problems = problemsOf({ webhook: '', payload: '', retry: { ...retry, timeout_seconds: '0' } });
    expect(Object.keys(problems).sort()).toEqual(['payload', 'retry_conf.timeout_seconds', 'webhook']);
  });
});

describe('a path of the service', () => {
  const headers: Draft['headers'] = [
    { key: 1, name: '', from: 'value', text: '' },
    { key: 9, name: 'X-Key', from: 'environment', text: 'A' },
  ];

  test.each([
    ['$.args.webhook', 'webhook'],
    ['$.args.schedule_at', 'schedule_at'],
    ['$.schedule_at', 'schedule_at'],
    ['$.args.payload', 'payload'],
    ['$.args.retry_conf.tolerance_seconds', 'retry_conf.tolerance_seconds'],
    ['$.args.headers[0].value_from_env', 'headers.9.value'],
    ['$.args.headers[0].name', 'headers.9.name'],
    ['$.args.headers[3]', 'headers'],
    ['$.args.retry_conf', undefined],
    ['$.args', undefined],
    ['$', undefined],
    ['$.type', undefined],
  ])('the error at %s belongs to the field %s', (path, field) => {
    expect(fieldAt(path, draft({ headers }))).toBe(field);
  });
});

test('is under Advanced or not', () => {
  expect(isAdvanced(['webhook'])).toBe(false);
  expect(isAdvanced(['headers.2.name'])).toBe(true);
  expect(isAdvanced(['retry_conf.num_retries'])).toBe(true);
});
