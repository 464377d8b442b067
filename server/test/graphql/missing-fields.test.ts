/** For each kind of field that a role does not have, the reason. */
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

function why(type: string, field: string, role = 'user', backend = false): string | undefined {
  return whyMissing({ model, role: RoleName.parse(role), type, field, backend });
}

const missing = 'has no select permission on public.';

describe('a field that a role does not have, because', () => {
  test.each([
    ['a table', 'query_root', 'hidden', `role "user" ${missing}hidden`],
    ['a table, by its key', 'query_root', 'hidden_by_pk', `role "user" ${missing}hidden`],
    [
      'a key that it does not see',
      'query_root',
      'users_by_pk',
      'column "id" is not among those of the select permission of role "user" on public.users, and "users_by_pk" finds rows by it',
    ],
    [
      'aggregates',
      'query_root',
      'users_aggregate',
      'the select permission of role "user" on public.users does not allow aggregations',
    ],
    ['a table, live', 'subscription_root', 'hidden', `role "user" ${missing}hidden`],
    ['a table, as a stream', 'subscription_root', 'hidden_stream', `role "user" ${missing}hidden`],
    [
      'a column',
      'users',
      'secret',
      'column "secret" is not among those of the select permission of role "user" on public.users',
    ],
    [
      'a computed field',
      'users',
      'loud',
      'computed field "loud" is not among those of the select permission of role "user" on public.users',
    ],
    [
      'rows of a computed field',
      'users',
      'hiddens',
      `role "user" ${missing}hidden, which computed field "hiddens" needs`,
    ],
    [
      'the key of a join',
      'users',
      'near',
      'column "id" is not among those of the select permission of role "user" on public.users, and relationship "near" is keyed by it',
    ],
    ['a function', 'query_root', 'find_users', 'role "user" has no permission on function public.find_users'],
    ['an action', 'query_root', 'placeOrder', 'action "placeOrder" has no permission for role "user"'],
    ['an asynchronous action', 'mutation_root', 'later', 'action "later" has no permission for role "user"'],
    ['the result of one', 'query_root', 'later', 'action "later" has no permission for role "user"'],
    ['what an action leads to', 'Answer', 'hidden', `role "user" ${missing}hidden, which relationship "hidden" needs`],
    [
      'a field of a remote schema',
      'query_root',
      'secretNote',
      'the permission of role "user" on remote schema "notes" does not have "secretNote"',
    ],
    [
      'a remote schema as a whole',
      'query_root',
      'note',
      'role "reader" has no permission on remote schema "notes"',
      'reader',
    ],
    [
      'a field of a type of a remote schema',
      'Note',
      'secret',
      'the permission of role "user" on remote schema "notes" does not have "secret" of "Note"',
    ],
    [
      'a join from a type of a remote schema to an action',
      'Note',
      'ordered',
      'action "placeOrder", which relationship "ordered" calls, has no permission for role "user"',
    ],
    [
      'a join to an action',
      'users',
      'ordered',
      'action "placeOrder", which relationship "ordered" calls, has no permission for role "user"',
    ],
    [
      'a join from an output to an action',
      'Answer',
      'again',
      'action "placeOrder", which relationship "again" calls, has no permission for role "user"',
    ],
    ['a join to a function', 'users', 'alike', 'role "user" has no permission on function public.find_users'],
    [
      'a join from an output to a function',
      'Answer',
      'alike',
      `role "user" ${missing}hidden, which function "public.secrets" needs`,
    ],
    [
      'a join to a field of a remote schema',
      'users',
      'note',
      'the permission of role "user" on remote schema "notes" does not have the field of relationship "note"',
    ],
    ['a write', 'mutation_root', 'delete_users', 'role "user" has no delete permission on public.users'],
    [
      'a write for backends',
      'mutation_root',
      'insert_users',
      'the insert permission of role "user" on public.users is for backends only (backend_only)',
    ],
    [
      'a filter',
      'users_bool_exp',
      'secret',
      'column "secret" is not among those of the select permission of role "user" on public.users',
    ],
    [
      'an order',
      'users_order_by',
      'secret',
      'column "secret" is not among those of the select permission of role "user" on public.users',
    ],
    [
      'a value to write',
      'users_set_input',
      'secret',
      'column "secret" is not among those of the update permission of role "user" on public.users',
    ],
  ])('%s: %s.%s', (_what, type, field, reason, role = 'user') => {
    expect(why(type, field, role)).toBe(reason);
  });

  test('a relationship leads where it may not go', () => {
    expect(why('post', 'author', 'writer')).toBe(`role "writer" ${missing}users, which relationship "author" needs`);
  });

  test('a join leads where it may not go', () => {
    expect(why('users', 'far', 'reader')).toBe(`role "reader" ${missing}hidden, which relationship "far" needs`);
  });

  test('aggregates of a relationship are not allowed', () => {
    expect(why('users', 'posts_aggregate', 'reader')).toBe(
      'the select permission of role "reader" on public.post does not allow aggregations',
    );
  });

  test('a root is not opened', () => {
    expect(why('query_root', 'users_by_pk', 'reader')).toBe(
      'the select permission of role "reader" on public.users does not permit the root field "select_by_pk"',
    );
  });
});

