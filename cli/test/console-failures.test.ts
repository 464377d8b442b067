/** Tests of `joinery console` where files cannot be written, or the connection is lost, while a change is made. */
import { execFile } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ProjectState } from '@joinery/metadata/api/project';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../../server/test/support/service/test-service.ts';
import { until } from '../../server/test/support/until.ts';
import { connectProject } from '../src/client/connection.ts';
import { openProjectConsole } from '../src/commands/console/run.ts';
import { joinery, textsIn } from './support/command.ts';
import { writeFiles } from './support/running-command.ts';

const secret = 'only for these tests';

let service: TestService;
let folder: string;
/** Between the console and the service. */
let proxy: Server;
/** Bytes of a request or a response after which the connections are closed. */
let cut: { readonly sent?: string; readonly received?: string } = {};
let local: { readonly origin: string; readonly cookie: string; close(): Promise<void> };

beforeAll(async () => {
  service = await startService({ JOINERY_ADMIN_SECRET: secret });
  const { port } = new URL(service.url);
  proxy = createServer((client) => {
    const upstream = connect(Number(port), '127.0.0.1');
    const close = (): void => {
      client.destroy();
      upstream.destroy();
    };
    const pass = (from: Socket, to: Socket, text: () => string | undefined): void => {
      from.on('data', (bytes) => {
        const end = text();
        if (end !== undefined && bytes.includes(end)) close();
        else to.write(bytes);
      });
      from.on('error', close).on('close', close);
    };
    pass(client, upstream, () => cut.sent);
    pass(upstream, client, () => cut.received);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  proxy.close();
  await service.stop();
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'joinery-failures-'));
  const { port } = proxy.address() as AddressInfo;
  await writeFiles(folder, {
    'config.yaml': `version: 3\nendpoint: http://127.0.0.1:${port}\nadmin_secret: ${secret}\n`,
  });
  await sql('create table song (id int primary key)');
  await admin('reload_metadata', { reload_sources: true });
  const { project, connection } = await connectProject({ project: folder }, {});
  const host = await openProjectConsole(project, connection, '0');
  const entered = await fetch(host.entry);
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
  local = { origin: new URL(host.url).origin, cookie, close: () => host.close() };
  expect(await send('/project/export', {})).toMatchObject({ status: 200 });
});

afterEach(async () => {
  cut = {};
  await local.close();
  await rm(folder, { recursive: true, force: true });
  await admin('clear_metadata', {});
  await sql('drop schema public cascade; create schema public; drop table if exists joinery.database_migrations');
});

const sql = async (text: string) => (await service.database.database.query({ text, values: [] })).rows;

async function admin(type: string, args: unknown): Promise<unknown> {
  const headers = { 'x-service-admin-secret': secret };
  const body = JSON.stringify({ type, args });
  return (await fetch(`${service.url}/v1/metadata`, { method: 'POST', headers, body })).json();
}

