import { expect, test } from 'vitest';
import { describeRedelivery, retryFailed, statusesOf } from './redelivery.ts';

test.each([
  [{ event: 'x' }, 'this event'],
  [retryFailed, 'all failed and dead events'],
  [{ statuses: ['dead'], search: { data: '{}' } }, 'all dead events that match the search'],
] as const)('%j: %s', (redelivery, text) => {
  expect(describeRedelivery(redelivery)).toBe(text);
});

test('pending events are not redelivered', () => {
  expect(statusesOf('pending')).toBeUndefined();
  expect(statusesOf('all')).toEqual(['error', 'dead']);
});
