/** Tests that the recorded state of migrations with their own transactions, or without any, is the state of the database. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startService, type TestService } from '../../../server/test/support/service/test-service.ts';
import { until } from '../../../server/test/support/until.ts';
import { joinery } from '../support/command.ts';
import { RunningCommand, writeFiles } from '../support/running-command.ts';

let service: TestService;
let folder: string;

beforeAll(async () => {
  service = await startService();
});

afterAll(() => service.stop());

const up = 'migrations/default/100_notes/up.sql';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'joinery-transactions-'));
  await writeFiles(folder, { 'config.yaml': `version: 3\nendpoint: ${service.url}\n` });
  await sql('create table note (id int primary key)');
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
  await service.command('clear_metadata', {});
  await sql('drop schema public cascade; create schema public; drop table if exists joinery.database_migrations');
});

const migrate = (...args: string[]) => joinery(['migrate', ...args, '--project', folder]);
const write = (text: string, file = up) => writeFiles(folder, { [file]: text });

async function sql(text: string): Promise<readonly (readonly (string | null)[])[]> {
  return (await service.database.database.query({ text, values: [] })).rows;
}

const notes = async () => (await sql('select id from note order by id')).flat().map(Number);
/** Returns whether migration 100 is done, and how many of its parts took effect. */
const recorded = async () => {
  const [exists] = await sql(`select to_regclass('joinery.database_migrations') is not null`);
  if (exists?.[0] !== 't') return [];
  return (await sql('select done, parts from joinery.database_migrations where version > 0')).flat();
};

/** Resolves when `query` returns a row. */
async function untilRow(query: string): Promise<void> {
  await until(`there is a row of: ${query}`, async () => (await sql(query)).length > 0);
}

describe('a migration that is wrapped in begin and commit', () => {
  it('is one transaction with its record', async () => {
    await write('BEGIN;\ninsert into note values (1);\nCOMMIT;\n');
    expect(await migrate('apply')).toMatchObject({ code: 0, err: '' });
    expect(await notes()).toEqual([1]);
    expect(await recorded()).toEqual(['t', '0']);
    expect((await migrate('apply')).out).toContain('Nothing to do');
  });

  it('is rolled back when it fails, reports it, and can be run again', async () => {
    await write('begin;\ninsert into note values (1);\ninsert into nowhere values (1);\ncommit;\n');
    const failed = await migrate('apply');
    expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('it was rolled back') });
    expect(failed.err).toContain(`${join(folder, up)}:3:13: `);
    expect([await notes(), await recorded()]).toEqual([[], []]);
    await write('begin;\ninsert into note values (1);\ncommit;\n');
    expect(await migrate('apply')).toMatchObject({ code: 0, err: '' });
    expect(await notes()).toEqual([1]);
  });

  it('is rolled back to the previous version in one transaction', async () => {
    await write('begin; insert into note values (1); commit;');
    await write('begin; delete from note; commit;', 'migrations/default/100_notes/down.sql');
    await migrate('apply');
    expect(await migrate('rollback')).toMatchObject({ code: 0, err: '' });
    expect([await notes(), await recorded()]).toEqual([[], []]);
  });
});

