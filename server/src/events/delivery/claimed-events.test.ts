import { expect, test } from 'vitest';
import type { DeliverableEvent } from '../types/deliverable-event.ts';
import { createClaimedEvents } from './claimed-events.ts';

const eventOf = (id: string) => ({ id }) as DeliverableEvent;
const times = { claimedAt: 1, confirmedAt: 2 };

test('an added claim waits, with its lease and times', () => {
  const event = eventOf('a');
  expect(createClaimedEvents().add(event, '7', times)).toEqual({
    event,
    lease: '7',
    claimedAt: 1,
    confirmedAt: 2,
    dropped: false,
    calling: false,
  });
});

test('a newer claim replaces one that waits, which is dropped', () => {
  const events = createClaimedEvents();
  const first = events.add(eventOf('a'), '7', times);
  const newer = eventOf('a');
  const second = events.add(newer, '8', times);
  expect([first?.dropped, second?.dropped, events.events()]).toEqual([true, false, [newer]]);
});

test('a newer claim is ignored while the event is called', () => {
  const events = createClaimedEvents();
  const event = eventOf('a');
  const first = events.add(event, '7', times);
  if (first !== undefined) first.calling = true;
  expect([events.add(eventOf('a'), '8', times), first?.dropped, events.events()]).toEqual([undefined, false, [event]]);
});

test('a removed claim is dropped and known no more', () => {
  const events = createClaimedEvents();
  const claimed = events.add(eventOf('a'), '7', times);
  if (claimed !== undefined) events.remove(claimed);
  expect([claimed?.dropped, events.events()]).toEqual([true, []]);
});

test('the removal of a replaced claim keeps the newer one', () => {
  const events = createClaimedEvents();
  const first = events.add(eventOf('a'), '7', times);
  const newer = eventOf('a');
  events.add(newer, '8', times);
  if (first !== undefined) events.remove(first);
  expect(events.events()).toEqual([newer]);
});

test('all that wait are removed, and those that are called are kept', () => {
  const events = createClaimedEvents();
  const [called, waiting] = [eventOf('a'), eventOf('b')];
  const running = events.add(called, '7', times);
  if (running !== undefined) running.calling = true;
  const other = events.add(waiting, '7', times);
  events.removeWaiting();
  expect([events.events(), running?.dropped, other?.dropped]).toEqual([[called], false, true]);
});

test('a lease is in use while an event that was claimed under it is called', () => {
  const events = createClaimedEvents();
  const claimed = events.add(eventOf('a'), '7', times);
  const before = events.callsUnder('7');
  if (claimed !== undefined) claimed.calling = true;
  expect([before, events.callsUnder('7'), events.callsUnder('8')]).toEqual([false, true, false]);
});
