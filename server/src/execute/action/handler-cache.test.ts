import { describe, expect, test } from 'vitest';
import { HandlerCache } from './handler-cache.ts';

describe('a cache of responses', () => {
  test('returns a value until it expires', () => {
    let now = 0;
    const cache = new HandlerCache<string>({ entries: 10, bytes: 1_000 }, () => now);
    cache.set('k', 'v', 100, 50);
    now = 49;
    expect(cache.get('k')).toBe('v');
    now = 50;
    expect(cache.get('k')).toBeUndefined();
    expect(cache.size).toEqual({ entries: 0, bytes: 0 });
  });

  test('evicts the least recently used entry beyond the maximum number of entries', () => {
    const cache = new HandlerCache<string>({ entries: 2, bytes: 1_000 }, () => 0);
    cache.set('a', '1', 1, 1);
    cache.set('b', '2', 1, 1);
    expect(cache.get('a')).toBe('1');
    cache.set('c', '3', 1, 1);
    expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual(['1', undefined, '3']);
  });

  test('limits the bytes of keys and values', () => {
    const cache = new HandlerCache<string>({ entries: 10, bytes: 30 }, () => 0);
    cache.set('a', '1', 10, 1);
    cache.set('b', '2', 10, 1);
    expect(cache.size).toEqual({ entries: 2, bytes: 22 });
    cache.set('c', '3', 10, 1);
    expect(cache.size).toEqual({ entries: 2, bytes: 22 });
    cache.set('huge', '4', 30, 1);
    expect(cache.get('huge')).toBeUndefined();
    cache.set('b', 'other', 1, 1);
    expect(cache.size).toEqual({ entries: 2, bytes: 13 });
    cache.delete('b');
    cache.delete('b');
    expect(cache.size).toEqual({ entries: 1, bytes: 11 });
  });
});
