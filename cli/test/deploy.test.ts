/** Tests of `joinery deploy`, and of `joinery dev` with a source that its metadata gets later. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../server/test/support/database/test-database.ts';
import { startService, type TestService } from '../../server/test/support/service/test-service.ts';
import { joinery } from './support/command.ts';
import { RunningCommand, writeFiles } from './support/running-command.ts';

let service: TestService;
let other: TestDatabase;
let folder: string;

beforeAll(async () => {
  other = await testDatabase();
  service = await startService({ MAIN_URL: other.url });
});

afterAll(async () => {
  await service.stop();
  await other.drop();
});

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'joinery-deploy-'));
  await writeFiles(folder, { 'config.yaml': `version: 3\nendpoint: ${service.url}\n`, ...project });
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
  await service.command('replace_metadata', { version: 3, sources: [] });
  await sql('drop schema public cascade; create schema public; drop schema if exists joinery cascade');
});

const databases = `- name: main
  kind: postgres
  configuration:
    connection_info:
      database_url:
        from_env: MAIN_URL
  tables: "!include main/tables/tables.yaml"
`;

/** A project whose only source is not named `default`; an old migration drops a table of today's metadata. */
const project = {
  'metadata/version.yaml': 'version: 3\n',
  'metadata/databases/databases.yaml': databases,
  'metadata/databases/main/tables/tables.yaml': '- "!include public_song.yaml"\n',
  'metadata/databases/main/tables/public_song.yaml': 'table:\n  name: song\n  schema: public\n',
  'migrations/main/100_song/up.sql': 'create table song (id int primary key);\n',
  'migrations/main/200_again/up.sql': 'drop table song;\ncreate table song (id int primary key, name text);\n',
  'seeds/main/1.sql': `insert into song values (1, 'Air') on conflict do nothing;\n`,
};

const run = (...args: string[]) => joinery([...args, '--project', folder]);

async function sql(text: string): Promise<readonly (readonly (string | null)[])[]> {
  return (await other.database.query({ text, values: [] })).rows;
}

const songs = () => service.graphql('{ song { id name } }');

describe('joinery deploy', () => {
  it('connects the sources, applies migrations, metadata and seeds, and then changes nothing', async () => {
    const first = await run('deploy', '--seed');
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out).toMatch(
      /connected source main\n.*100_song on main\n.*200_again on main\nApplied .*\nseeded main from 1\.sql\n/,
    );
    expect(await songs()).toEqual({ data: { song: [{ id: 1, name: 'Air' }] } });
    const second = await run('deploy');
    expect(second).toMatchObject({ code: 0, err: '' });
    expect(second.out).not.toContain('connected');
    expect(second.out).toContain('No migrations to apply.');
  });

  it('applies old migrations that drop tables of metadata that was applied first', async () => {
    await run('metadata', 'apply', '--allow-inconsistent');
    expect(await run('deploy')).toMatchObject({ code: 0, err: '' });
    expect(await songs()).toEqual({ data: { song: [] } });
  });

  it('stops at the first error, and keeps what was completed', async () => {
    await writeFiles(folder, { 'migrations/main/200_again/up.sql': 'drop table nowhere;\n' });
    const failed = await run('deploy', '--seed');
    expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('200_again/up.sql') });
    expect(failed.out).not.toContain('seeded');
    expect(await sql('select version from joinery.database_migrations where version > 0')).toEqual([['100']]);
  });

  it('ends with code 1 where a seed fails', async () => {
    await writeFiles(folder, { 'seeds/main/2.sql': 'select nothing;\n' });
    expect(await run('deploy', '--with-seeds')).toMatchObject({ code: 1, err: expect.stringContaining('2.sql:1:8') });
  });

  it('changes nothing where a file of the metadata is invalid', async () => {
    await writeFiles(folder, { 'metadata/databases/main/tables/public_song.yaml': 'table: {}\n' });
    expect(await run('deploy')).toMatchObject({ code: 1, err: expect.stringContaining('public_song.yaml:') });
    expect(await sql(`select to_regclass('song')`)).toEqual([[null]]);
  });

  it('warns of objects that cannot be used, and rejects them with --strict', async () => {
    await writeFiles(folder, {
      'metadata/databases/main/tables/tables.yaml':
        '- "!include public_song.yaml"\n- table: { name: absent, schema: public }\n',
    });
    expect(await run('deploy')).toMatchObject({ code: 0, err: expect.stringContaining('absent') });
    expect(await run('deploy', '--strict')).toMatchObject({ code: 1, err: expect.stringContaining('absent') });
  });

  it('skips migrations of a folder that belongs to no source, with a warning', async () => {
    await writeFiles(folder, { 'migrations/old/100_a/up.sql': 'select nothing;\n' });
    expect(await run('deploy')).toMatchObject({
      code: 0,
      err: expect.stringContaining('skipped the migrations of old: the metadata has no source "old"'),
    });
  });

  it('keeps the metadata of the service while it connects a source', async () => {
    await run('deploy');
    const two = `${databases}- name: second\n  kind: postgres\n  configuration:\n    connection_info:\n      database_url:\n        from_env: MAIN_URL\n  tables: []\n`;
    await writeFiles(folder, {
      'metadata/databases/databases.yaml': two,
      'migrations/second/300_fails/up.sql': 'select nothing;\n',
    });
    expect(await run('deploy')).toMatchObject({ code: 1, out: expect.stringContaining('connected source second') });
    expect(await songs()).toEqual({ data: { song: [] } });
  });
});

