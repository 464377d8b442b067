import type { ActionCall } from '@joinery/metadata/api/action-runs';
import { describe, expect, test } from 'vitest';
import { readResponse } from '../../../shared/events/response.ts';
import { loggedActionCall, shownRunStatus } from './action-run.ts';

const call: ActionCall = {
  attempt: 2,
  ended_at: '2026-09-01T08:00:00.000Z',
  duration_ms: 12,
  sent: { method: 'POST', url: '{{HANDLERS}}/later', headers: [{ name: 'X-Key', value: '{{KEY}}' }], body: '{}' },
  response: { status: 200, headers: [{ name: 'Date', value: 'today' }], body: '{"id":1}', truncated: true },
  error: null,
};

describe('a call of a handler', () => {
  test('has the request as it was sent', () => {
    expect(loggedActionCall(call).request.sent).toEqual(call.sent);
  });

  test('has the response with its headers', () => {
    expect(readResponse(loggedActionCall(call))).toEqual({
      ok: true,
      summary: '200',
      headers: [{ name: 'Date', value: 'today' }],
      body: '{"id":1}',
      truncated: true,
      error: undefined,
    });
  });

  test('has failed where the response was not usable', () => {
    const logged = loggedActionCall({ ...call, error: 'the field "id" must be a string' });
    expect(readResponse(logged)).toMatchObject({ ok: false, summary: '200, not usable' });
    expect(logged.rejection).toBe('the field "id" must be a string');
  });

  test('has the reason where there was no response', () => {
    const logged = loggedActionCall({ ...call, response: null, error: 'connection refused' });
    expect(readResponse(logged)).toMatchObject({ ok: false, summary: 'No response', error: 'connection refused' });
  });
});

test('a run that waits after a failed call is retrying', () => {
  expect(shownRunStatus({ status: 'created', tries: 1 })).toEqual({ label: 'Retrying', tone: 'waiting' });
});

test('a run that waits for its first call is waiting', () => {
  expect(shownRunStatus({ status: 'created', tries: 0 })).toEqual({ label: 'Waiting', tone: 'waiting' });
});
