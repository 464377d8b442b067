import { expect, test } from 'vitest';
import { triggerDefinition } from '../../../test/support/events/trigger-definitions.ts';
import { type ClaimedChange, createEventBatches, MOST_BATCH_BYTES } from './batches.ts';
import { deliveredTrigger } from './trigger.ts';

const trigger = deliveredTrigger(1, triggerDefinition({ batch: { maxEvents: 3, maxWaitMs: 100 } }));

function changeOf(seq: number, more: Partial<ClaimedChange> = {}): ClaimedChange {
  return {
    change: {
      id: `00000000-0000-8000-8000-00000000000${seq}`,
      operation: 'INSERT',
      createdAt: '2026-09-01T08:00:00.000000',
      session: undefined,
      trace: undefined,
      number: 1,
      seq: String(seq),
      segment: '1',
      batch: '1',
      outdated: false,
    },
    rows: { before: undefined, after: '{}' },
    bytes: 2,
    dueAt: 0,
    scheduledAt: 0,
    tries: 0,
    triesBefore: 0,
    orderingKey: undefined,
    ...more,
  };
}

/** Batches with a clock that the test sets. */
function controlled() {
  let time = 0;
  const batches = createEventBatches(() => time);
  return {
    batches,
    at: (ms: number) => {
      time = ms;
    },
    add: (lease: string, ...changes: ClaimedChange[]) =>
      batches
        .add(
          lease,
          changes.map((one) => [trigger, one] as const),
        )
        .map((event) => event.changes.map(({ seq }) => Number(seq))),
  };
}

test('changes of several claims form a batch, until it is full', () => {
  const { add, batches } = controlled();
  expect(add('1', changeOf(1))).toEqual([]);
  expect(add('1', changeOf(2))).toEqual([]);
  expect(add('1', changeOf(3), changeOf(4))).toEqual([[1, 2, 3]]);
  expect(batches.waitMs()).toBe(100);
});

test('a batch waits at most max_wait_ms, from its first change', () => {
  const { add, at, batches } = controlled();
  add('1', changeOf(1));
  at(60);
  add('1', changeOf(2));
  expect(batches.waitMs()).toBe(40);
  at(100);
  expect(batches.waitMs()).toBe(0);
  expect(add('1')).toEqual([[1, 2]]);
  expect(batches.waitMs()).toBeUndefined();
});

test('rows that exceed the size of a body together are in several batches; a longer one is alone', () => {
  const { add } = controlled();
  const half = MOST_BATCH_BYTES / 2;
  const sizes = [half, half, 1, 3 * MOST_BATCH_BYTES, 1, 1, 1];
  expect(add('1', ...sizes.map((bytes, index) => changeOf(index + 1, { bytes })))).toEqual([
    [1, 2],
    [3],
    [4],
    [5, 6, 7],
  ]);
});

test('a batch has only changes that were called equally often', () => {
  const { add, at } = controlled();
  add('1', changeOf(1), changeOf(2, { tries: 1 }), changeOf(3, { tries: 1, triesBefore: 1 }));
  at(100);
  expect(add('1')).toEqual([[1], [2], [3]]);
});

test('changes that were claimed under another lease are removed', () => {
  const { add, at } = controlled();
  add('1', changeOf(1));
  add('2', changeOf(2));
  at(100);
  expect(add('2')).toEqual([[2]]);
});

test('changes that were claimed under a later lease stay where an earlier one is released', () => {
  const { add, at, batches } = controlled();
  add('1', changeOf(1));
  add('2', changeOf(2));
  batches.clear('1');
  at(100);
  expect(add('2')).toEqual([[2]]);
  add('2', changeOf(3));
  batches.clear('2');
  expect(batches.waitMs()).toBeUndefined();
});
