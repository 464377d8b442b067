import { performance } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { until } from '../../test/support/until.ts';
import { createIdleMemory } from './idle-memory.ts';

const sampled = performance.eventLoopUtilization();

test('collects once the event loop is idle, and again after the next release', async () => {
  let [collections, samples] = [0, 0];
  const memory = createIdleMemory({
    collect: (done) => {
      collections += 1;
      done();
    },
    utilization: () => {
      samples += 1;
      return { ...sampled, utilization: samples < 3 ? 0.5 : 0.01 };
    },
    usedBytes: () => 0,
    idleMs: 1,
  });
  memory.release();
  await until('the first collection', () => collections === 1 || undefined);
  expect(samples).toBe(3);
  memory.release();
  await until('the second collection', () => collections === 2 || undefined);
  memory.stop();
});

test('does not collect a heap whose collection would block the event loop for too long', async () => {
  let [collections, readings] = [0, 0];
  const memory = createIdleMemory({
    collect: () => (collections += 1),
    utilization: () => ({ ...sampled, utilization: 0 }),
    usedBytes: () => {
      readings += 1;
      return 300_000_000;
    },
    idleMs: 1,
  });
  memory.release();
  await until('a reading of the size', () => readings === 1 || undefined);
  expect(collections).toBe(0);
});

test('collects the garbage of a change, which is not in use, until the objects in use have grown beyond the limit', async () => {
  let [collections, samples, used, inUse] = [0, 0, 0, 20_000_000];
  const memory = createIdleMemory({
    collect: (done) => {
      collections += 1;
      used = inUse;
      done();
    },
    utilization: () => {
      samples += 1;
      return { ...sampled, utilization: 0 };
    },
    usedBytes: () => used,
    idleMs: 1,
  });
  const change = (garbage: number): void => {
    used = inUse + garbage;
    memory.release();
  };
  change(10_000_000);
  await until('the collection after the start', () => collections === 1 || undefined);
  inUse = 300_000_000;
  change(200_000_000);
  await until('the collection after the change', () => collections === 2 || undefined);
  change(200_000_000);
  await until('the process is idle after the next change', () => samples === 3 || undefined);
  expect(collections).toBe(2);
});
