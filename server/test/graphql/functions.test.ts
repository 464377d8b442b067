/** Functions of the database as root fields and as computed fields of tables. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service/test-service.ts';

const schema = `
create table author (id int primary key, first_name text not null, last_name text);
insert into author values (1, 'Roger', 'Chris'), (2, 'Daniel', null);
create table article (id int primary key, title text not null, author_id int references author, rating int);
insert into article values (1, 'Trees', 1, 3), (2, 'Stones', 2, 5), (3, 'Trees again', 2, 4);
create table visit (id serial primary key, who text);
create function search_articles(search text, lowest int default 0, "most" int default 100) returns setof article
  language sql stable as $$
    select * from article where title ilike '%' || search || '%' and rating between lowest and "most"
  $$;
create function best_article(session json) returns article language sql stable as $$
  select * from article where rating = (session ->> 'x-service-least')::int limit 1
$$;
create function visit_by(who text) returns setof visit language sql volatile as $$
  insert into visit (who) values (who) returning *
$$;
create function full_name(author) returns text language sql stable as $$
  select concat_ws(' ', $1.first_name, $1.last_name)
$$;
create function greeting(person author, word text, mark text default '!') returns text language sql immutable as $$
  select word || ' ' || person.first_name || mark
$$;
create function articles_like(search text, author_row author) returns setof article language sql stable as $$
  select * from article where author_id = author_row.id and title ilike search
$$;
create function role_of(author, session json) returns text language sql stable as $$
  select $2 ->> 'x-service-role'
$$;
create function loud(author) returns text language sql volatile as $$ select $1.first_name $$;
create function two(int) returns setof article language sql stable as $$ select * from article $$;
create function two(text) returns setof article language sql stable as $$ select * from article $$;
create function number_of(int) returns int language sql stable as $$ select $1 $$;
`;

let service: TestService;

beforeAll(async () => {
  service = await startService({}, { sql: schema });
  for (const table of ['author', 'article', 'visit']) await service.command('track_table', table);
  await service.command('create_array_relationship', {
    table: 'author',
    name: 'articles',
    using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } },
  });
  for (const [name, definition] of [
    ['full_name', { function: 'full_name' }],
    ['greeting', { function: 'greeting', table_argument: 'person' }],
    ['articles_like', { function: 'articles_like', table_argument: 'author_row' }],
    ['role_of', { function: 'role_of', session_argument: 'session' }],
  ] as const) {
    await service.command('add_computed_field', { table: 'author', name, definition });
  }
  await service.command('track_function', 'search_articles');
  await service.command('track_function', {
    function: 'best_article',
    configuration: { session_argument: 'session', custom_name: 'best' },
  });
  await service.command('track_function', 'visit_by');
  await service.command('create_select_permission', {
    table: 'article',
    role: 'user',
    permission: { columns: ['id', 'title'], filter: { rating: { _gt: 3 } }, allow_aggregations: true },
  });
  await service.command('create_select_permission', {
    table: 'visit',
    role: 'user',
    permission: { columns: ['who'], filter: {} },
  });
  await service.command('create_select_permission', {
    table: 'author',
    role: 'user',
    permission: { columns: ['id'], computed_fields: ['full_name'], filter: { full_name: { _neq: 'Unknown' } } },
  });
}, 60_000);

afterAll(() => service.stop());

const admin = { 'x-service-role': 'admin' };
const user = { 'x-service-role': 'user' };

async function rejected(type: string, args: unknown): Promise<unknown> {
  const { status, body } = await service.post('/v1/query', { type, args }, admin);
  expect(status).toBe(400);
  return body;
}

describe('a tracked function', () => {
  test('returns rows that can be filtered, sorted and limited', async () => {
    const query =
      '{ search_articles(args: {search: "e"}, where: {id: {_gt: 1}}, order_by: {id: desc}, limit: 1) { id title } }';
    expect(await service.graphql(query, admin)).toEqual({
      data: { search_articles: [{ id: 3, title: 'Trees again' }] },
    });
  });

  test('accepts variables, and defaults of arguments before a given one', async () => {
    const query =
      'query ($s: String, $m: Int) { search_articles(args: {search: $s, most: $m}, order_by: {id: asc}) { id } }';
    const result = await service.graphql(query, admin, { s: 'e', m: 4 });
    expect(result).toEqual({ data: { search_articles: [{ id: 1 }, { id: 3 }] } });
  });

  test('has aggregates over its rows', async () => {
    const query =
      '{ search_articles_aggregate(args: {search: "trees"}) { aggregate { count max { id } } nodes { title } } }';
    expect(await service.graphql(query, admin)).toEqual({
      data: {
        search_articles_aggregate: {
          aggregate: { count: 2, max: { id: 3 } },
          nodes: [{ title: 'Trees' }, { title: 'Trees again' }],
        },
      },
    });
  });

  test('returns to a role the rows that the row rule of the table allows', async () => {
    const query =
      '{ search_articles(args: {search: "trees"}) { id } search_articles_aggregate(args: {search: "trees"}) { aggregate { count } } }';
    expect(await service.graphql(query, user)).toEqual({
      data: { search_articles: [{ id: 3 }], search_articles_aggregate: { aggregate: { count: 1 } } },
    });
  });

  test('that returns one row results in an object or null, and can read the session', async () => {
    const least = (number: string) => service.graphql('{ best { id } }', { ...admin, 'x-service-least': number });
    expect(await least('5')).toEqual({ data: { best: { id: 2 } } });
    expect(await least('77')).toEqual({ data: { best: null } });
  });

  test('requires arguments without a default', async () => {
    expect(await service.graphql('{ search_articles(args: {lowest: 1}) { id } }', admin)).toMatchObject({
      errors: [
        {
          message: 'Non default arguments cannot be omitted; give "search"',
          extensions: { code: 'not-supported', path: '$.selectionSet.search_articles.args.args' },
        },
      ],
    });
  });

  test('has no permission of a role that may not select the rows', async () => {
    const created = service.command('create_function_permission', { function: 'visit_by', role: 'guest' });
    await expect(created).rejects.toThrow('"code":"not-supported"');
  });

  test('that is volatile is a mutation, runs once and in order, and requires its own permission', async () => {
    const mutation = 'mutation { a: visit_by(args: {who: "a"}) { id who } b: visit_by(args: {who: "b"}) { id who } }';
    expect(await service.graphql(mutation, admin)).toEqual({
      data: { a: [{ id: 1, who: 'a' }], b: [{ id: 2, who: 'b' }] },
    });
    const byUser = 'mutation { visit_by(args: {who: "c"}) { who } }';
    expect(await service.graphql(byUser, user)).toMatchObject({ errors: [{ message: 'no mutations exist' }] });
    await service.command('create_function_permission', { function: 'visit_by', role: 'user' });
    expect(await service.graphql(byUser, user)).toEqual({ data: { visit_by: [{ who: 'c' }] } });
    await service.command('drop_function_permission', { function: 'visit_by', role: 'user' });
    expect(await service.graphql('{ visit_aggregate { aggregate { count } } }', admin)).toEqual({
      data: { visit_aggregate: { aggregate: { count: 3 } } },
    });
  });

  test('is rejected if it is overloaded, does not exist, or does not return rows of a table', async () => {
    const reason = async (name: string) => ((await rejected('track_function', name)) as { error: string }).error;
    expect(await reason('two')).toContain('overloaded');
    expect(await reason('nothing')).toContain('no such function exists: "nothing"');
    expect(await reason('number_of')).toContain('does not return rows of a table');
    expect(await rejected('track_function', 'visit_by')).toMatchObject({ code: 'already-tracked' });
  });
});

describe('a computed field', () => {
  test('is a field with the additional arguments of its function', async () => {
    const query = `{ author(order_by: {id: asc}) {
      full_name greeting(args: {word: "Hi"}) loud: greeting(args: {word: "Oi", mark: "!!"}) role_of
    } }`;
    expect(await service.graphql(query, admin)).toEqual({
      data: {
        author: [
          { full_name: 'Roger Chris', greeting: 'Hi Roger!', loud: 'Oi Roger!!', role_of: 'admin' },
          { full_name: 'Daniel', greeting: 'Hi Daniel!', loud: 'Oi Daniel!!', role_of: 'admin' },
        ],
      },
    });
  });

  test('can be used in conditions and orders', async () => {
    const query = '{ author(where: {full_name: {_ilike: "%e%"}}, order_by: {full_name: asc}) { id } }';
    expect(await service.graphql(query, admin)).toEqual({ data: { author: [{ id: 2 }, { id: 1 }] } });
  });

  test('is computed after limit is applied', async () => {
    const query =
      '{ author(order_by: {first_name: asc}, limit: 1) { full_name articles_like(args: {search: "%"}, order_by: {id: asc}) { id } articles(limit: 1, order_by: {rating: desc}) { id } } }';
    expect(await service.graphql(query, admin)).toEqual({
      data: { author: [{ full_name: 'Daniel', articles_like: [{ id: 2 }, { id: 3 }], articles: [{ id: 2 }] }] },
    });
  });

  test('that returns rows requires only the select permission of their table, and follows its row rule', async () => {
    const query = '{ author(order_by: {id: asc}) { id articles_like(args: {search: "%tree%"}) { id } } }';
    expect(await service.graphql(query, user)).toEqual({
      data: {
        author: [
          { id: 1, articles_like: [] },
          { id: 2, articles_like: [{ id: 3 }] },
        ],
      },
    });
  });

  test('that returns a scalar must be listed in the select permission', async () => {
    expect(await service.graphql('{ author(where: {id: {_eq: 1}}) { full_name } }', user)).toEqual({
      data: { author: [{ full_name: 'Roger Chris' }] },
    });
    expect(await service.graphql('{ author { role_of } }', user)).toMatchObject({
      errors: [{ message: "field 'role_of' not found in type: 'author'" }],
    });
  });

  test('without arguments can be the key of a remote relationship', async () => {
    await service.command('pg_create_remote_relationship', {
      table: 'author',
      name: 'visits',
      definition: {
        to_source: {
          source: 'default',
          table: 'visit',
          relationship_type: 'array',
          field_mapping: { full_name: 'who' },
        },
      },
    });
    await service.graphql('mutation { insert_visit_one(object: {id: 50, who: "Daniel"}) { id } }', admin);
    const query = '{ author(order_by: {first_name: asc}, limit: 2) { id visits { id } } }';
    expect(await service.graphql(query, admin)).toEqual({
      data: {
        author: [
          { id: 2, visits: [{ id: 50 }] },
          { id: 1, visits: [] },
        ],
      },
    });
    await service.graphql('mutation { delete_visit_by_pk(id: 50) { id } }', admin);
    await service.command('pg_delete_remote_relationship', { table: 'author', name: 'visits' });
  });

  test('is returned for inserted rows', async () => {
    const mutation =
      'mutation { insert_author_one(object: {id: 9, first_name: "New", last_name: "One"}) { full_name } }';
    expect(await service.graphql(mutation, admin)).toEqual({ data: { insert_author_one: { full_name: 'New One' } } });
    await service.graphql('mutation { delete_author_by_pk(id: 9) { id } }', admin);
  });

  test('is rejected with all reasons and the path', async () => {
    const add = (definition: unknown) => rejected('add_computed_field', { table: 'author', name: 'other', definition });
    const prefix = 'Inconsistent object: in table "author": in computed field "other": ';
    expect(await add({ function: 'loud', table_argument: 'unknown' })).toMatchObject({
      error: `${prefix}the computed field "other" cannot be added to table "author" for the following reasons:\n  • the function "loud" is of type VOLATILE; cannot be added as a computed field\n  • "unknown" is not an input argument of the function "loud"\n`,
      code: 'invalid-configuration',
      path: '$.args',
    });
    expect(await add({ function: 'number_of' })).toMatchObject({
      error: expect.stringContaining('first argument of the function "number_of" is not COMPOSITE type'),
    });
    expect(
      await rejected('add_computed_field', {
        table: 'author',
        name: 'last_name',
        definition: { function: 'full_name' },
      }),
    ).toMatchObject({
      error: 'Inconsistent object: field definition conflicts with postgres column',
    });
  });

  test('cannot be dropped while a permission lists it', async () => {
    expect(await rejected('drop_computed_field', { table: 'author', name: 'full_name' })).toMatchObject({
      code: 'dependency-error',
      error: 'cannot drop due to the following dependent objects: permission author.user.select in source "default"',
    });
  });

  test('makes run_sql reject changes that make its function unusable', async () => {
    const run = (sql: string) => rejected('run_sql', { sql });
    expect(await run('alter function role_of(author, json) volatile')).toMatchObject({
      code: 'not-supported',
      error:
        'The type of function "role_of" associated with computed field "role_of" of table "author" is being altered to "VOLATILE"',
    });
    expect(
      await run("create function role_of(author) returns text language sql stable as 'select null::text'"),
    ).toMatchObject({
      code: 'not-supported',
      error: 'The function "role_of" associated with computed field "role_of" of table "author" is being overloaded',
    });
    const other =
      "drop function role_of(author, json); create function role_of(author) returns text language sql stable as 'select null::text'";
    expect(await run(other)).toMatchObject({
      code: 'dependency-error',
      error: 'cannot drop due to the following dependent objects: computed field author.role_of in source "default"',
    });
  });
});
