/** Tests of `joinery migrate create`, `migrate delete` and `seed create` with content of files and of the database. */
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../../../server/test/support/service/test-service.ts';
import { joinery } from '../support/command.ts';
import { writeFiles } from '../support/running-command.ts';

let service: TestService;
let folder: string;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service.stop());

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'joinery-create-'));
  await writeFiles(folder, { 'config.yaml': `version: 3\nendpoint: ${service.url}\n` });
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
  await service.command('clear_metadata', {});
  await sql(
    'drop schema public cascade; create schema public; drop table if exists joinery.database_migrations, joinery.database_seeds',
  );
});

const run = (...args: string[]) => joinery([...args, '--project', folder]);

async function sql(text: string): Promise<readonly (readonly (string | null)[])[]> {
  return (await service.database.database.query({ text, values: [] })).rows;
}

async function onlyFile(path: string): Promise<string> {
  const [name = '', ...others] = await readdir(join(folder, path));
  expect(others).toEqual([]);
  return join(folder, path, name);
}

const recorded = async () =>
  (await sql('select version from joinery.database_migrations where version > 0 order by version')).flat();

describe('joinery migrate create', () => {
  it('takes the SQL of a file', async () => {
    await writeFiles(folder, { 'views.sql': 'create view v as select 1;' });
    const created = await run('migrate', 'create', 'views', '--sql-from-file', join(folder, 'views.sql'));
    expect(created).toMatchObject({ code: 0, err: '' });
    const path = await onlyFile('migrations/default');
    expect(await readFile(join(path, 'up.sql'), 'utf8')).toBe('create view v as select 1;\n');
  });

  it('rejects two origins of the SQL and a schema without --from-server', async () => {
    expect(await run('migrate', 'create', 'a', '--up-sql', 'select 1', '--sql-from-file', 'a.sql')).toMatchObject({
      code: 1,
      err: expect.stringContaining('--up-sql and --sql-from-file exclude each other'),
    });
    expect(await run('migrate', 'create', 'a', '--schema', 'public')).toMatchObject({
      code: 1,
      err: expect.stringContaining('--schema needs --from-server'),
    });
    expect(existsSync(join(folder, 'migrations'))).toBe(false);
  });
});

describe('joinery migrate delete', () => {
  const migrations = {
    'migrations/default/100_a/up.sql': 'create table a (id int);\n',
    'migrations/default/200_b.up.sql': 'create table b (id int);\n',
    'migrations/default/200_b.down.sql': 'drop table b;\n',
  };

  it('removes the record and the files of one version, and keeps its table', async () => {
    await writeFiles(folder, migrations);
    await run('migrate', 'apply');
    expect(await run('migrate', 'delete', '--version', '200')).toMatchObject({ code: 0, err: '' });
    expect(await recorded()).toEqual(['100']);
    expect(await readdir(join(folder, 'migrations/default'))).toEqual(['100_a']);
    expect(await sql(`select to_regclass('b')::text`)).toEqual([['b']]);
  });

  it('removes all records only with --yes, and keeps the files with --server', async () => {
    await writeFiles(folder, migrations);
    await run('migrate', 'apply');
    expect(await run('migrate', 'delete', '--all', '--server')).toMatchObject({
      code: 1,
      err: expect.stringContaining('confirm with --yes'),
    });
    expect(await recorded()).toEqual(['100', '200']);
    expect(await run('migrate', 'delete', '--all', '--server', '--yes')).toMatchObject({ code: 0, err: '' });
    expect(await recorded()).toEqual([]);
    expect((await readdir(join(folder, 'migrations/default'))).sort()).toEqual([
      '100_a',
      '200_b.down.sql',
      '200_b.up.sql',
    ]);
  });

  it('rejects an unknown version, and neither or both of --version and --all', async () => {
    await writeFiles(folder, migrations);
    expect(await run('migrate', 'delete', '--version', '7')).toMatchObject({
      code: 1,
      err: expect.stringContaining('no migration of default has the number 7'),
    });
    expect(await run('migrate', 'delete')).toMatchObject({
      code: 1,
      err: expect.stringContaining('--version or --all'),
    });
    expect(await run('migrate', 'delete', '--all', '--version', '100')).toMatchObject({ code: 1 });
  });
});

describe('joinery seed create --from-table', () => {
  it('writes inserts that restore the rows, in the order of the primary key', async () => {
    await sql(`
      create schema geo;
      create table geo.region (id int generated always as identity primary key, "Name" text, tags text[], data jsonb,
        size int generated always as (length("Name")) stored);
      insert into geo.region ("Name", tags, data) values ('It''s \\', '{a,"b c"}', '{"x": 1}'), (null, null, null);
      create table note (id serial primary key, at timestamptz);
      insert into note (at) values ('2024-01-01 00:00:00Z')`);
    const rows = 'select id, "Name", tags::text, data::text, size from geo.region order by id';
    const before = await sql(rows);
    try {
      const created = await run('seed', 'create', 'rows', '--from-table', 'geo.region', '--from-table', 'note');
      expect(created).toMatchObject({ code: 0, err: '' });
      await sql('truncate geo.region, note restart identity');
      expect(await run('seed', 'apply')).toMatchObject({ code: 0, err: '' });
      expect(await run('seed', 'apply')).toMatchObject({ code: 0, err: '' });
      expect(await sql(rows)).toEqual(before);
      expect(await sql(`insert into note (at) values (now()) returning id`)).toEqual([['2']]);
    } finally {
      await sql('drop schema geo cascade');
    }
  });

  it('rejects a table that does not exist, and writes nothing', async () => {
    expect(await run('seed', 'create', 'rows', '--from-table', 'nowhere')).toMatchObject({
      code: 1,
      err: expect.stringContaining('has no table nowhere'),
    });
    expect(existsSync(join(folder, 'seeds'))).toBe(false);
  });
});

describe('joinery seed apply', () => {
  it('applies files in folders and with the extension in capitals, in the order of their paths', async () => {
    await sql('create table step (id serial, name text)');
    await writeFiles(folder, {
      'seeds/default/a/2.sql': `insert into step (name) values ('a/2')`,
      'seeds/default/a/1.SQL': `insert into step (name) values ('a/1')`,
      'seeds/default/b/1.SQL': `insert into step (name) values ('b/1')`,
      'seeds/default/readme.md': 'not SQL',
    });
    expect(await run('seed', 'apply')).toMatchObject({ code: 0, err: '' });
    expect((await sql('select name from step order by id')).flat()).toEqual(['a/1', 'a/2', 'b/1']);
    expect((await run('seed', 'apply', '--once')).out).toContain('Nothing to do');
  });

  it.each([
    ['delete from hdb_catalog.event_log', '"joinery doctor --hasura-catalog" creates the views of hdb_catalog'],
    [`select gen_salt('bf')`, 'JOINERY_CREATE_PGCRYPTO=true'],
  ])('says what to do if %s fails', async (text, advice) => {
    await writeFiles(folder, { 'seeds/default/1.sql': text });
    expect(await run('seed', 'apply')).toMatchObject({ code: 1, err: expect.stringContaining(advice) });
  });
});
