/** Tests of `joinery migrate` and `joinery seed`, run as processes against a service. */
import { existsSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../../../server/test/support/service/test-service.ts';
import { splitStatements } from '../../src/commands/migrate/sql-statements.ts';
import { joinery } from '../support/command.ts';
import { writeFiles } from '../support/running-command.ts';

let service: TestService;
let folder: string;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service.stop());

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'joinery-migrate-'));
  await writeFiles(folder, { 'config.yaml': `version: 3\nendpoint: ${service.url}\n`, ...migrations });
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
  const forget = `drop table if exists joinery.database_migrations, joinery.database_seeds`;
  await service.command('clear_metadata', {});
  await sql(`drop schema public cascade; create schema public; ${forget}`);
});

const run = (...args: string[]) => joinery([...args, '--project', folder]);

async function sql(text: string): Promise<readonly (readonly (string | null)[])[]> {
  return (await service.database.database.query({ text, values: [] })).rows;
}

const migrations = {
  'migrations/default/100_customer/up.sql': 'create table customer (id int primary key, name text);\n',
  'migrations/default/100_customer/down.sql': 'drop table customer;\n',
  'migrations/default/200_orders/up.sql': 'create table orders (id int primary key, customer_id int);\n',
  'migrations/default/200_orders/down.sql': 'drop table orders;\n',
  // The flat layout in the same project.
  'migrations/default/300_note.up.sql': 'alter table orders add note text;\n',
  'migrations/default/300_note.down.sql': 'alter table orders drop note;\n',
};

const tables = async (): Promise<readonly unknown[]> =>
  (
    await sql(`select table_name from information_schema.tables where table_schema = 'public' order by table_name`)
  ).flat();

