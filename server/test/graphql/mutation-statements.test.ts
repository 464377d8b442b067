/** The number of statements that a mutation sends, and what remains where a check of a permission fails. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createChanges } from '../../src/execute/live/changes.ts';
import { createDatabase, type Database } from '../../src/postgres/client/pool.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type Engine, type EngineRequest, startEngine } from '../support/service/engine.ts';

const sql = `
create table owner (id int primary key);
insert into owner values (1), (2);
create table note (
  id int primary key, owner_id int references owner, text text, parent_id int references note
);
create table audit (id int, text text);
create function audit() returns trigger language plpgsql as $$
begin
  insert into audit values (new.id, new.text);
  return new;
end
$$;
create trigger audit before insert or update on note for each row execute function audit();
create table deferred (id int primary key deferrable initially deferred, text text, copy boolean not null default false);
insert into deferred values (1, 'one');
create table base (id int primary key, text text);
create table derived (primary key (id)) inherits (base);
insert into base values (1, 'base'), (2, 'base');
insert into derived values (1, 'derived');
`;
const check = { text: { _ne: 'forbidden' } };
const permission = { columns: '*', filter: {}, check };
const note = {
  table: 'note',
  object_relationships: [{ name: 'parent', using: { foreign_key_constraint_on: 'parent_id' } }],
  select_permissions: [{ role: 'user', permission: { columns: '*', filter: {} } }],
  insert_permissions: [{ role: 'user', permission: { columns: '*', check } }],
  update_permissions: [{ role: 'user', permission }],
  delete_permissions: [{ role: 'user', permission: { filter: {} } }],
};
const tables = [note, { table: 'owner' }, { table: 'base' }, { table: 'deferred' }];
const metadata = { sources: [{ name: 'default', tables }] };

let db: TestDatabase;
let database: Database;
let engine: Engine;
/** The first words of the statements, with those that begin and end transactions. */
let sent: string[] = [];
/** The tables of the reported changes. */
let changed: string[][] = [];

const user = { role: 'user' };

async function run(request: EngineRequest): Promise<{ readonly body: unknown; readonly sent: readonly string[] }> {
  sent = [];
  changed = [];
  const { body } = await engine.execute(request);
  return { body: JSON.parse(body), sent };
}

async function rowsOf(table: string): Promise<unknown> {
  const { rows } = await db.database.query({ text: `select id, text from ${table} order by id, text`, values: [] });
  return rows;
}

beforeAll(async () => {
  db = await testDatabase({ sql });
  database = createDatabase({
    url: db.url,
    poolSize: 2,
    statementTimeoutMs: 20_000,
    prepare: true,
    applicationName: 'joinery tests',
    observe: (observation) => {
      if (observation.kind === 'statement') sent.push(/\w+/.exec(observation.text)?.[0] ?? '');
    },
  });
  const changes = createChanges();
  changes.listen((_source, names) => changed.push([...(names ?? [])]));
  engine = await startEngine({ metadata, databases: { default: database }, changes });
});

beforeEach(async () => {
  const text = `delete from note; insert into note values (1, 1, 'one', null); delete from audit`;
  await db.database.query({ text, values: [] });
});

afterAll(async () => {
  await engine?.close();
  await database?.close();
  await db?.drop();
});

describe('a mutation of one statement needs no transaction', () => {
  const insert = 'insert_note_one(object: { id: 2, owner_id: 1, text: "two" }) { id text owner_id }';
  const upsert = `insert_note_one(
    object: { id: 1, text: "two" }, on_conflict: { constraint: note_pkey, update_columns: [text] }
  ) { id text }`;
  test.each([
    ['an insert by admin', {}, insert, 'insert', { id: 2, text: 'two', owner_id: 1 }],
    ['an insert with a check', user, insert, 'insert', { id: 2, text: 'two', owner_id: 1 }],
    ['an upsert with a check', user, upsert, 'insert', { id: 1, text: 'two' }],
    [
      'an update by key with a check',
      user,
      'update_note_by_pk(pk_columns: { id: 1 }, _set: { text: "two" }) { id text }',
      'update',
      { id: 1, text: 'two' },
    ],
    [
      'an update of no row',
      user,
      'update_note_by_pk(pk_columns: { id: 9 }, _set: { text: "two" }) { id text }',
      'update',
      null,
    ],
    [
      'an update by condition with a check',
      user,
      'update_note(where: { id: { _eq: 1 } }, _set: { text: "two" }) { affected_rows returning { text } }',
      'with',
      { affected_rows: 1, returning: [{ text: 'two' }] },
    ],
    [
      'an insert of several rows with a check',
      user,
      'insert_note(objects: [{ id: 2, text: "two" }, { id: 3, text: "three" }]) { affected_rows returning { id } }',
      'with',
      { affected_rows: 2, returning: [{ id: 2 }, { id: 3 }] },
    ],
    ['a delete by key', user, 'delete_note_by_pk(id: 1) { id text }', 'delete', { id: 1, text: 'one' }],
  ])('%s', async (_name, session, field, first, value) => {
    const result = await run({ query: `mutation { value: ${field} }`, ...session });
    expect(result).toEqual({ body: { data: { value } }, sent: [first] });
    expect(changed).toEqual([['"public"."note"']]);
  });
});

test('a mutation whose response reads the table again has two statements in a transaction', async () => {
  const query = 'mutation { insert_note_one(object: { id: 2, text: "two", parent_id: 1 }) { id parent { text } } }';
  const result = await run({ query, ...user });
  expect(result.body).toEqual({ data: { insert_note_one: { id: 2, parent: { text: 'one' } } } });
  expect(result.sent).toEqual(['begin', 'insert', 'select', 'commit']);
});

