import { describe, expect, test } from 'vitest';
import { mergeStreams, type StreamPage } from './merge.ts';

type Stream = StreamPage<string, string>;

/** `items`: times with a name, such as `3a`. */
function stream(items: readonly string[], stopped?: string): Stream {
  const placeOf = (text: string) => ({ time: text.slice(0, 1), id: text.slice(1), position: text });
  return {
    items: items.map((text) => ({ item: text, ...placeOf(text) })),
    stopped: stopped === undefined ? undefined : placeOf(stopped),
  };
}

describe('merging streams', () => {
  test('orders events of all streams by time, then by id', () => {
    const streams = [stream(['5b', '3a']), stream(['5a', '4a', '1a'])];
    expect(mergeStreams(streams, 10, 'desc')).toMatchObject({
      items: ['5a', '5b', '4a', '3a', '1a'],
      hasMore: false,
    });
    const ascending = [stream(['3a', '5b']), stream(['1a', '4a', '5a'])];
    expect(mergeStreams(ascending, 10, 'asc').items).toEqual(['1a', '3a', '4a', '5a', '5b']);
  });

  test('ends a full page with the last position of each stream', () => {
    const streams = [stream(['9a', '3a']), stream(['8a', '7a']), stream(['1a'])];
    const { items, positions, hasMore, stoppedAt } = mergeStreams(streams, 3, 'desc');
    expect(items).toEqual(['9a', '8a', '7a']);
    expect(positions).toEqual(['9a', '7a', undefined]);
    expect(hasMore).toBe(true);
    expect(stoppedAt).toBeUndefined();
  });

  test('ends where a stream has stopped, before later events of the others', () => {
    const streams = [stream(['9a', '2a']), stream(['8a'], '5x')];
    const { items, positions, hasMore, stoppedAt } = mergeStreams(streams, 10, 'desc');
    expect(items).toEqual(['9a', '8a']);
    expect(positions).toEqual(['9a', '5x']);
    expect(hasMore).toBe(true);
    expect(stoppedAt).toBe('5');
  });

  test('continues the stream that has stopped first', () => {
    const streams = [stream([], '6x'), stream([], '7x')];
    expect(mergeStreams(streams, 10, 'desc')).toMatchObject({
      items: [],
      positions: [undefined, '7x'],
      stoppedAt: '7',
    });
  });
});
