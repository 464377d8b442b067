/**
 * Simulates the delivery of events for many seeds:
 *
 *     npm run simulate -- --seeds 10000
 *     npm run simulate -- --seed 17 --trace
 *
 * Prints the seeds whose simulation breaks a rule, each with a reduced scenario, and exits with status 1 if there are any.
 */
import { parseArgs } from 'node:util';
import { setup } from '../support/database/global-setup.ts';
import { installProcesses } from './node-process.ts';
import { reduce } from './reduce.ts';
import { scenarioOf } from './scenario.ts';
import { simulate } from './simulation.ts';
import { createVirtualDatabase, type VirtualDatabase } from './virtual-database.ts';

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    seeds: { type: 'string', default: '1000' },
    first: { type: 'string', default: '1' },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
    parallel: { type: 'string', default: '2' },
  },
});

const first = Number(values.seed ?? values.first);
const last = values.seed === undefined ? first + Number(values.seeds) - 1 : first;
if (!Number.isInteger(first) || !Number.isInteger(last))
  throw new Error('--seed, --first and --seeds are whole numbers');

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const stop = await setup();
const databases = await Promise.all(Array.from({ length: Number(values.parallel) }, createVirtualDatabase));
const restore = installProcesses();
const began = performance.now();
let next = first;
let calls = 0;
let failed = 0;

async function work(database: VirtualDatabase): Promise<void> {
  while (next <= last) {
    const seed = next;
    next += 1;
    const result = await simulate(scenarioOf(seed), database);
    calls += result.calls;
    if (values.trace) print(result.trace.join('\n'));
    if (values.seed !== undefined) print(`digest ${result.digest}`);
    if (result.violations.length > 0) {
      failed += 1;
      print(`seed ${seed}: ${result.violations.join('\n  ')}`);
      const reduced = await reduce(scenarioOf(seed), (scenario) => simulate(scenario, database));
      print(`  reduced to ${JSON.stringify(reduced.scenario)}\n  ${reduced.result.violations.join('\n  ')}`);
    }
  }
}

await Promise.all(databases.map(work));
restore();
await Promise.all(databases.map((database) => database.close()));
await stop();
const seconds = Math.round((performance.now() - began) / 1_000);
print(`${last - first + 1} seeds, ${calls} calls, ${failed} seeds break a rule, ${seconds} s`);
process.exitCode = failed > 0 ? 1 : 0;
