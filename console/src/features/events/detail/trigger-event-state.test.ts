import { expect, test } from 'vitest';
import { explainStatus, rowOfEvent } from './trigger-event-state.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const pending = { status: 'pending', tries: 0, next_retry_at: null } as const;

test.each([
  [pending, false, 'Called as soon as a slot of its destination is free.'],
  [pending, true, 'Delivered when the trigger is resumed.'],
  [
    { ...pending, tries: 2, next_retry_at: '2026-01-01T00:00:30Z' },
    false,
    '2 calls failed; the next starts in 30 seconds.',
  ],
  [{ ...pending, status: 'delivered', tries: 1 }, false, 'Delivered by the first call.'],
  [
    { ...pending, status: 'error', tries: 3 },
    true,
    'Given up after 3 calls: none was successful. The log has the responses.',
  ],
] as const)('explains %j, paused %j', (event, paused, text) => {
  expect(explainStatus(event, now, paused)).toBe(text);
});

test('the row of an event is the new one, and the old one of a delete', () => {
  const row = { id: 1_234_567_890_123, name: 'a' };
  const expected = { text: 'id 1234567890123', key: [['id', '1234567890123']] };
  expect(rowOfEvent({ op: 'INSERT', data: { old: null, new: row } }, ['id'])).toEqual(expected);
  expect(rowOfEvent({ op: 'DELETE', data: { old: row, new: null } }, ['id'])).toEqual(expected);
});

test('an event without the whole primary key has no link to its row', () => {
  const data = { old: null, new: { id: 1 } };
  expect(rowOfEvent({ op: 'INSERT', data }, ['id', 'tenant'])).toEqual({ text: '{"id":1}', key: undefined });
  expect(rowOfEvent({ op: 'INSERT', data }, null).key).toBeUndefined();
  expect(rowOfEvent({ op: 'MANUAL', data }, ['id']).key).toBeUndefined();
});
