import { expect, test } from 'vitest';
import { presets, scheduleSentence } from './schedule-text.ts';

test.each([
  ['0 2 * * *', 'Europe/Berlin', 'At 02:00, Europe/Berlin time.'],
  ['*/15 * * * *', 'UTC', 'Every 15 minutes, UTC.'],
  ['0 9 * * MON-FRI', 'UTC', 'At 09:00, Monday through Friday, UTC.'],
  ['@daily', 'UTC', 'At 00:00, UTC.'],
  ['0 0 L * *', 'UTC', 'At 00:00, on the last day of the month, UTC.'],
])('the schedule %s in %s reads %s', (schedule, timezone, sentence) => {
  expect(scheduleSentence(schedule, timezone)).toBe(sentence);
});

test('a day of the month or of the week is enough where both are given', () => {
  expect(scheduleSentence('0 0 13 * 5', 'UTC')).toBe('At 00:00, on day 13 of the month, or on Friday, UTC.');
});

test.each(['', '0 2 * *', '61 0 * * *', '0 0 2 * * *', 'every day'])('the schedule %j has no sentence', (schedule) => {
  expect(scheduleSentence(schedule, 'UTC')).toBeUndefined();
});

test('each preset has a sentence', () => {
  expect(presets.filter(({ schedule }) => scheduleSentence(schedule, 'UTC') === undefined)).toEqual([]);
});
