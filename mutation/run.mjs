// Mutation testing of the areas in areas.mjs: `run.mjs [AREA...] [OPTIONS]`. Changes one expression at a time and runs the
// tests that reach it. Prints the score of each area and the mutants that no test finds; accepted.json has those that cannot be found, with
// reasons. Exit code 1 if a score is lower than required. Needs Node.js 22 or newer.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { setup } from '../server/test/support/database/global-setup.ts';
import { areas } from './areas.mjs';

const usage = `Usage: npm run mutate -- [AREA...] [--since REF] [--file PATTERN] [--sample N [--offset K]] [--fast]
                        [--skip-static] [--workers N]

Areas: ${Object.keys(areas).join(', ')}. Without an area, all.

  --since REF      only files that changed since this commit
  --file PATTERN   only files whose path matches, such as "server/src/auth/jwt/*.ts"
  --sample N       only the mutants within every Nth line of the files: an estimate of the score in less time
  --offset K       which of each N lines, from 1 to N (default the middle one): lines that were not tested before
  --fast           without the tests that start services or a database, for a first look: those find more
  --skip-static    without changes of what a module computes when it is loaded, which need a new process each
  --workers N      test processes at the same time (default 2)

Examples:
  npm run mutate -- signing
  npm run mutate -- auth --since origin/main
  npm run mutate -- auth --fast
  npm run mutate -- plan --sample 20
  npm run mutate -- plan --sample 20 --offset 3
`;

const { values, positionals, problem } = readArguments();
const root = fileURLToPath(new URL('..', import.meta.url));
const accepted = JSON.parse(readFileSync(new URL('accepted.json', import.meta.url), 'utf8'));
/** Stops the server of the tests; undefined before the first test. */
let stopServer;
const print = (line) => process.stdout.write(`${line}\n`);

if (problem !== undefined) {
  process.stderr.write(`${problem}\n\n${usage}`);
  process.exitCode = 2;
} else if (values.help) print(usage);
else {
  process.chdir(root);
  try {
    for (const name of positionals.length > 0 ? positionals : Object.keys(areas)) await test(name);
  } finally {
    await stopServer?.();
  }
}

/** Returns the arguments, with what is wrong with them. */
function readArguments() {
  const options = {
    since: { type: 'string' },
    file: { type: 'string' },
    sample: { type: 'string', default: '1' },
    offset: { type: 'string' },
    fast: { type: 'boolean', default: false },
    'skip-static': { type: 'boolean', default: false },
    workers: { type: 'string', default: '2' },
    help: { type: 'boolean', short: 'h', default: false },
  };
  try {
    const read = parseArgs({ allowPositionals: true, options });
    const unknown = read.positionals.filter((name) => !Object.hasOwn(areas, name));
    if (unknown.length > 0) return { ...read, problem: `There is no area "${unknown.join('", "')}".` };
    const { sample, offset } = read.values;
    const numbers = ['sample', 'offset', 'workers'].filter((option) => read.values[option] !== undefined);
    const wrong = numbers.filter((option) => !/^[1-9]\d*$/.test(read.values[option]));
    if (wrong.length > 0) return { ...read, problem: `--${wrong[0]} is a positive whole number.` };
    if (Number(offset ?? 1) > Number(sample)) return { ...read, problem: '--offset is at most the N of --sample.' };
    return read;
  } catch (error) {
    return { values: {}, positionals: [], problem: error.message };
  }
}

/**
 * Tests the mutants of an area and prints its result. Its `slow` tests, which take seconds for each mutant, run for the mutants
 * that the others have not found.
 */
async function test(name) {
  const { mutate, tests, slow, score } = areas[name];
  const files = filesOf(mutate);
  if (files.length === 0) {
    print(`${name}: no file to mutate`);
    return;
  }
  const began = performance.now();
  const results = await run(values.sample === '1' ? files : sampleOf(files), tests);
  const rest = results.filter((mutant) => isTested(mutant) && !isFound(mutant));
  const again = slow === undefined || values.fast || rest.length === 0 ? [] : await run(rest.map(rangeOf), slow);
  const found = new Set(again.filter(isFound).map(keyOf));
  const all = results.map((mutant) => (found.has(keyOf(mutant)) ? { ...mutant, status: 'Killed' } : mutant));
  report(name, score, all, (performance.now() - began) / 60_000);
}

