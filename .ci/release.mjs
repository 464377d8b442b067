// Releases the packages: `release.mjs [--dry-run] [OPTION OF npm publish...]`. Versions by changesets, changelog, lockfile, build, packages and
// their check; then commit, tag, publication and push. A dry run does it up to the check, in a copy of the last commit.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// In the order of their dependencies: a package is published after those that it needs.
const workspaces = ['metadata', 'console', 'docs', 'server', 'cli'];
const root = fileURLToPath(new URL('..', import.meta.url));
const args = process.argv.slice(2);
const isDryRun = args.includes('--dry-run');
const publishOptions = args.filter((argument) => argument !== '--dry-run');
const print = (line) => process.stdout.write(`${line}\n`);
const temporary = mkdtempSync(join(tmpdir(), 'joinery-release-'));

try {
  if (isDryRun) dryRun();
  else release();
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

function dryRun() {
  const folder = join(temporary, 'copy');
  mkdirSync(folder);
  run(folder, 'tar', ['-xf', '-'], execFileSync('git', ['archive', 'HEAD'], { cwd: root, maxBuffer: 1e9 }));
  run(folder, 'npm', ['ci', '--no-audit', '--no-fund']);
  // The step of the versions runs also if no change waits for a release.
  if (changesetsIn(folder).length === 0) {
    writeFileSync(join(folder, '.changeset/dry-run.md'), '---\n"joinery": patch\n---\n\nNothing: this is a dry run.\n');
  }
  const { version, tarballs } = prepare(folder);
  print(`Dry run of the release ${version}: ${tarballs.length} packages were built and checked, none was published.`);
}

function release() {
  const text = (...command) => execFileSync('git', command, { cwd: root, encoding: 'utf8' }).trim();
  if (text('status', '--porcelain') !== '') throw new Error('Commit or remove the changes of the working tree first');
  if (text('branch', '--show-current') !== 'main') throw new Error('Releases are made from the branch main');
  if (changesetsIn(root).length === 0 && text('tag', '--list', `v${versionOf(root)}`) !== '') {
    throw new Error(`${versionOf(root)} is released; add a changeset: npx changeset`);
  }
  const { version, tarballs } = prepare(root);
  const tag = `v${version}`;
  run(root, 'git', ['add', '--all']);
  run(root, 'git', ['commit', '--quiet', '--message', `release: ${tag}`]);
  run(root, 'git', ['tag', '--annotate', tag, '--message', `Joinery ${version}`]);
  for (const tarball of tarballs) run(root, 'npm', ['publish', tarball, ...publishOptions]);
  run(root, 'git', ['push', '--follow-tags', 'origin', 'main']);
  print(`Released ${version}.`);
}

/** Writes versions, changelog and lockfile, builds, and returns the checked packages. Without changesets the version remains. */
function prepare(folder) {
  const changesets = changesetsIn(folder).map((file) => join(folder, '.changeset', file));
  const changelog = join(folder, 'CHANGELOG.md');
  const kept = join(temporary, 'changesets');
  mkdirSync(kept);
  const copies = changesets.map((path) => {
    const copy = join(kept, basename(path));
    writeFileSync(copy, readFileSync(path));
    return copy;
  });
  if (changesets.length > 0) run(folder, 'npx', ['--no-install', 'changeset', 'version']);
  const version = versionOf(folder);
  const date = new Date().toISOString().slice(0, 10);
  const script = join(folder, '.ci/changelog.mjs');
  const input = readFileSync(changelog);
  writeFileSync(
    changelog,
    execFileSync(process.execPath, [script, version, date, ...copies], { input, maxBuffer: 1e8 }),
  );
  run(folder, 'npm', ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund']);
  run(folder, 'npm', ['run', '--silent', 'build']);
  const tarballs = pack(folder);
  for (const path of tarballs) run(folder, 'npx', ['--no-install', 'publint', '--strict', path]);
  for (const path of tarballs) print(`${basename(path)}: ${(statSync(path).size / 1e6).toFixed(1)} MB`);
  return { version, tarballs };
}

function versionOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'cli/package.json'), 'utf8')).version;
}

function changesetsIn(folder) {
  return readdirSync(join(folder, '.changeset')).filter((file) => file.endsWith('.md') && file !== 'README.md');
}

function pack(folder) {
  const command = ['pack', '--json', '--pack-destination', temporary];
  return workspaces.map((workspace) => {
    const output = execFileSync('npm', command, {
      cwd: join(folder, workspace),
      encoding: 'utf8',
      maxBuffer: 1e8,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return join(temporary, JSON.parse(output)[0].filename);
  });
}

function run(folder, program, given, input) {
  execFileSync(program, given, {
    cwd: folder,
    input,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'inherit', 'inherit'],
  });
}