describe('joinery metadata apply', () => {
  it('compares unchanged metadata with the database again', async () => {
    await run('deploy');
    await sql('alter table song add length int');
    expect(await service.graphql('{ song { length } }')).toMatchObject({ errors: [expect.anything()] });
    expect(await run('metadata', 'apply')).toMatchObject({ code: 0, err: '' });
    expect(await service.graphql('{ song { length } }')).toEqual({ data: { song: [] } });
  });
});

describe('joinery metadata reload', () => {
  it('reports a source whose database has none of its tables as one error, as apply does', async () => {
    await writeFiles(folder, {
      'metadata/databases/main/tables/tables.yaml':
        '- "!include public_song.yaml"\n- table: {schema: public, name: album}\n',
    });
    const grouped = /source main: none of its 2 tables exists in its database; .* \(and 2 more objects\)\n$/;
    expect(await run('metadata', 'apply')).toMatchObject({ err: expect.stringMatching(grouped) });
    expect(await run('metadata', 'reload')).toMatchObject({ code: 1, err: expect.stringMatching(grouped) });
  });
});

describe('joinery dev', () => {
  it('applies migrations of a second source when the metadata gets it', async () => {
    const second = await testDatabase();
    await writeFiles(folder, { 'migrations/second/100_label/up.sql': 'create table label (id int primary key);\n' });
    const dev = new RunningCommand(['dev', '--project', folder, '--port', '0', '--sink-port', '0'], {
      MAIN_URL: other.url,
      SECOND_URL: second.url,
      JOINERY_DATABASE_URL: service.database.url,
    });
    try {
      const [, url = ''] = await dev.until(/GraphQL {2}(\S+)\/v1\/graphql/);
      await dev.until(/Not ready/);
      const from = dev.text.length;
      const both = databases + databases.replace(/main/g, 'second').replace('MAIN_URL', 'SECOND_URL');
      await writeFiles(folder, {
        'metadata/databases/second/tables/tables.yaml': '- table:\n    name: label\n    schema: public\n',
        'metadata/databases/databases.yaml': both,
      });
      await dev.until(/applied 100_label on second[\s\S]*Applied/, from);
      const response = await fetch(`${url}/v1/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: '{ song { name } label { id } }' }),
      });
      expect(await response.json()).toEqual({ data: { song: [{ name: 'Air' }], label: [] } });
    } finally {
      expect(await dev.stop()).toBe(0);
      await second.drop();
    }
  });

  it('applies migrations when the metadata gets their source', async () => {
    await writeFiles(folder, { 'metadata/databases/databases.yaml': '[]\n' });
    const dev = new RunningCommand(['dev', '--project', folder, '--port', '0', '--sink-port', '0'], {
      MAIN_URL: other.url,
      JOINERY_DATABASE_URL: service.database.url,
    });
    try {
      const [, url = ''] = await dev.until(/GraphQL {2}(\S+)\/v1\/graphql/);
      await dev.until(/Not ready/);
      const from = dev.text.length;
      await writeFiles(folder, { 'metadata/databases/databases.yaml': databases });
      await dev.until(/applied 200_again on main[\s\S]*seeded main from 1\.sql[\s\S]*Applied/, from);
      const response = await fetch(`${url}/v1/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: '{ song { name } }' }),
      });
      expect(await response.json()).toEqual({ data: { song: [{ name: 'Air' }] } });
    } finally {
      expect(await dev.stop()).toBe(0);
    }
  });
});
