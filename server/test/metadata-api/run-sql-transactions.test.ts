/** `run_sql` with SQL that begins and ends transactions: the response reports which statements took effect. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startServiceCore, type TestServiceCore } from '../support/service/service-core.ts';

let database: TestDatabase;
let node: TestServiceCore;

beforeAll(async () => {
  database = await testDatabase({ migrated: true, sql: 'create table note (id int primary key)' });
  node = await startServiceCore(database);
});

afterAll(async () => {
  await node.stop();
  await database.drop();
});

beforeEach(async () => {
  await node.run('clear_metadata');
  await sql('truncate note; drop table if exists created, other; drop procedure if exists commits');
});

const sql = async (text: string) => (await database.database.query({ text, values: [] })).rows;
const notes = async () => (await sql('select id from note order by id')).flat();
const outside = { transaction: false };

describe('SQL in one transaction', () => {
  test.each([
    ['begin; insert into note values (1); commit'],
    ['-- one\nBEGIN WORK;\ninsert into note values (1);\nEND; -- over'],
    ['start transaction isolation level read committed; insert into note values (1); commit work;'],
    ["insert into note values (1); select 'commit;', $$rollback;$$; /* commit; */"],
    ['savepoint a; insert into note values (2); rollback to a; insert into note values (1); release a'],
  ])('takes effect as a whole: %j', async (text) => {
    await node.run('run_sql', { sql: text });
    expect(await notes()).toEqual(['1']);
  });

  test('is rolled back with its bulk if it is wrapped in begin and commit', async () => {
    const wrapped = { type: 'run_sql', args: { sql: 'begin; insert into note values (1); commit' } };
    const fails = { type: 'run_sql', args: { sql: 'select nothing' } };
    expect(await node.rejection('bulk', [wrapped, fails])).toMatchObject({ path: '$.args[1].args' });
    expect(await notes()).toEqual([]);
  });

  test('changes the metadata if it is wrapped in begin and commit', async () => {
    await node.run('run_sql', { sql: 'create table created (id int primary key)' });
    await node.run('track_table', 'created');
    await node.run('run_sql', { sql: 'begin; alter table created rename to other; commit' });
    expect(await node.run('export_metadata')).toMatchObject({ sources: [{ tables: [{ table: { name: 'other' } }] }] });
  });

  test('reports the position of an error in the sent SQL if it is wrapped in begin and commit', async () => {
    const rejection = await node.rejection('run_sql', { sql: 'begin;\nselect nothing;\ncommit' });
    expect(rejection.internal).toMatchObject({ error: { position: 15 } });
  });

  test.each([
    ['insert into note values (1); commit; insert into note values (2)', '"commit" at line 1'],
    ['insert into note values (1);\nrollback', '"rollback" at line 2'],
    ['begin; insert into note values (1); commit; begin; insert into note values (2); commit', '"commit" at line 1'],
    ['begin isolation level serializable; insert into note values (1); commit', 'sets options of a transaction'],
    ["insert into note values (1); prepare transaction 'a'", '"prepare transaction \'a\'" at line 1'],
  ])('is rejected before execution if it contains several transactions: %j', async (text, message) => {
    const rejection = await node.rejection('run_sql', { sql: text });
    expect(rejection).toMatchObject({ code: 'postgres-error', path: '$.args.sql' });
    expect(rejection.message).toContain('nothing was run');
    expect(rejection.message).toContain(message);
    expect(await notes()).toEqual([]);
  });

  test.each([
    ['a block', 'do $$ begin insert into note values (1); commit; end $$'],
    ['a procedure', 'call commits()'],
    ['create index concurrently', 'insert into note values (1); create index concurrently on note (id)'],
    ['vacuum', 'insert into note values (1); vacuum note'],
  ])(
    'is rolled back with %s, which needs to run outside of a transaction, and the error names the option',
    async (_statement, text) => {
      await sql('create procedure commits() language plpgsql as $$ begin insert into note values (1); commit; end $$');
      const rejection = await node.rejection('run_sql', { sql: text });
      expect(rejection.message).toContain('"transaction": false runs it outside of a transaction');
      expect(await notes()).toEqual([]);
    },
  );

  // PgBouncer keeps the setting of its clients, and the connections that were opened before the setting was changed.
  const isPooled = process.env.JOINERY_TEST_POOLER_ADDRESS !== undefined;
  test.skipIf(isPooled)(
    'is reported as committed if it contains a commit that the parser does not recognize',
    async () => {
      const [[name] = []] = await sql('select current_database()');
      await sql(`alter database "${name}" set standard_conforming_strings = off`);
      const other = await startServiceCore(database);
      try {
        const text = `insert into note values (1); select 'it\\'s'; commit; select '1'`;
        const rejection = await other.rejection('run_sql', { sql: text });
        expect(rejection).toMatchObject({
          code: 'postgres-error',
          path: '$.args.sql',
          internal: { transaction_ended: true },
        });
        expect(rejection.message).toContain('what it committed stays');
        expect(await notes()).toEqual(['1']);
      } finally {
        await other.stop();
        await sql(`alter database "${name}" reset standard_conforming_strings`);
      }
    },
  );
});

