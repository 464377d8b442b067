/** Row rules, column permissions and variables, from metadata and a catalog to responses. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database/test-database.ts';
import { type Engine, type EngineRequest, startEngine } from '../support/service/engine.ts';

const setup = `
create table shelf (id int primary key, label text not null, spare_id int references shelf);
create table book (
  isbn uuid primary key default gen_random_uuid(),
  shelf_id int not null references shelf,
  title text not null,
  price numeric(30, 4) not null,
  hidden boolean not null default false,
  meta jsonb
);
insert into shelf values (1, 'one', null), (2, 'two', 1), (3, 'three', null);
insert into book (shelf_id, title, price, hidden, meta) values
  (1, 'A', 12345678901234567890.1234, false, '{"pages": [10, 20]}'),
  (1, 'B', 2, false, null),
  (1, 'B', 3, true, null),
  (2, 'C', 4, false, '{"pages": [30]}');
`;

const onShelf = { foreign_key_constraint_on: { table: 'book', column: 'shelf_id' } };
const metadata = {
  sources: [
    {
      name: 'default',
      tables: [
        {
          table: 'shelf',
          object_relationships: [{ name: 'spare', using: { foreign_key_constraint_on: 'spare_id' } }],
          array_relationships: [{ name: 'books', using: onShelf }],
          select_permissions: [{ role: 'guest', permission: { columns: ['id', 'label'], filter: {} } }],
        },
        {
          table: 'book',
          object_relationships: [{ name: 'shelf', using: { foreign_key_constraint_on: 'shelf_id' } }],
          select_permissions: [
            {
              role: 'guest',
              permission: {
                columns: ['isbn', 'title', 'price', 'shelf_id', 'meta'],
                filter: { hidden: { _eq: false } },
                limit: 2,
                allow_aggregations: true,
              },
            },
          ],
        },
      ],
    },
  ],
};

let db: TestDatabase;
let engine: Engine;
beforeAll(async () => {
  db = await testDatabase({ sql: setup });
  engine = await startEngine({ metadata, databases: { default: db.database } });
});
afterAll(async () => {
  await engine?.close();
  await db?.drop();
});

async function request(query: string, variables?: EngineRequest['variables'], role = 'guest'): Promise<unknown> {
  return JSON.parse((await engine.execute({ query, variables, role })).body);
}

test('the metadata is consistent', () => {
  expect(engine.inconsistencies).toEqual([]);
});

describe('a role', () => {
  test('gets the same error for a column without permission and for a missing column', async () => {
    const notFound = (name: string) => ({
      errors: [
        {
          message: `field '${name}' not found in type: 'book'`,
          extensions: { path: `$.selectionSet.book.selectionSet.${name}`, code: 'validation-failed' },
        },
      ],
    });
    expect(await request('{ book { hidden } }')).toEqual(notFound('hidden'));
    expect(await request('{ book { nothing } }')).toEqual(notFound('nothing'));
    expect(await request('{ book(limit: 1, where: {hidden: {_eq: true}}) { hidden } }', {}, 'admin')).toEqual({
      data: { book: [{ hidden: true }] },
    });
  });

  test('counts all rows that its row rule shows, and lists no more than its limit', async () => {
    expect(
      await request(
        '{ book_aggregate(order_by: {title: asc}) { aggregate { count } nodes { title } } book { title } }',
      ),
    ).toMatchObject({
      data: { book_aggregate: { aggregate: { count: 3 }, nodes: [{ title: 'A' }, { title: 'B' }] }, book: [{}, {}] },
    });
  });

  test('has the row rule of the related table applied in conditions and orders', async () => {
    const query = `{
      shelf(
        where: {books_aggregate: {count: {predicate: {_gte: 1}}}}
        order_by: {books_aggregate: {count: desc}}
      ) { label books_aggregate { aggregate { count } } }
    }`;
    expect(await request(query)).toEqual({
      data: {
        shelf: [
          { label: 'one', books_aggregate: { aggregate: { count: 2 } } },
          { label: 'two', books_aggregate: { aggregate: { count: 1 } } },
        ],
      },
    });
    expect(await request('{ shelf(where: {books: {price: {_eq: "3"}}}) { id } }')).toEqual({ data: { shelf: [] } });
  });

  test('sees the nullability of columns and relationships in introspection', async () => {
    const kinds = (type: string) =>
      request(`{ __type(name: "${type}") { fields { name type { kind } } } }`, {}, 'admin') as Promise<{
        data: { __type: { fields: { name: string; type: { kind: string } }[] } };
      }>;
    const shelf = (await kinds('shelf')).data.__type.fields;
    expect(shelf.find(({ name }) => name === 'spare')?.type.kind).toBe('OBJECT');
    const book = (await kinds('book')).data.__type.fields;
    expect(book.find(({ name }) => name === 'shelf')?.type.kind).toBe('NON_NULL');
    expect(book.map(({ name }) => name)).toEqual(['hidden', 'isbn', 'meta', 'price', 'shelf', 'shelf_id', 'title']);
  });

  test('without permissions has a schema without tables', async () => {
    expect(await request('{ no_queries_available }', {}, 'unknown')).toMatchObject({
      data: { no_queries_available: expect.stringContaining('There are no queries available') },
    });
  });
});

describe('variables', () => {
  test('of scalar types do not change the statement', async () => {
    const query =
      'query ($id: Int!, $n: Int) { shelf_by_pk(id: $id) { label } book(limit: $n, where: {shelf_id: {_eq: $id}}) { title } }';
    const first = await engine.execute({ query, role: 'guest', variables: { id: 2, n: 5 } });
    const second = await engine.execute({ query, role: 'guest', variables: { id: 3, n: 0 } });
    expect(JSON.parse(first.body)).toEqual({ data: { shelf_by_pk: { label: 'two' }, book: [{ title: 'C' }] } });
    expect(JSON.parse(second.body)).toEqual({ data: { shelf_by_pk: { label: 'three' }, book: [] } });
    expect(second.statements.map(({ text }) => text)).toEqual(first.statements.map(({ text }) => text));
    expect(first.statements).toHaveLength(1);
  });

  test('may be conditions, orders, flags and paths', async () => {
    const query = `query ($w: book_bool_exp, $o: [book_order_by!], $d: Boolean, $p: String) {
      book(where: $w, order_by: $o) { title meta(path: $p) }
      shelf(where: {books_aggregate: {count: {arguments: [title], distinct: $d, predicate: {_eq: 2}}}}) { id }
    }`;
    const variables = { w: { title: { _in: ['A', 'C'] } }, o: { title: 'desc' }, d: true, p: '$.pages[0]' };
    expect(await request(query, variables, 'admin')).toEqual({
      data: {
        book: [
          { title: 'C', meta: 30 },
          { title: 'A', meta: 10 },
        ],
        shelf: [{ id: 1 }],
      },
    });
    expect(await request(query, { ...variables, d: false }, 'admin')).toMatchObject({ data: { shelf: [] } });
  });

  test('with an invalid value are rejected with the path of the value', async () => {
    expect(
      await request('query ($w: book_bool_exp) { book(where: $w) { title } }', { w: { isbn: { _eq: 'x' } } }),
    ).toEqual({
      errors: [
        {
          message: 'invalid input syntax for type uuid: "x"',
          extensions: { path: '$.variables.w.isbn._eq', code: 'data-exception' },
        },
      ],
    });
  });
});

test('a numeric literal keeps every digit', async () => {
  const { body } = await engine.execute({
    query: '{ book(where: {price: {_eq: 12345678901234567890.1234}}, offset: "0") { price } }',
    role: 'guest',
  });
  expect(body).toBe('{"data":{"book":[{"price":12345678901234567890.1234}]}}');
});
