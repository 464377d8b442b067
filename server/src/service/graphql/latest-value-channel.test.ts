import { expect, test, vi } from 'vitest';
import { LatestValueChannel } from './latest-value-channel.ts';

test('returns an item to the waiting reader, or stores it for the next one', async () => {
  const channel = new LatestValueChannel<number>(() => undefined);
  expect(channel.ready).toBe(false);
  const reading = channel.next();
  expect(channel.ready).toBe(true);
  channel.put(1);
  expect(channel.ready).toBe(false);
  expect(await reading).toEqual({ done: false, value: 1 });
  channel.put(2);
  expect(await channel.next()).toEqual({ done: false, value: 2 });
});

test('stores the latest item only', async () => {
  const channel = new LatestValueChannel<number>(() => undefined);
  channel.put(1);
  channel.put(2);
  channel.end();
  const seen: number[] = [];
  for await (const item of channel) seen.push(item);
  expect(seen).toEqual([2]);
});

test('rejects once with the error of its end, after the waiting item', async () => {
  const channel = new LatestValueChannel<number>(() => undefined);
  channel.put(1);
  channel.end(new Error('gone'));
  expect(await channel.next()).toEqual({ done: false, value: 1 });
  await expect(channel.next()).rejects.toThrow('gone');
  expect(await channel.next()).toEqual({ done: true, value: undefined });
});

test('notifies the producer when the reader returns', async () => {
  const left = vi.fn();
  const channel = new LatestValueChannel<number>(left);
  const reading = channel.next();
  await channel.return();
  expect(await reading).toEqual({ done: true, value: undefined });
  channel.put(3);
  expect(await channel.next()).toEqual({ done: true, value: undefined });
  expect(left).toHaveBeenCalledOnce();
});
