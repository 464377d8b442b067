/** The naming convention `graphql-default`: camel case for fields and arguments, Pascal case for types. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type Engine, type EngineRequest, startEngine } from '../support/service/engine.ts';
import { startService } from '../support/service/test-service.ts';

const sql = `
  create schema app_db;
  create table week_days (day_name text primary key);
  insert into week_days values ('monday'), ('tuesday');
  create table app_db.app_users (
    user_id int primary key, user_name text, last_seen timestamptz, favorite_day text references week_days, meta_data jsonb
  );
  create table user_posts (post_id int primary key, user_id int references app_db.app_users, old_title text);
  create table table_one (id int primary key);
  insert into app_db.app_users values (1, 'Ann', null, 'monday', '{"a": 1, "b": 2}'), (2, 'Bo', null, null, '{}');
  insert into user_posts values (10, 1, 'x'), (11, 1, 'y');
  create table flag_days (day_id int primary key, user_id int references app_db.app_users, is_free boolean);
  insert into flag_days values (1, 1, true), (2, 2, false);
  create function days_before(app_db.app_users, last_day int) returns bigint stable language sql
    as $$ select count(*) from flag_days where user_id = $1.user_id and day_id < last_day $$;
  create function search_users(part text) returns setof app_db.app_users stable language sql
    as $$ select * from app_db.app_users where user_name like part || '%' $$;
  create function named_users(wanted text) returns setof app_db.app_users stable language sql
    as $$ select * from app_db.app_users where user_name = wanted $$;
`;
const users = { schema: 'app_db', name: 'app_users' };
const metadata = (customization: object) => ({
  sources: [
    {
      name: 'default',
      customization,
      tables: [
        { table: 'week_days', is_enum: true },
        {
          table: users,
          array_relationships: [
            { name: 'posts', using: { foreign_key_constraint_on: { table: 'user_posts', column: 'user_id' } } },
            { name: 'flag_days', using: { foreign_key_constraint_on: { table: 'flag_days', column: 'user_id' } } },
          ],
          computed_fields: [{ name: 'days_before', definition: { function: 'days_before' } }],
        },
        {
          table: 'user_posts',
          configuration: { column_config: { old_title: { custom_name: 'post_title' } } },
          object_relationships: [{ name: 'post_author', using: { foreign_key_constraint_on: 'user_id' } }],
          select_permissions: [
            { role: 'reader', permission: { columns: ['post_id'], filter: { user_id: { _eq: 1 } } } },
          ],
        },
        { table: 'flag_days' },
        { table: 'table_one', configuration: { custom_name: 'table_one' } },
      ],
      functions: [
        { function: 'search_users' },
        { function: 'named_users', configuration: { custom_name: 'named_by' } },
      ],
    },
  ],
});

let db: TestDatabase;
let engine: Engine;
beforeAll(async () => {
  db = await testDatabase({ sql });
  engine = await startEngine({
    metadata: metadata({ naming_convention: 'graphql-default' }),
    databases: { default: db.database },
  });
  expect(engine.inconsistencies).toEqual([]);
});
afterAll(async () => {
  await engine?.close();
  await db?.drop();
});

async function run(query: string, more: Partial<EngineRequest> = {}): Promise<unknown> {
  return JSON.parse((await engine.execute({ query, ...more })).body);
}

test('queries use camel case for fields, arguments and operators, and upper case for enum values', async () => {
  const query = `{
    appDbAppUsersAggregate(distinctOn: favoriteDay, orderBy: [{ favoriteDay: DESC_NULLS_LAST }], where: { favoriteDay: { _eq: MONDAY } }) {
      aggregate { count stddevPop { userId } } nodes { userId favoriteDay }
    }
    appDbAppUsers(where: { userName: { _isNull: false }, metaData: { _hasKeysAny: ["a"] }, posts: { post_title: { _eq: "x" } } }) {
      userName postsAggregate { aggregate { count } } posts(orderBy: { postId: DESC }, limit: 1) { post_title post_author { userId } }
    }
    appDbAppUsersByPk(userId: 2) { userName }
    searchUsers(args: { part: "B" }) { userId }
    table_oneByPk(id: 1) { id }
  }`;
  expect(await run(query)).toEqual({
    data: {
      appDbAppUsersAggregate: {
        aggregate: { count: 1, stddevPop: { userId: 0 } },
        nodes: [{ userId: 1, favoriteDay: 'MONDAY' }],
      },
      appDbAppUsers: [
        {
          userName: 'Ann',
          postsAggregate: { aggregate: { count: 2 } },
          posts: [{ post_title: 'y', post_author: { userId: 1 } }],
        },
      ],
      appDbAppUsersByPk: { userName: 'Bo' },
      searchUsers: [{ userId: 2 }],
      table_oneByPk: null,
    },
  });
});

test('variables have types in Pascal case', async () => {
  const query = `query ($where: AppDbAppUsersBoolExp!, $order: [AppDbAppUsersOrderBy!], $day: WeekDaysEnumComparisonExp) {
    appDbAppUsers(where: { _and: [$where, { favoriteDay: $day }] }, orderBy: $order) { userId }
  }`;
  const variables = {
    where: { postsAggregate: { count: { predicate: { _gt: 0 } } }, userName: { _isNull: false } },
    order: [{ postsAggregate: { count: 'DESC_NULLS_LAST' } }, { userId: 'ASC' }],
    day: { _in: ['MONDAY', 'TUESDAY'] },
  };
  expect(await run(query, { variables })).toEqual({ data: { appDbAppUsers: [{ userId: 1 }] } });
});

test('mutations use the convention in nested inserts, upserts and JSON operators', async () => {
  const query = `mutation ($post: UserPostsInsertInput!) {
    insertAppDbAppUsersOne(
      object: { userId: 3, favoriteDay: TUESDAY, metaData: { a: 1, b: 2 }, posts: { data: [$post], onConflict: { constraint: user_posts_pkey, updateColumns: [post_title] } } }
      onConflict: { constraint: app_users_pkey, updateColumns: [userName] }
    ) { favoriteDay posts { post_title } }
    updateAppDbAppUsersByPk(pkColumns: { userId: 3 }, _set: { userName: "Cy" }, _deleteKey: { metaData: "a" }) { userName metaData }
    updateUserPostsMany(updates: [{ where: { postId: { _eq: 12 } }, _set: { post_title: "z" } }]) { affectedRows }
    deleteUserPosts(where: { postId: { _eq: 12 } }) { affectedRows returning { post_title } }
    deleteAppDbAppUsersByPk(userId: 3) { userId }
  }`;
  expect(await run(query, { variables: { post: { postId: 12, post_title: 'n' } } })).toEqual({
    data: {
      insertAppDbAppUsersOne: { favoriteDay: 'TUESDAY', posts: [{ post_title: 'n' }] },
      updateAppDbAppUsersByPk: { userName: 'Cy', metaData: { b: 2 } },
      updateUserPostsMany: [{ affectedRows: 1 }],
      deleteUserPosts: { affectedRows: 1, returning: [{ post_title: 'z' }] },
      deleteAppDbAppUsersByPk: { userId: 3 },
    },
  });
});

test.each([
  '{ app_db_app_users { user_id } }',
  '{ appDbAppUsers { user_id } }',
  '{ appDbAppUsers(order_by: { userId: ASC }) { userId } }',
  '{ appDbAppUsers(orderBy: { userId: asc }) { userId } }',
  '{ appDbAppUsers(where: { userName: { _is_null: true } }) { userId } }',
  '{ appDbAppUsers(where: { favoriteDay: { _eq: monday } }) { userId } }',
  'query ($w: app_db_app_users_bool_exp) { appDbAppUsers(where: $w) { userId } }',
])('rejects names of the other convention: %s', async (query) => {
  expect(await run(query)).toMatchObject({ errors: [{ extensions: { code: 'validation-failed' } }] });
});

test('introspection returns the names of the convention', async () => {
  const { data } = (await run(
    '{ __schema { types { name fields { name args { name } } inputFields { name } enumValues { name } } } }',
  )) as {
    data: { __schema: { types: { name: string; fields: { name: string; args: { name: string }[] }[] | null }[] } };
  };
  const names = data.__schema.types.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      'AppDbAppUsers',
      'AppDbAppUsersBoolExp',
      'OrderBy',
      'StringComparisonExp',
      'UserPostsArrRelInsertInput',
    ]),
  );
  expect(names.filter((name) => /_(bool_exp|order_by|insert_input|comparison_exp|aggregate)/.test(name))).toEqual([]);
  const stream = data.__schema.types
    .find(({ name }) => name === 'subscription_root')
    ?.fields?.find(({ name }) => name === 'userPostsStream');
  expect(stream?.args.map(({ name }) => name).sort()).toEqual(['batchSize', 'cursor', 'where']);
});

test('aggregate conditions and arguments of functions have the names of Hasura v2', async () => {
  const query = `query (
    $free: flagDaysAggregateBoolExpBool_and!, $column: FlagDaysSelectColumnFlagDaysAggregateBoolExpBool_orArgumentsColumns!,
    $search: searchUsersArgs!, $named: named_byArgs!, $before: days_before_app_db_app_users_args!
  ) {
    free: appDbAppUsers(where: { flagDaysAggregate: { bool_and: $free } }) { userId }
    counted: appDbAppUsers(where: { flagDaysAggregate: { bool_or: { arguments: $column, predicate: { _eq: false } } } }) {
      userId days_before(args: $before)
    }
    searchUsers(args: $search) { userId }
    named_by(args: $named) { userId }
    named_by_aggregate(args: $named) { aggregate { count } }
  }`;
  const variables = {
    free: { arguments: 'isFree', predicate: { _eq: true } },
    column: 'isFree',
    search: { part: 'B' },
    named: { wanted: 'Ann' },
    before: { last_day: 5 },
  };
  expect(await run(query, { variables })).toEqual({
    data: {
      free: [{ userId: 1 }],
      counted: [{ userId: 2, days_before: 1 }],
      searchUsers: [{ userId: 2 }],
      named_by: [{ userId: 1 }],
      named_by_aggregate: { aggregate: { count: 1 } },
    },
  });
});

test('enums have the prefix and suffix of the types of their source', async () => {
  const types = { prefix: 'a_', suffix: '_z' };
  const names = async (customization: object) => {
    const customized = await startEngine({
      metadata: metadata(customization),
      databases: { default: db.database },
    });
    const query = '{ __schema { types { name enumValues { name } } } }';
    const { data } = JSON.parse((await customized.execute({ query })).body) as {
      data: { __schema: { types: { name: string; enumValues: { name: string }[] | null }[] } };
    };
    await customized.close();
    const enums = data.__schema.types.filter(({ enumValues }) =>
      enumValues?.some(({ name }) => /^monday$/i.test(name)),
    );
    return [
      enums.map(({ name, enumValues }) => [name, enumValues?.map((value) => value.name)]),
      data.__schema.types.map(({ name }) => name).filter((name) => /week.?days.?enum.*comparison/i.test(name)),
    ];
  };
  expect(await names({ type_names: types })).toEqual([
    [['a_week_days_enum_z', ['monday', 'tuesday']]],
    ['a_week_days_enum_z_comparison_exp'],
  ]);
  expect(await names({ naming_convention: 'graphql-default' })).toEqual([
    [['WeekDaysEnum', ['MONDAY', 'TUESDAY']]],
    ['WeekDaysEnumComparisonExp'],
  ]);
});

test('a namespace is nullable and has no description, and names its mutations for backends', async () => {
  const described = async (backend: boolean) => {
    const customized = await startEngine({
      metadata: backendOnly,
      databases: { default: db.database },
    });
    const query = '{ __type(name: "mutation_root") { fields { name description type { kind name } } } }';
    const { data } = JSON.parse((await customized.execute({ query, role: 'writer', backend })).body) as {
      data: { __type: { fields: unknown[] } };
    };
    await customized.close();
    return data.__type.fields;
  };
  const field = (name: string) => [{ name: 'shop', description: null, type: { kind: 'OBJECT', name } }];
  expect(await described(false)).toEqual(field('shop_mutation_frontend'));
  expect(await described(true)).toEqual(field('shop_mutation_backend'));
});

/** One of two mutations is for backends. */
const backendOnly = {
  sources: [
    {
      name: 'default',
      customization: { root_fields: { namespace: 'shop' } },
      tables: [
        {
          table: 'table_one',
          insert_permissions: [{ role: 'writer', permission: { columns: ['id'], check: {}, backend_only: true } }],
          delete_permissions: [{ role: 'writer', permission: { filter: {} } }],
          select_permissions: [{ role: 'writer', permission: { columns: ['id'], filter: {} } }],
        },
      ],
    },
  ],
};

