/** A fixture with a library: tables and actions with relationships to every kind of target. */
import { buildSchema } from 'graphql';
import { parseJson } from '../../src/base/json-value.ts';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type GraphQLServer, startGraphQLServer } from '../support/http/graphql-server.ts';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { type Engine, type SentStatement, startEngine } from '../support/service/engine.ts';

const library = `
  create table book (
    id int primary key, title text not null, shelf text, author_id bigint, tags text[] not null default '{}'
  );
  insert into book values
    (1, 'Ash', 'A', 10, '{wood}'), (2, 'Bay', 'A', 10, '{sea,wood}'), (3, 'Cliff', 'B', 20, '{}'),
    (4, 'Dune', 'B', null, array['sand', 'a "b" \\ c']), (5, 'Elm', 'A', 20, '{wood}');
  create table number as select n from generate_series(1, 30) as n;
  create view shelved as select id, shelf from book;
  create function books_on(shelf_name text, lowest int default 0) returns setof book stable language sql
    as $$ select * from book where shelf = shelf_name and id >= lowest $$;
  create function books_of(ids int[]) returns setof book stable language sql
    as $$ select * from book where id = any(ids) $$;
  create function first_on(shelf_name text) returns book stable language sql
    as $$ select * from book where shelf = shelf_name order by id limit 1 $$;
`;
const archive = `
  create table loan (id int primary key, book_id int, tags text[]);
  insert into loan values (1, 1, '{wood}'), (2, 2, '{sea,wood}'), (3, 1, '{}'), (4, 4, array['sand', 'a "b" \\ c']);
`;
const upstream = `
  type Query { stars(bookId: Int!): Int, author(id: ID!): Author, several(ids: [Int!]!): [Author!]! }
  type Author { id: ID! name: String }
`;

export interface Library {
  readonly engine: Engine;
  readonly handler: HandlerServer;
  readonly remote: GraphQLServer;
  /** Executes an operation with the role, by default `admin`. */
  execute(query: string, options?: { readonly variables?: object; readonly role?: string }): Promise<LibraryResponse>;
  close(): Promise<void>;
}

export interface LibraryResponse {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly unknown[];
  readonly statements: readonly SentStatement[];
  /** Paths of the called handlers, in order. */
  readonly calledPaths: readonly string[];
}

/** The default response of the handlers. */
export const reading = { userId: 1, ids: [3, 1, 99, 2], names: ['B', 'A'], shelf: 'A', favorite: 2, authorId: '20' };

export async function startLibrary(
  metadata: (handler: string) => Readonly<Record<string, unknown>>,
  routes: Parameters<typeof startHandlerServer>[0] = {},
): Promise<Library> {
  const [main, other] = [await testDatabase({ sql: library }), await testDatabase({ sql: archive })];
  const databases: readonly TestDatabase[] = [main, other];
  const remote = await startGraphQLServer(upstream, {
    stars: ({ bookId }: { bookId: number }) => bookId + 1,
    author: ({ id }: { id: string }) => ({ id, name: `author ${id}` }),
    several: ({ ids }: { ids: number[] }) => ids.map((id) => ({ id, name: `author ${id}` })),
  });
  const handler = await startHandlerServer({
    '/reading': () => reading,
    '/readings': () => [reading, { ...reading, ids: [2], shelf: 'B', favorite: 4 }, { ...reading, ids: null }],
    ...routes,
  });
  const document = metadata(handler.url);
  const engine = await startEngine({
    metadata: { ...document, remote_schemas: [{ name: 'people', definition: { url: remote.url } }] },
    databases: { default: main.database, archive: other.database },
    upstreams: { people: buildSchema(upstream) },
  });
  return {
    engine,
    handler,
    remote,
    execute: async (query, { variables, role } = {}) => {
      handler.reset();
      remote.reset();
      const { body, statements } = await engine.execute({ query, variables: { ...variables }, role });
      const calledPaths = handler.calls.map(({ path }) => path);
      return { ...(parseJson(body) as Pick<LibraryResponse, 'data' | 'errors'>), statements, calledPaths };
    },
    close: async () => {
      await Promise.all([engine.close(), handler.close(), remote.close()]);
      await Promise.all(databases.map((one) => one.drop()));
    },
  };
}
