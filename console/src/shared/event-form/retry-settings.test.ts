import { expect, test } from 'vitest';
import { emptyRules, faultsInRules, readRules, rulesOf } from './retry-settings.ts';

test('rules that are the defaults are not sent', () => {
  expect(readRules(emptyRules)).toEqual({});
});

test('rules come back from an event as they were typed', () => {
  const typed = {
    backoff: 'exponential' as const,
    max_retry_interval_seconds: '600',
    jitter: '0.5',
    retry_delays_seconds: '1, 5, 30',
    final_client_errors: true,
  };
  const sent = readRules(typed);
  expect(sent).toMatchObject({ jitter: 0.5, retry_delays_seconds: [1, 5, 30] });
  const rest = { num_retries: 0, retry_interval_seconds: 10, timeout_seconds: 60, tolerance_seconds: 60 };
  expect(rulesOf({ ...rest, ...sent })).toEqual(typed);
});

test('what does not fit is told for its field', () => {
  const faults = faultsInRules({ ...emptyRules, jitter: '2', retry_delays_seconds: '1, soon' });
  expect([...faults.keys()].sort()).toEqual(['jitter', 'retry_delays_seconds']);
});