describe('an inconsistent object is the reason for', () => {
  test.each([
    ['a table', 'query_root', 'gone', 'table gone in source default is inconsistent: '],
    ['a write to a table', 'mutation_root', 'insert_gone_one', 'table gone in source default is inconsistent: '],
    ['a relationship', 'users', 'broken', 'array_relation broken in table users in source default is inconsistent: '],
    ['an action', 'query_root', 'wrong', 'action wrong is inconsistent: in action "wrong": output_type'],
    [
      'a relationship of an action',
      'Answer',
      'dangling',
      'relationship dangling of object type Answer is inconsistent: ',
    ],
  ])('%s: %s.%s, also for an admin', (_what, type, field, reason) => {
    for (const role of ['user', 'admin']) expect(why(type, field, role)).toContain(reason);
  });

  test('a permission that is missing', () => {
    expect(why('query_root', 'post')).toMatch(
      /^role "user" has no select permission on public\.post; select_permission user in table post in source default is inconsistent: /,
    );
  });
});

describe('a name that is not there at all', () => {
  test('may have been mistyped', () => {
    expect(why('users', 'nme')).toBe('did you mean "name"?');
    expect(why('query_root', 'shraed')).toBe('did you mean "shared"?');
    expect(why('users_bool_exp', 'nam')).toBe('did you mean "name"?');
  });

  test('and is like none that the role has, has no reason', () => {
    expect(why('users', 'completely_else')).toBeUndefined();
  });
});

describe('a request', () => {
  let service: TestService;

  const ask = async (role: string, query: string, running = service) =>
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

  it('of an admin is told the reason beside each error', async () => {
    expect(await ask('admin', '{ users { nme scret } }')).toMatchObject({
      errors: [{ extensions: { hint: 'did you mean "name"?' } }, { extensions: { hint: 'did you mean "secret"?' } }],
    });
  });

  it('of another role is told no more than that there is no such field', async () => {
    expect(await ask('user', '{ users { secret } }')).toEqual({
      errors: [
        {
          message: "field 'secret' not found in type: 'users'",
          extensions: { path: '$.selectionSet.users.selectionSet.secret', code: 'validation-failed' },
        },
      ],
    });
  });

  it('of any role is told the reason in development mode, for literals and variables too', async () => {
    const development = await startService({ JOINERY_DEV_MODE: 'true' }, service.database);
    const hint = 'column "secret" is not among those of the select permission of role "user" on public.users';
    const expected = { errors: [{ extensions: { hint } }] };
    try {
      expect(await ask('user', '{ users { secret } }', development)).toMatchObject(expected);
      expect(await ask('user', '{ users(where: { secret: {} }) { name } }', development)).toMatchObject(expected);
      const query = 'query ($where: users_bool_exp) { users(where: $where) { name } }';
      const body = await development.graphql(query, { 'x-service-role': 'user' }, { where: { secret: {} } });
      expect(body).toMatchObject(expected);
    } finally {
      await development.stop();
    }
  });
});
