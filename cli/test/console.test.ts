/** Tests of `joinery console`: changes through it become files of the project, and can be undone. */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProjectChange, ProjectPreview, ProjectState } from '@joinery/metadata/api/project';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../../server/test/support/service/test-service.ts';
import { connectProject } from '../src/client/connection.ts';
import { openProjectConsole } from '../src/commands/console/run.ts';
import { joinery, textsIn } from './support/command.ts';
import { RunningCommand, writeFiles } from './support/running-command.ts';

const secret = 'only for these tests';

let service: TestService;
let folder: string;
let local: { readonly origin: string; readonly cookie: string; close(): Promise<void> };

beforeAll(async () => {
  service = await startService({ JOINERY_ADMIN_SECRET: secret });
});

afterAll(async () => {
  await service.stop();
});

const databases = `- name: default
  kind: postgres
  tables: "!include default/tables/tables.yaml"
`;

const song = '# The songs of the shop.\ntable:\n  name: song\n  schema: public\n';

const project = {
  'metadata/version.yaml': 'version: 3\n',
  'metadata/databases/databases.yaml': databases,
  'metadata/databases/default/tables/tables.yaml': '- "!include public_song.yaml"\n',
  'metadata/databases/default/tables/public_song.yaml': song,
};

/** The metadata of these files. */
const metadata = {
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      tables: [{ table: { schema: 'public', name: 'song' } }],
    },
  ],
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'joinery-console-'));
  const config = `version: 3\nendpoint: ${service.url}\nadmin_secret: ${secret}\n`;
  await writeFiles(folder, { 'config.yaml': config, ...project });
  await sql('create table song (id int primary key, name text); create table album (id int primary key)');
  await admin('reload_metadata', { reload_sources: true });
  expect(await admin('replace_metadata', metadata)).toEqual({ message: 'success' });
  local = await openConsole();
});

afterEach(async () => {
  await local.close();
  await rm(folder, { recursive: true, force: true });
  await admin('clear_metadata', {});
  await sql('drop schema public cascade; create schema public; drop table if exists joinery.database_migrations');
});

/** Serves the console in this process. */
async function openConsole(): Promise<typeof local> {
  const { project, connection } = await connectProject({ project: folder }, {});
  const host = await openProjectConsole(project, connection, '0');
  const entered = await fetch(host.entry);
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { origin: new URL(host.url).origin, cookie, close: () => host.close() };
}

async function sql(text: string): Promise<readonly (readonly (string | null)[])[]> {
  return (await service.database.database.query({ text, values: [] })).rows;
}

async function admin(type: string, args: unknown): Promise<unknown> {
  const headers = { 'x-service-admin-secret': secret };
  const body = JSON.stringify({ type, args });
  return (await fetch(`${service.url}/v1/metadata`, { method: 'POST', headers, body })).json();
}

