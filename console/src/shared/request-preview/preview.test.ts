import { expect, test } from 'vitest';
import { emptyDelivery } from '../event-form/delivery-draft.ts';
import { emptyDraft } from '../event-form/event-draft.ts';
import { sampleBody, trialOf } from '../event-form/transform-sample.ts';
import { previewOf } from './preview.ts';

const now = Date.parse('2026-09-01T08:00:00.250Z');

test('shows the request line, the headers with a name, and the envelope of the payload', () => {
  const draft = {
    ...emptyDraft(),
    webhook: 'https://example.com/remind',
    payload: '{"id":7}',
    comment: 'renewal',
    headers: [
      { key: 1, name: 'X-Key', from: 'environment', text: 'NOTIFY_KEY' },
      { key: 2, name: 'X-Plain', from: 'value', text: 'plain' },
      { key: 3, name: '', from: 'value', text: '' },
    ],
  } as const;
  expect(previewOf(draft, now)).toEqual({
    head: [
      'POST https://example.com/remind',
      'Host: example.com',
      'Connection: keep-alive',
      'Content-Type: application/json',
      'User-Agent: joinery/…',
      'X-Key: (value of NOTIFY_KEY)',
      'X-Plain: plain',
      'webhook-id: …',
      'webhook-timestamp: …',
      'webhook-attempt: 1',
      'traceparent: 00-…',
      'webhook-signature: (if the service has JOINERY_WEBHOOK_SIGNING_KEYS)',
      'Content-Length: …',
    ].join('\n'),
    body: [
      '{',
      '  "id": "…",',
      '  "scheduled_time": "2026-09-01T08:00:00Z",',
      '  "payload": {',
      '    "id": 7',
      '  },',
      '  "created_at": "…",',
      '  "comment": "renewal"',
      '}',
    ].join('\n'),
  });
});

test('omits headers that the service replaces, and the signature of unsigned events', () => {
  const headers = ['webhook-id', 'Content-Type', 'X-Own'].map((name, key) => {
    return { key, name, from: 'value' as const, text: 'own' };
  });
  const delivery = { ...emptyDelivery, signing: 'none' } as const;
  const { head } = previewOf({ ...emptyDraft(), headers, delivery }, now);
  expect(head.split('\n').filter((line) => line.includes('own'))).toEqual(['X-Own: own']);
  expect(head).not.toContain('webhook-signature');
});

test('shows the name of a cron trigger in place of the time of creation', () => {
  expect(JSON.parse(previewOf(emptyDraft(), now, 'nightly').body)).toEqual({
    id: '…',
    scheduled_time: '…',
    payload: {},
    name: 'nightly',
  });
});

test('shows dots for missing values', () => {
  const { head, body } = previewOf({ ...emptyDraft(), payload: '{' }, now);
  expect(head).toContain('POST …');
  expect(body).toContain('"payload": …,');
});

test('shows the payload alone if it is the body, and the signature if the event has its own keys', () => {
  const delivery = { ...emptyDelivery, body: 'payload', signing: 'own', variable: 'SHOP_KEY' } as const;
  const { head, body } = previewOf({ ...emptyDraft(), payload: '{"n": 1.0}', delivery }, now);
  expect(body).toBe('{"n": 1.0}');
  expect(head).toContain('webhook-signature: (by the keys in SHOP_KEY)');
});

test('tries a transform with the body of the request, without changing digits of the payload', () => {
  const delivery = { ...emptyDelivery, transform: '{"version": 2}' };
  const draft = { ...emptyDraft(), webhook: '{{NOTIFY_URL}}/x', payload: '{"n": 12345678901234567890}', delivery };
  const args = trialOf(draft, ['NOTIFY_URL'], now);
  expect(args).toContain('"payload":{"n": 12345678901234567890}');
  expect(JSON.parse(args)).toMatchObject({
    env: { NOTIFY_URL: 'https://notify-url.example' },
    request_transform: { version: 2 },
    body: { scheduled_time: new Date(now).toISOString() },
  });
  expect(sampleBody({ ...draft, delivery: { ...delivery, body: 'payload' } }, now)).toBe(draft.payload);
});