/** Tests mutants of these files or ranges. */
async function run(mutate, tests) {
  // One server for all processes of tests, of which each would otherwise start its own.
  stopServer ??= await setup();
  process.env.JOINERY_MUTATION_TESTS = JSON.stringify(tests);
  return await new Stryker({
    mutate,
    testRunner: 'vitest',
    plugins: [
      fileURLToPath(import.meta.resolve('@stryker-mutator/vitest-runner')),
      fileURLToPath(new URL('reporter.mjs', import.meta.url)),
    ],
    vitest: { configFile: 'mutation/vitest.config.ts', related: false, pool: 'forks' },
    // Tests that pass only in their first run would count as finding every mutant.
    coverageAnalysis: 'perTest',
    ignoreStatic: values['skip-static'],
    concurrency: Number(values.workers),
    reporters: ['progress-append-only', 'survivors'],
    tempDirName: '.stryker-tmp',
    ignorePatterns: ['.git', 'bench', 'compatibility', '**/dist', '**/pictures'],
    // Its rewriting of paths needs an older TypeScript, and nothing here extends a configuration outside of the folder.
    tsconfigFile: 'none.json',
    allowConsoleColors: false,
    allowEmpty: false,
    dryRunTimeoutMinutes: 30,
    timeoutMS: 30_000,
  }).runMutationTest();
}

function isTested({ status }) {
  return status !== 'Ignored' && status !== 'CompileError';
}

function isFound({ status }) {
  return status === 'Killed' || status === 'Timeout' || status === 'RuntimeError';
}

/** Returns the range of a mutant, which can contain others. Lines of ranges begin with 1, columns with 0. */
function rangeOf({ fileName, location: { start, end } }) {
  return `${fileName.slice(root.length)}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`;
}

function keyOf(mutant) {
  return `${rangeOf(mutant)} ${mutant.replacement}`;
}

/** Returns the files of an area without its tests, as the options limit them. */
function filesOf(patterns) {
  const isIn = (path) =>
    patterns.some((pattern) => !pattern.startsWith('!') && matchesGlob(path, pattern)) &&
    !patterns.some((pattern) => pattern.startsWith('!') && matchesGlob(path, pattern.slice(1)));
  const lines = (...args) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);
  const listed =
    values.since === undefined ? lines('ls-files') : lines('diff', '--name-only', '--diff-filter=d', values.since);
  return listed.filter(
    (path) =>
      path.endsWith('.ts') &&
      !path.endsWith('.test.ts') &&
      isIn(path) &&
      (values.file === undefined || matchesGlob(path, values.file)),
  );
}

/** Returns every Nth of the lines of all files as ranges of Stryker, `path:7-7`. */
function sampleOf(paths) {
  const step = Number(values.sample);
  const offset = values.offset === undefined ? Math.floor(step / 2) : Number(values.offset) - 1;
  const lines = paths.flatMap((path) => {
    const count = readFileSync(path, 'utf8').split('\n').length - 1;
    return Array.from({ length: count }, (_, index) => `${path}:${index + 1}-${index + 1}`);
  });
  return lines.filter((_, index) => index % step === offset);
}

function report(name, required, results, minutes) {
  const tested = results.filter(isTested);
  const others = tested.filter((mutant) => !isFound(mutant)).map(describe);
  const isAccepted = (mutant) =>
    isUnreachable(mutant) ||
    accepted.some(
      ({ file, code, replacement }) =>
        file === mutant.file && code === mutant.code && replacement === mutant.replacement,
    );
  const survivors = others.filter((mutant) => !isAccepted(mutant));
  const counted = tested.length - (others.length - survivors.length);
  const score = counted === 0 ? 100 : (100 * (counted - survivors.length)) / counted;
  for (const { file, line, code, replacement, status } of survivors) {
    print(`${status} ${file}:${line}\n  - ${code}\n  + ${replacement}`);
  }
  print(
    `${name}: ${score.toFixed(1)} % of ${counted} mutants are found, ${required} % required; ${others.length - survivors.length} accepted; ${minutes.toFixed(1)} minutes`,
  );
  mkdirSync('mutation/results', { recursive: true });
  writeFileSync(`mutation/results/${name}.json`, JSON.stringify({ score, counted, survivors }, undefined, 2));
  if (score < required) process.exitCode = 1;
}

/** Whether the compiler proves that the code does not run. */
function isUnreachable({ code }) {
  return /^default:\s*return [\w.]+ satisfies never;$/.test(code);
}

/** The line of a mutant before and after its change. */
function describe({ fileName, location, replacement, status }) {
  const file = fileName.slice(root.length);
  const lines = readFileSync(fileName, 'utf8').split('\n');
  const { start, end } = location;
  // Lines and columns of results begin with 1.
  const first = lines[start.line - 1] ?? '';
  const last = lines[end.line - 1] ?? '';
  const code = lines.slice(start.line - 1, end.line).join('\n');
  const changed = first.slice(0, start.column - 1) + replacement + last.slice(end.column - 1);
  return { file, line: start.line, code: code.trim(), replacement: changed.trim(), status };
}
