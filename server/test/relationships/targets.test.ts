/** Relationships of an action's output that lead further than to one row of a table: lists of keys, functions, remote schemas, actions. */
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
  { name: 'favourite_book', ...toBooks('object', { favourite: 'id' }) },
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
        field_mapping: { favourite: 'id' },
      },
    },
  },
  { name: 'found', ...toFunction('books_on', 'array', { shelf: 'shelf_name' }) },
  { name: 'found_from', ...toFunction('books_on', 'array', { shelf: 'shelf_name', favourite: 'lowest' }) },
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
          { name: 'favourite', type: 'Int' },
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

test('the metadata of these tests is sound', () => {
  expect(library.engine.inconsistencies).toEqual([]);
});

describe('a list of keys', () => {
  test('to an array is the rows that are there, in the order of the keys', async () => {
    const { data, statements } = await library.ask('{ reading { books { id title } } }');
    expect(data?.reading).toEqual({
      books: [
        { id: 3, title: 'Cliff' },
        { id: 1, title: 'Ash' },
        { id: 2, title: 'Bay' },
      ],
    });
    expect(statements).toHaveLength(1);
  });

  test('to an object is a list with a place for each key, null where no row is', async () => {
    const { data, statements } = await library.ask('{ reading { places { title } } }');
    expect(data?.reading).toEqual({ places: [{ title: 'Cliff' }, { title: 'Ash' }, null, { title: 'Bay' }] });
    expect(statements).toHaveLength(1);
  });

  test('of many objects is one statement, null keys and empty lists match nothing', async () => {
    const { data, statements } = await library.ask('{ readings { places { id } books { id } } }');
    expect(data?.readings).toEqual([
      { places: [{ id: 3 }, { id: 1 }, null, { id: 2 }], books: [{ id: 3 }, { id: 1 }, { id: 2 }] },
      { places: [{ id: 2 }], books: [{ id: 2 }] },
      { places: null, books: [] },
    ]);
    expect(statements).toHaveLength(2);
  });

  test('takes the arguments of a list for all its rows together', async () => {
    const { data } = await library.ask(`{ reading {
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

  test('may stand beside a single key, be of text, match several rows each, and lead to another source', async () => {
    const { data } = await library.ask('{ reading { on_shelf { id } on_shelves { id } loans { id book_id } } }');
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

  test('is fetched under the row rule of the role, and its row limit is for lists alone', async () => {
    const { data } = await library.ask('{ reading { books { id } places { id } } }', { role: 'reader' });
    expect(data?.reading).toEqual({ books: [{ id: 1 }], places: [null, { id: 1 }, null, { id: 2 }] });
  });
});

describe('a relationship to a function', () => {
  test('passes fields as arguments, one statement for all objects', async () => {
    const { data, statements } = await library.ask('{ readings { found { id } } }');
    expect(data?.readings).toEqual([
      { found: [{ id: 1 }, { id: 2 }, { id: 5 }] },
      { found: [{ id: 3 }, { id: 4 }] },
      { found: [{ id: 1 }, { id: 2 }, { id: 5 }] },
    ]);
    expect(statements).toHaveLength(1);
    expect(statements[0]?.values[0]).toEqual(['A', 'B']);
  });

  test('takes several fields, a list as an array, and the arguments of a list', async () => {
    const { data } = await library.ask(`{ reading {
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

  test('is fetched under the row rule of the role', async () => {
    const { data } = await library.ask('{ readings { found(order_by: { id: asc }) { title } } }', { role: 'reader' });
    expect(data?.readings).toEqual([{ found: [{ title: 'Ash' }] }, { found: [] }, { found: [{ title: 'Ash' }] }]);
  });
});

describe('a relationship to a remote schema', () => {
  test('starts at the answer itself, one request for all keys', async () => {
    const { data } = await library.ask('{ readings { author { name } } }');
    const author = { name: 'author 20' };
    expect(data?.readings).toEqual([{ author }, { author }, { author }]);
    expect(library.remote.requests).toHaveLength(1);
    expect(library.remote.requests[0]?.query.match(/author\(/g)).toHaveLength(1);
  });

  test('may pass a list of keys whole', async () => {
    const { data } = await library.ask('{ readings { authors { id } } }');
    expect(data?.readings).toEqual([
      { authors: [{ id: '3' }, { id: '1' }, { id: '99' }, { id: '2' }] },
      { authors: [{ id: '2' }] },
      { authors: null },
    ]);
  });
});

describe('a relationship to another action', () => {
  test('calls it once for equal keys, with fields, constants and what the client adds', async () => {
    const { data, called } = await library.ask('query ($lang: String) { readings { user(lang: $lang) { name } } }', {
      variables: { lang: 'is' },
    });
    const user = { name: 'user 1' };
    expect(data?.readings).toEqual([{ user }, { user }, { user }]);
    expect(called).toEqual(['/readings', '/user']);
    expect(library.handler.calls[1]?.body).toMatchObject({
      action: { name: 'user' },
      input: { id: 1, kind: 'reader', lang: 'is' },
    });
  });

  test('may be joined further, and lead back to where it came from as deep as the request goes', async () => {
    const { data, called, statements } = await library.ask(`{ reading {
      user { first_book { title } last { user { id last { user { first_book { title } } } } favourite_book { title } } }
    } }`);
    expect(data?.reading).toEqual({
      user: {
        first_book: { title: 'Ash' },
        last: { user: { id: 2, last: { user: { first_book: { title: 'Cliff' } } } }, favourite_book: { title: 'Bay' } },
      },
    });
    expect(called).toEqual(['/reading', '/user', '/user', '/user']);
    expect(statements).toHaveLength(3);
  });

  test('may pass a list whole, and be a scalar', async () => {
    const { data } = await library.ask('{ readings { counted } }');
    expect(data?.readings).toEqual([{ counted: 4 }, { counted: 1 }, { counted: null }]);
  });

  test('is not there for a role that may not call the action', async () => {
    const { errors, called } = await library.ask('{ reading { user { name } } }', { role: 'reader' });
    expect(errors).toMatchObject([
      { extensions: { code: 'validation-failed', path: '$.selectionSet.reading.selectionSet.user' } },
    ]);
    expect(called).toEqual([]);
  });
});