describe('a migration of several transactions', () => {
  const several = (second: string) =>
    `insert into note values (1);\ncommit;\nbegin;\n${second};\ncommit;\ninsert into note values (3);\n`;

  it('runs all of them, each with its record', async () => {
    await write(several('insert into note values (2)'));
    expect(await migrate('apply')).toMatchObject({ code: 0, err: '' });
    expect(await notes()).toEqual([1, 2, 3]);
    expect(await recorded()).toEqual(['t', '3']);
    expect((await migrate('apply')).out).toContain('Nothing to do');
  });

  it('reports the committed ones when one fails, and continues with the failed one', async () => {
    await write(several('insert into note values (2); select nothing'));
    const failed = await migrate('apply');
    expect(failed.err).toContain(`${join(folder, up)}:4:37: `);
    expect(failed.err).toContain('transaction 2 of 3 was rolled back, transaction 1 is committed and recorded');
    expect([await notes(), await recorded()]).toEqual([[1], ['f', '1']]);
    expect((await migrate('status')).out).toMatch(/100 +notes +yes +begun .*, 1 part took effect/);
    await write(several('insert into note values (2)'));
    expect(await migrate('apply')).toMatchObject({ code: 0, err: '' });
    expect(await notes()).toEqual([1, 2, 3]);
    expect(await recorded()).toEqual(['t', '3']);
  });

  it('commits nothing when the first of them fails', async () => {
    await write(several('select 1').replace('values (1)', 'values (1), (1)'));
    expect((await migrate('apply')).err).toContain('transaction 1 of 3 was rolled back, nothing was committed');
    expect([await notes(), await recorded()]).toEqual([[], []]);
  });

  it('is not continued if its committed SQL was changed, unless --take-over runs all of it', async () => {
    await write(several('select nothing'));
    await migrate('apply');
    await write(several('select 2').replace('values (1)', 'values (10)'));
    expect(await migrate('apply')).toMatchObject({ code: 1, err: expect.stringContaining('was changed since') });
    expect(await notes()).toEqual([1]);
    expect(await migrate('apply', '--take-over')).toMatchObject({ code: 0, err: '' });
    expect(await notes()).toEqual([1, 3, 10]);
  });

  it('continues after the last committed transaction if its process was killed', async () => {
    await write(several('select pg_sleep(120)'));
    const applier = new RunningCommand(['migrate', 'apply', '--project', folder]);
    await untilRow('select from note where id = 1');
    await untilRow(`select from pg_stat_activity where query like '%pg_sleep(120)%' and pid <> pg_backend_pid()`);
    await applier.stop('SIGKILL');
    await sql(`select pg_terminate_backend(pid) from pg_stat_activity
      where query like '%pg_sleep(120)%' and pid <> pg_backend_pid()`);
    await write(several('insert into note values (2)'));
    expect(await migrate('apply')).toMatchObject({ code: 0, err: '' });
    expect(await notes()).toEqual([1, 2, 3]);
  });

  it('can be rolled back alone while only parts of it are applied', async () => {
    await write(several('select nothing'));
    await write('delete from note;', 'migrations/default/100_notes/down.sql');
    await write('select 1;', 'migrations/default/050_first/up.sql');
    await write('select 1;', 'migrations/default/050_first/down.sql');
    await migrate('apply');
    expect(await migrate('rollback')).toMatchObject({ code: 1, err: expect.stringContaining('is partly applied') });
    expect(await migrate('apply', '--version', '100', '--type', 'down')).toMatchObject({ code: 0, err: '' });
    expect(await notes()).toEqual([]);
    expect(await sql('select version::int from joinery.database_migrations where version > 0')).toEqual([['50']]);
  });

  it('is rejected before anything runs in the down direction', async () => {
    await write('insert into note values (1);');
    await write('delete from note;\ncommit;\nselect 1;', 'migrations/default/100_notes/down.sql');
    await migrate('apply');
    const rejected = await migrate('rollback');
    expect(rejected).toMatchObject({ code: 1, err: expect.stringContaining('nothing was run') });
    expect(rejected.err).toMatch(/down\.sql:2:\d+: the file has several transactions/);
    expect(await notes()).toEqual([1]);
  });
});

it.each([
  ['rollback', 'insert into note values (1);\nrollback;', ':2:1: a migration cannot roll back its own transaction'],
  ['begin with options', 'begin isolation level serializable;\nselect 1; commit', ':1:1: a transaction with options'],
])('a migration with %s is rejected before anything runs', async (_what, text, message) => {
  await write(text);
  const rejected = await migrate('apply');
  expect(rejected).toMatchObject({ code: 1, err: expect.stringContaining(`${join(folder, up)}${message}`) });
  expect(rejected.err).toContain('nothing was run');
  expect([await notes(), await recorded()]).toEqual([[], []]);
});

it.each([
  ['a block that commits', 'do $$ begin insert into note values (1); commit; end $$;'],
  ['create index concurrently', 'insert into note values (1); create index concurrently on note (id);'],
])('a migration with %s is rolled back, and the error names the line that allows it', async (_what, text) => {
  await write(text);
  const failed = await migrate('apply');
  expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('it was rolled back') });
  expect(failed.err).toContain('start the file with "-- joinery: no-transaction"');
  expect([await notes(), await recorded()]).toEqual([[], []]);
});

describe('a migration without a transaction', () => {
  const outside = (...statements: string[]) => `-- joinery: no-transaction\n${statements.join(';\n')};\n`;

  it('may contain transactions, vacuum, and blocks that commit', async () => {
    await write(
      outside(
        'begin isolation level serializable',
        'insert into note values (1)',
        'commit',
        'vacuum note',
        'create index concurrently on note (id)',
        'do $$ begin insert into note values (2); commit; end $$',
      ),
    );
    expect(await migrate('apply')).toMatchObject({ code: 0, err: '' });
    expect(await notes()).toEqual([1, 2]);
    expect((await recorded())[0]).toBe('t');
  });

  it('continues with the failed statement', async () => {
    const first = 'insert into note values (1)';
    await write(outside(first, 'begin', 'insert into note values (2)', 'select nothing', 'commit'));
    const failed = await migrate('apply');
    expect(failed.err).toContain('statement 2 of 2 without a transaction: the statement before it took effect');
    expect(failed.err).toContain('continues with statement 2');
    expect([await notes(), await recorded()]).toEqual([[1], ['f', '1']]);
    await write(outside(first, 'insert into note values (2)'));
    expect(await migrate('apply')).toMatchObject({ code: 0, err: '' });
    expect(await notes()).toEqual([1, 2]);
  });

  it('of a killed process needs --take-over, which continues after the recorded statements', async () => {
    await write(outside('insert into note values (1)', 'select pg_sleep(120)'));
    const applier = new RunningCommand(['migrate', 'apply', '--project', folder]);
    await untilRow(`select from pg_stat_activity where query like '%pg_sleep(120)%' and pid <> pg_backend_pid()`);
    await applier.stop('SIGKILL');
    await sql(`select pg_terminate_backend(pid) from pg_stat_activity
      where query like '%pg_sleep(120)%' and pid <> pg_backend_pid()`);
    await write(outside('insert into note values (1)', 'insert into note values (2)'));
    const rejected = await migrate('apply');
    expect(rejected).toMatchObject({
      code: 1,
      err: expect.stringContaining('1 of its statements are recorded as completed'),
    });
    expect(await migrate('apply', '--take-over')).toMatchObject({ code: 0, err: '' });
    expect(await notes()).toEqual([1, 2]);
  });
});

