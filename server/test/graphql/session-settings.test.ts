/** The settings `hasura.user` and `hasura.tracecontext`, which SQL of the database reads in mutations. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service/test-service.ts';

const trigger = `
create table audit (id int generated always as identity primary key, op text, author json, trace json);
create function audit() returns trigger language plpgsql as $$
begin
  insert into audit (op, author, trace)
  values (tg_op, nullif(current_setting('hasura.user', 't'), '')::json,
    nullif(current_setting('hasura.tracecontext', 't'), '')::json);
  return coalesce(new, old);
end
$$;
create table note (id int primary key, text text, parent_id int references note);
create trigger audit before insert or update or delete on note for each row execute function audit();
create function add_note(id int) returns setof note language sql as 'insert into note values (add_note.id, null) returning *';
`;
const author = { 'x-service-role': 'user', 'x-service-user-id': `7 \\ "'` };
const user = { 'x-service-role': 'user' };

let service: TestService;

const run = (text: string) => service.database.database.query({ text, values: [] });

async function audited(): Promise<unknown> {
  const found = `select coalesce(json_agg(json_build_object('op', op, 'author', author) order by id), '[]') from audit`;
  return JSON.parse((await run(found)).rows[0]?.[0] ?? '');
}

async function trackNotes(): Promise<void> {
  await service.command('bulk', [
    { type: 'track_table', args: 'note' },
    {
      type: 'create_object_relationship',
      args: { table: 'note', name: 'parent', using: { foreign_key_constraint_on: 'parent_id' } },
    },
    {
      type: 'create_select_permission',
      args: { table: 'note', role: 'user', permission: { columns: '*', filter: {} } },
    },
    {
      type: 'create_insert_permission',
      args: { table: 'note', role: 'user', permission: { columns: '*', check: {} } },
    },
    {
      type: 'create_update_permission',
      args: { table: 'note', role: 'user', permission: { columns: '*', filter: {} } },
    },
    { type: 'create_delete_permission', args: { table: 'note', role: 'user', permission: { filter: {} } } },
  ]);
}

describe('a trigger that reads hasura.user', () => {
  beforeAll(async () => {
    service = await startService({}, { sql: trigger });
    await trackNotes();
    await service.command('pg_track_function', {
      function: 'add_note',
      configuration: { exposed_as: 'mutation' },
    });
    await service.command('pg_create_function_permission', { function: 'add_note', role: 'user' });
  }, 60_000);
  beforeEach(async () => {
    await run('truncate note, audit; insert into note values (1); truncate audit');
  });
  afterAll(() => service.stop());

  test.each([
    ['an insert', 'insert_note_one(object: {id: 2}) { id }', ['INSERT']],
    ['an insert of many rows', 'insert_note(objects: [{id: 2}, {id: 3}]) { affected_rows }', ['INSERT', 'INSERT']],
    ['a nested insert', 'insert_note_one(object: {id: 2, parent: {data: {id: 3}}}) { id }', ['INSERT', 'INSERT']],
    ['an update', 'update_note(where: {}, _set: {text: "a"}) { affected_rows }', ['UPDATE']],
    ['a delete', 'delete_note_by_pk(id: 1) { id }', ['DELETE']],
    ['a function', 'add_note(args: {id: 2}) { id }', ['INSERT']],
    ['several fields', 'a: delete_note_by_pk(id: 1) { id } add_note(args: {id: 2}) { id }', ['DELETE', 'INSERT']],
  ])('finds the session variables in %s', async (_name, field, operations) => {
    expect(await service.graphql(`mutation { ${field} }`, author)).not.toHaveProperty('errors');
    expect(await audited()).toEqual(operations.map((op) => ({ op, author })));
  });

  test('finds those of each caller', async () => {
    await service.graphql('mutation { add_note(args: {id: 2}) { id } }', author);
    await service.graphql('mutation { add_note(args: {id: 3}) { id } }', user);
    expect(await audited()).toEqual([
      { op: 'INSERT', author },
      { op: 'INSERT', author: user },
    ]);
  });

  test('finds nothing after the mutation', async () => {
    await service.graphql('mutation { add_note(args: {id: 2}) { id } }', author);
    await run('truncate audit; delete from note where id = 2');
    expect(await audited()).toEqual([{ op: 'DELETE', author: null }]);
  });

  test('finds the role of an admin in run_sql', async () => {
    await service.command('run_sql', { sql: 'delete from note' });
    expect(await audited()).toEqual([{ op: 'DELETE', author: { 'x-service-role': 'admin' } }]);
  });

  test('leaves nothing of a mutation that fails', async () => {
    expect(await service.graphql('mutation { insert_note_one(object: {id: 1}) { id } }', author)).toMatchObject({
      errors: [{ extensions: { code: 'constraint-violation' } }],
    });
    expect(await audited()).toEqual([]);
  });
});

describe('hasura.user is found by', () => {
  test.each([
    [
      'a default',
      `create table note (id int primary key, text text default current_setting('hasura.user', true), parent_id int references note)`,
    ],
    [
      'a function with a parsed body',
      `create function who() returns text language sql begin atomic; select current_setting('hasura.user', true); end;
       create table note (id int primary key, text text default who(), parent_id int references note)`,
    ],
  ])('%s', async (_name, sql) => {
    service = await startService({}, { sql });
    try {
      await trackNotes();
      await service.graphql('mutation { insert_note_one(object: {id: 1}) { id } }', author);
      const { rows } = await run('select text from note');
      expect(JSON.parse(rows[0]?.[0] ?? 'null')).toEqual(author);
    } finally {
      await service.stop();
    }
  });
});
