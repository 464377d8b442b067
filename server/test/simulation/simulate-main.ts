/** Simulates the delivery of events for many seeds; see `usage`. */
import { installProcesses } from './engine/node-process.ts';
import type { VirtualDatabase } from './engine/virtual-database.ts';
import { createSimulationDatabase, type Kind, kinds } from './kinds.ts';
import { readOptions, type SimulateOptions, usage } from './options.ts';
import { reduce } from './reduce.ts';

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const counts = new Map<Kind, { seeds: number; calls: number; broken: number }>();

const isBroken = (): boolean => [...counts.values()].some(({ broken }) => broken > 0);

async function runOne(kind: Kind, seed: number, database: VirtualDatabase, options: SimulateOptions): Promise<void> {
  const simulation = kinds[kind](seed);
  const result = await simulation.run(database);
  const count = counts.get(kind) ?? { seeds: 0, calls: 0, broken: 0 };
  count.seeds += 1;
  count.calls += result.calls;
  counts.set(kind, count);
  if (options.trace) print(result.trace.join('\n'));
  if (options.first === options.last) print(`digest ${result.digest}`);
  if (result.violations.length === 0) return;
  count.broken += 1;
  print(`${kind} ${seed}: ${result.violations.join('\n  ')}`);
  if (!options.reduce) return;
  const reduced = await reduce(simulation.scenario, (scenario) => simulation.run(database, scenario));
  print(`  reduced to ${JSON.stringify(reduced.scenario)}\n  ${reduced.result.violations.join('\n  ')}`);
}

async function runAll(options: SimulateOptions): Promise<void> {
  const { chosen, first, last, parallel, stop } = options;
  const databases = await Promise.all(Array.from({ length: parallel }, createSimulationDatabase));
  const restore = installProcesses();
  const began = performance.now();
  const runs = chosen.flatMap((kind) =>
    Array.from({ length: last - first + 1 }, (_unused, index) => [kind, first + index] as const),
  );
  const work = async (database: VirtualDatabase): Promise<void> => {
    for (let run = runs.shift(); run !== undefined && !(stop && isBroken()); run = runs.shift()) {
      await runOne(...run, database, options);
    }
  };
  await Promise.all(databases.map(work));
  restore();
  await Promise.all(databases.map((database) => database.close()));
  for (const [kind, { seeds, calls, broken }] of counts) {
    print(`${kind}: ${seeds} seeds, ${calls} calls, ${broken} seeds break a rule`);
  }
  if (isBroken()) process.exitCode = 1;
  print(`${Math.round((performance.now() - began) / 1_000)} s`);
}

const read = readOptions(process.argv.slice(3));
if (read === 'help') print(usage);
else if ('problem' in read) {
  process.stderr.write(`${read.problem}\n\n${usage}`);
  process.exitCode = 2;
} else await runAll(read);
