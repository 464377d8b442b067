import { expect, test } from 'vitest';
import { createLanes } from './lanes.ts';

interface Item {
  readonly lane: string;
  readonly name: string;
}

/** Lanes whose items end when the test says so. */
function controlled(limits: { perDestination: number; overall: number; mostQueued?: number }) {
  const running = new Map<string, () => void>();
  const started: string[] = [];
  let rooms = 0;
  let paused = false;
  const lanes = createLanes<Item>({
    mostQueued: 1_000,
    mayStart: () => !paused,
    ...limits,
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
    pause: (now: boolean) => {
      paused = now;
    },
    end: async (...names: string[]) => {
      for (const name of names) running.get(name)?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('a destination that is busy to its limit does not hold up another', () => {
  const { push, started } = controlled({ perDestination: 2, overall: 10 });
  push('a', 'a1', 'a2', 'a3');
  push('b', 'b1');
  expect(started).toEqual(['a1', 'a2', 'b1']);
});

test('the next of a destination starts when one of it ends', async () => {
  const { push, end, started, lanes } = controlled({ perDestination: 1, overall: 10 });
  push('a', 'a1', 'a2');
  await end('a1');
  expect(started).toEqual(['a1', 'a2']);
  expect(lanes.running()).toBe(1);
});

test('while nothing may start everything waits', () => {
  const { push, pause, lanes, started } = controlled({ perDestination: 5, overall: 10 });
  pause(true);
  push('a', 'a1', 'a2');
  expect(started).toEqual([]);
  pause(false);
  lanes.resume();
  expect(started).toEqual(['a1', 'a2']);
});

test('two lanes that lead to one destination share its limit', () => {
  const { push, started } = controlled({ perDestination: 1, overall: 10 });
  push('a', 'a1');
  push('{{HOST}}', 'a2');
  expect(started).toEqual(['a1']);
});

test('under the overall limit destinations take turns', async () => {
  const { push, end, started } = controlled({ perDestination: 5, overall: 1 });
  push('a', 'a1', 'a2', 'a3');
  push('b', 'b1', 'b2');
  for (const name of ['a1', 'a2', 'b1', 'a3', 'b2']) await end(name);
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
});

test('a destination is full when it holds four times what may run, and says so when it has room again', async () => {
  const { push, end, lanes, rooms } = controlled({ perDestination: 1, overall: 10 });
  push('a', 'a1', 'a2', 'a3');
  expect(lanes.full()).toEqual([]);
  push('{{HOST}}', 'a4');
  expect(lanes.full().sort()).toEqual(['a', '{{HOST}}'].sort());
  expect(rooms()).toBe(0);
  await end('a1');
  expect(rooms()).toBe(1);
  expect(lanes.full()).toEqual([]);
});

test('with too much in the queues every destination that has something is full', () => {
  const { push, lanes } = controlled({ perDestination: 2, overall: 10, mostQueued: 3 });
  push('a', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6');
  push('b', 'b1');
  expect(lanes.full().sort()).toEqual(['a', 'b']);
});

test('what is cleared does not start, and `idle` waits for what runs', async () => {
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
