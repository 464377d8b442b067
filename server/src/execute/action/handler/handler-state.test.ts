import { describe, expect, test } from 'vitest';
import { type CachedResponse, createResponseCache } from './handler-state.ts';

const response = (value: string): CachedResponse => ({ value, headers: [] });

describe('a cache of responses', () => {
  test('returns a value until it expires', () => {
    let now = 1;
    const cache = createResponseCache({ entries: 10, bytes: 1_000 }, { now: () => now });
    cache.add('k', response('v'), 100, 50);
    now = 51;
    expect(cache.get('k')).toEqual(response('v'));
    now = 52;
    expect(cache.get('k')).toBeUndefined();
    expect(cache.size()).toEqual({ entries: 0, bytes: 0 });
  });

  test('evicts the least recently used entry beyond the maximum number of entries', () => {
    const cache = createResponseCache({ entries: 2, bytes: 1_000 });
    cache.add('a', response('1'), 1, 60_000);
    cache.add('b', response('2'), 1, 60_000);
    expect(cache.get('a')).toEqual(response('1'));
    cache.add('c', response('3'), 1, 60_000);
    expect(['a', 'b', 'c'].map((key) => cache.get(key)?.value)).toEqual(['1', undefined, '3']);
  });

  test('limits the bytes of keys and values', () => {
    const cache = createResponseCache({ entries: 10, bytes: 30 });
    cache.add('a', response('1'), 10, 60_000);
    cache.add('b', response('2'), 10, 60_000);
    expect(cache.size()).toEqual({ entries: 2, bytes: 22 });
    cache.add('c', response('3'), 10, 60_000);
    expect(cache.size()).toEqual({ entries: 2, bytes: 22 });
    cache.add('huge', response('4'), 30, 60_000);
    expect(cache.get('huge')).toBeUndefined();
    cache.add('b', response('other'), 1, 60_000);
    expect(cache.size()).toEqual({ entries: 2, bytes: 13 });
    cache.delete('b');
    cache.delete('b');
    expect(cache.size()).toEqual({ entries: 1, bytes: 11 });
  });
});
