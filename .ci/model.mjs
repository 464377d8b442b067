/**
 * Checks the model of leases with spin, over all of its states: `npm run model`. The model must hold, and each defect that it can plant must
 * be found, which proves that the check can fail. Needs Debian's `spin` and `gcc`; exits with status 2 without them.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const model = fileURLToPath(new URL('../server/test/simulation/lease.pml', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'joinery-model-'));

/** Returns the output of the program. Throws if it fails. */
function run(program, args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
  if (error?.code === 'ENOENT') {
    process.stdout.write(`${program} is not installed; the model of leases is not checked.\n`);
    process.exit(2);
  }
  if (error || status !== 0) throw new Error(`${program} failed: ${error ?? stdout + stderr}`);
  return stdout;
}

/** Checks the model with a planted defect, 0 for none. Returns whether an assertion fails, and the number of states. */
function check(defect) {
  run('spin', ['-a', `-DDEFECT=${defect}`, model]);
  // Without invalid end states: a node whose leases are used up waits for ever.
  run('gcc', ['-w', '-O2', '-DSAFETY', '-DCOLLAPSE', '-DMEMLIM=1000', '-o', 'pan', 'pan.c']);
  const output = run('./pan', ['-E', '-m200000', '-w22']);
  const [, states] = /(\d+) states, stored/.exec(output) ?? [];
  const [, errors] = /errors: (\d+)/.exec(output) ?? [];
  if (states === undefined || errors === undefined || output.includes('error: max search depth too small')) {
    throw new Error(`the check has no result: ${output}`);
  }
  if (errors === '0' && output.includes('Search not completed'))
    throw new Error(`the check is not complete: ${output}`);
  return { isBroken: errors !== '0', states };
}

let failed = false;
try {
  const defects = [...readFileSync(model, 'utf8').matchAll(/^ \* {3}(\d) {2}(.*)$/gm)];
  if (defects.length === 0) throw new Error('the model lists no defects');
  for (const [, defect, description] of [['', '0', 'no defect'], ...defects]) {
    const { isBroken, states } = check(defect);
    const isExpected = isBroken === (defect !== '0');
    failed ||= !isExpected;
    const result = isBroken ? 'a rule is broken' : 'all rules hold';
    process.stdout.write(`${isExpected ? 'ok' : 'FAILED'}: ${description}: ${result}, ${states} states\n`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.exitCode = failed ? 1 : 0;
