import { expect, test } from 'vitest';
import { emptyRetry, readRetry, retryDraftOf, retryProblems } from './retry-settings.ts';

test('omits retry options with default values', () => {
  expect(readRetry(emptyRetry)).toEqual({});
});

test('reads the retry rules of an event as they were entered', () => {
  const typed = {
    backoff: 'exponential' as const,
    max_retry_interval_seconds: '600',
    jitter: '0.5',
    retry_delays_seconds: '1, 5, 30',
    final_client_errors: true,
  };
  const sent = readRetry(typed);
  expect(sent).toMatchObject({ jitter: 0.5, retry_delays_seconds: [1, 5, 30] });
  const rest = { num_retries: 0, retry_interval_seconds: 10, timeout_seconds: 60, tolerance_seconds: 60 };
  expect(retryDraftOf({ ...rest, ...sent })).toEqual(typed);
});

test('reports invalid text at its field', () => {
  const problems = retryProblems({ ...emptyRetry, jitter: '2', retry_delays_seconds: '1, soon' });
  expect([...problems.keys()].sort()).toEqual(['jitter', 'retry_delays_seconds']);
});
