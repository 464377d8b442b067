/** Relationships from output types of actions: by lists of keys, to functions, remote schemas and actions. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Library, reading, startLibrary } from './library.ts';

const toBooks = (relationship_type: string, field_mapping: object) => ({
  definition: { to_source: { source: 'default', table: 'book', relationship_type, field_mapping } },
});
const toFunction = (name: string, relationship_type: string, field_mapping: object) => ({
  definition: { to_source: { source: 'default', function: name, relationship_type, field_mapping } },
});

const relationships = [
  { name: 'books', type: 'array', remote_table: 'book', field_mapping: { ids: 'id' } },
  { name: 'places', type: 'object', remote_table: 'book', field_mapping: { ids: 'id' } },
  { name: 'on_shelf', ...toBooks('array', { ids: 'id', shelf: 'shelf' }) },
  { name: 'on_shelves', ...toBooks('array', { names: 'shelf' }) },
  { name: 'favorite_book', ...toBooks('object', { favorite: 'id' }) },
  {
    name: 'loans',
    definition: {
      to_source: { source: 'archive', table: 'loan', relationship_type: 'array', field_mapping: { ids: 'book_id' } },
    },
  },
  {
    name: 'shelved',
    definition: {
      to_source: {
        source: 'default',
        table: 'shelved',
        relationship_type: 'object',
        field_mapping: { favorite: 'id' },
      },
    },
  },
  { name: 'found', ...toFunction('books_on', 'array', { shelf: 'shelf_name' }) },
  { name: 'found_from', ...toFunction('books_on', 'array', { shelf: 'shelf_name', favorite: 'lowest' }) },
  { name: 'found_of', ...toFunction('books_of', 'array', { ids: 'ids' }) },
  { name: 'first_found', ...toFunction('first_on', 'object', { shelf: 'shelf_name' }) },
  {
    name: 'author',
    definition: {
      to_remote_schema: {
        remote_schema: 'people',
        lhs_fields: ['authorId'],
        remote_field: { author: { arguments: { id: '$authorId' } } },
      },
    },
  },
  {
    name: 'authors',
    definition: {
      to_remote_schema: {
        remote_schema: 'people',
        lhs_fields: ['ids'],
        remote_field: { several: { arguments: { ids: '$ids' } } },
      },
    },
  },
  { name: 'user', definition: { to_action: { action: 'user', arguments: { id: '$userId', kind: 'reader' } } } },
  { name: 'counted', definition: { to_action: { action: 'count', arguments: { ids: '$ids' } } } },
];

const metadata = (handler: string) => ({
  sources: [
    {
      name: 'default',
      tables: [
        {
          table: 'book',
          select_permissions: [
            { role: 'reader', permission: { columns: ['id', 'title'], filter: { shelf: { _eq: 'A' } }, limit: 1 } },
          ],
        },
        { table: 'shelved' },
      ],
      functions: ['books_on', 'books_of', 'first_on'].map((name) => ({ function: name })),
    },
    { name: 'archive', tables: [{ table: 'loan' }] },
  ],
  custom_types: {
    objects: [
      {
        name: 'Reading',
        fields: [
          { name: 'userId', type: 'Int' },
          { name: 'ids', type: '[Int]' },
          { name: 'names', type: '[String!]!' },
          { name: 'shelf', type: 'String' },
          { name: 'favorite', type: 'Int' },
          { name: 'authorId', type: 'ID' },
        ],
        relationships,
      },
      {
        name: 'User',
        fields: [
          { name: 'id', type: 'Int!' },
          { name: 'name', type: 'String' },
          { name: 'last', type: 'Reading' },
        ],
        relationships: [{ name: 'first_book', ...toBooks('object', { id: 'id' }) }],
      },
    ],
  },
  actions: [
    { name: 'reading', output_type: 'Reading!' },
    { name: 'readings', output_type: '[Reading!]!' },
    {
      name: 'user',
      output_type: 'User!',
      arguments: [
        { name: 'id', type: 'Int!' },
        { name: 'kind', type: 'String' },
        { name: 'lang', type: 'String' },
      ],
    },
    { name: 'count', output_type: 'Int', arguments: [{ name: 'ids', type: '[Int]' }] },
  ].map(({ name, ...definition }) => ({
    name,
    definition: { type: 'query', handler: `${handler}/${name}`, ...definition },
    ...(name.startsWith('reading') && { permissions: [{ role: 'reader' }] }),
  })),
});

let library: Library;

beforeAll(async () => {
  library = await startLibrary(metadata, {
    '/user': ({ body }) => {
      const { id } = body.input as { id: number };
      return { id, name: `user ${id}`, last: { ...reading, userId: id + 1 } };
    },
    '/count': ({ body }) => (body.input as { ids: number[] }).ids.length,
  });
});

afterAll(() => library.close());

test('the metadata is consistent', () => {
  expect(library.engine.inconsistencies).toEqual([]);
});

describe('a relationship by a list of keys', () => {
  test('of the type array returns the existing rows in the order of the keys', async () => {
    const { data, statements } = await library.execute('{ reading { books { id title } } }');
    expect(data?.reading).toEqual({
      books: [
        { id: 3, title: 'Cliff' },
        { id: 1, title: 'Ash' },
        { id: 2, title: 'Bay' },
      ],
    });
    expect(statements).toHaveLength(1);
  });

  test('of the type object returns an item for each key, null without a row', async () => {
    const { data, statements } = await library.execute('{ reading { places { title } } }');
    expect(data?.reading).toEqual({ places: [{ title: 'Cliff' }, { title: 'Ash' }, null, { title: 'Bay' }] });
    expect(statements).toHaveLength(1);
  });

  test('runs one statement for many objects, and null keys match no row', async () => {
    const { data, statements } = await library.execute('{ readings { places { id } books { id } } }');
    expect(data?.readings).toEqual([
      { places: [{ id: 3 }, { id: 1 }, null, { id: 2 }], books: [{ id: 3 }, { id: 1 }, { id: 2 }] },
      { places: [{ id: 2 }], books: [{ id: 2 }] },
      { places: null, books: [] },
    ]);
    expect(statements).toHaveLength(2);
  });

  test('applies list arguments to all its rows together', async () => {
    const { data } = await library.execute(`{ reading {
      first: books(limit: 2) { id }
      rest: books(offset: 1) { id }
      sorted: books(order_by: { title: desc }) { id }
      some: books(where: { id: { _lt: 3 } }) { id }
      by_shelf: books(distinct_on: shelf, order_by: { shelf: asc }) { id }
      books_aggregate { aggregate { count max { id } } nodes { id } }
      two: books_aggregate(limit: 2) { aggregate { sum { id } } nodes { id } }
    } }`);
    expect(data?.reading).toEqual({
      first: [{ id: 3 }, { id: 1 }],
      rest: [{ id: 1 }, { id: 2 }],
      sorted: [{ id: 3 }, { id: 2 }, { id: 1 }],
      some: [{ id: 1 }, { id: 2 }],
      by_shelf: [{ id: 1 }, { id: 3 }],
      books_aggregate: { aggregate: { count: 3, max: { id: 3 } }, nodes: [{ id: 3 }, { id: 1 }, { id: 2 }] },
      two: { aggregate: { sum: { id: 4 } }, nodes: [{ id: 3 }, { id: 1 }] },
    });
  });

  test('may have another single key, string keys, several rows for each key, and a target in another source', async () => {
    const { data } = await library.execute('{ reading { on_shelf { id } on_shelves { id } loans { id book_id } } }');
    expect(data?.reading).toEqual({
      on_shelf: [{ id: 1 }, { id: 2 }],
      on_shelves: [{ id: 3 }, { id: 4 }, { id: 1 }, { id: 2 }, { id: 5 }].map(({ id }) => ({ id })),
      loans: [
        { id: 1, book_id: 1 },
        { id: 3, book_id: 1 },
        { id: 2, book_id: 2 },
      ],
    });
  });

  test('applies the row rule of the role, and its row limit to arrays only', async () => {
    const { data } = await library.execute('{ reading { books { id } places { id } } }', { role: 'reader' });
    expect(data?.reading).toEqual({ books: [{ id: 1 }], places: [null, { id: 1 }, null, { id: 2 }] });
  });
});

describe('a relationship to a function', () => {
  test('passes fields as arguments, in one statement for all objects', async () => {
    const { data, statements } = await library.execute('{ readings { found { id } } }');
    expect(data?.readings).toEqual([
      { found: [{ id: 1 }, { id: 2 }, { id: 5 }] },
      { found: [{ id: 3 }, { id: 4 }] },
      { found: [{ id: 1 }, { id: 2 }, { id: 5 }] },
    ]);
    expect(statements).toHaveLength(1);
    expect(statements[0]?.values[0]).toEqual(['A', 'B']);
  });

  test('accepts several fields, a list as an array, and list arguments', async () => {
    const { data } = await library.execute(`{ reading {
      found_from(order_by: { id: desc }, limit: 1) { id }
      found_of(order_by: { id: asc }) { id }
      found_aggregate { aggregate { count } nodes { title } }
      first_found { id }
    } }`);
    expect(data?.reading).toEqual({
      found_from: [{ id: 5 }],
      found_of: [{ id: 1 }, { id: 2 }, { id: 3 }],
      found_aggregate: { aggregate: { count: 3 }, nodes: [{ title: 'Ash' }, { title: 'Bay' }, { title: 'Elm' }] },
      first_found: { id: 1 },
    });
  });

  test('applies the row rule of the role', async () => {
    const { data } = await library.execute('{ readings { found(order_by: { id: asc }) { title } } }', {
      role: 'reader',
    });
    expect(data?.readings).toEqual([{ found: [{ title: 'Ash' }] }, { found: [] }, { found: [{ title: 'Ash' }] }]);
  });
});

describe('a relationship to a remote schema', () => {
  test('sends one request for all keys', async () => {
    const { data } = await library.execute('{ readings { author { name } } }');
    const author = { name: 'author 20' };
    expect(data?.readings).toEqual([{ author }, { author }, { author }]);
    expect(library.remote.requests).toHaveLength(1);
    expect(library.remote.requests[0]?.query.match(/author\(/g)).toHaveLength(1);
  });

  test('may pass a list of keys as one argument', async () => {
    const { data } = await library.execute('{ readings { authors { id } } }');
    expect(data?.readings).toEqual([
      { authors: [{ id: '3' }, { id: '1' }, { id: '99' }, { id: '2' }] },
      { authors: [{ id: '2' }] },
      { authors: null },
    ]);
  });
});

describe('a relationship to another action', () => {
  test('calls it once for equal keys, with fields, constants and arguments of the client', async () => {
    const { data, calledPaths } = await library.execute(
      'query ($lang: String) { readings { user(lang: $lang) { name } } }',
      {
        variables: { lang: 'is' },
      },
    );
    const user = { name: 'user 1' };
    expect(data?.readings).toEqual([{ user }, { user }, { user }]);
    expect(calledPaths).toEqual(['/readings', '/user']);
    expect(library.handler.calls[1]?.body).toMatchObject({
      action: { name: 'user' },
      input: { id: 1, kind: 'reader', lang: 'is' },
    });
  });

  test('supports nested relationships, also back to its own type', async () => {
    const { data, calledPaths, statements } = await library.execute(`{ reading {
      user { first_book { title } last { user { id last { user { first_book { title } } } } favorite_book { title } } }
    } }`);
    expect(data?.reading).toEqual({
      user: {
        first_book: { title: 'Ash' },
        last: { user: { id: 2, last: { user: { first_book: { title: 'Cliff' } } } }, favorite_book: { title: 'Bay' } },
      },
    });
    expect(calledPaths).toEqual(['/reading', '/user', '/user', '/user']);
    expect(statements).toHaveLength(3);
  });

  test('may pass a list as one argument and return a scalar', async () => {
    const { data } = await library.execute('{ readings { counted } }');
    expect(data?.readings).toEqual([{ counted: 4 }, { counted: 1 }, { counted: null }]);
  });

  test('is absent for a role that may not call the action', async () => {
    const { errors, calledPaths } = await library.execute('{ reading { user { name } } }', { role: 'reader' });
    expect(errors).toMatchObject([
      { extensions: { code: 'validation-failed', path: '$.selectionSet.reading.selectionSet.user' } },
    ]);
    expect(calledPaths).toEqual([]);
  });
});
