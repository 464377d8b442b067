// Runs the core tests on releases of Node.js: `node-versions.mjs [MAJOR...]`, by default 22 and 24. The programs come from npm,
// into a temporary folder. Exit code 1 if tests fail, 2 if a program cannot be obtained.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The package with the program, which needs no script after its installation. */
const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

const versions = process.argv.length > 2 ? process.argv.slice(2) : ['22', '24'];
for (const version of versions) {
  if (!/^\d+$/.test(version)) throw new Error(`"${version}" is not a major version of Node.js, such as 22`);
  const folder = mkdtempSync(join(tmpdir(), `joinery-node-${version}-`));
  try {
    const options = ['--prefix', folder, '--no-save', '--no-audit', '--no-fund'];
    spawnSync('npm', ['install', ...options, `${name}@${version}`], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const program = join(folder, 'node_modules', name, 'bin', 'node');
    if (!existsSync(program)) {
      process.stderr.write(`Node.js ${version} could not be obtained\n`);
      process.exitCode = 2;
      continue;
    }
    process.stdout.write(`== ${spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout}`);
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.versions.config.ts'];
    const { status } = spawnSync(program, vitest, { stdio: 'inherit' });
    if (status !== 0) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
