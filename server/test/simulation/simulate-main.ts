/** Simulates the delivery of events for many seeds; see `help`. */
import { parseArgs } from 'node:util';
import { installProcesses } from './engine/node-process.ts';
import type { VirtualDatabase } from './engine/virtual-database.ts';
import { createSimulationDatabase, isKind, type Kind, kinds } from './kinds.ts';
import { reduce } from './reduce.ts';

const help = `Simulates the delivery of events in virtual time.

    npm run simulate -- --seeds 1000                       1,000 seeds of each kind
    npm run simulate -- --kind triggers --seeds 1000
    npm run simulate -- --kind triggers --seed 17 --trace

Prints the seeds whose simulation breaks a rule, each with a reduced scenario, and exits with status 1 if there are any.

    --kind <name>     ${Object.keys(kinds).join(', ')}, or several with commas; default: all
    --seeds <number>  seeds of each kind; default: 1000
    --first <number>  the first seed; default: 1
    --seed <number>   this seed only
    --trace           print what happens
    --parallel <n>    simulations at a time; default: 2
    --no-reduce       do not reduce scenarios
    --stop            stop after the first seed that breaks a rule
`;

const { values } = parseArgs({
  args: process.argv.slice(3),
  allowNegative: true,
  options: {
    help: { type: 'boolean', default: false },
    kind: { type: 'string', default: Object.keys(kinds).join() },
    seeds: { type: 'string', default: '1000' },
    first: { type: 'string', default: '1' },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
    parallel: { type: 'string', default: '2' },
    reduce: { type: 'boolean', default: true },
    stop: { type: 'boolean', default: false },
  },
});

const print = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const counts = new Map<Kind, { seeds: number; calls: number; broken: number }>();

const isBroken = (): boolean => [...counts.values()].some(({ broken }) => broken > 0);

async function runOne(kind: Kind, seed: number, database: VirtualDatabase): Promise<void> {
  const simulation = kinds[kind](seed);
  const result = await simulation.run(database);
  const count = counts.get(kind) ?? { seeds: 0, calls: 0, broken: 0 };
  count.seeds += 1;
  count.calls += result.calls;
  counts.set(kind, count);
  if (values.trace) print(result.trace.join('\n'));
  if (values.seed !== undefined) print(`digest ${result.digest}`);
  if (result.violations.length === 0) return;
  count.broken += 1;
  print(`${kind} ${seed}: ${result.violations.join('\n  ')}`);
  if (!values.reduce) return;
  const reduced = await reduce(simulation.scenario, (scenario) => simulation.run(database, scenario));
  print(`  reduced to ${JSON.stringify(reduced.scenario)}\n  ${reduced.result.violations.join('\n  ')}`);
}

async function runAll(chosen: readonly Kind[], first: number, last: number): Promise<void> {
  const databases = await Promise.all(Array.from({ length: Number(values.parallel) }, createSimulationDatabase));
  const restore = installProcesses();
  const began = performance.now();
  const runs = chosen.flatMap((kind) =>
    Array.from({ length: last - first + 1 }, (_unused, index) => [kind, first + index] as const),
  );
  const work = async (database: VirtualDatabase): Promise<void> => {
    for (let run = runs.shift(); run !== undefined && !(values.stop && isBroken()); run = runs.shift()) {
      await runOne(...run, database);
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

if (values.help) print(help);
else {
  const first = Number(values.seed ?? values.first);
  const last = values.seed === undefined ? first + Number(values.seeds) - 1 : first;
  const chosen = values.kind.split(',');
  if (!Number.isInteger(first) || !Number.isInteger(last))
    throw new Error('--seed, --first and --seeds are whole numbers');
  if (!chosen.every(isKind)) throw new Error(`--kind is one of ${Object.keys(kinds).join(', ')}`);
  await runAll(chosen, first, last);
}
