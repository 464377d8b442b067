import { expect, test, vi } from 'vitest';
import { LatestValueChannel } from './latest-value-channel.ts';

test('an item goes to the reader that waits, else it waits itself', async () => {
  const mailbox = new LatestValueChannel<number>(() => undefined);
  expect(mailbox.ready).toBe(false);
  const reading = mailbox.next();
  expect(mailbox.ready).toBe(true);
  mailbox.put(1);
  expect(mailbox.ready).toBe(false);
  expect(await reading).toEqual({ done: false, value: 1 });
  mailbox.put(2);
  expect(await mailbox.next()).toEqual({ done: false, value: 2 });
});

test('only the latest item waits', async () => {
  const mailbox = new LatestValueChannel<number>(() => undefined);
  mailbox.put(1);
  mailbox.put(2);
  mailbox.end();
  const seen: number[] = [];
  for await (const item of mailbox) seen.push(item);
  expect(seen).toEqual([2]);
});

test('an end with an error rejects once, after what waits', async () => {
  const mailbox = new LatestValueChannel<number>(() => undefined);
  mailbox.put(1);
  mailbox.end(new Error('gone'));
  expect(await mailbox.next()).toEqual({ done: false, value: 1 });
  await expect(mailbox.next()).rejects.toThrow('gone');
  expect(await mailbox.next()).toEqual({ done: true, value: undefined });
});

test('a reader that leaves ends the waiting, and whoever makes the items is told', async () => {
  const left = vi.fn();
  const mailbox = new LatestValueChannel<number>(left);
  const reading = mailbox.next();
  await mailbox.return();
  expect(await reading).toEqual({ done: true, value: undefined });
  mailbox.put(3);
  expect(await mailbox.next()).toEqual({ done: true, value: undefined });
  expect(left).toHaveBeenCalledOnce();
});
