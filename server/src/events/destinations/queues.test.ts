import { describe, expect, test } from 'vitest';
import { until } from '../../../test/support/until.ts';
import { createDestinationQueues } from './queues.ts';
import { type Allowance, type CallSlots, createCallSlots } from './slots.ts';

interface Item {
  readonly lane: string;
  readonly name: string;
}

interface Limits {
  readonly perDestination: number;
  readonly overall: number;
  readonly mostQueued?: number;
  /** Those of another engine. */
  readonly slots?: CallSlots;
}

/** Returns destination queues whose items the test ends. */
function controlled({ perDestination, overall, slots, ...limits }: Limits) {
  const allowances = new Map<string, Allowance>();
  const allowance = (name: string): Allowance => allowances.get(name) ?? { concurrency: perDestination, gapMs: 0 };
  const running = new Map<string, () => void>();
  const started: string[] = [];
  let rooms = 0;
  let paused = false;
  const lanes = createDestinationQueues<Item>({
    mostQueued: 1_000,
    mayStart: () => !paused,
    ...limits,
    allowance,
    slots: slots ?? createCallSlots({ allowance, overall }),
    laneOf: (item) => item.lane,
    destinationOf: (lane) => lane.replace('{{HOST}}', 'a'),
    start: ({ name }) => {
      started.push(name);
      return new Promise((resolve) => running.set(name, resolve));
    },
    onRoom: () => {
      rooms += 1;
    },
  });
  return {
    lanes,
    started,
    rooms: () => rooms,
    push: (lane: string, ...names: string[]) => {
      for (const name of names) lanes.push({ lane, name });
    },
    allow: (name: string, allowance: Allowance) => {
      allowances.set(name, allowance);
      lanes.applyLimits();
    },
    pause: (now: boolean) => {
      paused = now;
    },
    end: async (...names: string[]) => {
      for (const name of names) running.get(name)?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('a destination at its limit does not block another', () => {
  const { push, started } = controlled({ perDestination: 2, overall: 10 });
  push('a', 'a1', 'a2', 'a3');
  push('b', 'b1');
  expect(started).toEqual(['a1', 'a2', 'b1']);
});

test('the next item of a destination starts when one ends', async () => {
  const { push, end, started, lanes } = controlled({ perDestination: 1, overall: 10 });
  push('a', 'a1', 'a2');
  await end('a1');
  expect(started).toEqual(['a1', 'a2']);
  expect(lanes.running()).toBe(1);
});

test('items wait while `mayStart` is false', () => {
  const { push, pause, lanes, started } = controlled({ perDestination: 5, overall: 10 });
  pause(true);
  push('a', 'a1', 'a2');
  expect(started).toEqual([]);
  pause(false);
  lanes.resume();
  expect(started).toEqual(['a1', 'a2']);
});

test('two lanes of one destination share its limit', () => {
  const { push, started } = controlled({ perDestination: 1, overall: 10 });
  push('a', 'a1');
  push('{{HOST}}', 'a2');
  expect(started).toEqual(['a1']);
});

test('destinations take turns under the overall limit', async () => {
  const { push, end, started } = controlled({ perDestination: 5, overall: 1 });
  push('a', 'a1', 'a2', 'a3');
  push('b', 'b1', 'b2');
  for (const name of ['a1', 'a2', 'b1', 'a3', 'b2']) await end(name);
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
});

test('a destination is full with more than half of four times its concurrency, and reports when it has room again', async () => {
  const { push, end, lanes, rooms } = controlled({ perDestination: 1, overall: 10 });
  push('a', 'a1', 'a2');
  expect(lanes.full()).toEqual([]);
  push('{{HOST}}', 'a3');
  expect(lanes.full().sort()).toEqual(['a', '{{HOST}}'].sort());
  expect(rooms()).toBe(0);
  await end('a1');
  expect(rooms()).toBe(1);
  expect(lanes.full()).toEqual([]);
});

test('every destination with items is full when too many items are queued', () => {
  const { push, lanes } = controlled({ perDestination: 2, overall: 10, mostQueued: 3 });
  push('a', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6');
  push('b', 'b1');
  expect(lanes.full().sort()).toEqual(['a', 'b']);
});

test('cleared items do not start, and `idle` waits for running items', async () => {
  const { push, end, lanes, started } = controlled({ perDestination: 1, overall: 10 });
  push('a', 'a1', 'a2');
  expect(lanes.clear().map((item) => item.name)).toEqual(['a2']);
  let idle = false;
  const waiting = lanes.idle().then(() => {
    idle = true;
  });
  expect(idle).toBe(false);
  await end('a1');
  await waiting;
  expect(started).toEqual(['a1']);
  expect(lanes.queued()).toBe(0);
});

test('items of a blocked destination do not start, are surplus, and it stays full until it is allowed again', async () => {
  const { push, allow, lanes, started, rooms } = controlled({ perDestination: 2, overall: 10 });
  allow('a', { concurrency: 0, gapMs: 0 });
  push('a', 'a1', 'a2');
  push('b', 'b1');
  expect(started).toEqual(['b1']);
  expect(lanes.takeSurplus(['a', 'b']).map((item) => item.name)).toEqual(['a1', 'a2']);
  expect(lanes.queued()).toBe(0);
  expect(lanes.full()).toEqual(['a']);
  allow('a', { concurrency: 1, gapMs: 0 });
  expect(rooms()).toBe(1);
  expect(lanes.full()).toEqual([]);
  push('a', 'a3', 'a4');
  expect(started).toEqual(['b1', 'a3']);
});

test('items beyond the capacity of a limited destination are surplus, and `room` is its free capacity', async () => {
  const { push, end, allow, lanes, started } = controlled({ perDestination: 10, overall: 20 });
  push('b', 'b1');
  expect(lanes.room()).toBe(Number.POSITIVE_INFINITY);
  allow('a', { concurrency: 1, gapMs: 0, limited: true });
  push('a', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6');
  expect(started).toEqual(['b1', 'a1']);
  expect(lanes.takeSurplus(['a', 'b', 'c']).map((item) => item.name)).toEqual(['a5', 'a6']);
  expect(lanes.full()).toEqual(['a']);
  expect(lanes.room()).toBe(Number.POSITIVE_INFINITY);
  allow('a', { concurrency: 2, gapMs: 0, limited: true });
  expect(lanes.room()).toBe(4);
  allow('a', { concurrency: 0, gapMs: 0, limited: true });
  lanes.clear();
  await end('a1', 'a2');
  expect(lanes.full()).toEqual(['a']);
});

test('queued items start at once when the limit of their destination is raised', () => {
  const { push, allow, started } = controlled({ perDestination: 1, overall: 10 });
  push('a', 'a1', 'a2', 'a3');
  allow('a', { concurrency: 2, gapMs: 0 });
  expect(started).toEqual(['a1', 'a2']);
});

test('a rate limits the starts and the capacity of a destination', async () => {
  const { push, allow, started, lanes } = controlled({ perDestination: 10, overall: 10 });
  allow('a', { concurrency: 10, gapMs: 100 });
  const began = performance.now();
  push('a', 'a1', 'a2', 'a3');
  push('b', 'b1');
  expect(started).toEqual(['a1', 'b1']);
  await until('all items have started', () => started.length === 4);
  // The first start may count as 20 ms late.
  expect(performance.now() - began).toBeGreaterThanOrEqual(180);
  for (let more = 0; more < 18; more += 1) push('a', `more ${more}`);
  expect(lanes.full()).toEqual(['a']);
  lanes.clear();
});

describe('two engines with shared slots', () => {
  const engines = (limit: Allowance, overall = 10) => {
    const slots = createCallSlots({ allowance: () => limit, overall });
    const settings = { perDestination: limit.concurrency, overall, slots };
    return [controlled(settings), controlled(settings)] as const;
  };

  test('do not exceed the limit of a destination together', async () => {
    const [one, other] = engines({ concurrency: 2, gapMs: 0 });
    one.push('a', 'a1', 'a2');
    other.push('a', 'b1');
    expect(other.started).toEqual([]);
    await one.end('a1');
    expect(other.started).toEqual(['b1']);
  });

  test('do not exceed the limit of the node together', async () => {
    const [one, other] = engines({ concurrency: 5, gapMs: 0 }, 1);
    one.push('a', 'a1');
    other.push('b', 'b1');
    expect(other.started).toEqual([]);
    await one.end('a1');
    expect(other.started).toEqual(['b1']);
  });

  test('take turns at a destination, whatever their backlogs', async () => {
    const [one, other] = engines({ concurrency: 1, gapMs: 0 });
    one.push('a', ...Array.from({ length: 100 }, (_unused, n) => `a${n}`));
    other.push('a', 'b0', 'b1');
    for (const name of ['a0', 'b0', 'a1', 'b1', 'a2']) {
      await one.end(name);
      await other.end(name);
    }
    expect(other.started).toEqual(['b0', 'b1']);
    expect(one.started.length).toBeLessThanOrEqual(5);
  });

  test('take turns at a destination with a rate', async () => {
    // Items never end here: a pause of the process must not fill the slots of the destination.
    const [one, other] = engines({ concurrency: 1_000, gapMs: 5 }, 1_000);
    one.push('a', ...Array.from({ length: 100 }, (_unused, n) => `a${n}`));
    other.push('a', 'b1');
    await until('the other engine starts an item', () => other.started.length === 1);
    expect(one.started.length).toBeLessThan(100);
    for (const { lanes } of [one, other]) lanes.clear();
  });

  test('do not offer slots to an engine that is closed', async () => {
    const [one, other] = engines({ concurrency: 1, gapMs: 0 });
    one.push('a', 'a1');
    other.push('a', 'b1');
    other.lanes.close();
    await one.end('a1');
    expect(other.started).toEqual([]);
  });
});
