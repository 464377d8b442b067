/** Tests that migrations are compared with the metadata once, at the end, unless `--check` is given. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../../../server/test/support/service/test-service.ts';
import { type Connection, connect } from '../../src/client/connection.ts';
import { applyMigrations } from '../../src/commands/migrate/run.ts';
import { openProject } from '../../src/project/config.ts';
import { joinery } from '../support/command.ts';
import { writeFiles } from '../support/running-command.ts';

let service: TestService;
let folder: string;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service.stop());

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'joinery-consistency-'));
  await writeFiles(folder, { 'config.yaml': `version: 3\nendpoint: ${service.url}\n`, ...migrations });
  await sql('create table person (id int primary key, name text)');
  await service.command('bulk', [
    { type: 'track_table', args: 'person' },
    {
      type: 'create_select_permission',
      args: { table: 'person', role: 'user', permission: { columns: ['id', 'name'], filter: {} } },
    },
  ]);
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
  await service.command('clear_metadata', {});
  await sql('drop schema public cascade; create schema public; drop table if exists joinery.database_migrations');
});

/** An old migration drops a column that the metadata of today uses, and a later one adds it again. */
const migrations = {
  'migrations/default/100_drop/up.sql': 'alter table person drop name;\n',
  'migrations/default/200_other/up.sql': 'create table other (id int primary key);\n',
  'migrations/default/300_add/up.sql': 'alter table person add name text;\n',
};

const migrate = (...args: string[]) => joinery(['migrate', ...args, '--project', folder]);

async function sql(text: string): Promise<readonly (readonly (string | null)[])[]> {
  return (await service.database.database.query({ text, values: [] })).rows;
}

/** Runs all migrations of the project and returns the requests. */
async function requestsOf(flags: { readonly check?: boolean } = {}): Promise<readonly (readonly [string, unknown])[]> {
  const project = await openProject({ project: folder }, {});
  const requests: (readonly [string, unknown])[] = [];
  const connection: Connection = connect(project);
  const recording: Connection = {
    ...connection,
    command: (type, args, options) => {
      requests.push([type, args]);
      return connection.command(type, args, options);
    },
  };
  await applyMigrations({ project, connection: recording, databases: ['default'] }, flags);
  return requests;
}

describe('joinery migrate apply', () => {
  it('applies old migrations that drop what the metadata uses, and the metadata stays usable', async () => {
    expect(await migrate('apply')).toMatchObject({ code: 0, err: '' });
    expect(await service.graphql('{ person { name } }', { 'X-Service-Role': 'user' })).toEqual({
      data: { person: [] },
    });
  });

  it('lists what the metadata cannot use after the last migration', async () => {
    const { code, err } = await migrate('apply', '--up', '2');
    expect(code).toBe(0);
    expect(err).toContain('after the migrations 1 object of the metadata is not usable');
    expect(err).toContain('select_permission user in table person');
    // The service uses the database as it is.
    expect(await service.graphql('{ person { id name } }', { 'X-Service-Role': 'admin' })).toMatchObject({
      errors: [{ extensions: { code: 'validation-failed' } }],
    });
  });

  it('compares the metadata with the database after an error too', async () => {
    await writeFiles(folder, { 'migrations/default/200_other/up.sql': 'select nothing;\n' });
    expect(await migrate('apply')).toMatchObject({ code: 1, err: expect.stringContaining('200_other/up.sql:1:8') });
    expect(await service.graphql('{ person { id name } }', { 'X-Service-Role': 'admin' })).toMatchObject({
      errors: [{ extensions: { code: 'validation-failed' } }],
    });
  });

  it('rejects with --check the migration that breaks the metadata, and applies nothing of it', async () => {
    const { code, err } = await migrate('apply', '--check');
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('dependency-error') });
    expect(err).toContain('100_drop/up.sql');
    expect(await sql('select version from joinery.database_migrations where version > 0')).toEqual([]);
  });

  it('follows renamed columns with --check', async () => {
    await writeFiles(folder, { 'migrations/default/100_drop/up.sql': 'alter table person rename name to title;\n' });
    expect(await migrate('apply', '--check', '--up', '1')).toMatchObject({ code: 0, err: '' });
    expect(await service.graphql('{ person { title } }', { 'X-Service-Role': 'user' })).toEqual({
      data: { person: [] },
    });
  });

  it('sends one request for each migration, without a check, and one reload at the end', async () => {
    const requests = await requestsOf();
    const bulks = requests.filter(([type]) => type === 'bulk');
    expect(bulks).toHaveLength(3);
    for (const [, commands] of bulks) {
      expect((commands as readonly { args: object }[]).map(({ args }) => args)).toEqual([
        expect.objectContaining({ check_metadata_consistency: false }),
        expect.objectContaining({ check_metadata_consistency: false }),
        expect.objectContaining({ check_metadata_consistency: false }),
      ]);
    }
    expect(requests.filter(([type]) => type === 'reload_metadata')).toEqual([
      ['reload_metadata', { reload_sources: ['default'], reload_remote_schemas: false }],
    ]);
    expect(requests.at(-1)?.[0]).toBe('reload_metadata');
  });

  it('does not reload the metadata if no migration is missing', async () => {
    await requestsOf();
    expect((await requestsOf()).filter(([type]) => type !== 'run_sql')).toEqual([]);
  });
});