describe('joinery migrate', () => {
  it('reports the metadata that --cascade drops, and follows renamed columns', async () => {
    await run('migrate', 'apply', '--up', '2');
    await service.command('bulk', [
      { type: 'track_table', args: 'orders' },
      {
        type: 'create_select_permission',
        args: { table: 'orders', role: 'user', permission: { columns: ['id', 'customer_id'], filter: {} } },
      },
    ]);
    await writeFiles(folder, {
      'migrations/default/300_note.up.sql': 'alter table orders rename customer_id to buyer;\n',
      'migrations/default/400_less/up.sql': 'alter table orders drop buyer;\n',
    });
    expect(await run('migrate', 'apply', '--up', '1', '--cascade')).toMatchObject({ code: 0, err: '' });
    expect(await run('migrate', 'apply', '--cascade')).toMatchObject({
      code: 0,
      err: 'dropped select_permission user in table orders in source default\n',
    });
  });

  it('applies missing migrations in order, and then none', async () => {
    const first = await run('migrate', 'apply');
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(first.out.match(/\d+_\w+/g)).toEqual(['100_customer', '200_orders', '300_note']);
    expect(await tables()).toEqual(['customer', 'orders']);
    expect((await run('migrate', 'apply')).out).toContain('Nothing to do');
  });

  it('goes up and down by a count, to a version, and by one version alone', async () => {
    await run('migrate', 'apply', '--up', '2');
    expect(await tables()).toEqual(['customer', 'orders']);
    await run('migrate', 'apply', '--goto', '100');
    expect(await tables()).toEqual(['customer']);
    await run('migrate', 'apply', '--version', '200', '--type', 'up');
    await run('migrate', 'apply', '--version', '100', '--type', 'down');
    expect(await tables()).toEqual(['orders']);
    await run('migrate', 'rollback');
    expect(await tables()).toEqual([]);
    expect(await run('migrate', 'apply', '--goto', '150')).toMatchObject({
      code: 1,
      err: expect.stringContaining('150'),
    });
  });

  it.each([
    [['--up', '1', '--down', '1'], '--up and --down exclude each other; give one of them'],
    [['--goto', '100', '--version', '100'], '--goto and --version exclude each other; give one of them'],
    [['--down', '1', '--type', 'up'], '--type needs --version'],
  ])('rejects %j, and runs none', async (options, reason) => {
    expect(await run('migrate', 'apply', ...options)).toMatchObject({ code: 1, err: expect.stringContaining(reason) });
    expect(await tables()).toEqual([]);
  });

  it('prints the migrations of a dry run and runs none', async () => {
    const { out, code } = await run('migrate', 'apply', '--dry-run');
    expect({ code, sql: out.includes('create table customer') }).toEqual({ code: 0, sql: true });
    expect(await sql(`select to_regclass('joinery.database_migrations')`)).toEqual([[null]]);
  });

  it('records migrations without running them with --skip-execution', async () => {
    await run('migrate', 'apply', '--skip-execution');
    expect(await tables()).toEqual([]);
    const [list] = JSON.parse((await run('migrate', 'status', '-o', 'json')).out);
    expect(
      list.migrations.map((one: { version: string; applied_at: unknown }) => [one.version, one.applied_at !== null]),
    ).toEqual([
      ['100', true],
      ['200', true],
      ['300', true],
    ]);
  });

  it('rolls back a failed migration, and reports file, line and reason', async () => {
    const path = join(folder, 'migrations/default/200_orders/up.sql');
    await writeFile(path, '-- ключ 😀\ncreate table orders (id int);\n  select nothing from nowhere;\n');
    const outcome = await run('migrate', 'apply');
    expect(outcome.code).toBe(1);
    expect(outcome.err).toContain(`${path}:3:23: `);
    expect(outcome.err).toContain('"nowhere" does not exist');
    expect(await tables()).toEqual(['customer']);
  });

  it('runs each migration once when two processes apply at the same time', async () => {
    await writeFile(
      join(folder, 'migrations/default/100_customer/up.sql'),
      'create table customer (id int); select pg_sleep(0.5);',
    );
    const both = await Promise.all([run('migrate', 'apply'), run('migrate', 'apply')]);
    expect(both.map(({ code, err }) => [code, err])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    const made = both
      .flatMap(({ out }) => out.split('\n'))
      .filter((line) => /^applied .* on default/.test(line) && !line.includes('by another process'));
    expect(made).toHaveLength(3);
  });

  it('runs statements without a transaction if the first line of the file declares it', async () => {
    const text = `-- joinery: no-transaction\ncreate index concurrently one on customer (name);\ncreate index concurrently two on customer (id);`;
    await writeFiles(folder, { 'migrations/default/150_index/up.sql': text });
    expect(await run('migrate', 'apply')).toMatchObject({ code: 0, err: '' });
    expect(await sql(`select count(*) from pg_indexes where indexname in ('one', 'two')`)).toEqual([['2']]);
  });

  it('runs statements without a transaction if none of the file can run in one', async () => {
    const text = `-- for searches\ncreate index concurrently one on customer (name);\n/* again */ vacuum customer;`;
    await writeFiles(folder, { 'migrations/default/150_index/up.sql': text });
    expect(await run('migrate', 'apply')).toMatchObject({ code: 0, err: '' });
    expect(await sql(`select count(*) from pg_indexes where indexname = 'one'`)).toEqual([['1']]);
  });

  it.each([
    ['--no-transaction', ['--no-transaction'], ''],
    ['no_transaction of config.yaml', [], 'no_transaction: true\n'],
  ])('runs a file with such a statement among others statement by statement with %s', async (_what, flags, config) => {
    const path = join(folder, 'config.yaml');
    const text = `create index concurrently one on customer (name);\ncomment on table customer is 'x';`;
    await writeFiles(folder, { 'migrations/default/150_index/up.sql': text });
    expect(await run('migrate', 'apply')).toMatchObject({ code: 1, err: expect.stringContaining('no-transaction') });
    await appendFile(path, config);
    expect(await run('migrate', 'apply', ...flags)).toMatchObject({ code: 0, err: '' });
    expect(await sql(`select count(*) from pg_indexes where indexname = 'one'`)).toEqual([['1']]);
  });

  it('reports the line of a statement that fails without a transaction', async () => {
    const path = join(folder, 'migrations/default/150_index/up.sql');
    const text = '-- joinery: no-transaction\nselect 1;\n\n/* again */ select 1;\nselect 1, nothing;\n';
    await writeFiles(folder, { 'migrations/default/150_index/up.sql': text });
    expect((await run('migrate', 'apply')).err).toMatch(
      new RegExp(
        `${path}:5:11: .*"nothing" does not exist[^]*statement 3 of 3 .*: the 2 statements before it took effect`,
      ),
    );
  });

  it('does not start while a migration without a transaction has not ended, and continues it with --take-over', async () => {
    await run('migrate', 'apply', '--up', '1');
    await sql(`insert into joinery.database_migrations (version, name, done) values (150, 'index', false)`);
    await writeFiles(folder, {
      'migrations/default/150_index/up.sql':
        '-- joinery: no-transaction\ncreate index concurrently one on customer (name)',
    });
    expect(await run('migrate', 'apply')).toMatchObject({ code: 1, err: expect.stringContaining('--take-over') });
    expect(await run('migrate', 'apply', '--take-over')).toMatchObject({ code: 0, err: '' });
    expect(
      await sql('select version::int from joinery.database_migrations where done and version > 0 order by 1'),
    ).toEqual([['100'], ['150'], ['200'], ['300']]);
  });

  it('creates migrations and squashes them', async () => {
    const created = await run(
      'migrate',
      'create',
      'audit',
      '--up-sql',
      'create table audit (id int)',
      '--down-sql',
      'drop table audit',
    );
    expect(created.code).toBe(0);
    await run('migrate', 'apply');
    const squashed = await run(
      'migrate',
      'squash',
      '--from',
      '0100',
      '--to',
      '300',
      '--name',
      'first',
      '--delete-source',
    );
    expect(squashed).toMatchObject({ code: 0, err: '' });
    expect(await readFile(join(folder, 'migrations/default/301_first/down.sql'), 'utf8')).toMatch(
      /drop note[\s\S]*drop table orders[\s\S]*drop table customer/,
    );
    expect(existsSync(join(folder, 'migrations/default/300_note.up.sql'))).toBe(false);
    expect((await run('migrate', 'apply')).out).toContain('Nothing to do');
    expect(await run('migrate', 'rollback', '--steps', '2')).toMatchObject({ code: 0, err: '' });
    expect(await tables()).toEqual([]);
  });

  it.each(['100', '0100'])('rejects a second migration with the number %s', async (number) => {
    await writeFiles(folder, { [`migrations/default/${number}_other/up.sql`]: 'select 1' });
    expect(await run('migrate', 'apply')).toMatchObject({ code: 1, err: expect.stringContaining('two migrations') });
  });

  it('reads migrations of the older layout, without a folder for the database', async () => {
    await rm(join(folder, 'migrations'), { recursive: true });
    await writeFiles(folder, {
      'migrations/100_customer/up.sql': migrations['migrations/default/100_customer/up.sql'],
    });
    expect(await run('migrate', 'apply')).toMatchObject({ code: 0, err: '' });
    expect(await tables()).toEqual(['customer']);
  });
});

describe('joinery seed', () => {
  it('applies all files or none, and with --once only new files', async () => {
    await run('migrate', 'apply');
    await writeFiles(folder, {
      'seeds/default/1.sql': `insert into customer values (1, 'Ann')`,
      'seeds/default/2.sql': 'insert into customer values (1)',
    });
    expect(await run('seed', 'apply')).toMatchObject({ code: 1, err: expect.stringContaining('2.sql: ') });
    await writeFiles(folder, { 'seeds/default/2.sql': 'select 1;\nselect nothing' });
    expect(await run('seed', 'apply')).toMatchObject({ code: 1, err: expect.stringContaining('default/2.sql:2:8: ') });
    expect(await sql('select count(*) from customer')).toEqual([['0']]);
    await rm(join(folder, 'seeds/default/2.sql'));
    expect(await run('seed', 'apply', '--once')).toMatchObject({ code: 0, err: '' });
    expect((await run('seed', 'apply', '--once')).out).toContain('Nothing to do');
  });
});

it('splits SQL at semicolons outside of quotes, dollar quotes and comments', () => {
  const text = `select ';', e'it\\'s;', "a;b"; -- no; end\n do $x$ begin; end $x$; /* a; /* b; */ ; */ ; $$;$$`;
  expect(splitStatements(text)).toEqual([
    `select ';', e'it\\'s;', "a;b"`,
    '-- no; end\n do $x$ begin; end $x$',
    '$$;$$',
  ]);
});
