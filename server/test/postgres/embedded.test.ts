/** The embedded Postgres through its life: made, started again, adopted after a crash, guarded, stopped. */
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

/** A data folder that has been in use before. Making database files takes long, so they are made once and copied. */
async function usedFolder(): Promise<string> {
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

async function ask(server: { url: string }, text: string): Promise<(string | null)[][]> {
  const database = connect(server.url, 1);
  return database
    .query({ text, values: [] })
    .then(({ rows }) => rows)
    .finally(() => database.close());
}

/** The server of the folder and all its children, by the mark that they carry in their titles. */
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

/** A service in a process of its own, so that it can be killed. */
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
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}`)));
  });
  return { process: child, ...(JSON.parse(line) as { url: string; pid: number }) };
}

async function kill(service: Service): Promise<void> {
  const gone = new Promise((resolve) => service.process.once('exit', resolve));
  service.process.kill('SIGKILL');
  await gone;
}

test('it keeps its data from one start to the next, and leaves no process behind', async () => {
  const directory = join(folder(), 'project', '.joinery');
  const first = await start(directory);
  expect(first.adopted).toBe(false);
  await ask(first, 'create table kept as select 42 as answer');
  expect(processesIn(directory).length).toBeGreaterThan(3);
  await first.stop();
  expect(processesIn(directory)).toEqual([]);
  const second = await start(directory);
  expect(await ask(second, 'select answer from kept')).toEqual([['42']]);
  await second.stop();
  expect(processesIn(directory)).toEqual([]);
});

test('it asks for a password that only its owner can read, speaks UTF-8, and listens on loopback alone', async () => {
  const directory = join(folder(), '.joinery');
  const server = await start(directory);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  expect(statSync(join(directory, 'postgres.password')).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(directory, '.gitignore'), 'utf8')).toBe('*\n');
  const settings = `select current_setting('listen_addresses'), current_setting('unix_socket_directories'),
    current_setting('server_encoding'), current_setting('max_connections')::int >= 100, current_setting('timezone'),
    (select datlocale from pg_database where datname = current_database())`;
  expect(await ask(server, settings)).toEqual([['127.0.0.1', '', 'UTF8', 't', 'UTC', 'C.UTF-8']]);
  const open = new URL(server.url);
  open.password = 'wrong';
  await expect(ask({ url: open.href }, 'select 1')).rejects.toMatchObject({ internal: { code: '28P01' } });
});

describe('a second service on the same folder', () => {
  test('is refused with the number of the process that holds it', async () => {
    const directory = await usedFolder();
    const server = await start(directory);
    await expect(startEmbedded({ directory })).rejects.toMatchObject({
      code: 'invalid-configuration',
      message: expect.stringContaining(`process ${process.pid}`),
    });
    expect(await ask(server, 'select 1')).toEqual([['1']]);
    await server.stop();
    expect((await start(directory)).adopted).toBe(false);
  });
});

describe('after the service was killed', () => {
  test('the server that still runs is adopted', async () => {
    const directory = await usedFolder();
    const service = await startService(directory);
    await ask(service, 'create table kept as select 42 as answer');
    await kill(service);
    const server = await start(directory);
    expect(server).toMatchObject({ adopted: true, pid: service.pid });
    expect(await ask(server, 'select answer from kept')).toEqual([['42']]);
    await server.stop();
    expect(processesIn(directory)).toEqual([]);
  });

  test('a server that was killed with it is started again, on the same data', async () => {
    const directory = await usedFolder();
    const service = await startService(directory);
    await ask(service, 'create table kept as select 42 as answer');
    await kill(service);
    process.kill(service.pid, 'SIGKILL');
    const server = await start(directory);
    expect(server.adopted).toBe(false);
    expect(await ask(server, 'select answer from kept')).toEqual([['42']]);
  });

  test('a number that now belongs to another process misleads neither the lock nor Postgres', async () => {
    const directory = await usedFolder();
    await (await start(directory)).stop();
    // Postgres takes any living process of its user for a server.
    const owner = statSync(join(directory, 'postgres', 'data'));
    const stranger = spawn('sleep', ['60'], { cwd: '/', uid: owner.uid, gid: owner.gid });
    children.push(stranger);
    const pidFile = join(directory, 'postgres', 'data', 'postmaster.pid');
    writeFileSync(pidFile, `${stranger.pid}\n/somewhere\n1700000000\n5432\n\n127.0.0.1\n\nready\n`);
    chownSync(pidFile, owner.uid, owner.gid);
    writeFileSync(join(directory, 'lock'), JSON.stringify({ pid: stranger.pid, started: 'long ago' }));
    expect((await start(directory)).adopted).toBe(false);
    expect(stranger.exitCode).toBeNull();
  });

  test('database files that were half made are made anew', async () => {
    const directory = join(folder(), '.joinery');
    mkdirSync(join(directory, 'postgres.new', 'data', 'base'), { recursive: true });
    expect(await ask(await start(directory), 'select 1')).toEqual([['1']]);
  });
});

test('a lost password is said, and nothing is touched', async () => {
  const directory = await usedFolder();
  unlinkSync(join(directory, 'postgres.password'));
  await expect(startEmbedded({ directory })).rejects.toThrow('postgres.password is missing');
  expect(existsSync(join(directory, 'postgres', 'data', 'PG_VERSION'))).toBe(true);
  expect(existsSync(join(directory, 'lock'))).toBe(false);
});

test('a server that cannot start says what Postgres said', async () => {
  const directory = await usedFolder();
  await expect(startEmbedded({ directory, settings: { max_connections: 'many' } })).rejects.toThrow(
    'invalid value for parameter "max_connections"',
  );
  expect(processesIn(directory)).toEqual([]);
});

test('a server that ends by itself is reported', async () => {
  const seen: Observation[] = [];
  const server = await start(await usedFolder(), (observation) => seen.push(observation));
  process.kill(server.pid, 'SIGQUIT');
  await expect.poll(() => seen).toMatchObject([{ kind: 'failure', where: 'embedded Postgres' }]);
  await server.stop();
});

test('a folder that cannot be written is said', async () => {
  const file = join(folder(), 'file');
  writeFileSync(file, '');
  await expect(startEmbedded({ directory: join(file, '.joinery') })).rejects.toMatchObject({
    code: 'invalid-configuration',
    message: expect.stringContaining('JOINERY_DATA_DIR'),
  });
});

describe('the programs', () => {
  test('get their symbolic links where npm skipped the install script', () => {
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
  describe('as root', () => {
    const nobody = { uid: 65534, gid: 65534 };

    test('it runs as another user, in a folder that only root can read', async () => {
      const home = folder();
      chmodSync(home, 0o700);
      const directory = join(home, 'project', '.joinery');
      const server = await start(directory);
      const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
      expect(status).toMatch(/^Uid:\t65534\t65534\t65534\t65534$/m);
      expect(status).toMatch(/^Groups:\s*$/m);
      await ask(server, 'create table kept as select 42 as answer; checkpoint');
      await ask(server, 'create database another');
      await server.stop();
      const again = await start(directory);
      expect(await ask(again, 'select answer from kept')).toEqual([['42']]);
    });

    test('its programs are copied to where that user can reach them, once for each build', () => {
      const home = folder();
      chmodSync(home, 0o700);
      const native = join(home, 'native');
      cpSync(findInstalled().native, native, { recursive: true, verbatimSymlinks: true });
      const installed = { native, build: `test-${process.pid}` };
      const { postgres } = prepareBinaries(nobody, installed);
      const copy = join(postgres, '..', '..', '..');
      folders.push(copy);
      expect(copy).not.toContain(home);
      const made = statSync(postgres);
      expect(prepareBinaries(nobody, installed).postgres).toBe(postgres);
      expect(statSync(postgres).ino).toBe(made.ino);
      // What others could have changed is not run.
      chmodSync(copy, 0o777);
      const elsewhere = prepareBinaries(nobody, installed).postgres;
      folders.push(join(elsewhere, '..', '..', '..'));
      expect(elsewhere).not.toBe(postgres);
    });

    test('data that belongs to a user is served as that user', async () => {
      const home = folder();
      chownSync(home, 1234, 1234);
      const server = await start(join(home, '.joinery'));
      expect(readFileSync(`/proc/${server.pid}/status`, 'utf8')).toMatch(/^Uid:\t1234\t/m);
    });

    test('a service of another user runs as itself', async () => {
      const home = folder();
      chownSync(home, nobody.uid, nobody.gid);
      const directory = join(home, '.joinery');
      const service = await startService(directory, nobody);
      expect(identifyProcess(service.pid)).toBeDefined();
      expect(await ask(service, 'select 1')).toEqual([['1']]);
      await kill(service);
      expect((await start(directory)).adopted).toBe(true);
    });
  });
}
