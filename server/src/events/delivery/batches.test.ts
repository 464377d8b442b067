import { expect, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { type BatchSettings, createBatches } from './batches.ts';

/** Returns batches whose runs the test ends. */
function controlled(settings: Omit<BatchSettings<number>, 'run'>) {
  const runs: { items: readonly number[]; end: () => void }[] = [];
  const batches = createBatches<number>({
    ...settings,
    run: (items) => new Promise((resolve) => runs.push({ items, end: resolve })),
  });
  return { batches, runs };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/** Adds each item in a turn of the event loop of its own. */
async function addInTurns(batches: { add: (item: number) => void }, items: readonly number[]): Promise<void> {
  for (const item of items) {
    batches.add(item);
    await turn();
  }
}

test('items of one turn form a batch that runs at once if no other runs', async () => {
  const { batches, runs } = controlled({ most: 10, parallel: 1 });
  batches.add(1);
  batches.add(2);
  await turn();
  expect(runs.map((run) => run.items)).toEqual([[1, 2]]);
});

test('items added while a batch runs form the next batches, up to the limit', async () => {
  const { batches, runs } = controlled({ most: 2, parallel: 1 });
  batches.add(1);
  await turn();
  for (const item of [2, 3, 4]) batches.add(item);
  await turn();
  expect(runs).toHaveLength(1);
  runs[0]?.end();
  await turn();
  runs[1]?.end();
  await turn();
  expect(runs.map((run) => run.items)).toEqual([[1], [2, 3], [4]]);
});

test('at most `parallel` batches run at the same time', async () => {
  const { batches, runs } = controlled({ most: 1, parallel: 2 });
  for (const item of [1, 2, 3]) batches.add(item);
  await turn();
  expect(runs.map((run) => run.items)).toEqual([[1], [2]]);
});

test('items wait for a running batch', async () => {
  const { batches, runs } = controlled({ most: 10, parallel: 2, overlapMs: 1_000_000 });
  await addInTurns(batches, [1, 2, 3]);
  expect(runs.map((run) => run.items)).toEqual([[1]]);
  runs[0]?.end();
  await turn();
  expect(runs.map((run) => run.items)).toEqual([[1], [2, 3]]);
});

test('a full batch does not wait for a running batch', async () => {
  const { batches, runs } = controlled({ most: 2, parallel: 2, overlapMs: 1_000_000 });
  await addInTurns(batches, [1, 2, 3]);
  expect(runs.map((run) => run.items)).toEqual([[1], [2, 3]]);
});

test('items wait at most `overlapMs` for a batch that does not end', async () => {
  const { batches, runs } = controlled({ most: 10, parallel: 2, overlapMs: 1 });
  batches.add(1);
  await turn();
  batches.add(2);
  await until('the second batch runs', () => runs.length === 2);
  expect(runs.map((run) => run.items)).toEqual([[1], [2]]);
});

test('a batch stays within the weight, but has at least one item', async () => {
  const { batches, runs } = controlled({ most: 10, parallel: 9, weigh: (item) => item, heaviest: 10 });
  for (const item of [50, 4, 5, 6, 3]) batches.add(item);
  await turn();
  expect(runs.map((run) => run.items)).toEqual([[50], [4, 5], [6, 3]]);
});

test('`settled` also waits for items that are added meanwhile', async () => {
  const { batches, runs } = controlled({ most: 10, parallel: 1 });
  await batches.settled();
  batches.add(1);
  let settled = false;
  const waiting = batches.settled().then(() => {
    settled = true;
  });
  await turn();
  batches.add(2);
  runs[0]?.end();
  await turn();
  expect(settled).toBe(false);
  runs[1]?.end();
  await waiting;
  expect(batches.size()).toBe(0);
});
