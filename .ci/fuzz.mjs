/**
 * Repeats the random tests with new seeds until one fails or the time is over: `npm run fuzz -- --minutes 60`. A failure prints
 * its seed. `FUZZ_SEED` selects the first seed, `FUZZ_SCALE` the extent.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' } } });
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new TypeError(`--minutes must be a number above 0, and is "${values.minutes}"`);

const end = Date.now() + minutes * 60_000;
let seed = Number(process.env.FUZZ_SEED ?? Date.now() % 100_000_000);
let rounds = 0;
do {
  const env = { ...process.env, FUZZ_SEED: String(seed), FUZZ_SCALE: process.env.FUZZ_SCALE ?? '10' };
  process.stdout.write(`FUZZ_SEED=${env.FUZZ_SEED} FUZZ_SCALE=${env.FUZZ_SCALE}\n`);
  const { status } = spawnSync('npx', ['vitest', 'run', '/test/fuzz/'], { env, stdio: 'inherit' });
  if (status !== 0) {
    process.stdout.write(`failed with FUZZ_SEED=${env.FUZZ_SEED} FUZZ_SCALE=${env.FUZZ_SCALE}\n`);
    process.exit(1);
  }
  rounds += 1;
  seed += 1;
} while (Date.now() < end);
process.stdout.write(`${rounds} rounds without a failure\n`);
