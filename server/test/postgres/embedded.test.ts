/** The embedded Postgres: creation of the data folder, restart, adoption of a running server, lock, stop. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { Observation } from '../../src/base/telemetry/observe.ts';
import { findInstalled, prepareBinaries, repairLinks } from '../../src/postgres/embedded/binaries.ts';
import { type EmbeddedPostgres, startEmbedded } from '../../src/postgres/embedded/embedded.ts';
import { identifyProcess } from '../../src/postgres/embedded/process-identity.ts';
import { connect } from '../support/database/test-database.ts';

const isRoot = process.getuid?.() === 0;
const folders: string[] = [];
const servers: EmbeddedPostgres[] = [];
const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const server of servers.splice(0)) await server.stop();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'joinery-embedded-'));
  folders.push(path);
  return path;
}

let seed: string | undefined;

/** Returns a data folder of a stopped server. The files are created once and copied, because `initdb` takes seconds. */
async function initializedFolder(): Promise<string> {
  if (seed === undefined) {
    seed = join(mkdtempSync(join(tmpdir(), 'joinery-embedded-')), '.joinery');
    await (await startEmbedded({ directory: seed, settings: { fsync: 'off' } })).stop();
  }
  const directory = join(folder(), '.joinery');
  cpSync(seed, directory, { recursive: true });
  // Newer releases of Node.js do not copy the mode of folders.
  for (const path of ['postgres', 'postgres/data']) chmodSync(join(directory, path), 0o700);
  return directory;
}

afterAll(() => {
  if (seed !== undefined) rmSync(join(seed, '..'), { recursive: true, force: true });
});

async function start(directory: string, observe?: (observation: Observation) => void): Promise<EmbeddedPostgres> {
  const server = await startEmbedded({ directory, settings: { fsync: 'off' }, ...(observe && { observe }) });
  servers.push(server);
  return server;
}

async function query(server: { url: string }, text: string): Promise<(string | null)[][]> {
  const database = connect(server.url, 1);
  return database
    .query({ text, values: [] })
    .then(({ rows }) => rows)
    .finally(() => database.close());
}

/** Returns the command lines of the server of the folder and of its child processes, which contain an identifier of the folder. */
function processesIn(directory: string): string[] {
  const { dev, ino } = statSync(join(directory, 'postgres', 'data'));
  const all = spawnSync('ps', ['-eo', 'args', '-ww'], { encoding: 'utf8' }).stdout.split('\n');
  return all.filter((line) => line.includes(`joinery-${dev}-${ino}`));
}

interface Service {
  readonly process: ChildProcess;
  readonly url: string;
  readonly pid: number;
}

