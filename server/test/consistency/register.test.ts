/** The check of registers rejects histories without an order, and accepts those of a register with one copy. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findContradiction, type RegisterOperation } from './register.ts';

const write = (value: number, start: number, end: number): RegisterOperation => ({ kind: 'write', value, start, end });
const read = (value: number, start: number, end: number): RegisterOperation => ({ kind: 'read', value, start, end });

test('a read of the old value after a read of the new one is a contradiction', () => {
  expect(findContradiction([write(1, 0, 10), read(1, 2, 3), read(0, 4, 5)], 0)).toBeDefined();
});

test('a read of the old value after the write has ended is a contradiction', () => {
  expect(findContradiction([write(1, 0, 1), read(0, 2, 3)], 0)).toBeDefined();
});

test('a value that was never written is a contradiction', () => {
  expect(findContradiction([read(7, 0, 1)], 0)).toBeDefined();
});

test('a value that returns is a contradiction', () => {
  const history = [write(1, 0, 1), read(1, 2, 3), write(2, 4, 5), read(2, 6, 7), read(1, 8, 9)];
  expect(findContradiction(history, 0)).toBeDefined();
});

test('concurrent operations may be in any order', () => {
  expect(findContradiction([write(1, 0, 10), read(0, 1, 2), read(1, 3, 4)], 0)).toBeUndefined();
});

test('a write without a response may take effect later', () => {
  expect(findContradiction([write(1, 0, Number.POSITIVE_INFINITY), read(0, 5, 6), read(1, 7, 8)], 0)).toBeUndefined();
});

test('histories of a register with one copy have no contradiction', () => {
  const operation = fc.record({ writes: fc.boolean(), before: fc.nat(9), after: fc.nat(9) });
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 20 }), (planned) => {
      let current = 0;
      const history = planned.map(({ writes, before, after }, index): RegisterOperation => {
        // Each takes effect at the time `4 * index`, and lasts longer on both sides.
        if (writes) current = index + 1;
        return { kind: writes ? 'write' : 'read', value: current, start: 4 * index - before, end: 4 * index + after };
      });
      expect(findContradiction(history, 0)).toBeUndefined();
    }),
    { seed: 1, numRuns: 500 },
  );
});
