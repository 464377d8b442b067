/** Delivery in virtual time: many seeds of each kind, and the simulation itself. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { installProcesses } from './engine/node-process.ts';
import type { Scenario } from './engine/scenario.ts';
import type { SimulationResult } from './engine/simulation.ts';
import type { VirtualDatabase } from './engine/virtual-database.ts';
import { createSimulationDatabase, type Kind, kinds } from './kinds.ts';
import { reduce } from './reduce.ts';

vi.setConfig({ testTimeout: 900_000 });

/** Seeds of each kind. `npm run simulate` runs more. */
const seeds: Readonly<Record<Kind, number>> = { scheduled: 80, cron: 20, triggers: 60, actions: 40, batches: 40 };
const PARALLEL = 2;

let databases: VirtualDatabase[];
let restore: () => void;

beforeAll(async () => {
  databases = await Promise.all(Array.from({ length: PARALLEL }, createSimulationDatabase));
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

const everyKind = Object.keys(seeds) as Kind[];

test.each(everyKind)(
  '%s: events are neither lost, early, out of order nor repeated, whatever fails: run `npm run simulate -- --kind --seed` with the seed',
  async (kind) => {
    const broken: string[] = [];
    let next = 1;
    const work = async (database: VirtualDatabase): Promise<void> => {
      while (next <= seeds[kind]) {
        const seed = next;
        next += 1;
        const { violations } = await kinds[kind](seed).run(database);
        broken.push(...violations.map((message) => `seed ${seed}: ${message}`));
      }
    };
    await Promise.all(databases.map(work));
    expect(broken).toEqual([]);
  },
);

test.each(everyKind)('%s: a seed replays exactly', async (kind) => {
  const digests: string[] = [];
  for (const database of [...databases, firstDatabase()]) {
    digests.push((await kinds[kind](5).run(database)).digest);
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
  const { scenario, run } = kinds.scheduled(2);
  const { violations } = await run(forgetful, { ...scenario, failures: [], failingWebhooks: 0 });
  expect(violations).not.toEqual([]);
});

test('a scenario that breaks a rule is reduced to what the rule needs', async () => {
  const { scenario } = kinds.scheduled(3);
  const event = scenario.events[2];
  const failure = { kind: 'kill', node: 0, at: 100, forMs: 100 } as const;
  const run = async ({ events, failures }: Scenario): Promise<SimulationResult> => {
    const isBroken = events.includes(event) && failures.includes(failure);
    return { violations: isBroken ? ['rule: broken'] : [], trace: [], digest: '', calls: 0, virtualMs: 0 };
  };
  const { scenario: reduced } = await reduce({ ...scenario, failures: [...scenario.failures, failure] }, run);
  expect(reduced).toMatchObject({ events: [event], failures: [failure], nodes: 1 });
});
