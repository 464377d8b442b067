import { expect, it } from 'vitest';
import { Cancellation } from './cancellation.ts';

it('calls each listener once, and immediately if it is already canceled', () => {
  const cancellation = new Cancellation();
  let calls = 0;
  const count = () => {
    calls += 1;
  };
  cancellation.whenAborted(count);
  const unsubscribe = cancellation.whenAborted(() => {
    calls += 100;
  });
  unsubscribe();
  cancellation.abort();
  cancellation.abort();
  expect([calls, cancellation.aborted]).toEqual([1, true]);
  cancellation.whenAborted(count);
  expect(calls).toBe(2);
});

it('cancels its children, and is not canceled by them', () => {
  const parent = new Cancellation();
  const first = parent.child();
  const second = parent.child();
  first.cancellation.abort();
  expect([parent.aborted, second.cancellation.aborted]).toEqual([false, false]);
  parent.abort();
  expect(second.cancellation.aborted).toBe(true);
});
