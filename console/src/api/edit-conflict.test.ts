import { expect, test } from 'vitest';
import { conflictState } from './edit-conflict.ts';

const first = { shown: { columns: ['id'] }, version: 3 };

test('a change of other parts of the metadata advances the version of the form', () => {
  expect(conflictState(first, { shown: { columns: ['id'] }, version: 5 })).toEqual({
    basis: { shown: { columns: ['id'] }, version: 5 },
    newer: undefined,
  });
});

test('a change of the edited values is a conflict: the form keeps its version, and can overwrite', () => {
  const now = { shown: { columns: ['id', 'note'] }, version: 5 };
  expect(conflictState(first, now)).toEqual({ basis: first, newer: now });
});

test('an added or removed value is a change', () => {
  const none = { shown: undefined, version: 5 };
  expect(conflictState<unknown>(first, none).newer).toBe(none);
  expect(conflictState<unknown>(none, { ...first, version: 6 }).basis).toBe(none);
});
