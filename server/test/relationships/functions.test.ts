/** Relationships to functions: mapped arguments, and arguments that the client may set. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HandlerServer, startHandlerServer } from '../support/http/handler-server.ts';
import { startService, type TestService } from '../support/service/test-service.ts';

const sql = `
  create table author (id int primary key, name text, budget numeric);
  create table book (id int primary key, author_id int, price numeric);
  insert into author values (1, 'Ann', 20), (2, 'Bo', 20);
  insert into book values (1, 1, 5), (2, 1, 15), (3, 2, 25), (4, 1, 35);
  create function books_of(author int, low numeric default 10, high numeric default 30) returns setof book
    stable language sql as $$ select * from book where author_id = author and price between low and high order by id $$;
  create function nth_book(author int, session json, n int default 1) returns book
    stable language sql as $$ select * from book where author_id = author order by id limit 1 offset n - 1 $$;
  create function own_books(author int) returns setof book
    stable language sql as $$ select * from book where author_id = author $$;
`;

let service: TestService;
let handler: HandlerServer;

const toFunction = (name: string, relationship_type: string, field_mapping: object) => ({
  to_source: { source: 'default', function: name, relationship_type, field_mapping },
});

beforeAll(async () => {
  handler = await startHandlerServer({ '/writers': () => [{ authorId: 1 }, { authorId: 2 }, { authorId: null }] });
  service = await startService({}, { sql });
  for (const table of ['author', 'book']) await service.command('track_table', { table });
  for (const name of ['books_of', 'own_books']) await service.command('pg_track_function', { function: name });
  const configuration = { session_argument: 'session' };
  await service.command('pg_track_function', { function: 'nth_book', configuration });
  const add = (name: string, definition: object) =>
    service.command('pg_create_remote_relationship', { table: 'author', name, definition });
  await add('books', toFunction('books_of', 'array', { id: 'author' }));
  await add('affordable', toFunction('books_of', 'array', { id: 'author', budget: 'high' }));
  await add('book', toFunction('nth_book', 'object', { id: 'author' }));
  await add('own', toFunction('own_books', 'array', { id: 'author' }));
  await service.command('set_custom_types', {
    objects: [
      {
        name: 'Writer',
        fields: [{ name: 'authorId', type: 'Int' }],
        relationships: [{ name: 'books', definition: toFunction('books_of', 'array', { authorId: 'author' }) }],
      },
    ],
  });
  const definition = { type: 'query', output_type: '[Writer!]!', handler: `${handler.url}/writers` };
  await service.command('create_action', { name: 'writers', definition });
});
afterAll(() => Promise.all([service.stop(), handler.close()]));

const dataOf = async (query: string, variables: unknown = undefined) => {
  const { data, errors } = (await service.graphql(query, {}, variables)) as { data?: unknown; errors?: unknown };
  return errors ?? data;
};

test('a relationship to a function exposes arguments that are not mapped and have a default, on the field and its aggregate', async () => {
  const { __type: type } = (await dataOf(`{ __type(name: "author") { fields {
    name args { name type { name inputFields { name } } }
  } } }`)) as { __type: { fields: readonly Field[] } };
  const exposed = type.fields.flatMap(({ name, args }) => {
    const one = args.find((argument) => argument.name === 'args');
    return one === undefined ? [] : [[name, one.type.name, one.type.inputFields.map((field) => field.name)]];
  });
  expect(exposed).toEqual([
    ['affordable', 'books_of_args_remote_rel_authoraffordable', ['low']],
    ['affordable_aggregate', 'books_of_args_remote_rel_authoraffordable', ['low']],
    ['book', 'nth_book_args_remote_rel_authorbook', ['n']],
    ['books', 'books_of_args_remote_rel_authorbooks', ['high', 'low']],
    ['books_aggregate', 'books_of_args_remote_rel_authorbooks', ['high', 'low']],
  ]);
});

interface Field {
  readonly name: string;
  readonly args: readonly {
    readonly name: string;
    readonly type: { readonly name: string; readonly inputFields: readonly { readonly name: string }[] };
  }[];
}

test('a relationship to a function passes mapped and given arguments, and uses defaults for the others', async () => {
  expect(
    await dataOf(`{ author(order_by: {id: asc}) {
      books { id }
      dear: books(args: {high: 99}) { id }
      all: books(args: {low: 0, high: 99}, order_by: {id: desc}, limit: 2) { id }
      affordable(args: {low: 0}) { id }
      own { id }
      book { id }
      third: book(args: {n: 3}) { id }
      books_aggregate(args: {low: 1}) { aggregate { count } }
    } }`),
  ).toEqual({
    author: [
      {
        books: [{ id: 2 }],
        dear: [{ id: 2 }, { id: 4 }],
        all: [{ id: 4 }, { id: 2 }],
        affordable: [{ id: 1 }, { id: 2 }],
        own: [{ id: 1 }, { id: 2 }, { id: 4 }],
        book: { id: 1 },
        third: { id: 4 },
        books_aggregate: { aggregate: { count: 2 } },
      },
      {
        books: [{ id: 3 }],
        dear: [{ id: 3 }],
        all: [{ id: 3 }],
        affordable: [],
        own: [{ id: 3 }],
        book: { id: 3 },
        third: null,
        books_aggregate: { aggregate: { count: 1 } },
      },
    ],
  });
});

test('a relationship to a function accepts variables for one argument and for all arguments', async () => {
  const query =
    'query ($low: numeric, $args: books_of_args_remote_rel_Writerbooks) { writers { one: books(args: {low: $low}) { id } many: books(args: $args) { id } } }';
  const request = (low: number, args: object) => dataOf(query, { low, args });
  expect(await request(0, { high: 99 })).toEqual({
    writers: [
      { one: [{ id: 1 }, { id: 2 }], many: [{ id: 2 }, { id: 4 }] },
      { one: [{ id: 3 }], many: [{ id: 3 }] },
      { one: [], many: [] },
    ],
  });
  expect(await request(15, { low: 30, high: 40 })).toMatchObject({
    writers: [{ one: [{ id: 2 }], many: [{ id: 4 }] }, { one: [{ id: 3 }], many: [] }, {}],
  });
});

test('a relationship to a function rejects a mapped argument and a value of the wrong type', async () => {
  expect(await dataOf('{ author { books(args: {author: 2}) { id } } }')).toMatchObject([
    { extensions: { code: 'validation-failed' } },
  ]);
  expect(await dataOf('{ author { book(args: {n: "x"}) { id } } }')).toMatchObject([
    { extensions: { path: expect.stringContaining('$.selectionSet.author.selectionSet.book.args.args') } },
  ]);
});
