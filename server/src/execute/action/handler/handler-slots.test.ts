import { describe, expect, test } from 'vitest';
import { Cancellation } from '../../../base/cancellation.ts';
import { Slots } from './handler-slots.ts';

const long = 60_000;

describe('slots', () => {
  test('grants the available slots, and further ones in order of arrival', async () => {
    const slots = new Slots();
    const entered: string[] = [];
    const enter = async (name: string) => {
      const release = await slots.enter(2, long);
      entered.push(name);
      return release;
    };
    const [a, b, c, d] = [enter('a'), enter('b'), enter('c'), enter('d')];
    await Promise.all([a, b]);
    expect(entered).toEqual(['a', 'b']);
    const releaseB = await b;
    releaseB();
    releaseB();
    await c;
    expect(entered).toEqual(['a', 'b', 'c']);
    (await a)();
    await d;
    expect(entered).toEqual(['a', 'b', 'c', 'd']);
  });

  test('rejects callers that time out or are canceled', async () => {
    const slots = new Slots();
    const release = await slots.enter(1, long);
    const cancellation = new Cancellation();
    const canceled = slots.enter(1, long, cancellation);
    cancellation.abort();
    await expect(canceled).rejects.toMatchObject({ kind: 'aborted' });
    await expect(slots.enter(1, long, cancellation)).rejects.toMatchObject({ kind: 'aborted' });
    await expect(slots.enter(1, 5)).rejects.toMatchObject({
      kind: 'timeout',
      message: 'all 1 slots for calls of this action were in use for 5 ms',
    });
    const last = slots.enter(1, long);
    release();
    (await last)();
  });
});
