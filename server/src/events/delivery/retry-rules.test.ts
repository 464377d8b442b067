import { RetryRules } from '@joinery/metadata/schema/events/retry';
import { describe, expect, test } from 'vitest';
import { isFinal, mayRetry, readRules, waitMs, writtenRules } from './retry-rules.ts';

const event = { numRetries: 3, retryIntervalSeconds: 10, retries: 0 };
const waits = (rules: RetryRules, count = 5, random = () => 0.5): number[] =>
  Array.from({ length: count }, (_unused, retries) => waitMs({ ...event, retries }, rules, random) / 1_000);

describe('the delay', () => {
  test('stays the same without rules', () => {
    expect(waits({})).toEqual([10, 10, 10, 10, 10]);
    expect(waits({ backoff: 'fixed' })).toEqual([10, 10, 10, 10, 10]);
  });

  test('doubles with exponential backoff, up to the maximum', () => {
    expect(waits({ backoff: 'exponential', max_retry_interval_seconds: 60 })).toEqual([10, 20, 40, 60, 60]);
    expect(waits({ backoff: 'exponential' }, 12).at(-1)).toBe(3_600);
    expect(waitMs({ ...event, retries: 5_000 }, { backoff: 'exponential' })).toBe(3_600_000);
  });

  test('follows the list, whose last delay repeats', () => {
    expect(waits({ retry_delays_seconds: [0, 30, 300], backoff: 'exponential' })).toEqual([0, 30, 300, 300, 300]);
  });

  test('is shortened by jitter, and never made longer', () => {
    expect(waits({ jitter: 0.2 }, 1)).toEqual([9]);
    expect(waits({ jitter: 1 }, 1, () => 1)).toEqual([0]);
    expect(waits({ jitter: 1 }, 1, () => 0)).toEqual([10]);
  });
});

describe('the budget', () => {
  test('is the larger of num_retries and the length of the list of delays', () => {
    expect(mayRetry({ ...event, retries: 2 }, {})).toBe(true);
    expect(mayRetry({ ...event, retries: 3 }, {})).toBe(false);
    expect(mayRetry({ ...event, numRetries: 0, retries: 1 }, { retry_delays_seconds: [1, 2] })).toBe(true);
    expect(mayRetry({ ...event, numRetries: 0, retries: 2 }, { retry_delays_seconds: [1, 2] })).toBe(false);
  });
});

describe('a status is final', () => {
  test('when it is 410, always', () => {
    expect(isFinal(410, {})).toBe(true);
  });

  test('when it is 4xx other than 408, 425 and 429, if configured', () => {
    const rules = { final_client_errors: true };
    expect([400, 404, 422, 499].every((status) => isFinal(status, rules))).toBe(true);
    expect([408, 425, 429, 500, 503, 302, undefined].some((status) => isFinal(status, rules))).toBe(false);
    expect([400, 404, 500].some((status) => isFinal(status, {}))).toBe(false);
  });
});

describe('rules', () => {
  test('are stored only if any are set, and read back', () => {
    expect(writtenRules({})).toBeNull();
    expect(writtenRules({ backoff: null })).toBeNull();
    const rules: RetryRules = { backoff: 'exponential', jitter: 0.5, retry_delays_seconds: [1] };
    expect(readRules(writtenRules(rules) ?? '')).toEqual(rules);
  });

  test('that are malformed count as no rules', () => {
    expect(readRules('{"backoff":"wild"}')).toEqual({});
    expect(readRules('null')).toEqual({});
    expect(readRules('{')).toEqual({});
  });

  test.each([
    { backoff: 'linear' },
    { jitter: 2 },
    { retry_delays_seconds: [] },
    { retry_delays_seconds: [-1] },
    { max: 1 },
  ])('%j are rejected', (rules) => {
    expect(RetryRules.safeParse(rules).success).toBe(false);
  });
});