it('adds the columns about parts to a table of an older version, and preserves its rows', async () => {
  await sql(`create table joinery.database_migrations (version numeric(19) primary key, name text not null,
    applied_at timestamptz not null default clock_timestamp(), done boolean not null default true)`);
  await sql(`insert into joinery.database_migrations (version, name) values (0, 'lock'), (50, 'first')`);
  await write('insert into note values (1);');
  await write('select nothing;', 'migrations/default/050_first/up.sql');
  expect((await migrate('status')).out).toMatch(/50 +first +yes +\d{4}-/);
  expect(await migrate('apply')).toMatchObject({ code: 0, err: '' });
  expect(await notes()).toEqual([1]);
});

it('rejects a seed with several transactions before anything runs, and applies one in begin and commit', async () => {
  await writeFile(join(folder, 'config.yaml'), `version: 3\nendpoint: ${service.url}\n`);
  await write('insert into note values (1); commit; insert into note values (2);', 'seeds/default/1.sql');
  const rejected = await joinery(['seed', 'apply', '--project', folder]);
  expect(rejected).toMatchObject({ code: 1, err: expect.stringContaining('nothing was seeded') });
  expect(await notes()).toEqual([]);
  await write('begin; insert into note values (1); commit;', 'seeds/default/1.sql');
  expect(await joinery(['seed', 'apply', '--project', folder])).toMatchObject({ code: 0, err: '' });
  expect(await notes()).toEqual([1]);
});

it('is not done for a second process while a part of it is running', async () => {
  await write(
    'begin; insert into note values (1); commit; begin; select pg_sleep(2); insert into note values (2); commit;',
  );
  await write('insert into note select 100 + count(*) from note', 'migrations/default/200_next/up.sql');
  const first = new RunningCommand(['migrate', 'apply', '--project', folder]);
  await untilRow('select from note where id = 1');
  await migrate('apply');
  // Waits until the process exits: the signal 0 has no effect on it.
  await first.stop('SIGCONT');
  expect(await migrate('apply')).toMatchObject({ code: 0, err: '' });
  expect(await notes()).toEqual([1, 2, 102]);
});

describe('joinery migrate squash', () => {
  const range = ['squash', '--from', '100', '--name', 'all'];

  it('omits begin and commit of the files, so that the result is one transaction', async () => {
    await write('BEGIN;\ninsert into note values (1);\nCOMMIT;\n');
    await write('insert into note values (2)', 'migrations/default/200_next/up.sql');
    expect(await migrate(...range, '--delete-source')).toMatchObject({ code: 0, err: '' });
    const text = await readFile(join(folder, 'migrations/default/201_all/up.sql'), 'utf8');
    expect(text).not.toMatch(/begin|commit/i);
    expect(await migrate('apply')).toMatchObject({ code: 0, err: '' });
    expect(await notes()).toEqual([1, 2]);
  });

  it.each([
    ['several transactions', 'begin; insert into note values (1); commit; begin; insert into note values (3); commit;'],
    ['no transaction', '-- joinery: no-transaction\nvacuum note;'],
  ])('rejects a file of %s and writes nothing', async (_what, text) => {
    await write(text);
    await write('insert into note values (2)', 'migrations/default/200_next/up.sql');
    const outcome = await migrate(...range, '--delete-source');
    expect(outcome).toMatchObject({ code: 1, err: expect.stringContaining('is not one transaction') });
    expect((await readdir(join(folder, 'migrations/default'))).sort()).toEqual(['100_notes', '200_next']);
  });

  it.each(['with space', '../up', ''])('rejects the name "%s", and keeps the files', async (name) => {
    await write('insert into note values (1)');
    await write('insert into note values (2)', 'migrations/default/200_next/up.sql');
    const outcome = await migrate('squash', '--from', '100', '--name', name, '--delete-source');
    expect(outcome).toMatchObject({ code: 1, err: expect.stringContaining('cannot be the name of a folder') });
    expect((await readdir(join(folder, 'migrations/default'))).sort()).toEqual(['100_notes', '200_next']);
  });
});