async function send(path: string, body: unknown): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(`${local.origin}${path}`, {
    method: 'POST',
    headers: { cookie: local.cookie, 'content-type': 'application/json', 'x-service-role': 'admin' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

const runSql = (text: string) => send('/v2/query', { type: 'run_sql', args: { source: 'default', sql: text } });
const track = (name: string) => ({
  type: 'pg_track_table',
  args: { source: 'default', table: { schema: 'public', name } },
});
const state = async () => (await send('/project/state', {})).body as ProjectState;
const migrations = async () => Object.keys(await textsIn(join(folder, 'migrations')).catch(() => ({})));
const reason = (text: RegExp) => ({ status: 409, body: { error: expect.stringMatching(text) } });

const createGenre = 'create table genre (id int primary key)';

it('reports that SQL took effect where the metadata files cannot be written, and writes them at the next attempt', async () => {
  const tables = join(folder, 'metadata/databases/default/tables');
  const blocker = join(tables, '.public_genre.yaml.new');
  await mkdir(blocker, { recursive: true });
  const bulk = [{ type: 'run_sql', args: { source: 'default', sql: createGenre } }, track('genre')];
  expect(await send('/v1/query', { type: 'bulk', args: bulk })).toMatchObject(
    reason(/the SQL took effect, its migration is written, and the metadata files are not/),
  );
  expect(await migrations()).toHaveLength(2);
  await rm(blocker, { recursive: true });
  expect(await send('/project/export', {})).toMatchObject({ status: 200 });
  expect(await state()).toMatchObject({ differences: [] });
  expect(await readdir(tables)).toContain('public_genre.yaml');
});

it('keeps the files of a migration that took effect and whose folder cannot get its name, and names both', async () => {
  const source = join(folder, 'migrations/default');
  const running = runSql(`${createGenre}; select pg_sleep(2)`);
  const staged = await until('the files of the migration are written', async () =>
    (await readdir(source).catch(() => [])).find((name) => name.endsWith('.new')),
  );
  const version = staged.slice(1, -'.new'.length);
  await mkdir(join(source, `${version}_create_table_genre`));
  await writeFile(join(source, `${version}_create_table_genre/notes.txt`), 'in the way');
  expect(await running).toMatchObject(reason(/took effect and is recorded as applied, but .*cannot be renamed/));
  expect(await readdir(join(source, staged))).toEqual(['down.sql', 'up.sql']);
});

it('writes a pending migration where the connection is lost before the SQL ran, and "migrate apply" runs it', async () => {
  cut = { sent: createGenre };
  expect(await runSql(createGenre)).toMatchObject(reason(/whether the SQL took effect is unknown/));
  cut = {};
  expect(await sql(`select to_regclass('genre')`)).toEqual([[null]]);
  expect(await joinery(['migrate', 'apply', '--project', folder])).toMatchObject({ code: 0 });
  expect(await sql(`select to_regclass('genre')`)).toEqual([['genre']]);
});

it('writes an applied migration where the connection is lost after the SQL ran, and "migrate apply" skips it', async () => {
  cut = { received: 'end of the SQL' };
  expect(await runSql(`${createGenre}; select 'end of the SQL'`)).toMatchObject(
    reason(/whether the SQL took effect is unknown/),
  );
  cut = {};
  expect(await sql(`select to_regclass('genre')`)).toEqual([['genre']]);
  expect(await migrations()).toHaveLength(2);
  expect(await joinery(['migrate', 'apply', '--project', folder])).toMatchObject({ code: 0 });
  expect(await send('/v1/metadata', track('genre'))).toMatchObject({ status: 200 });
});

it('writes a change of the metadata whose response was lost together with the next change', async () => {
  cut = { received: '"message":"success"' };
  expect(await send('/v1/metadata', track('song'))).toMatchObject(reason(/whether the change took effect is unknown/));
  cut = {};
  const collection = { name: 'c', definition: { queries: [] } };
  expect(await send('/v1/metadata', { type: 'create_query_collection', args: collection })).toMatchObject({
    status: 200,
  });
  expect((await state()).changes.map(({ origin }) => origin).slice(0, 2)).toEqual(['console', 'elsewhere']);
  expect(await readdir(join(folder, 'metadata/databases/default/tables'))).toContain('public_song.yaml');
});

describe.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)('a file system that is full', () => {
  const run = promisify(execFile);
  const ballast = () => join(folder, 'ballast');
  const fill = async (): Promise<void> => {
    for (let bytes = 64 * 1024; bytes > 0; ) {
      await appendFile(ballast(), Buffer.alloc(bytes)).catch(() => {
        bytes = Math.floor(bytes / 2);
      });
    }
  };
  const staged = () =>
    until('the files of the migration are written', async () =>
      (await readdir(join(folder, 'migrations/default')).catch(() => [])).find((name) => name.endsWith('.new')),
    );
  const createAndTrack = (text: string) =>
    send('/v1/query', {
      type: 'bulk',
      args: [{ type: 'run_sql', args: { source: 'default', sql: text } }, track('genre')],
    });

  beforeEach(async () => {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
    expect(await send('/project/export', {})).toMatchObject({ status: 200 });
  });

  afterEach(async () => {
    await run('umount', [folder]);
  });

  it('rejects SQL before it runs', async () => {
    await fill();
    expect(await runSql(createGenre)).toMatchObject(reason(/no space left on device.*nothing was changed/i));
    expect(await sql(`select to_regclass('genre')`)).toEqual([[null]]);
  });

  it('rejects a change of the metadata before it is made', async () => {
    await fill();
    expect(await send('/v1/metadata', track('song'))).toMatchObject(reason(/no space left on device/i));
    expect(await admin('export_metadata', {})).not.toHaveProperty('sources.0.tables.0');
  });

  it('that fills while SQL runs keeps its migration and all former metadata files', async () => {
    const before = await textsIn(join(folder, 'metadata'));
    const running = createAndTrack(`${createGenre}; select pg_sleep(2)`);
    await staged();
    await fill();
    expect(await running).toMatchObject(
      reason(/the SQL took effect, its migration is written.*metadata files are not/),
    );
    expect(await textsIn(join(folder, 'metadata'))).toMatchObject(before);
    expect(await migrations()).toHaveLength(2);
  });

  it('that fills while SQL runs and has space again gets the files by an export', async () => {
    const running = createAndTrack(`${createGenre}; select pg_sleep(2)`);
    await staged();
    await fill();
    await running;
    await rm(ballast());
    expect(await send('/project/export', {})).toMatchObject({ status: 200 });
    expect(await state()).toMatchObject({ differences: [] });
  });
});
