/** Authors and articles for the tests of the Relay schema. */
import { startService, type TestService } from '../../support/service/test-service.ts';

const sql = `
create table author (id serial primary key, name text unique not null);
insert into author (name) values ('Author 1'), ('Author 2'), ('Author 3'), ('Author 4');
create table article (
  id serial primary key, title text, content text, author_id int references author (id),
  is_published boolean not null default false
);
insert into article (title, content, author_id, is_published)
select 'Article ' || n, 'Content ' || n, (array[1, 1, 1, 2, 2, 3])[n], n not in (3, 5) from generate_series(1, 6) as n;
create table person (first_name text, last_name text, age int, primary key (first_name, last_name));
insert into person values ('Ann', 'Lee', 30), ('Bo', 'O''Neil', 40);
create table note (text text);
insert into note values ('without key');
create schema shop;
create table shop.item (code uuid primary key, label text);
insert into shop.item values ('11111111-1111-1111-1111-111111111111', 'Lamp');
create function search_articles(search text) returns setof article stable language sql
  as $$ select * from article where title ilike '%' || search || '%' $$;
create function first_article() returns article stable language sql
  as $$ select * from article where false $$;
`;

const select = (table: string, columns: unknown, filter: object, more: object = {}) => ({
  type: 'create_select_permission',
  args: { table, role: 'user', permission: { columns, filter, ...more } },
});

/** The commands that track the tables, with their relationships and the permissions of the role `user`. */
const commands = [
  ...['author', 'article', 'person', 'note', { schema: 'shop', name: 'item' }].map((table) => ({
    type: 'track_table',
    args: table,
  })),
  {
    type: 'create_object_relationship',
    args: { table: 'article', name: 'author', using: { foreign_key_constraint_on: 'author_id' } },
  },
  {
    type: 'create_array_relationship',
    args: {
      table: 'author',
      name: 'articles',
      using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } },
    },
  },
  { type: 'track_function', args: 'search_articles' },
  { type: 'track_function', args: 'first_article' },
  select('author', '*', { id: 'X-Service-User-Id' }),
  select('article', ['title', 'content', 'is_published', 'author_id'], {
    _or: [{ author_id: 'X-Service-User-Id' }, { is_published: true }],
  }),
];

export async function relayService(environment: Readonly<Record<string, string>> = {}): Promise<RelayService> {
  const service = await startService(environment, { sql });
  for (const { type, args } of commands) await service.command(type, args);
  return {
    ...service,
    relay: async (query, session = {}, variables = undefined) =>
      (await service.post('/v1beta1/relay', { query, variables }, session)).body,
  };
}

export interface RelayService extends TestService {
  /** As `graphql`, at the endpoint for Relay. */
  relay: TestService['graphql'];
}

/** The session of a user. */
export const asUser = (id: number) => ({ 'x-service-role': 'user', 'x-service-user-id': String(id) });

/** The text as the base64 of an id or a cursor. */
export const encoded = (text: string): string => Buffer.from(text).toString('base64');
