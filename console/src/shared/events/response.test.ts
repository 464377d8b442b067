import { expect, test } from 'vitest';
import { loggedCall, readResponse } from './response.ts';

const headers = [{ name: 'Content-Type', value: 'text/plain' }];

test('a status from 200 to 299 is a success', () => {
  const response = { type: 'webhook_response', data: { body: 'fine', headers, status: 204 }, version: '1' };
  expect(readResponse({ status: 204, response })).toEqual({
    ok: true,
    summary: '204',
    headers,
    body: 'fine',
    truncated: false,
    error: undefined,
  });
});

test('shows any other response completely', () => {
  const response = {
    type: 'client_error',
    data: { message: 'no', headers, status: 503, truncated: true },
    version: '1',
  };
  expect(readResponse({ status: 503, response })).toMatchObject({
    ok: false,
    summary: '503',
    body: 'no',
    truncated: true,
  });
});

test('shows a response that was logged with only a body', () => {
  const response = { type: 'client_error', data: { message: 'no' }, version: '1' };
  expect(readResponse({ status: 500, response })).toMatchObject({ body: 'no', headers: [] });
});

test.each([
  ['a connection error', JSON.stringify({ type: 'http_exception', message: 'rejected: by the host' })],
  ['a plain text', 'rejected: by the host'],
])('reports %s without a response', (_what, message) => {
  const response = { type: 'client_error', data: { message }, version: '1' };
  expect(readResponse({ status: null, response })).toMatchObject({
    ok: false,
    summary: 'No response',
    body: undefined,
    error: 'rejected: by the host',
  });
});

test('reports an event that was too late as not called', () => {
  const message = 'not called: 90 s after its time, which is more than the tolerance of 60 s';
  const response = { type: 'client_error', data: { message }, version: '1' };
  expect(readResponse({ status: null, response })).toMatchObject({ summary: 'Not called', error: message });
});

test.each([[null], [7], ['x'], [{}], [{ data: null }]])(
  'shows no response for a log entry of another shape: %j',
  (response) => {
    expect(readResponse({ status: null, response })).toMatchObject({ summary: 'No response' });
    expect(readResponse({ status: 200, response })).toMatchObject({ ok: true, body: '' });
  },
);

test('a logged call has the attempt and the duration of the call of a trigger', () => {
  const call = { id: 'a', event_id: 'e', trigger_name: 't', http_status: 200, created_at: '' } as const;
  const request = { version: '2', payload: null, headers: [] } as const;
  const response = { type: 'client_error', version: '2', data: { message: 'x' } } as const;
  const logged = loggedCall({ ...call, attempt: 2, duration_ms: 7, request, response });
  expect(logged).toMatchObject({ status: 200, attempt: 2, duration_ms: 7 });
});