describe('SQL with transaction: false', () => {
  test('runs each statement in a transaction of its own', async () => {
    const text =
      'create table created (id int); create index concurrently a on created (id); vacuum created; select 5 as five';
    expect(await node.run('run_sql', { sql: text, ...outside })).toEqual({
      result_type: 'TuplesOk',
      result: [['five'], ['5']],
    });
    await node.run('run_sql', { sql: 'do $$ begin insert into note values (1); commit; end $$', ...outside });
    expect(await notes()).toEqual(['1']);
  });

  test('is also SQL with no_transaction: true', async () => {
    const text = 'create table created (id int); create index concurrently a on created (id); select 5 as five';
    expect(await node.run('run_sql', { sql: text, no_transaction: true })).toEqual({
      result_type: 'TuplesOk',
      result: [['five'], ['5']],
    });
  });

  test('keeps the statements before an error, and reports which took effect and which did not run', async () => {
    const text = 'insert into note values (1);\ninsert into note values (2);\nselect nothing;\nselect 4';
    const rejection = await node.rejection('run_sql', { sql: text, ...outside });
    expect(rejection.message).toContain(
      '(statement 3 of 4; the 2 statements before it took effect; the statement after it did not run)',
    );
    const { position } = (rejection.internal as { error: { position: number } }).error;
    expect(text.slice(position - 1)).toBe('nothing;\nselect 4');
    expect(await notes()).toEqual(['1', '2']);
  });

  test('rolls back the transaction of a failed statement, and keeps the previous one', async () => {
    const text = `begin; insert into note values (1); commit;
      begin isolation level serializable; insert into note values (2); select nothing; commit; insert into note values (3)`;
    const rejection = await node.rejection('run_sql', { sql: text, ...outside });
    expect(rejection.message).toContain(
      '(statement 6 of 8; its transaction, from statement 4 on, was rolled back; the 3 statements before it took effect; the 2 statements after it did not run)',
    );
    expect(await notes()).toEqual(['1']);
  });

  test('is rejected if a transaction has no commit and is rolled back', async () => {
    const text = 'insert into note values (1);\nbegin;\ninsert into note values (2)';
    const rejection = await node.rejection('run_sql', { sql: text, ...outside });
    expect(rejection.message).toContain('begins at line 2 has no commit and was rolled back; the statement before it');
    expect(await notes()).toEqual(['1']);
  });

  test('is reported as having taken effect if the metadata becomes inconsistent', async () => {
    await node.run('run_sql', { sql: 'create table created (id int primary key, name text)' });
    await node.run('track_table', 'created');
    const permission = { columns: ['name'], filter: {} };
    await node.run('create_select_permission', { table: 'created', role: 'user', permission });
    const rejection = await node.rejection('run_sql', { sql: 'alter table created drop column name', ...outside });
    expect(rejection.message).toMatch(/^the SQL took effect, and the metadata does not fit it: /);
    expect(await sql(`select count(*) from information_schema.columns where table_name = 'created'`)).toEqual([['1']]);
  });
});