test('permissions use the names of the database', async () => {
  expect(await run('{ userPosts(orderBy: { postId: ASC }) { postId } }', { role: 'reader' })).toEqual({
    data: { userPosts: [{ postId: 10 }, { postId: 11 }] },
  });
});

test('JOINERY_DEFAULT_NAMING_CONVENTION applies to sources without a convention; data commands use the names of the database', async () => {
  const service = await startService({ JOINERY_DEFAULT_NAMING_CONVENTION: 'graphql-default' }, { sql });
  await service.command('track_table', 'user_posts');
  await service.command('insert', { table: 'user_posts', objects: [{ post_id: 20, old_title: 'q' }] });
  const rows = {
    table: 'user_posts',
    columns: ['post_id', 'old_title'],
    where: { post_id: { $gt: 11 } },
    order_by: '-post_id',
  };
  expect(await service.command('select', rows)).toEqual([{ post_id: 20, old_title: 'q' }]);
  expect(await service.graphql('{ userPosts(orderBy: { postId: DESC }, limit: 1) { oldTitle } }')).toEqual({
    data: { userPosts: [{ oldTitle: 'q' }] },
  });
  await service.stop();
});

test('a prefix is followed by the name with an initial capital', async () => {
  const prefixed = await startEngine({
    metadata: metadata({
      naming_convention: 'graphql-default',
      root_fields: { prefix: 'my' },
      type_names: { prefix: 'My' },
    }),
    databases: { default: db.database },
  });
  const { body } = await prefixed.execute({ query: '{ myUserPosts(where: { postId: { _eq: 10 } }) { __typename } }' });
  expect(JSON.parse(body)).toEqual({ data: { myUserPosts: [{ __typename: 'MyUserPosts' }] } });
  await prefixed.close();
});