async function send(path: string, body?: unknown): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(`${local.origin}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { cookie: local.cookie, 'content-type': 'application/json', 'x-service-role': 'admin' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

const command = (type: string, args: unknown, more = {}) => send('/v1/metadata', { type, args, ...more });
const runSql = (text: string, more = {}) =>
  send('/v2/query', { type: 'run_sql', args: { source: 'default', sql: text }, ...more });
const state = async () => (await send('/project/state', {})).body as ProjectState;
const trackAlbum = () => command('pg_track_table', { source: 'default', table: { schema: 'public', name: 'album' } });
const undoLast = async () => send('/project/undo', { id: (await state()).changes[0]?.id });
const applied = async () =>
  (await sql('select version, name from joinery.database_migrations where version > 0')) ?? [];
const filesIn = async () => Object.keys(await textsIn(join(folder, 'migrations')).catch(() => ({})));

describe('a change of the metadata', () => {
  it('is written to the metadata files, whose comments and order stay', async () => {
    const comment = { schema: 'public', name: 'song' };
    await command('pg_set_table_customization', {
      source: 'default',
      table: comment,
      configuration: { comment: 'hit' },
    });
    expect(await readFile(join(folder, 'metadata/databases/default/tables/public_song.yaml'), 'utf8')).toBe(
      `${song}configuration:\n  comment: hit\n`,
    );
  });

  it('is listed with its files before and after', async () => {
    expect(await trackAlbum()).toMatchObject({ status: 200 });
    const [change] = (await state()).changes;
    expect(change).toMatchObject({
      title: 'pg_track_table public.album',
      files: [
        { path: 'metadata/databases/default/tables/public_album.yaml', after: expect.stringContaining('album') },
        {
          path: 'metadata/databases/default/tables/tables.yaml',
          before: '- "!include public_song.yaml"\n',
          after: '- "!include public_album.yaml"\n- "!include public_song.yaml"\n',
        },
      ],
    } satisfies Partial<Record<keyof ProjectChange, unknown>>);
  });

  it('can be previewed without being made', async () => {
    const args = { source: 'default', table: { schema: 'public', name: 'album' } };
    const { body } = await send('/project/preview', { type: 'pg_track_table', args });
    expect((body as ProjectPreview).files?.map(({ path }) => path)).toEqual([
      'metadata/databases/default/tables/public_album.yaml',
      'metadata/databases/default/tables/tables.yaml',
    ]);
    expect((await state()).changes).toEqual([]);
  });

  it('is undone in the service and in the files', async () => {
    const before = await textsIn(join(folder, 'metadata'));
    await trackAlbum();
    expect(await undoLast()).toMatchObject({ status: 200 });
    expect(await textsIn(join(folder, 'metadata'))).toEqual(before);
    expect(JSON.stringify(await admin('export_metadata', {}))).not.toContain('album');
  });

  it('is not undone where a file was edited since', async () => {
    await trackAlbum();
    await writeFile(join(folder, 'metadata/databases/default/tables/public_album.yaml'), 'table:\n  name: album\n');
    expect(await undoLast()).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('public_album.yaml was changed since') },
    });
  });

  it('is not undone where another client changed the metadata since', async () => {
    await trackAlbum();
    await admin('create_query_collection', { name: 'c', definition: { queries: [] } });
    expect(await undoLast()).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('was changed since') },
    });
  });

  it('is undone in the service where its files cannot be written', async () => {
    await mkdir(join(folder, 'metadata/databases/default/tables/.public_album.yaml.new'));
    expect(await trackAlbum()).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('the change of the metadata was undone') },
    });
    expect(JSON.stringify(await admin('export_metadata', {}))).not.toContain('album');
  });
});

describe('SQL that changes the schema', () => {
  it('becomes a migration with up.sql and down.sql, recorded as applied', async () => {
    expect(await runSql('create table public.genre (id int primary key)')).toMatchObject({ status: 200 });
    const [[version = '', name = ''] = []] = await applied();
    expect(name).toBe('create_table_public_genre');
    expect(await textsIn(join(folder, 'migrations'))).toEqual({
      [`default/${version}_${name}/up.sql`]: 'create table public.genre (id int primary key);\n',
      [`default/${version}_${name}/down.sql`]: 'drop table public.genre;\n',
    });
  });

  it('gets the name and the down.sql of the request', async () => {
    await runSql('alter table album add unique (id)', { migration: { name: 'unique_album', down: 'select 1' } });
    const texts = Object.entries(await textsIn(join(folder, 'migrations')));
    expect(texts.map(([path, text]) => [path.replace(/\d+/, ''), text])).toEqual([
      ['default/_unique_album/down.sql', 'select 1;\n'],
      ['default/_unique_album/up.sql', 'alter table album add unique (id);\n'],
    ]);
  });

  it('is one migration with the metadata commands of its bulk, which are undone with it', async () => {
    const before = await textsIn(folder);
    const bulk = [
      { type: 'run_sql', args: { source: 'default', sql: 'create table genre (id int primary key)' } },
      { type: 'pg_track_table', args: { source: 'default', table: { schema: 'public', name: 'genre' } } },
    ];
    expect(await send('/v1/query', { type: 'bulk', args: bulk })).toMatchObject({
      status: 200,
      body: [{ result_type: 'CommandOk' }, { message: 'success' }],
    });
    expect((await state()).changes).toMatchObject([{ migrations: [{ source: 'default' }], files: expect.any(Array) }]);
    expect(await undoLast()).toMatchObject({ status: 200 });
    const { 'metadata/databases/default/tables/tables.yaml': tables } = await textsIn(folder);
    expect(tables).toBe(before['metadata/databases/default/tables/tables.yaml']);
    expect(await filesIn()).toEqual([]);
    expect(await sql(`select to_regclass('genre')`)).toEqual([[null]]);
    expect(await applied()).toEqual([]);
  });

  it('writes nothing where PostgreSQL rejects it, and returns the path of the error', async () => {
    expect(await runSql('create table album (id int)')).toMatchObject({
      status: 400,
      body: { path: expect.stringMatching(/^\$\.args/), error: expect.stringContaining('already exists') },
    });
    expect(await filesIn()).toEqual([]);
  });

  it('does not run where its migration cannot be written', async () => {
    await writeFile(join(folder, 'migrations'), 'a file');
    expect(await runSql('create table genre (id int)')).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('nothing was changed') },
    });
    expect(await sql(`select to_regclass('genre')`)).toEqual([[null]]);
  });

  it('cannot be undone without down.sql', async () => {
    await runSql('drop table album');
    expect((await state()).changes).toMatchObject([{ cannotUndo: 'The migration has no down.sql.' }]);
  });

  it('is recorded also where it runs outside of a transaction', async () => {
    const args = { source: 'default', sql: 'create index concurrently song_name on song (name)', transaction: false };
    expect(await send('/v2/query', { type: 'run_sql', args })).toMatchObject({ status: 200 });
    expect(await applied()).toHaveLength(1);
  });

  it('is no migration where the request declines one, or where it reads only', async () => {
    await runSql('create table genre (id int)', { migration: { write: false } });
    await runSql('select 1');
    expect(await filesIn()).toEqual([]);
  });
});

describe('files that differ from the metadata', () => {
  it('reject a change, which names the files', async () => {
    await writeFile(join(folder, 'metadata/databases/default/tables/tables.yaml'), '[]\n');
    expect(await trackAlbum()).toMatchObject({
      status: 409,
      body: { error: expect.stringMatching(/databases\/default\/tables\/tables.yaml.*nothing was changed/) },
    });
    expect(JSON.stringify(await admin('export_metadata', {}))).not.toContain('album');
    expect((await state()).differences.map(({ path }) => path)).toContain(
      'metadata/databases/default/tables/tables.yaml',
    );
  });

  it('permit changes again after the metadata is written to them', async () => {
    await writeFile(join(folder, 'metadata/databases/default/tables/tables.yaml'), '[]\n');
    expect(await send('/project/export', {})).toMatchObject({ status: 200 });
    expect(await trackAlbum()).toMatchObject({ status: 200 });
  });

  it('get the changes of another client as a change of its own', async () => {
    await trackAlbum();
    await admin('create_query_collection', { name: 'c', definition: { queries: [] } });
    await command('pg_untrack_table', { source: 'default', table: { schema: 'public', name: 'album' } });
    expect((await state()).changes.map(({ origin, files }) => [origin, files.length])).toEqual([
      ['console', 2],
      ['elsewhere', 1],
      ['console', 2],
    ]);
  });
});

describe('access', () => {
  /** `fetch` sets the host itself. */
  const statusOf = (headers: Readonly<Record<string, string>>): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const sent = request(`${local.origin}/v1/metadata`, { method: 'POST', headers }, (response) =>
        resolve(response.resume().statusCode),
      );
      sent.on('error', reject);
      sent.end('{"type":"get_resource_version","args":{}}');
    });

  it('needs the token', async () => {
    expect(await statusOf({})).toBe(403);
    expect(await statusOf({ cookie: local.cookie })).toBe(200);
  });

  it('rejects other host names and pages of other origins', async () => {
    expect(await statusOf({ cookie: local.cookie, host: 'evil.example:80' })).toBe(403);
    expect(await statusOf({ cookie: local.cookie, origin: 'http://127.0.0.1:1' })).toBe(403);
    expect(await statusOf({ cookie: local.cookie, 'sec-fetch-site': 'same-site' })).toBe(403);
  });

  it('does not publish the admin secret', async () => {
    const { body } = await send('/console/config.json');
    expect(body).toMatchObject({ secretRequired: false, project: { folder } });
    expect(JSON.stringify(body)).not.toContain(secret);
  });

  it('opens with the address that the command prints', async () => {
    await local.close();
    const command = new RunningCommand(['console', '--no-open', '--port', '0', '--project', folder]);
    const [, entry = ''] = await command.until(/Console\s+(http:\S+)/);
    await command.until(/Ready/);
    expect((await fetch(entry)).headers.get('set-cookie')).toContain('HttpOnly; SameSite=Strict');
    expect(await command.stop()).toBe(0);
    local = await openConsole();
  });

  it('is of one console at a time', async () => {
    const second = await joinery(['console', '--no-open', '--port', '0', '--project', folder]);
    expect(second).toMatchObject({ code: 1, err: expect.stringContaining(local.origin) });
  });
});

it('reports a folder that cannot be written at the start', async () => {
  const other = await mkdtemp(join(tmpdir(), 'joinery-console-'));
  await writeFiles(other, {
    'config.yaml': `endpoint: ${service.url}\nadmin_secret: ${secret}\n`,
    '.joinery': 'a file',
  });
  await chmod(other, 0o700);
  const failed = await joinery(['console', '--no-open', '--project', other]);
  await rm(other, { recursive: true });
  expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('cannot be written') });
});
