import { expect, test } from 'vitest';
import { Lru } from './cache.ts';

test('evicts the least recently used entry beyond the maximum number of entries', () => {
  const lru = new Lru<number>({ entries: 2, weight: 100 });
  lru.set('a', 1, 1);
  lru.set('b', 2, 1);
  expect(lru.get('a')).toBe(1);
  lru.set('c', 3, 1);
  expect([lru.get('a'), lru.get('b'), lru.get('c')]).toEqual([1, undefined, 3]);
});

test('evicts as many entries as the weight of a new one requires', () => {
  const lru = new Lru<number>({ entries: 10, weight: 10 });
  for (const key of ['a', 'b', 'c']) lru.set(key, 0, 3);
  lru.set('d', 0, 6);
  expect(lru.size).toBe(2);
  expect(lru.get('c')).toBe(0);
});

test('does not cache an entry that exceeds the maximum weight, and evicts nothing for it', () => {
  const lru = new Lru<number>({ entries: 10, weight: 10 });
  lru.set('a', 1, 1);
  lru.set('b', 2, 11);
  expect([lru.get('a'), lru.get('b')]).toEqual([1, undefined]);
});

test('replaces value and weight of a key that is set again', () => {
  const lru = new Lru<number>({ entries: 10, weight: 10 });
  lru.set('a', 1, 9);
  lru.set('a', 2, 2);
  lru.set('b', 3, 8);
  expect([lru.get('a'), lru.get('b')]).toEqual([2, 3]);
});

test('does not evict an entry that is used regularly', () => {
  const lru = new Lru<number>({ entries: 100, weight: 10_000 });
  lru.set('often', 1, 1);
  for (let number = 0; number < 1_000; number += 1) {
    lru.set(`once ${number}`, 0, 1);
    if (number % 50 === 0) expect(lru.get('often')).toBe(1);
  }
  expect(lru.size).toBe(100);
});
