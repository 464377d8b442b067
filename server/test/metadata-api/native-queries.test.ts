/** The metadata of native queries and logical models: commands, dependents, changes of the database, explain, subscriptions. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { nextData, subscribe } from '../subscriptions/notes-service.ts';
import { connectedClient, type FrameClient } from '../support/http/websocket-clients.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const schema = `
create table author (id int primary key, name text not null);
insert into author values (1, 'Anna'), (2, 'Ben');
create table article (id int primary key, title text not null, author_id int references author, rating int);
insert into article values (1, 'Trees', 1, 3), (2, 'Stones', 2, 5), (3, 'More trees', 2, 4);
`;

const rated = {
  name: 'rated',
  fields: [
    { name: 'id', type: 'integer' },
    { name: 'author_id', type: { scalar: 'integer', nullable: true } },
    { name: 'rating', type: 'integer', nullable: true },
  ],
};
const ratedArticles = {
  root_field_name: 'rated_articles',
  code: 'select id, author_id, rating from article where rating >= {{least}}',
  arguments: { least: { type: 'int' } },
  returns: 'rated',
};
const permission = (role: string, more: object = {}) => ({
  name: 'rated',
  role,
  permission: { columns: ['id', 'rating'], filter: {}, ...more },
});

let service: TestService;
let client: FrameClient | undefined;

beforeAll(async () => {
  service = await startService({ JOINERY_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '40' }, { sql: schema });
}, 60_000);

beforeEach(async () => {
  await service.command('clear_metadata', {});
  await service.command('bulk', [
    { type: 'track_table', args: 'author' },
    { type: 'track_table', args: 'article' },
    { type: 'pg_track_logical_model', args: rated },
    { type: 'pg_track_native_query', args: ratedArticles },
  ]);
});

afterEach(async () => {
  await client?.close();
  client = undefined;
});

afterAll(() => service.stop());

const send = async (type: string, args: unknown) =>
  (await service.post('/v1/query', { type, args }, { 'x-service-role': 'admin' })).body;
const exported = async () => {
  const { sources } = (await send('export_metadata', {})) as { sources: readonly Record<string, unknown>[] };
  return sources[0] ?? {};
};
const inconsistencies = async () => {
  const found = (await send('get_inconsistent_metadata', {})) as {
    inconsistent_objects: readonly { type: string; reason: string; name: string }[];
  };
  return found.inconsistent_objects.map(
    ({ type, reason }) => `${type}: ${reason.replace('Inconsistent object: ', '')}`,
  );
};

describe('commands', () => {
  test('the export has native queries and logical models behind tables, sorted by name', async () => {
    await send('pg_track_logical_model', { ...rated, name: 'another', description: 'Another' });
    await send('pg_track_native_query', { ...ratedArticles, root_field_name: 'articles', returns: 'another' });
    const source = await exported();
    expect(Object.keys(source)).toEqual(['name', 'kind', 'tables', 'native_queries', 'logical_models']);
    expect(source.native_queries).toEqual([
      { ...ratedArticles, root_field_name: 'articles', returns: 'another' },
      ratedArticles,
    ]);
    expect(source.logical_models).toEqual([{ ...rated, name: 'another', description: 'Another' }, rated]);
    expect(await send('pg_get_native_query', { source: 'default' })).toEqual(source.native_queries);
    expect(await send('pg_get_logical_model', { source: 'default' })).toEqual(source.logical_models);
    expect(await send('pg_get_native_query', { source: 'none' })).toMatchObject({
      code: 'not-exists',
      path: '$.args.source',
    });
  });

  test('metadata that is applied as a whole is validated in the database', async () => {
    const metadata = await send('export_metadata', {});
    expect(await send('replace_metadata', { metadata })).toMatchObject({ is_consistent: true });
    const text = JSON.stringify(metadata).replace('rating >= ', 'score >= ');
    const args = { allow_inconsistent_metadata: true, metadata: JSON.parse(text) };
    expect(await send('replace_metadata', args)).toMatchObject({ is_consistent: false });
    expect(await inconsistencies()).toEqual([
      'native_query: in native query "rated_articles": Failed to validate query: line 1: column "score" does not exist',
    ]);
  });

  test('untracking a native query and its logical model removes the field', async () => {
    expect(await send('pg_untrack_logical_model', { name: 'rated' })).toMatchObject({ code: 'dependency-error' });
    await service.command('pg_untrack_native_query', { root_field_name: 'rated_articles' });
    await service.command('pg_untrack_logical_model', { name: 'rated' });
    expect(await exported()).toEqual({
      name: 'default',
      kind: 'postgres',
      tables: [expect.anything(), expect.anything()],
    });
    expect(await service.graphql('{ rated_articles(args: { least: 1 }) { id } }')).toMatchObject({
      errors: [{ message: "field 'rated_articles' not found in type: 'query_root'" }],
    });
  });

  test('bulk_atomic takes the commands of native queries', async () => {
    expect(
      await send('bulk_atomic', [
        { type: 'pg_untrack_native_query', args: { root_field_name: 'rated_articles' } },
        { type: 'pg_untrack_logical_model', args: { name: 'rated' } },
        { type: 'pg_track_logical_model', args: rated },
        { type: 'pg_track_native_query', args: ratedArticles },
      ]),
    ).toMatchObject({ message: 'success' });
  });

  test('a native query may use what SQL of the same bulk creates, and is undone with it', async () => {
    const create = { type: 'run_sql', args: { sql: 'create view good as select * from article where rating > 3' } };
    const query = { ...ratedArticles, root_field_name: 'good_ones', code: 'select * from good where id <> {{least}}' };
    const failing = { ...query, code: 'select * from missing where id = {{least}}' };
    const rejected = await send('bulk', [create, { type: 'pg_track_native_query', args: failing }]);
    expect(rejected).toMatchObject({ error: expect.stringContaining('relation "missing" does not exist') });
    await service.command('bulk', [create, { type: 'pg_track_native_query', args: query }]);
    expect(await service.graphql('{ good_ones(args: { least: 2 }) { id } }')).toEqual({
      data: { good_ones: [{ id: 3 }] },
    });
    await send('run_sql', { sql: 'drop view good', cascade: true });
    expect(((await exported()).native_queries as unknown[]).length).toBe(1);
  });

  test.each([
    ['pg_track_logical_model', rated, 'already-tracked', "Logical model 'rated' is already tracked."],
    [
      'pg_track_logical_model',
      { ...rated, name: 'author' },
      'invalid-configuration',
      'the type name is taken by table',
    ],
    [
      'pg_track_logical_model',
      { name: 'm', fields: [{ name: 'a', type: 'unheard' }] },
      'invalid-configuration',
      "Did not recognize scalar type 'unheard'",
    ],
    ['pg_track_logical_model', { name: 'm', fields: [] }, 'invalid-configuration', 'it has no field of a scalar type'],
    [
      'pg_track_logical_model',
      {
        name: 'm',
        fields: [
          { name: 'a', type: 'int' },
          { name: 'a', type: 'int' },
        ],
      },
      'invalid-configuration',
      'it has two fields "a"',
    ],
    ['pg_untrack_logical_model', { name: 'none' }, 'not-exists', 'Logical model "none" not found in source "default".'],
    [
      'pg_untrack_native_query',
      { root_field_name: 'none' },
      'not-exists',
      'Native query "none" not found in source "default".',
    ],
    [
      'pg_create_logical_model_select_permission',
      { ...permission('user'), name: 'none' },
      'not-exists',
      'Logical model "none" not found',
    ],
    ['pg_create_logical_model_select_permission', permission('admin'), 'already-exists', 'already defined'],
    [
      'pg_create_logical_model_select_permission',
      permission('user', { columns: ['none'] }),
      'invalid-configuration',
      'no column "none"',
    ],
    [
      'pg_create_logical_model_select_permission',
      permission('user', { filter: { none: 1 } }),
      'invalid-configuration',
      'no column or relationship "none"',
    ],
    ['pg_drop_logical_model_select_permission', { name: 'rated', role: 'user' }, 'not-exists', 'does not exist'],
  ])('%s %j is rejected with %s', async (type, args, code, reason) => {
    const before = await exported();
    expect(await send(type, args)).toMatchObject({ code, error: expect.stringContaining(reason) });
    expect(await exported()).toEqual(before);
  });
});

describe('permissions', () => {
  test('a permission limits the rows, and dropping it removes the field', async () => {
    await service.command('pg_create_logical_model_select_permission', permission('user', { limit: 1 }));
    const user = { 'x-service-role': 'user' };
    const document = '{ rated_articles(args: { least: 0 }, order_by: { id: asc }) { id } }';
    expect(await service.graphql(document, user)).toEqual({ data: { rated_articles: [{ id: 1 }] } });
    await service.command('pg_drop_logical_model_select_permission', { name: 'rated', role: 'user' });
    expect(await service.graphql(document, user)).toMatchObject({
      errors: [{ extensions: { code: 'validation-failed' } }],
    });
  });

  test('a role without columns does not see the field', async () => {
    await service.command('pg_create_logical_model_select_permission', permission('user', { columns: [] }));
    expect(
      await service.graphql('{ rated_articles(args: { least: 0 }) { __typename } }', { 'x-service-role': 'user' }),
    ).toMatchObject({
      errors: [{ message: "field 'rated_articles' not found in type: 'query_root'" }],
    });
  });

  test('an inherited role has the rows of all of its parents', async () => {
    await service.command('pg_create_logical_model_select_permission', permission('one', { filter: { id: 1 } }));
    await service.command('pg_create_logical_model_select_permission', permission('two', { filter: { id: 2 } }));
    await service.command('add_inherited_role', { role_name: 'both', role_set: ['one', 'two'] });
    const document = '{ rated_articles(args: { least: 0 }, order_by: { id: asc }) { id } }';
    expect(await service.graphql(document, { 'x-service-role': 'both' })).toEqual({
      data: { rated_articles: [{ id: 1 }, { id: 2 }] },
    });
  });
});

describe('relationships of a native query', () => {
  const related = {
    root_field_name: 'related',
    code: 'select id, author_id, rating from article',
    returns: 'rated',
    object_relationships: [
      { name: 'author', using: { column_mapping: { author_id: 'id' }, remote_table: 'author', insertion_order: null } },
    ],
    array_relationships: [
      {
        name: 'better',
        using: {
          column_mapping: { author_id: 'author_id' },
          remote_native_query: 'rated_articles',
          insertion_order: null,
        },
      },
    ],
  };

  test('lead to a table and to another native query, whose arguments the field takes', async () => {
    await service.command('pg_track_native_query', related);
    const document = `{ related(order_by: { id: asc }, where: { id: { _gt: 1 } }) {
      id author { name } better(args: { least: 4 }, order_by: { id: desc }, limit: 5) { id } } }`;
    expect(await service.graphql(document)).toEqual({
      data: {
        related: [
          { id: 2, author: { name: 'Ben' }, better: [{ id: 3 }, { id: 2 }] },
          { id: 3, author: { name: 'Ben' }, better: [{ id: 3 }, { id: 2 }] },
        ],
      },
    });
  });

  test('give the row type the name of the root field, and are nullable', async () => {
    await service.command('pg_track_native_query', related);
    const type = (name: string) =>
      `${name}: __type(name: "${name}") { fields { name type { kind name ofType { kind } } } }`;
    expect(
      await service.graphql(
        `{ ${type('related')} where: __type(name: "rated_bool_exp_bool_exp") { inputFields { name } } }`,
      ),
    ).toEqual({
      data: {
        related: {
          fields: [
            { name: 'author', type: { kind: 'OBJECT', name: 'author', ofType: null } },
            { name: 'author_id', type: { kind: 'SCALAR', name: 'Int', ofType: null } },
            { name: 'better', type: { kind: 'LIST', name: null, ofType: { kind: 'NON_NULL' } } },
            { name: 'id', type: { kind: 'NON_NULL', name: null, ofType: { kind: 'SCALAR' } } },
            { name: 'rating', type: { kind: 'SCALAR', name: 'Int', ofType: null } },
          ],
        },
        where: { inputFields: ['_and', '_not', '_or', 'author_id', 'id', 'rating'].map((name) => ({ name })) },
      },
    });
  });

  test.each([
    ['an unknown table', { remote_table: 'none', column_mapping: { author_id: 'id' } }, 'table "none" is not tracked'],
    [
      'an unknown native query',
      { remote_native_query: 'none', column_mapping: { id: 'id' } },
      'native query "none" does not exist',
    ],
    ['an unknown field', { remote_table: 'author', column_mapping: { none: 'id' } }, 'has no column "none"'],
    ['types that do not compare', { remote_table: 'author', column_mapping: { id: 'name' } }, 'cannot be compared'],
  ])('are rejected for %s', async (_name, using, reason) => {
    const object_relationships = [{ name: 'author', using }];
    expect(await send('pg_track_native_query', { ...related, object_relationships })).toMatchObject({
      error: expect.stringContaining(reason),
    });
  });

  test('a field of a logical model needs a relationship of its name', async () => {
    const fields = [...rated.fields, { name: 'author', type: { logical_model: 'writer' } }];
    await service.command('pg_track_logical_model', { name: 'nested', fields });
    const { object_relationships, ...plain } = { ...related, returns: 'nested' };
    expect(await send('pg_track_native_query', plain)).toMatchObject({
      error: expect.stringContaining('the field "author" of logical model "nested" needs a relationship "author"'),
    });
    await service.command('pg_track_native_query', { ...plain, object_relationships });
    expect(await service.graphql('{ related(limit: 1, order_by: { id: asc }) { author { name } } }')).toEqual({
      data: { related: [{ author: { name: 'Anna' } }] },
    });
  });
});

describe('a relationship of a table to a native query', () => {
  const using = {
    manual_configuration: { remote_native_query: 'rated_articles', column_mapping: { id: 'author_id' } },
  };

  test('is a nullable field with the arguments of the query, and no part of conditions and orders', async () => {
    await service.command('create_array_relationship', { table: 'author', name: 'rated', using });
    const document = '{ author(order_by: { id: asc }) { id rated(args: { least: 4 }, order_by: { id: asc }) { id } } }';
    expect(await service.graphql(document)).toEqual({
      data: {
        author: [
          { id: 1, rated: [] },
          { id: 2, rated: [{ id: 2 }, { id: 3 }] },
        ],
      },
    });
    const inputs = ['author_bool_exp', 'author_order_by', 'author_insert_input']
      .map((name) => `${name}: __type(name: "${name}") { inputFields { name } }`)
      .join(' ');
    const { data } = (await service.graphql(`{ ${inputs} }`)) as { data: object };
    expect(JSON.stringify(data)).not.toContain('rated');
    const filter = { rated: { id: 1 } };
    const args = { table: 'author', role: 'user', permission: { columns: ['id'], filter } };
    expect(await send('create_select_permission', args)).toMatchObject({
      error: expect.stringContaining('"rated" is a relationship to a native query, which a condition cannot use'),
    });
    expect((await exported()).tables).toContainEqual(
      expect.objectContaining({ array_relationships: [{ name: 'rated', using }] }),
    );
  });

  test('is rejected where the native query does not exist', async () => {
    const missing = { manual_configuration: { ...using.manual_configuration, remote_native_query: 'none' } };
    expect(await send('create_array_relationship', { table: 'author', name: 'rated', using: missing })).toMatchObject({
      error: expect.stringContaining('native query "none" does not exist'),
    });
  });
});

test('a change of the database makes a native query inconsistent until it is undone', async () => {
  const sql = (text: string) => service.database.database.query({ text, values: [] });
  await sql('alter table article rename column rating to score');
  await service.command('reload_metadata', {});
  const found = await inconsistencies();
  const others = await service.graphql('{ author { id } }');
  await sql('alter table article rename column score to rating');
  expect(found).toEqual([
    'native_query: in native query "rated_articles": Failed to validate query: line 1: column "rating" does not exist',
  ]);
  expect(others).toEqual({ data: { author: [{ id: 1 }, { id: 2 }] } });
  await service.command('reload_metadata', {});
  expect(await inconsistencies()).toEqual([]);
});

test('SQL of the metadata API that a native query depends on is rejected without cascade', async () => {
  const args = { sql: 'alter table article drop column rating' };
  expect(await send('run_sql', args)).toMatchObject({ code: 'dependency-error' });
});

test('explain shows the SQL with the arguments as parameters', async () => {
  const query = '{ rated_articles(args: { least: 4 }, where: { id: { _gt: 2 } }) { id } }';
  const { body } = await service.post('/v1/graphql/explain', { query: { query } });
  const text = JSON.stringify(body);
  expect(text).toContain('select id, author_id, rating from article where rating >= ($1::int4)');
});

test('a subscription sends the rows again after a change, with the arguments of each subscriber', async () => {
  client = await connectedClient(service.url, {});
  const document =
    'subscription ($least: Int!) { rated_articles(args: { least: $least }, order_by: { id: asc }) { id } }';
  subscribe(client, document, { least: 5 }, 'few');
  expect(await nextData(client)).toEqual({ rated_articles: [{ id: 2 }] });
  await service.database.database.query({ text: `insert into article values (4, 'Rivers', 1, 6)`, values: [] });
  expect(await nextData(client)).toEqual({ rated_articles: [{ id: 2 }, { id: 4 }] });
  await service.database.database.query({ text: 'delete from article where id = 4', values: [] });
});
