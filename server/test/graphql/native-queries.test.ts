/** Native queries: SQL with arguments as root fields, whose rows logical models declare. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service/test-service.ts';

const schema = `
create table author (id int primary key, name text not null);
insert into author values (1, 'Anna'), (2, 'Ben');
create table article (id int primary key, title text not null, author_id int references author, rating int);
insert into article values (1, 'Trees', 1, 3), (2, 'Stones', 2, 5), (3, 'More trees', 2, 4), (4, 'Rivers', 1, null);
create type mood as enum ('good', 'bad');
`;

const rated = {
  name: 'rated_article',
  description: 'An article with its rating',
  fields: [
    { name: 'id', type: 'integer' },
    { name: 'title', type: 'text', description: 'The title' },
    { name: 'rating', type: 'int', nullable: true },
    { name: 'author_id', type: { scalar: 'int4', nullable: true } },
  ],
};

const best = {
  root_field_name: 'best_articles',
  description: 'Articles with at least that rating',
  code: "-- the best\nselect id, title, rating, author_id, 'extra' as extra from article\nwhere rating >= {{ least }} and title ilike '%' || {{like}} || '%';\n",
  returns: 'rated_article',
  arguments: {
    least: { type: 'integer', nullable: false, description: 'The least rating' },
    like: { type: 'text', nullable: true },
  },
};

let service: TestService;

beforeAll(async () => {
  service = await startService({}, { sql: schema });
  for (const table of ['author', 'article']) await service.command('track_table', table);
  await service.command('pg_track_logical_model', { source: 'default', ...rated });
  await service.command('pg_track_native_query', { source: 'default', type: 'query', ...best });
  await service.command('pg_track_native_query', {
    source: 'default',
    root_field_name: 'all_articles',
    code: 'select * from article',
    returns: 'rated_article',
  });
  await service.command('pg_create_logical_model_select_permission', {
    source: 'default',
    name: 'rated_article',
    role: 'user',
    permission: { columns: ['id', 'title'], filter: { author_id: { _eq: 'X-Service-User-Id' } } },
  });
}, 60_000);

afterAll(() => service.stop());

const asUser = { 'x-service-role': 'user', 'x-service-user-id': '2' };

describe('a request', () => {
  test('returns the rows of the SQL with arguments as parameters', async () => {
    const document =
      'query ($least: Int!) { best_articles(args: { least: $least, like: "s" }, order_by: { id: asc }) { id title rating } }';
    expect(await service.graphql(document, {}, { least: 3 })).toEqual({
      data: {
        best_articles: [
          { id: 1, title: 'Trees', rating: 3 },
          { id: 2, title: 'Stones', rating: 5 },
          { id: 3, title: 'More trees', rating: 4 },
        ],
      },
    });
  });

  test('passes a value with quotes and comments as a value', async () => {
    const document = 'query ($like: String) { best_articles(args: { least: 0, like: $like }) { id } }';
    const like = "') or true; drop table article; --";
    expect(await service.graphql(document, {}, { like })).toEqual({ data: { best_articles: [] } });
    expect(await service.graphql('{ all_articles { id } }')).toMatchObject({
      data: { all_articles: [{}, {}, {}, {}] },
    });
  });

  test('passes null for a nullable argument that is absent', async () => {
    const document = '{ best_articles(args: { least: 0 }) { id } }';
    expect(await service.graphql(document)).toEqual({ data: { best_articles: [] } });
  });

  test.each([
    ['where: { rating: { _gt: 3 } }', [2, 3]],
    ['where: { _or: [{ title: { _eq: "Trees" } }, { id: { _in: [4] } }] }', [1, 4]],
    ['order_by: { rating: desc_nulls_last }', [2, 3, 1, 4]],
    ['order_by: { id: desc }, limit: 2', [4, 3]],
    ['order_by: { id: asc }, limit: 2, offset: 1', [2, 3]],
    ['distinct_on: author_id, order_by: [{ author_id: asc }, { id: desc }]', [4, 3]],
  ])('filters, sorts and pages the result: %s', async (args, ids) => {
    const document = `{ all_articles(${args}) { id } }`;
    expect(await service.graphql(document)).toEqual({ data: { all_articles: ids.map((id) => ({ id })) } });
  });

  test('shows a role the permitted columns and rows of the logical model', async () => {
    expect(await service.graphql('{ all_articles(order_by: { id: asc }) { id title } }', asUser)).toEqual({
      data: {
        all_articles: [
          { id: 2, title: 'Stones' },
          { id: 3, title: 'More trees' },
        ],
      },
    });
    expect(await service.graphql('{ all_articles { rating } }', asUser)).toMatchObject({
      errors: [{ message: "field 'rating' not found in type: 'rated_article'" }],
    });
    expect(await service.graphql('{ all_articles { id } }', { 'x-service-role': 'other' })).toMatchObject({
      errors: [{ message: "field 'all_articles' not found in type: 'query_root'" }],
    });
  });
});

test('the types have the names of Hasura v2', async () => {
  const document = `{
    root: __type(name: "query_root") { fields { name args { name type { name kind ofType { name ofType { name } } } } type { kind ofType { kind ofType { kind ofType { name } } } } } }
    row: __type(name: "rated_article") { description fields { name description type { name kind ofType { name } } } }
    args: __type(name: "best_articles_arguments") { inputFields { name description type { name kind ofType { name } } } }
    columns: __type(name: "rated_article_enum_name") { enumValues { name } }
  }`;
  const { data } = (await service.graphql(document)) as { data: Record<string, { fields: { name: string }[] }> };
  const field = data.root?.fields.find(({ name }) => name === 'best_articles');
  expect(field).toMatchObject({
    type: {
      kind: 'NON_NULL',
      ofType: { kind: 'LIST', ofType: { kind: 'NON_NULL', ofType: { name: 'rated_article' } } },
    },
  });
  expect(
    Object.fromEntries(
      (
        field as never as {
          args: { name: string; type: { name: string; ofType: { name: string; ofType: { name: string } } } }[];
        }
      ).args.map(({ name, type }) => [name, type.name ?? type.ofType.name ?? type.ofType.ofType.name]),
    ),
  ).toEqual({
    args: 'best_articles_arguments',
    distinct_on: 'rated_article_enum_name',
    limit: 'Int',
    offset: 'Int',
    order_by: 'rated_article_order_by',
    where: 'rated_article_bool_exp_bool_exp',
  });
  expect(data.row).toEqual({
    description: 'An article with its rating',
    fields: [
      { name: 'author_id', description: null, type: { name: 'Int', kind: 'SCALAR', ofType: null } },
      { name: 'id', description: null, type: { name: null, kind: 'NON_NULL', ofType: { name: 'Int' } } },
      { name: 'rating', description: null, type: { name: 'Int', kind: 'SCALAR', ofType: null } },
      { name: 'title', description: 'The title', type: { name: null, kind: 'NON_NULL', ofType: { name: 'String' } } },
    ],
  });
  expect(data.args).toEqual({
    inputFields: [
      {
        name: 'least',
        description: 'The least rating',
        type: { name: null, kind: 'NON_NULL', ofType: { name: 'Int' } },
      },
      { name: 'like', description: null, type: { name: 'String', kind: 'SCALAR', ofType: null } },
    ],
  });
  expect(data.columns).toEqual({ enumValues: ['author_id', 'id', 'rating', 'title'].map((name) => ({ name })) });
  expect(data.root?.fields.map(({ name }) => name)).not.toContain('best_articles_aggregate');
});

describe('tracking a native query is rejected', () => {
  const track = async (more: object) => {
    const args = { root_field_name: 'other', code: 'select * from article', returns: 'rated_article', ...more };
    const body = { type: 'pg_track_native_query', args };
    return (await service.post('/v1/metadata', body, { 'x-service-role': 'admin' })).body;
  };

  test.each([
    ['SQL that does not parse', { code: 'select *\nfrom article\nwhere' }, 'line 3: syntax error at or near ")"'],
    ['an unknown column', { code: 'select id,\n  titel\nfrom article' }, 'line 2: column "titel" does not exist'],
    ['an unknown table', { code: 'select * from nothing' }, 'line 1: relation "nothing" does not exist'],
    ['a missing column', { code: 'select id, title, rating from article' }, 'does not return the column "author_id"'],
    [
      'a column of another type',
      { code: 'select id::int8, title, rating, author_id from article' },
      'the column "id" has the type int8, and in logical model "rated_article" the type int4',
    ],
    ['two columns of one name', { code: 'select *, 1 as id from article' }, 'several columns "id"'],
    ['a write', { code: "insert into author values (3, 'Cleo') returning *" }, 'line 1: syntax error'],
    [
      'several statements',
      { code: 'select 1) as q; drop table article; select * from (select 1' },
      'several statements',
    ],
    ['an undeclared argument', { code: 'select * from article where id = {{id}}' }, 'undeclared argument "id"'],
    ['an unused argument', { arguments: { id: { type: 'int' } } }, 'the argument "id" is not used'],
    [
      'an argument that is not closed',
      { code: 'select * from article\nwhere id = {{id' },
      'line 2: "{{" is not closed',
    ],
    [
      'an argument in quotes',
      { code: "select * from article where title = '{{id}}'", arguments: { id: { type: 'int' } } },
      'line 1: the argument "id" is inside of quotes',
    ],
    [
      'a numbered parameter',
      { code: 'select * from article where id = $1' },
      'line 1: the SQL has a numbered parameter',
    ],
    [
      'an unknown type of an argument',
      { code: 'select * from article where id = {{id}}', arguments: { id: { type: 'mood' } } },
      "Did not recognize scalar type 'mood'",
    ],
    ['an unknown logical model', { returns: 'nothing' }, 'Logical model "nothing" does not exist'],
    ['the name of a table', { root_field_name: 'author' }, 'the root field "author" is taken by table'],
    ['the same name', { root_field_name: 'all_articles' }, "Native query 'all_articles' is already tracked."],
  ])('for %s', async (_name, more, reason) => {
    const { error, path } = (await track(more)) as { error: string; path: string };
    expect(error).toContain(reason);
    expect(path).toMatch(/^\$\.args/);
  });
});

test('with JOINERY_DISABLE_NATIVE_QUERY_VALIDATION invalid SQL is tracked, and its requests fail', async () => {
  const unchecked = await startService({ JOINERY_DISABLE_NATIVE_QUERY_VALIDATION: 'true' }, { sql: schema });
  try {
    await unchecked.command('pg_track_logical_model', rated);
    await unchecked.command('pg_track_native_query', {
      ...best,
      code: 'select {{least}}, {{like}} from missing',
    });
    expect(await unchecked.graphql('{ best_articles(args: { least: 1 }) { id } }')).toMatchObject({
      errors: [{ extensions: { code: 'unexpected' } }],
    });
    expect(await unchecked.command('get_inconsistent_metadata', {})).toMatchObject({ is_consistent: true });
  } finally {
    await unchecked.stop();
  }
});
