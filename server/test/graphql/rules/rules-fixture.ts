/** A database and metadata for the rules of GraphQL requests, and rows of tables of rules. */
import { expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../support/database/test-database.ts';
import { type Engine, type EngineRequest, startEngine } from '../../support/service/engine.ts';

const sql = `
  create extension citext;
  create extension ltree;
  create type mood as enum ('calm', 'cross');
  create type pair as (n int, t text);
  create domain positive as int check (value > 0);
  create table color (value text primary key, comment text);
  insert into color values ('red', 'as blood'), ('blue', null), ('green', null);
  create table author (
    id int primary key, name text not null unique, bio text, is_admin boolean, age int2, big bigint, exact numeric(10, 2),
    ratio real, score float8, price money, ident uuid, born date, at timestamptz, doc jsonb, raw json, tags text[],
    nums int[], docs jsonb[], feel mood, color text references color, span interval, address inet, code char(3),
    mail citext, path ltree, stars positive, duo pair
  );
  create table article (
    id serial primary key, title text unique, author_id int references author, content text, published boolean,
    rating float8, likes int, words int, check (likes >= 0)
  );
  create table detail (id int primary key references author, phone text unique, checked boolean not null default false);
  create table lonely (note text);
  insert into author (id, name, bio, is_admin, age, big, exact, ratio, score, ident, born, doc, raw, tags, nums, feel, color, mail, path, stars) values
    (1, 'Ann', 'writes', true, 30, 9007199254740993, 1.50, 0.5, 2.5, '00000000-0000-0000-0000-00000000000a', '2000-01-02',
      '{"a": {"b": [1, {"c": "x"}]}, "k": null, "s p": 1, "e-f": 2}', '{"z": 1, "a": 2}', '{x,y}', '{1,2}', 'calm', 'red',
      'ANN@example.com', 'top.one', 3),
    (2, 'Bob', null, false, 40, 2, 2.25, 1.5, 1, null, null, '[1, 2]', '[1]', '{y}', '{2,3}', 'cross', 'blue', 'bob@example.com',
      'top.one.two', 1),
    (3, 'Cid', 'reads', null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);
  insert into article (title, author_id, content, published, rating, likes, words) values
    ('one', 1, 'a', true, 1, 10, 5), ('two', 1, 'b', false, 3, 20, 7), ('three', 2, null, true, 2, 5, 9), ('four', null, null, null, null, null, null);
  insert into detail values (1, '111', true), (2, '222', false);
  create function find_articles(part text, lowest int default 0, highest int default 100) returns setof article stable language sql
    as $$ select * from article where title like '%' || part || '%' and coalesce(likes, 0) between lowest and highest $$;
  create function first_author() returns author stable language sql as $$ select * from author where id = 1 $$;
`;

/** The relationships of all tables, and permissions of the roles `user` and `reader`. */
const metadata = {
  sources: [
    {
      name: 'default',
      tables: [
        { table: 'color', is_enum: true },
        {
          table: 'author',
          array_relationships: [
            { name: 'articles', using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } } },
          ],
          object_relationships: [
            { name: 'detail', using: { foreign_key_constraint_on: { table: 'detail', column: 'id' } } },
          ],
          select_permissions: [
            {
              role: 'user',
              permission: { columns: ['id', 'name', 'bio'], filter: {}, limit: 2, allow_aggregations: true },
            },
            { role: 'reader', permission: { columns: [], filter: {} } },
          ],
          insert_permissions: [
            {
              role: 'user',
              permission: { columns: ['id', 'name', 'bio'], check: { id: { _gt: 100 } }, set: { age: 18 } },
            },
          ],
          update_permissions: [
            {
              role: 'user',
              permission: {
                columns: ['name', 'bio', 'age'],
                filter: { id: { _gt: 100 } },
                check: null,
                set: { age: 19 },
              },
            },
          ],
          delete_permissions: [{ role: 'user', permission: { filter: { id: { _gt: 100 } } } }],
        },
        {
          table: 'article',
          object_relationships: [{ name: 'author', using: { foreign_key_constraint_on: 'author_id' } }],
          select_permissions: [
            {
              role: 'user',
              permission: { columns: ['id', 'title', 'author_id', 'likes'], filter: { published: { _eq: true } } },
            },
          ],
          insert_permissions: [
            { role: 'user', permission: { columns: ['title', 'author_id', 'likes'], check: { likes: { _lt: 1000 } } } },
          ],
        },
        {
          table: 'detail',
          object_relationships: [{ name: 'author', using: { foreign_key_constraint_on: 'id' } }],
        },
        {
          table: 'lonely',
          insert_permissions: [{ role: 'user', permission: { columns: '*', check: {} } }],
        },
      ],
      functions: [{ function: 'find_articles' }, { function: 'first_author' }],
    },
  ],
};

/** What a rule expects: data, or an error. */
export type Expected =
  | { readonly data: unknown }
  | { readonly code: string; readonly path?: string; readonly message?: string };

export type Rule = readonly [rule: string, query: string, expected: Expected, more?: Partial<EngineRequest>];

export interface Rules {
  readonly engine: Engine;
  /** Runs the request of a rule and compares the response. */
  check(rule: Rule): Promise<void>;
  run(query: string, more?: Partial<EngineRequest>): Promise<unknown>;
  /** Empties and fills the tables again. */
  refill(): Promise<void>;
  stop(): Promise<void>;
}

export async function startRules(more: Readonly<Record<string, unknown>> = {}): Promise<Rules> {
  const database: TestDatabase = await testDatabase({ sql });
  const engine = await startEngine({ metadata: { ...metadata, ...more }, databases: { default: database.database } });
  expect(engine.inconsistencies).toEqual([]);
  const run = async (query: string, request: Partial<EngineRequest> = {}): Promise<unknown> =>
    JSON.parse((await engine.execute({ query, ...request })).body);
  return {
    engine,
    run,
    check: async ([, query, expected, request]) => {
      const response = await run(query, request);
      if ('data' in expected) {
        expect(response).toEqual({ data: expected.data });
        return;
      }
      const { code, path, message } = expected;
      expect(response).toMatchObject({
        errors: [
          {
            ...(message !== undefined && { message: expect.stringContaining(message) as unknown }),
            extensions: { code, ...(path !== undefined && { path }) },
          },
        ],
      });
    },
    refill: async () => {
      const inserts = sql.slice(sql.indexOf('insert into author'), sql.indexOf('create function'));
      await database.database.query({
        text: `truncate author, article, detail, lonely restart identity; ${inserts}`,
        values: [],
      });
    },
    stop: async () => {
      await engine.close();
      await database.drop();
    },
  };
}

/** Defines a test for each rule, named by `before` and the rule. */
export function prove(rules: () => Rules, list: readonly Rule[], before = ''): void {
  for (const rule of list) test(before + rule[0], () => rules().check(rule));
}

export const VF = { code: 'validation-failed' } as const;
export const PF = { code: 'parse-failed' } as const;
export const DE = { code: 'data-exception' } as const;