test('several fields are changed in one transaction, in which a failed check rolls back all', async () => {
  const query = `mutation {
    one: insert_note_one(object: { id: 2, text: "two" }) { id }
    two: insert_note_one(object: { id: 3, text: "forbidden" }) { id }
  }`;
  const result = await run({ query, ...user });
  expect(result.body).toMatchObject({ errors: [{ extensions: { code: 'permission-error' } }] });
  expect(result.sent).toEqual(['begin', 'insert', 'insert', 'rollback']);
  expect(await rowsOf('note')).toEqual([['1', 'one']]);
});

describe('a failed check', () => {
  test.each([
    ['of an insert', 'insert_note_one(object: { id: 2, text: "forbidden" }) { id }'],
    [
      'of an upsert',
      `insert_note_one(
      object: { id: 1, text: "forbidden" }, on_conflict: { constraint: note_pkey, update_columns: [text] }
    ) { id }`,
    ],
    [
      'of one of several rows',
      'insert_note(objects: [{ id: 2, text: "two" }, { id: 3, text: "forbidden" }]) { affected_rows }',
    ],
    ['of an update by key', 'update_note_by_pk(pk_columns: { id: 1 }, _set: { text: "forbidden" }) { id }'],
    ['of an update by condition', 'update_note(where: {}, _set: { text: "forbidden" }) { affected_rows }'],
  ])('%s changes nothing and is a permission error', async (_name, field) => {
    const { body, sent: statements } = await run({ query: `mutation { ${field} }`, ...user });
    expect(body).toMatchObject({
      errors: [
        {
          message: 'check constraint of an insert/update permission has failed',
          extensions: { code: 'permission-error', path: expect.stringContaining('$.selectionSet.') },
        },
      ],
    });
    // The statement that failed, and the transaction that repeats it.
    expect(statements).toHaveLength(4);
    expect(statements.slice(1)).toEqual(['begin', statements[0], 'rollback']);
    expect(await rowsOf('note')).toEqual([['1', 'one']]);
    expect(await rowsOf('audit')).toEqual([]);
    expect(changed).toEqual([]);
  });

  test('is preceded by a constraint that is checked at the end of the statement', async () => {
    const query = 'mutation { insert_note_one(object: { id: 2, text: "forbidden", owner_id: 99 }) { id } }';
    const { body } = await run({ query, ...user });
    expect(body).toMatchObject({ errors: [{ extensions: { code: 'constraint-violation' } }] });
    expect(await rowsOf('note')).toEqual([['1', 'one']]);
  });
});

test('requests with other values and other fields use the statement of their fields', async () => {
  const query = 'mutation ($row: note_insert_input!) { insert_note_one(object: $row) { id text owner_id } }';
  const insert = async (row: unknown) => (await run({ query, variables: { row }, ...user })).body;
  expect(await insert({ id: 2, text: 'two' })).toEqual({
    data: { insert_note_one: { id: 2, text: 'two', owner_id: null } },
  });
  expect(await insert({ id: 3, text: 'three' })).toMatchObject({ data: { insert_note_one: { id: 3, text: 'three' } } });
  expect(await insert({ text: 'four', id: 4 })).toMatchObject({ data: { insert_note_one: { id: 4, text: 'four' } } });
  expect(await insert({ id: 5, owner_id: 2 })).toEqual({
    errors: [expect.objectContaining({ extensions: expect.objectContaining({ code: 'permission-error' }) })],
  });
  expect(await insert({ id: 6, text: null, owner_id: 2 })).toMatchObject({ errors: [expect.anything()] });
  expect(await insert({ id: 7, text: 'seven', owner_id: 2 })).toMatchObject({
    data: { insert_note_one: { id: 7, owner_id: 2 } },
  });
  const change = `mutation ($set: note_set_input, $id: Int!) {
    update_note_by_pk(pk_columns: { id: $id }, _set: $set) { id text owner_id }
  }`;
  const update = async (id: number, set: unknown) =>
    (await run({ query: change, variables: { id, set }, ...user })).body;
  expect(await update(1, { text: 'a' })).toEqual({ data: { update_note_by_pk: { id: 1, text: 'a', owner_id: 1 } } });
  expect(await update(2, { text: 'b' })).toEqual({ data: { update_note_by_pk: { id: 2, text: 'b', owner_id: null } } });
  expect(await update(2, { owner_id: 2 })).toEqual({ data: { update_note_by_pk: { id: 2, text: 'b', owner_id: 2 } } });
  expect(await update(2, { owner_id: 1, text: 'c' })).toEqual({
    data: { update_note_by_pk: { id: 2, text: 'c', owner_id: 1 } },
  });
});

test('a key that two rows of a table and its children have changes neither', async () => {
  const query = (id: number) =>
    `mutation { update_base_by_pk(pk_columns: { id: ${id} }, _set: { text: "changed" }) { id text } }`;
  expect((await run({ query: query(2) })).body).toEqual({ data: { update_base_by_pk: { id: 2, text: 'changed' } } });
  expect((await run({ query: query(1) })).body).toHaveProperty('errors');
  expect(await rowsOf('base')).toEqual([
    ['1', 'base'],
    ['1', 'derived'],
    ['2', 'changed'],
  ]);
});

test('a key that two rows have because its constraint is deferred changes neither', async () => {
  const query = `mutation {
    insert_deferred_one(object: { id: 1, copy: true }) { id }
    update_deferred_by_pk(pk_columns: { id: 1 }, _set: { text: "changed" }) { text }
    delete_deferred(where: { copy: { _eq: true } }) { affected_rows }
  }`;
  expect((await run({ query })).body).toHaveProperty('errors');
  expect(await rowsOf('deferred')).toEqual([['1', 'one']]);
});
