/** The options of `npm run simulate`. */
import { parseArgs } from 'node:util';
import { isKind, type Kind, kinds } from './kinds.ts';

const names = Object.keys(kinds).join(', ');

export const usage = `Simulates the delivery of events in virtual time.

    npm run simulate -- --seeds 1000                       1,000 seeds of each kind
    npm run simulate -- --kind triggers --seeds 1000
    npm run simulate -- --kind triggers --seed 17 --trace

Prints the seeds whose simulation breaks a rule, each with a reduced scenario, and exits with status 1 if there are any; with status 2
for an invalid option.

    --kind <name>     ${names}, or several with commas; default: all
    --seeds <number>  seeds of each kind; default: 1000
    --first <number>  the first seed; default: 1
    --seed <number>   this seed only
    --trace           print what happens
    --parallel <n>    simulations at a time; default: 2
    --no-reduce       do not reduce scenarios
    --stop            stop after the first seed that breaks a rule
`;

export interface SimulateOptions {
  readonly chosen: readonly Kind[];
  readonly first: number;
  readonly last: number;
  readonly parallel: number;
  readonly trace: boolean;
  readonly reduce: boolean;
  readonly stop: boolean;
}

/** What is wrong with the options. */
export interface OptionProblem {
  readonly problem: string;
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
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
  }).values;
}

/** Parses the arguments of the command; returns `help` where the usage is requested. */
export function readOptions(args: readonly string[]): SimulateOptions | OptionProblem | 'help' {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(args);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
  const { help, trace, reduce, stop } = values;
  if (help) return 'help';
  const chosen = values.kind.split(',');
  const unknown = chosen.find((name) => !isKind(name));
  if (unknown !== undefined) return { problem: `--kind is "${unknown}", and must be one of ${names}` };
  for (const name of ['seeds', 'first', 'seed', 'parallel'] as const) {
    const text = values[name];
    if (text === undefined || /^[1-9]\d{0,8}$/.test(text)) continue;
    return { problem: `--${name} is "${text}", and must be a whole number from 1 on` };
  }
  const first = Number(values.seed ?? values.first);
  const last = values.seed === undefined ? first + Number(values.seeds) - 1 : first;
  return { chosen: chosen.filter(isKind), first, last, parallel: Number(values.parallel), trace, reduce, stop };
}