/** Starts a service in a process of its own, so that it can be killed. */
async function startService(directory: string, user?: { uid: number; gid: number }): Promise<Service> {
  const built = fileURLToPath(new URL('../../dist/postgres/embedded/embedded.js', import.meta.url));
  const code = `
    const { startEmbedded } = await import(${JSON.stringify(built)});
    const { url, pid } = await startEmbedded({ directory: ${JSON.stringify(directory)}, settings: { fsync: 'off' } });
    console.log(JSON.stringify({ url, pid }));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    ...user,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    child.once('exit', (code) => reject(new Error(`the service ended with exit code ${code}`)));
  });
  return { process: child, ...(JSON.parse(line) as { url: string; pid: number }) };
}

async function kill(service: Service): Promise<void> {
  const exited = new Promise((resolve) => service.process.once('exit', resolve));
  service.process.kill('SIGKILL');
  await exited;
}

test('the embedded Postgres keeps its data when it is restarted, and stops all its processes', async () => {
  const directory = join(folder(), 'project', '.joinery');
  const first = await start(directory);
  expect(first.adopted).toBe(false);
  await query(first, 'create table entry as select 42 as value');
  expect(processesIn(directory).length).toBeGreaterThan(3);
  await first.stop();
  expect(processesIn(directory)).toEqual([]);
  const second = await start(directory);
  expect(await query(second, 'select value from entry')).toEqual([['42']]);
  await second.stop();
  expect(processesIn(directory)).toEqual([]);
});

test('the embedded Postgres requires a password from a file that only its owner can read, uses UTF-8, and listens on loopback only', async () => {
  const directory = join(folder(), '.joinery');
  const server = await start(directory);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(statSync(join(directory, 'postgres.password')).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(directory, '.gitignore'), 'utf8')).toBe('*\n');
  const settings = `select current_setting('listen_addresses'), current_setting('unix_socket_directories'),
    current_setting('server_encoding'), current_setting('max_connections')::int >= 100, current_setting('timezone'),
    (select datlocale from pg_database where datname = current_database())`;
  expect(await query(server, settings)).toEqual([['127.0.0.1', '', 'UTF8', 't', 'UTC', 'C.UTF-8']]);
  const withWrongPassword = new URL(server.url);
  withWrongPassword.password = 'wrong';
  await expect(query({ url: withWrongPassword.href }, 'select 1')).rejects.toMatchObject({
    internal: { code: '28P01' },
  });
});

describe('a second service on the same folder', () => {
  test('is rejected with the ID of the process that uses the folder', async () => {
    const directory = await initializedFolder();
    const server = await start(directory);
    await expect(startEmbedded({ directory })).rejects.toMatchObject({
      code: 'invalid-configuration',
      message: expect.stringContaining(`process ${process.pid}`),
    });
    expect(await query(server, 'select 1')).toEqual([['1']]);
    await server.stop();
    expect((await start(directory)).adopted).toBe(false);
  });
});

describe('after a kill of the service', () => {
  test('the next service adopts a server that still runs', async () => {
    const directory = await initializedFolder();
    const service = await startService(directory);
    await query(service, 'create table entry as select 42 as value');
    await kill(service);
    const server = await start(directory);
    expect(server).toMatchObject({ adopted: true, pid: service.pid });
    expect(await query(server, 'select value from entry')).toEqual([['42']]);
    await server.stop();
    expect(processesIn(directory)).toEqual([]);
  });

  test('the next service restarts a killed server on the same data', async () => {
    const directory = await initializedFolder();
    const service = await startService(directory);
    await query(service, 'create table entry as select 42 as value');
    await kill(service);
    process.kill(service.pid, 'SIGKILL');
    const server = await start(directory);
    expect(server.adopted).toBe(false);
    expect(await query(server, 'select value from entry')).toEqual([['42']]);
  });

  test('the next service starts although another process has the ID in the lock and in postmaster.pid', async () => {
    const directory = await initializedFolder();
    await (await start(directory)).stop();
    // Postgres assumes that any process of its user with the ID in postmaster.pid is a server.
    const owner = statSync(join(directory, 'postgres', 'data'));
    const unrelated = spawn('sleep', ['60'], { cwd: '/', uid: owner.uid, gid: owner.gid });
    children.push(unrelated);
    const pidFile = join(directory, 'postgres', 'data', 'postmaster.pid');
    writeFileSync(pidFile, `${unrelated.pid}\n/somewhere\n1700000000\n5432\n\n127.0.0.1\n\nready\n`);
    chownSync(pidFile, owner.uid, owner.gid);
    writeFileSync(join(directory, 'lock'), JSON.stringify({ pid: unrelated.pid, started: 'long ago' }));
    expect((await start(directory)).adopted).toBe(false);
    expect(unrelated.exitCode).toBeNull();
  });

  test('the next service replaces an incomplete data folder', async () => {
    const directory = join(folder(), '.joinery');
    mkdirSync(join(directory, 'postgres.new', 'data', 'base'), { recursive: true });
    expect(await query(await start(directory), 'select 1')).toEqual([['1']]);
  });
});

test('the embedded Postgres reports a missing password file and changes nothing', async () => {
  const directory = await initializedFolder();
  unlinkSync(join(directory, 'postgres.password'));
  await expect(startEmbedded({ directory })).rejects.toThrow('postgres.password is missing');
  expect(existsSync(join(directory, 'postgres', 'data', 'PG_VERSION'))).toBe(true);
  expect(existsSync(join(directory, 'lock'))).toBe(false);
});

test('the embedded Postgres reports the message of Postgres if the server does not start', async () => {
  const directory = await initializedFolder();
  await expect(startEmbedded({ directory, settings: { max_connections: 'many' } })).rejects.toThrow(
    'invalid value for parameter "max_connections"',
  );
  expect(processesIn(directory)).toEqual([]);
});

test('the embedded Postgres reports a failure if the server ends unexpectedly', async () => {
  const observations: Observation[] = [];
  const server = await start(await initializedFolder(), (observation) => observations.push(observation));
  process.kill(server.pid, 'SIGQUIT');
  await expect.poll(() => observations).toMatchObject([{ kind: 'failure', where: 'embedded Postgres' }]);
  await server.stop();
});

test('the embedded Postgres rejects a data folder that cannot be written', async () => {
  const file = join(folder(), 'file');
  writeFileSync(file, '');
  await expect(startEmbedded({ directory: join(file, '.joinery') })).rejects.toMatchObject({
    code: 'invalid-configuration',
    message: expect.stringContaining('JOINERY_DATA_DIR'),
  });
});

describe('the binaries', () => {
  test('get their symbolic links if npm skipped the install script', () => {
    const native = join(folder(), 'native');
    cpSync(findInstalled().native, native, { recursive: true, verbatimSymlinks: true });
    const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as { target: string }[];
    const targets = links.map(({ target }) => join(native, '..', target));
    for (const target of targets) rmSync(target, { force: true });
    repairLinks(native);
    repairLinks(native);
    expect(targets.filter((target) => !existsSync(target))).toEqual([]);
  });
});

if (isRoot) {
  describe('a service that runs as root', () => {
    const unprivileged = { uid: 65534, gid: 65534 };

    test('starts the server as an unprivileged user in a folder that only root can read', async () => {
      const home = folder();
      chmodSync(home, 0o700);
      const directory = join(home, 'project', '.joinery');
      const server = await start(directory);
      const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
      expect(status).toMatch(/^Uid:\t65534\t65534\t65534\t65534$/m);
      expect(status).toMatch(/^Groups:\s*$/m);
      await query(server, 'create table entry as select 42 as value; checkpoint');
      await query(server, 'create database another');
      await server.stop();
      const again = await start(directory);
      expect(await query(again, 'select value from entry')).toEqual([['42']]);
    });

    test('copies the binaries once for each build to a folder that the unprivileged user can read', () => {
      const home = folder();
      chmodSync(home, 0o700);
      const native = join(home, 'native');
      cpSync(findInstalled().native, native, { recursive: true, verbatimSymlinks: true });
      const installed = { native, build: `test-${process.pid}` };
      const { postgres } = prepareBinaries(unprivileged, installed);
      const copy = join(postgres, '..', '..', '..');
      folders.push(copy);
      expect(copy).not.toContain(home);
      const created = statSync(postgres);
      expect(prepareBinaries(unprivileged, installed).postgres).toBe(postgres);
      expect(statSync(postgres).ino).toBe(created.ino);
      // A copy that other users can write is not used.
      chmodSync(copy, 0o777);
      const elsewhere = prepareBinaries(unprivileged, installed).postgres;
      folders.push(join(elsewhere, '..', '..', '..'));
      expect(elsewhere).not.toBe(postgres);
    });

    test('starts the server as the user that owns the data folder', async () => {
      const home = folder();
      chownSync(home, 1234, 1234);
      const server = await start(join(home, '.joinery'));
      expect(readFileSync(`/proc/${server.pid}/status`, 'utf8')).toMatch(/^Uid:\t1234\t/m);
    });

    test('adopts the server of a service of another user', async () => {
      const home = folder();
      chownSync(home, unprivileged.uid, unprivileged.gid);
      const directory = join(home, '.joinery');
      const service = await startService(directory, unprivileged);
      expect(identifyProcess(service.pid)).toBeDefined();
      expect(await query(service, 'select 1')).toEqual([['1']]);
      await kill(service);
      expect((await start(directory)).adopted).toBe(true);
    });
  });
}
