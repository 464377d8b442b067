/** The options of `npm run simulate`. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readOptions } from './options.ts';

test.each([
  [['--kind', 'foo'], '--kind is "foo", and must be one of scheduled, cron, triggers, '],
  [['--kind', 'cron,foo'], '--kind is "foo"'],
  [['--seeds', 'many'], '--seeds is "many", and must be a whole number from 1 on'],
  [['--seed', '0'], '--seed is "0"'],
  [['--parallel', '1.5'], '--parallel is "1.5"'],
  [['--unknown'], "Unknown option '--unknown'"],
  [['--seed'], "'--seed <value>' argument missing"],
  [['17'], "Unexpected argument '17'"],
])('the arguments %j are rejected with a message', (args, problem) => {
  expect(readOptions(args)).toEqual({ problem: expect.stringContaining(problem) });
});

test('a seed is simulated for the kinds that are named', () => {
  expect(readOptions(['--kind', 'cron,actions', '--seed', '17', '--no-reduce'])).toEqual({
    chosen: ['cron', 'actions'],
    first: 17,
    last: 17,
    parallel: 2,
    trace: false,
    reduce: false,
    stop: false,
  });
});

test('the command ends with status 2 and the usage for an unknown kind', async () => {
  const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
  const args = [file('../support/service/run-typescript.mjs'), file('simulate-main.ts'), '--kind', 'foo'];
  const failure = await promisify(execFile)(process.execPath, args).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^--kind is "foo".*\n\nSimulates the delivery/),
  });
});
