import { expect, test } from 'vitest';
import { holdsRaw, shareStructure } from './structural-sharing.ts';

const raw = Object.freeze(Object.assign(Object.create(null), { rawJSON: '9007199254740993' }));
const isRaw = (value: unknown) => value === raw;

test('finds raw JSON numbers at any depth', () => {
  expect(holdsRaw([{ a: [1, { b: raw }] }], isRaw)).toBe(true);
  expect(holdsRaw([{ a: [1, { b: 'c' }] }, null, new Map([[1, raw]])], isRaw)).toBe(false);
});

test('unchanged parts keep their identity', () => {
  const before = { a: [1, 2], b: { c: 3 } };
  const after = shareStructure(before, { a: [1, 2], b: { c: 4 } }) as typeof before;
  expect(after.a).toBe(before.a);
  expect(after.b).toEqual({ c: 4 });
});
