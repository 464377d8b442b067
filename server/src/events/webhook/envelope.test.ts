import { expect, test } from 'vitest';
import { configuredHeaders, envelope, sentHeaders, utc } from './envelope.ts';

const event = {
  id: '0b6f1c9e-0000-4000-8000-000000000001',
  scheduledTime: '2026-09-01T08:00:00.000000',
  createdAt: '2026-08-31T10:20:30.450000',
  comment: 'say "hello"',
};

test('the body has id, times, payload and comment, and the payload is unchanged', () => {
  expect(envelope(event, '{"amount": 12345678901234567890.10}')).toBe(
    '{"id":"0b6f1c9e-0000-4000-8000-000000000001","scheduled_time":"2026-09-01T08:00:00Z","payload":{"amount": 12345678901234567890.10},"created_at":"2026-08-31T10:20:30.45Z","comment":"say \\"hello\\""}',
  );
});

test('the body omits a missing comment and keeps a null payload', () => {
  const body = JSON.parse(envelope({ ...event, comment: undefined }, 'null'));
  expect(Object.keys(body)).toEqual(['id', 'scheduled_time', 'payload', 'created_at']);
  expect(body.payload).toBeNull();
});

test.each([
  ['2026-09-01T08:00:00.000000', '2026-09-01T08:00:00Z'],
  ['2026-09-01T08:00:10.000000', '2026-09-01T08:00:10Z'],
  ['2026-09-01T08:00:00.120000', '2026-09-01T08:00:00.12Z'],
  ['2026-09-01T08:00:00.000001', '2026-09-01T08:00:00.000001Z'],
])('%s is written as %s', (time, text) => {
  expect(utc(time)).toBe(text);
});

const headers = JSON.stringify([
  { name: 'X-Key', value_from_env: 'NOTIFY_KEY' },
  { name: 'X-Region', value: 'eu-{{REGION}}' },
  { name: 'content-type', value: 'text/plain' },
]);

test('headers expand environment variables, and default headers cannot be overridden', () => {
  expect(sentHeaders(headers, 'joinery/1.2.3', { NOTIFY_KEY: 'secret', REGION: 'west' })).toEqual([
    ['Content-Type', 'application/json'],
    ['User-Agent', 'joinery/1.2.3'],
    ['X-Key', 'secret'],
    ['X-Region', 'eu-west'],
  ]);
});

test('configured headers show names of variables, never their values', () => {
  const written = JSON.stringify(configuredHeaders(headers, 'joinery/1.2.3'));
  expect(written).toContain('NOTIFY_KEY');
  expect(written).toContain('eu-{{REGION}}');
});

test('an unset variable throws an error that names it', () => {
  expect(() => sentHeaders(headers, 'joinery/1.2.3', { REGION: 'west' })).toThrow('NOTIFY_KEY');
});
