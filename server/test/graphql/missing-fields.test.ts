/** Hints that explain why a role does not have a field. */
import { Metadata } from '@joinery/metadata/metadata';
import { RemoteSchemaName, RoleName, SourceName } from '@joinery/metadata/names';
import { buildSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import type { Model } from '../../src/model/model.ts';
import { resolve } from '../../src/model/resolve.ts';
import { readCatalog } from '../../src/postgres/catalog/catalog.ts';
import { whyMissing } from '../../src/schema/missing-fields/missing-fields.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { startService, type TestService } from '../support/service/test-service.ts';
import { metadata, notes, sql } from './missing-fields-fixture.ts';

let database: TestDatabase;
let model: Model;

beforeAll(async () => {
  database = await testDatabase({ sql });
  model = resolve({
    version: 1,
    metadata: Metadata.parse(metadata),
    catalogs: new Map([[SourceName.parse('default'), await readCatalog(database.database)]]),
    upstreams: new Map([[RemoteSchemaName.parse('notes'), buildSchema(notes)]]),
    remoteSchemaPermissions: true,
    environment: {},
    sessionPrefix: 'x-service-',
    inferFunctionPermissions: false,
  });
}, 60_000);

afterAll(() => database?.drop());

function hintFor(type: string, field: string, role = 'user', backend = false): string | undefined {
  return whyMissing({ model, role: RoleName.parse(role), type, field, backend });
}

const missing = 'has no select permission on public.';

describe('the hint about a missing field', () => {
  test.each([
    ['root field of a table', 'query_root', 'hidden', `role "user" ${missing}hidden`],
    ['root field by primary key', 'query_root', 'hidden_by_pk', `role "user" ${missing}hidden`],
    [
      'primary key without permission',
      'query_root',
      'users_by_pk',
      'column "id" is not among those of the select permission of role "user" on public.users, and "users_by_pk" finds rows by it',
    ],
    [
      'root field of aggregates',
      'query_root',
      'users_aggregate',
      'the select permission of role "user" on public.users does not allow aggregations',
    ],
    ['root field of a live query', 'subscription_root', 'hidden', `role "user" ${missing}hidden`],
    ['root field of a stream', 'subscription_root', 'hidden_stream', `role "user" ${missing}hidden`],
    [
      'column',
      'users',
      'secret',
      'column "secret" is not among those of the select permission of role "user" on public.users',
    ],
    [
      'computed field',
      'users',
      'loud',
      'computed field "loud" is not among those of the select permission of role "user" on public.users',
    ],
    [
      'computed field that returns rows',
      'users',
      'hiddens',
      `role "user" ${missing}hidden, which computed field "hiddens" needs`,
    ],
    [
      'key of a relationship to a source',
      'users',
      'near',
      'column "id" is not among those of the select permission of role "user" on public.users, and relationship "near" is keyed by it',
    ],
    ['function', 'query_root', 'find_users', 'role "user" has no permission on function public.find_users'],
    ['action', 'query_root', 'placeOrder', 'action "placeOrder" has no permission for role "user"'],
    ['asynchronous action', 'mutation_root', 'later', 'action "later" has no permission for role "user"'],
    ['result of an asynchronous action', 'query_root', 'later', 'action "later" has no permission for role "user"'],
    [
      'relationship of an action output',
      'Lookup',
      'hidden',
      `role "user" ${missing}hidden, which relationship "hidden" needs`,
    ],
    [
      'root field of a remote schema',
      'query_root',
      'secretNote',
      'the permission of role "user" on remote schema "notes" does not have "secretNote"',
    ],
    ['remote schema', 'query_root', 'note', 'role "reader" has no permission on remote schema "notes"', 'reader'],
    [
      'field of a type of a remote schema',
      'Note',
      'secret',
      'the permission of role "user" on remote schema "notes" does not have "secret" of "Note"',
    ],
    [
      'relationship from a remote type to an action',
      'Note',
      'ordered',
      'action "placeOrder", which relationship "ordered" calls, has no permission for role "user"',
    ],
    [
      'relationship from a table to an action',
      'users',
      'ordered',
      'action "placeOrder", which relationship "ordered" calls, has no permission for role "user"',
    ],
    [
      'relationship from an action output to an action',
      'Lookup',
      'again',
      'action "placeOrder", which relationship "again" calls, has no permission for role "user"',
    ],
    ['relationship to a function', 'users', 'alike', 'role "user" has no permission on function public.find_users'],
    [
      'relationship from an action output to a function',
      'Lookup',
      'alike',
      `role "user" ${missing}hidden, which function "public.secrets" needs`,
    ],
    [
      'relationship to a remote schema',
      'users',
      'note',
      'the permission of role "user" on remote schema "notes" does not have the field of relationship "note"',
    ],
    ['mutation', 'mutation_root', 'delete_users', 'role "user" has no delete permission on public.users'],
    [
      'backend-only mutation',
      'mutation_root',
      'insert_users',
      'the insert permission of role "user" on public.users is for backends only (backend_only)',
    ],
    [
      'column of a condition',
      'users_bool_exp',
      'secret',
      'column "secret" is not among those of the select permission of role "user" on public.users',
    ],
    [
      'column of an order',
      'users_order_by',
      'secret',
      'column "secret" is not among those of the select permission of role "user" on public.users',
    ],
    [
      'column of an update',
      'users_set_input',
      'secret',
      'column "secret" is not among those of the update permission of role "user" on public.users',
    ],
  ])('names the missing permission (%s): %s.%s', (_what, type, field, reason, role = 'user') => {
    expect(hintFor(type, field, role)).toBe(reason);
  });

  test('names the table of a relationship without permission', () => {
    expect(hintFor('post', 'author', 'writer')).toBe(
      `role "writer" ${missing}users, which relationship "author" needs`,
    );
  });

  test('names the table of a relationship to a source without permission', () => {
    expect(hintFor('users', 'far', 'reader')).toBe(`role "reader" ${missing}hidden, which relationship "far" needs`);
  });

  test('names the permission that does not allow aggregations of a relationship', () => {
    expect(hintFor('users', 'posts_aggregate', 'reader')).toBe(
      'the select permission of role "reader" on public.post does not allow aggregations',
    );
  });

  test('names the permission that does not permit a root field', () => {
    expect(hintFor('query_root', 'users_by_pk', 'reader')).toBe(
      'the select permission of role "reader" on public.users does not permit the root field "select_by_pk"',
    );
  });
});

describe('the hint about an inconsistent object', () => {
  test.each([
    ['a table', 'query_root', 'gone', 'table gone in source default is inconsistent: '],
    ['a mutation', 'mutation_root', 'insert_gone_one', 'table gone in source default is inconsistent: '],
    ['a relationship', 'users', 'broken', 'array_relation broken in table users in source default is inconsistent: '],
    ['an action', 'query_root', 'wrong', 'action wrong is inconsistent: in action "wrong": output_type'],
    [
      'a relationship of an action',
      'Lookup',
      'dangling',
      'relationship dangling of object type Lookup is inconsistent: ',
    ],
  ])('names it for users and admins (%s): %s.%s', (_what, type, field, reason) => {
    for (const role of ['user', 'admin']) expect(hintFor(type, field, role)).toContain(reason);
  });

  test('names a table and a column whose names GraphQL does not permit', () => {
    expect(hintFor('query_root', 'odd_table', 'admin')).toContain('"odd table" is not a GraphQL name');
    expect(hintFor('mutation_root', 'insert_odd_table', 'admin')).toContain('set a custom_name such as "odd_table"');
    expect(hintFor('odd_columns', 'first_name', 'admin')).toMatch(
      /^table "odd_columns": the column "first name" is in no schema/,
    );
  });

  test('names an inconsistent permission', () => {
    expect(hintFor('query_root', 'post')).toMatch(
      /^role "user" has no select permission on public\.post; select_permission user in table post in source default is inconsistent: /,
    );
  });
});

describe('the hint about an unknown name', () => {
  test('suggests a similar name', () => {
    expect(hintFor('users', 'nme')).toBe('did you mean "name"?');
    expect(hintFor('query_root', 'shraed')).toBe('did you mean "shared"?');
    expect(hintFor('users_bool_exp', 'nam')).toBe('did you mean "name"?');
  });

  test('is absent without a similar name', () => {
    expect(hintFor('users', 'completely_else')).toBeUndefined();
  });
});

describe('the error of a request', () => {
  let service: TestService;

  const run = async (role: string, query: string, running = service) =>
    running.graphql(query, { 'x-service-role': role });

  beforeAll(async () => {
    service = await startService({}, { sql });
    await service.command('bulk', [
      { type: 'track_table', args: { schema: 'public', name: 'users' } },
      {
        type: 'create_select_permission',
        args: { table: 'users', role: 'user', permission: { columns: ['name'], filter: {} } },
      },
    ]);
  }, 60_000);

  afterAll(() => service?.stop());

  it('has a hint for an admin', async () => {
    expect(await run('admin', '{ users { nme scret } }')).toMatchObject({
      errors: [{ extensions: { hint: 'did you mean "name"?' } }, { extensions: { hint: 'did you mean "secret"?' } }],
    });
  });

  it('has no hint for another role', async () => {
    expect(await run('user', '{ users { secret } }')).toEqual({
      errors: [
        {
          message: "field 'secret' not found in type: 'users'",
          extensions: { path: '$.selectionSet.users.selectionSet.secret', code: 'validation-failed' },
        },
      ],
    });
  });

  it('has a hint for any role in development mode, for literals and variables', async () => {
    const development = await startService({ JOINERY_DEV_MODE: 'true' }, service.database);
    const hint = 'column "secret" is not among those of the select permission of role "user" on public.users';
    const expected = { errors: [{ extensions: { hint } }] };
    try {
      expect(await run('user', '{ users { secret } }', development)).toMatchObject(expected);
      expect(await run('user', '{ users(where: { secret: {} }) { name } }', development)).toMatchObject(expected);
      const query = 'query ($where: users_bool_exp) { users(where: $where) { name } }';
      const body = await development.graphql(query, { 'x-service-role': 'user' }, { where: { secret: {} } });
      expect(body).toMatchObject(expected);
    } finally {
      await development.stop();
    }
  });
});
