import type { ScheduledEvent } from '@joinery/metadata/api/events/events';
import { expect, test } from 'vitest';
import { explainRetries, explainStatus, shownStatus } from './status.ts';

const now = Date.parse('2026-09-01T08:00:00Z');

function event(part: Partial<ScheduledEvent>): ScheduledEvent {
  return {
    id: 'e-1',
    webhook_conf: 'https://example.com',
    scheduled_time: '2026-09-01T10:00:00Z',
    retry_conf: { num_retries: 0, retry_interval_seconds: 10, timeout_seconds: 60, tolerance_seconds: 21_600 },
    payload: {},
    header_conf: [],
    status: 'scheduled',
    tries: 0,
    created_at: '2026-09-01T07:00:00Z',
    next_retry_at: null,
    comment: null,
    response_transform: null,
    ...part,
  };
}

test.each([
  [{ status: 'scheduled' }, 'Scheduled', 'Waits for its time, in 2 hours.'],
  [
    { status: 'scheduled', tries: 2, next_retry_at: '2026-09-01T08:01:00Z' },
    'Retrying',
    '2 attempts failed; the next starts in 1 minute.',
  ],
  [{ status: 'locked' }, 'In flight', 'Due: the request is in flight'],
  [{ status: 'delivered', tries: 1 }, 'Delivered', 'Delivered by the first attempt.'],
  [{ status: 'delivered', tries: 3 }, 'Delivered', 'Delivered by attempt 3.'],
  [{ status: 'error', tries: 1 }, 'Failed', 'Given up after 1 attempt: none was successful'],
  [{ status: 'error', tries: 4 }, 'Failed', 'Given up after 4 attempts: none was successful'],
  [{ status: 'dead' }, 'Dead', 'more than 6 hours late'],
] as const)('%j is %s', (part, label, sentence) => {
  expect(shownStatus(event(part)).label).toBe(label);
  expect(explainStatus(event(part), now)).toContain(sentence);
});

test('describes the retry configuration', () => {
  expect(explainRetries(event({}))).toBe(
    'No retries; a call may take 1 minute; not called once more than 6 hours late.',
  );
  const retry_conf = { num_retries: 3, retry_interval_seconds: 90, timeout_seconds: 5, tolerance_seconds: 60 };
  expect(explainRetries(event({ retry_conf }))).toBe(
    'Up to 3 retries, each 1 minute 30 seconds after a failure; a call may take 5 seconds; not called once more than 1 minute late.',
  );
  expect(explainRetries(event({ retry_conf: { ...retry_conf, num_retries: 1 } }))).toContain('Up to 1 retry 1 minute');
});
