/** Tables of two sources with row rules, functions and a view that fails for one row. */
export const sql = `
  create table author (id int primary key, name text not null, email text unique);
  create table article (id int primary key, author_id int not null references author, title text, tags text[], meta jsonb);
  insert into author select n, 'author ' || n, 'a' || n || '@example.org' from generate_series(1, 50) n;
  insert into article select n, 1 + n % 50, case when n % 7 = 0 then null else 'title ' || n end,
    case when n % 5 = 0 then null else array['t' || n, 'x"y', 'a,b'] end, jsonb_build_object('n', n, 'q', '"\\')
    from generate_series(1, 200) n;
  create table review (id int primary key, author_id int not null, reader text not null, stars int);
  insert into review select n, 1 + n % 10, case when n % 2 = 0 then 'even' else 'odd' end, n from generate_series(1, 60) n;
  create view inverse as select id, 100 / (id - 7) as value from author;
  create function found(term text) returns setof author language sql stable as $$ select * from author where name like term $$;
  create function any_author(first int) returns setof author language sql volatile as
    $$ select * from author where id >= first order by id limit 1 $$;
  create function slow_author(one int, ms int) returns setof author language plpgsql stable as
    $$ begin perform pg_sleep(ms / 1000.0); return query select * from author where id = one; end $$;
  create function locked_author(one int) returns setof author language plpgsql stable as
    $$ begin perform pg_advisory_xact_lock_shared(1); return query select * from author where id = one; end $$;
  create type mood as enum ('good', 'bad');
  alter table review add mood mood;
  update review set mood = case when id % 3 = 0 then 'bad' else 'good' end::mood;
  create view drawn as select id, random() as value from author;
  create view drawn_again as select * from drawn where id > 0;
  create function article_label(one article) returns text language sql stable as $$ select one.id || ': ' || one.title $$;
`;

const table = (name: string) => ({ schema: 'public', name });
const own = { id: { _eq: 'X-Service-User-Id' } };
export const metadata = {
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      configuration: { connection_info: { database_url: 'postgres://localhost/none' } },
      tables: [
        {
          table: table('author'),
          array_relationships: [
            {
              name: 'articles',
              using: { foreign_key_constraint_on: { table: table('article'), column: 'author_id' } },
            },
          ],
          select_permissions: [
            { role: 'user', permission: { columns: '*', filter: own, allow_aggregations: true } },
            { role: 'critic', permission: { columns: '*', filter: {} } },
          ],
          remote_relationships: [
            {
              name: 'first_review',
              definition: {
                to_source: {
                  source: 'other',
                  table: table('review'),
                  relationship_type: 'object',
                  field_mapping: { id: 'id' },
                },
              },
            },
            {
              name: 'reviews',
              definition: {
                to_source: {
                  source: 'other',
                  table: table('review'),
                  relationship_type: 'array',
                  field_mapping: { id: 'author_id' },
                },
              },
            },
          ],
        },
        {
          table: table('article'),
          object_relationships: [{ name: 'author', using: { foreign_key_constraint_on: 'author_id' } }],
          computed_fields: [{ name: 'label', definition: { function: { schema: 'public', name: 'article_label' } } }],
          select_permissions: [
            { role: 'user', permission: { columns: '*', filter: { author: own }, allow_aggregations: true } },
          ],
        },
        {
          table: table('inverse'),
          select_permissions: [{ role: 'user', permission: { columns: '*', filter: {} } }],
        },
        { table: table('drawn') },
        { table: table('drawn_again') },
      ],
      logical_models: [
        { name: 'named', fields: ['id', 'name'].map((name) => ({ name, type: name === 'id' ? 'int' : 'text' })) },
      ],
      native_queries: [
        {
          root_field_name: 'from_id',
          code: 'select id, name from author where id >= {{least}} order by id limit 2',
          arguments: { least: { type: 'int' } },
          returns: 'named',
        },
      ],
      functions: [
        { function: { schema: 'public', name: 'found' } },
        { function: { schema: 'public', name: 'slow_author' } },
        { function: { schema: 'public', name: 'locked_author' } },
        { function: { schema: 'public', name: 'any_author' }, configuration: { exposed_as: 'query' } },
      ],
    },
    {
      name: 'other',
      kind: 'postgres',
      configuration: { connection_info: { database_url: 'postgres://localhost/none' } },
      tables: [
        {
          table: table('review'),
          select_permissions: [
            {
              role: 'user',
              permission: { columns: '*', filter: { reader: { _eq: 'X-Service-Reader' } }, allow_aggregations: true },
            },
            {
              role: 'critic',
              permission: {
                columns: '*',
                filter: { stars: { _in: 'X-Service-Stars' }, mood: { _eq: 'X-Service-Mood' } },
              },
            },
          ],
        },
      ],
    },
  ],
};
