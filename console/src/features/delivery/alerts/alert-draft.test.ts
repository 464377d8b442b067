import { type Alert, SetAlert } from '@joinery/metadata/api/events/alerts';
import { expect, test } from 'vitest';
import { alertArguments, alertDraftOf, conditionText, valueText } from './alert-draft.ts';

const alert: Alert = {
  name: 'failing',
  rule: { kind: 'failure_rate', percent: 5, window_minutes: 5, min_calls: 10 },
  destination: null,
  webhook: '{{ALERT_URL}}',
  headers: [{ name: 'X-Key', value_from_env: 'KEY' }],
  enabled: false,
  active_since: null,
  value: 2.5,
  checked_at: null,
};

test.each([
  alert,
  { ...alert, rule: { kind: 'backlog_age' as const, seconds: 90 }, destination: 'https://a' },
  { ...alert, rule: { kind: 'circuit_open' as const } },
])('an unchanged form preserves an alert', (one) => {
  const { active_since: _since, value: _value, checked_at: _at, ...written } = one;
  expect(SetAlert.parse(alertArguments(alertDraftOf(one)))).toEqual(written);
});

test.each([
  [alert, 'More than 5 % of at least 10 calls fail within 5 minutes', '2.5 %'],
  [
    { ...alert, rule: { kind: 'backlog_age' as const, seconds: 90 }, destination: 'https://a', value: 0 },
    'A due event to https://a waits for more than 1 minute 30 seconds',
    'None',
  ],
  [{ ...alert, rule: { kind: 'circuit_open' as const }, value: null }, 'A circuit is open', '–'],
])('the condition and the value of an alert are read in words', (one, condition, value) => {
  expect(conditionText(one)).toBe(condition);
  expect(valueText(one)).toBe(value);
});
