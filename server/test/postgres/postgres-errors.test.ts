/** The codes, messages and internal details that errors of Postgres get. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { errorBody, ServiceError } from '../../src/base/errors.ts';
import { fromPostgres } from '../../src/postgres/sql/errors.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';

let db: TestDatabase;
/** Roles belong to the server, which other tests use as well. */
const role = `errors_${process.pid}`;

beforeAll(async () => {
  db = await testDatabase({
    sql: `
      create table parent (id int primary key, code text not null unique, size int check (size > 0));
      create table child (id int primary key, parent int references parent on delete restrict);
      create table booking (during int4range, exclude using gist (during with &&));
      insert into parent values (1, 'a', 1);
      insert into child values (1, 1);
      insert into booking values ('[1,5)');
      create role ${role};
      create table secured (id int);
      alter table secured enable row level security;
      grant insert on secured to ${role};
    `,
  });
});
afterAll(async () => {
  await db.database.query({ text: `drop table secured; drop role ${role}`, values: [] });
  await db.drop();
});

function failure(text: string): Promise<ServiceError> {
  return db.database.query({ text, values: [] }).then(
    () => {
      throw new Error('the statement did not fail');
    },
    (error: unknown) => fromPostgres(error, { path: '$.selectionSet.x', statement: text }),
  );
}

test.each([
  [
    'a unique key',
    `insert into parent values (2, 'a', 1)`,
    'constraint-violation',
    'Uniqueness violation. duplicate key',
  ],
  [
    'a foreign key',
    'insert into child values (2, 9)',
    'constraint-violation',
    'Foreign key violation. insert or update',
  ],
  [
    'a not-null constraint',
    'insert into parent values (2, null, 1)',
    'constraint-violation',
    'Not-NULL violation. null value',
  ],
  [
    'on delete restrict',
    'delete from parent',
    'constraint-violation',
    'Can not delete or update due to data being referred. update or delete|Foreign key violation. upd',
  ],
  [
    'an exclusion constraint',
    `insert into booking values ('[2,3)')`,
    'constraint-violation',
    'Exclusion violation. conflicting key',
  ],
  [
    'a check constraint',
    `insert into parent values (2, 'b', 0)`,
    'permission-error',
    'Check constraint violation. new row for',
  ],
  ['a missing privilege', `set role ${role}; select * from parent`, 'unexpected', 'database query error'],
  [
    'a row policy',
    `set role ${role}; insert into secured values (1)`,
    'permission-error',
    'new row violates row-level security',
  ],
  ['a value out of range', 'select 99999999999::int', 'data-exception', 'integer out of range'],
  ['a value that cannot be parsed', `select 'x'::int`, 'data-exception', 'invalid input syntax'],
  ['a missing table', 'select * from missing', 'unexpected', 'database query error'],
  ['a syntax error', 'selekt', 'unexpected', 'database query error'],
])('gives the error of %s a code and a message', async (_rule, text, code, message) => {
  const error = await failure(text);
  expect(error).toMatchObject({ code, path: '$.selectionSet.x' });
  expect(error.message).toMatch(new RegExp(`^(${message})`));
  await db.database.query({ text: 'reset role', values: [] });
});

test.each([
  ['disk_full', 'busy', 'the disk of the database server is full; try again when it has free space'],
  ['out_of_memory', 'busy', 'the database server lacks memory or another resource; try again'],
  ['too_many_connections', 'busy', 'the database is not reachable; try again'],
  [
    'configuration_limit_exceeded',
    'not-supported',
    'the request exceeds a limit of one statement; request less at a time',
  ],
])('reports that a resource of the server is exhausted (%s) as %s', async (condition, code, message) => {
  const error = await failure(`do $$ begin raise ${condition}; end $$`);
  expect(error).toMatchObject({ code, message });
});

test('the error of Postgres and the statement are shown to admins only', async () => {
  const error = await failure('select * from missing_table');
  expect(errorBody(error, true)).toMatchObject({
    internal: {
      statement: 'select * from missing_table',
      error: { status_code: '42P01', message: 'relation "missing_table" does not exist' },
    },
  });
  expect(JSON.stringify(errorBody(error, false))).not.toContain('missing_table');
});

test('a ServiceError keeps its code and receives the path', () => {
  const error = new ServiceError('busy', 'try again');
  expect(fromPostgres(error)).toBe(error);
  expect(fromPostgres(error, { path: '$.args' })).toMatchObject({ code: 'busy', path: '$.args' });
});
