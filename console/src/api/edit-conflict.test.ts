import { expect, test } from 'vitest';
import { conflictState } from './edit-conflict.ts';

const first = { shown: { columns: ['id'] }, version: 3 };

test('a change of others elsewhere is taken up: the form goes on from the newer version', () => {
  expect(conflictState(first, { shown: { columns: ['id'] }, version: 5 })).toEqual({
    basis: { shown: { columns: ['id'] }, version: 5 },
    newer: undefined,
  });
});

test('a change of what the form shows is not: the form stays at its version, and the newer one may be saved over', () => {
  const now = { shown: { columns: ['id', 'note'] }, version: 5 };
  expect(conflictState(first, now)).toEqual({ basis: first, newer: now });
});

test('what was not there, or is not there any more, is another thing than what is', () => {
  const none = { shown: undefined, version: 5 };
  expect(conflictState<unknown>(first, none).newer).toBe(none);
  expect(conflictState<unknown>(none, { ...first, version: 6 }).basis).toBe(none);
});
