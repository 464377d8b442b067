import { expect, test } from 'vitest';
import { createFailureLog } from '../../base/failure-log.ts';
import { createCircuitBreakers } from './circuit-breakers.ts';
import type { DestinationRules } from './rules.ts';

const rules: DestinationRules = {
  load: () => Promise.resolve(),
  known: () => true,
  of: () => undefined,
  names: () => [],
  open: () => [],
  allowance: () => ({ concurrency: 1, gapMs: 0 }),
};

/** Returns circuit breakers that open after two failures, and the destinations of the circuits that they open. */
function start() {
  const opened: unknown[] = [];
  const circuits = createCircuitBreakers({
    query: async ({ values }) => {
      opened.push(values[0]);
      return { rows: [], fields: [], rowCount: 1, command: 'INSERT' };
    },
    rules,
    failures: 2,
    now: () => 0,
    failureLog: createFailureLog(() => undefined, 'test'),
    onChange: () => undefined,
  });
  return { circuits, opened };
}

const down = { up: false, reason: 'connection refused' } as const;

test('opens a circuit after consecutive failures, counted again after a success', () => {
  const { circuits, opened } = start();
  circuits.report('https://a.example', down);
  circuits.report('https://a.example', { up: true, reason: '' });
  circuits.report('https://a.example', down);
  expect(opened).toEqual([]);
  circuits.report('https://a.example', down);
  expect(opened).toEqual(['https://a.example']);
});

test('forgets the failures of the destination that failed least recently beyond 10,000 failing destinations', () => {
  const { circuits, opened } = start();
  circuits.report('https://first.example', down);
  circuits.report('https://second.example', down);
  for (let number = 1; number < 10_000; number += 1) circuits.report(`https://${number}.example`, down);
  circuits.report('https://first.example', down);
  expect(opened).toEqual([]);
  circuits.report('https://9999.example', down);
  expect(opened).toEqual(['https://9999.example']);
});
