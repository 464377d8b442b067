/** The delivery of scheduled events in virtual time: many seeds, and the simulation itself. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { installProcesses } from './node-process.ts';
import { reduce } from './reduce.ts';
import { type Scenario, scenarioOf } from './scenario.ts';
import { type SimulationResult, simulate } from './simulation.ts';
import { createVirtualDatabase, type VirtualDatabase } from './virtual-database.ts';

vi.setConfig({ testTimeout: 300_000 });

/** `npm run simulate` runs more. */
const SEEDS = 200;
const PARALLEL = 2;

let databases: VirtualDatabase[];
let restore: () => void;

beforeAll(async () => {
  databases = await Promise.all(Array.from({ length: PARALLEL }, createVirtualDatabase));
  restore = installProcesses();
});
afterAll(async () => {
  restore();
  for (const database of databases) await database.close();
});

function firstDatabase(): VirtualDatabase {
  const [database] = databases;
  if (database === undefined) throw new Error('there is no database');
  return database;
}

test('events are neither lost, early, out of order nor repeated, whatever fails: run `npm run simulate -- --seed` with the seed', async () => {
  const broken: string[] = [];
  let next = 1;
  const work = async (database: VirtualDatabase): Promise<void> => {
    while (next <= SEEDS) {
      const seed = next;
      next += 1;
      const { violations } = await simulate(scenarioOf(seed), database);
      broken.push(...violations.map((message) => `seed ${seed}: ${message}`));
    }
  };
  await Promise.all(databases.map(work));
  expect(broken).toEqual([]);
});

test('a seed replays exactly', async () => {
  const digests: string[] = [];
  for (const database of [...databases, firstDatabase()]) {
    digests.push((await simulate(scenarioOf(5), database)).digest);
  }
  expect(new Set(digests).size).toBe(1);
});

test('a database that does not store outcomes breaks a rule', async () => {
  const database = firstDatabase();
  const forgetful: VirtualDatabase = {
    ...database,
    run: (run, at) => {
      const isOutcome = run.text.includes('joinery.settle_events');
      return database.run(isOutcome ? { text: 'select null where false', values: [] } : run, at);
    },
  };
  const { violations } = await simulate({ ...scenarioOf(2), failures: [], failingWebhooks: 0 }, forgetful);
  expect(violations).not.toEqual([]);
});

test('a scenario that breaks a rule is reduced to what the rule needs', async () => {
  const scenario = scenarioOf(3);
  const event = scenario.events[2];
  const failure = { kind: 'kill', node: 0, at: 100, forMs: 100 } as const;
  const run = async ({ events, failures }: Scenario): Promise<SimulationResult> => {
    const isBroken = events.some(({ id }) => id === event?.id) && failures.includes(failure);
    return { violations: isBroken ? ['rule: broken'] : [], trace: [], digest: '', calls: 0, virtualMs: 0 };
  };
  const { scenario: reduced } = await reduce({ ...scenario, failures: [...scenario.failures, failure] }, run);
  expect(reduced).toMatchObject({ events: [event], failures: [failure], nodes: 1 });
});
