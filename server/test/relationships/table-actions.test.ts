/** Relationships from tables to query actions: number of calls, batches, permissions, errors. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Handle } from '../support/http/handler-server.ts';
import { until } from '../support/until.ts';
import { type Library, startLibrary } from './library.ts';

const toAction = (action: string, args: object, options: object = {}) => ({
  definition: { to_action: { action, arguments: args, ...options } },
});

const metadata = (handler: string) => ({
  sources: [
    {
      name: 'default',
      tables: [
        {
          table: 'book',
          remote_relationships: [
            { name: 'author', ...toAction('writer', { id: '$author_id' }) },
            { name: 'authors', ...toAction('writer', { id: '$author_id' }, { batch: { max_size: 2 } }) },
            { name: 'review', ...toAction('review', { of: { book: '$id', tags: '$tags' }, stars: 5 }) },
            { name: 'short', ...toAction('short', { id: '$id' }, { batch: {} }) },
            { name: 'partly', ...toAction('partly', { id: '$id' }, { batch: {} }) },
            { name: 'flaky', ...toAction('flaky', { id: '$id' }) },
            {
              name: 'beside',
              definition: {
                to_source: {
                  source: 'default',
                  function: 'books_on',
                  relationship_type: 'array',
                  field_mapping: { shelf: 'shelf_name', id: 'lowest' },
                },
              },
            },
            {
              name: 'loans',
              definition: {
                to_source: {
                  source: 'archive',
                  table: 'loan',
                  relationship_type: 'array',
                  field_mapping: { tags: 'tags' },
                },
              },
            },
          ],
          select_permissions: ['reader', 'stranger', 'blind'].map((role) => ({
            role,
            permission: { columns: role === 'blind' ? ['title'] : ['id', 'author_id', 'title'], filter: {} },
          })),
        },
        {
          table: 'number',
          remote_relationships: [
            { name: 'slow', ...toAction('slow', { id: '$n' }) },
            { name: 'counted', ...toAction('partly', { id: '$n' }, { batch: { max_size: 12 } }) },
          ],
        },
      ],
      functions: [{ function: 'books_on' }],
    },
    { name: 'archive', tables: [{ table: 'loan' }] },
  ],
  custom_types: {
    input_objects: [
      {
        name: 'ReviewOf',
        fields: [
          { name: 'book', type: 'Int!' },
          { name: 'tags', type: '[String!]' },
        ],
      },
    ],
    objects: [
      {
        name: 'Writer',
        fields: [
          { name: 'id', type: 'String!' },
          { name: 'best', type: 'Int' },
        ],
        relationships: [{ name: 'book', type: 'object', remote_table: 'book', field_mapping: { best: 'id' } }],
      },
    ],
  },
  actions: [
    {
      name: 'writer',
      output_type: 'Writer!',
      arguments: [
        { name: 'id', type: 'String!' },
        { name: 'lang', type: 'String' },
      ],
    },
    {
      name: 'review',
      output_type: 'json',
      arguments: [
        { name: 'of', type: 'ReviewOf!' },
        { name: 'stars', type: 'Int' },
        { name: 'words', type: 'Int!' },
      ],
    },
    ...['short', 'partly', 'flaky', 'slow'].map((name) => ({
      name,
      output_type: 'Int!',
      arguments: [{ name: 'id', type: 'Int!' }],
    })),
  ].map(({ name, ...definition }) => ({
    name,
    definition: { type: 'query', handler: `${handler}/${name}`, ...definition },
    permissions: [{ role: 'reader' }, { role: 'blind' }],
  })),
});

type Body = { readonly input?: { readonly id: unknown }; readonly inputs?: readonly { readonly id: unknown }[] };

/** Returns a handler that maps one input or each input of a batch. */
function each(respond: (id: unknown) => unknown): Handle {
  return ({ body }) => {
    const { input, inputs } = body as Body;
    return inputs === undefined ? respond(input?.id) : inputs.map(({ id }) => respond(id));
  };
}

let library: Library;
/** The number of running calls of /slow, and their maximum. */
const slow = { running: 0, maximum: 0 };

beforeAll(async () => {
  library = await startLibrary(metadata, {
    '/writer': each((id) => ({ id, best: Number(id) / 10 })),
    '/review': ({ body }) => body.input,
    '/short': () => [1],
    '/partly': each((id) => (id === 3 ? 'three' : id)),
    '/flaky': ({ body }, outgoing) => {
      const { id } = body.input as { id: number };
      if (id !== 2) return id;
      outgoing.writeHead(422, { 'content-type': 'application/json' }).end('{"message":"no 2","code":"lost"}');
      return undefined;
    },
    '/slow': async ({ body }) => {
      slow.running += 1;
      slow.maximum = Math.max(slow.maximum, slow.running);
      await until('two calls run', () => slow.maximum > 1);
      slow.running -= 1;
      return (body.input as { id: number }).id;
    },
  });
});

afterAll(() => library.close());

test('the metadata is consistent', () => {
  expect(library.engine.inconsistencies).toEqual([]);
});

describe('a relationship of a table to an action', () => {
  test('calls the action once for equal keys and not for null, and supports nested relationships', async () => {
    const { data, calledPaths, statements } = await library.execute(
      '{ book(order_by: { id: asc }) { id author(lang: "is") { id book { title } } } }',
    );
    const [ash, bay] = [10, 20].map((id) => ({ id: String(id), book: { title: id === 10 ? 'Ash' : 'Bay' } }));
    expect(data?.book).toEqual([
      { id: 1, author: ash },
      { id: 2, author: ash },
      { id: 3, author: bay },
      { id: 4, author: null },
      { id: 5, author: bay },
    ]);
    expect(calledPaths).toEqual(['/writer', '/writer']);
    const inputs = library.handler.calls.map(({ body }) => body.input);
    expect(inputs).toEqual(
      expect.arrayContaining([
        { id: '10', lang: 'is' },
        { id: '20', lang: 'is' },
      ]),
    );
    expect(statements).toHaveLength(2);
  });

  test('sends a list of inputs if the handler accepts batches', async () => {
    const { data, calledPaths } = await library.execute('{ book(order_by: { id: asc }) { authors { id } } }', {
      role: 'reader',
    });
    expect(data?.book).toEqual([
      { authors: { id: '10' } },
      { authors: { id: '10' } },
      { authors: { id: '20' } },
      { authors: null },
      { authors: { id: '20' } },
    ]);
    expect(calledPaths).toEqual(['/writer']);
    expect(library.handler.calls[0]?.body).toEqual({
      action: { name: 'writer' },
      inputs: [{ id: '10' }, { id: '20' }],
      session_variables: { 'x-service-role': 'reader' },
      request_query: '{ book(order_by: { id: asc }) { authors { id } } }',
    });
  });

  test('splits many inputs into several lists, and assigns each result to its input', async () => {
    const { data, calledPaths } = await library.execute(
      '{ number(where: { n: { _neq: 3 } }, order_by: { n: asc }) { n counted } }',
    );
    const numbers = Array.from({ length: 30 }, (_, index) => index + 1).filter((n) => n !== 3);
    expect(data?.number).toEqual(numbers.map((n) => ({ n, counted: n })));
    const sizes = library.handler.calls.map(({ body }) => (body as Body).inputs?.length);
    expect(calledPaths).toHaveLength(3);
    expect(sizes.sort()).toEqual([12, 12, 5]);
  });

  test('sets members of nested arguments, and accepts the other members from the client', async () => {
    const { data } = await library.execute('{ book(where: { id: { _eq: 2 } }) { review(words: 3) } }');
    expect(data?.book).toEqual([{ review: { of: { book: 2, tags: ['sea', 'wood'] }, stars: 5, words: 3 } }]);
    const { errors, calledPaths } = await library.execute('{ book { review } }');
    expect(errors).toMatchObject([{ extensions: { code: 'validation-failed' } }]);
    expect(calledPaths).toEqual([]);
  });

  test('makes at most ten calls at the same time', async () => {
    const { data, calledPaths } = await library.execute('{ number(order_by: { n: asc }) { slow } }');
    expect(data?.number).toEqual(Array.from({ length: 30 }, (_, index) => ({ slow: index + 1 })));
    expect(calledPaths).toHaveLength(30);
    expect(slow.maximum).toBeGreaterThan(1);
    expect(slow.maximum).toBeLessThanOrEqual(10);
  });

  test('exists for roles that may call the action and see the columns', async () => {
    const request = (role: string) => library.execute('{ book { author { id } } }', { role });
    expect((await request('reader')).errors).toBeUndefined();
    for (const role of ['stranger', 'blind']) {
      expect((await request(role)).errors, role).toMatchObject([{ extensions: { code: 'validation-failed' } }]);
    }
  });
});

describe('a failed call', () => {
  test('is null for its rows, with an error and a path for each', async () => {
    const { data, errors } = await library.execute('{ book(order_by: { id: asc }, limit: 3) { id flaky } }');
    expect(data?.book).toEqual([
      { id: 1, flaky: 1 },
      { id: 2, flaky: null },
      { id: 3, flaky: 3 },
    ]);
    expect(errors).toEqual([
      { message: 'no 2', path: ['book', 1, 'flaky'], extensions: expect.objectContaining({ code: 'lost' }) },
    ]);
  });

  test('with a list of the wrong length is null for all rows of its batch', async () => {
    const { data, errors } = await library.execute('{ book(order_by: { id: asc }, limit: 2) { short } }');
    expect(data?.book).toEqual([{ short: null }, { short: null }]);
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining('expected a list of 2, one result for each input'),
        path: ['book', 0, 'short'],
      },
      { path: ['book', 1, 'short'] },
    ]);
  });

  test('with one result of the wrong type is null for its row only', async () => {
    const { data, errors } = await library.execute('{ book(order_by: { id: asc }, limit: 4) { partly } }');
    expect(data?.book).toEqual([{ partly: 1 }, { partly: 2 }, { partly: null }, { partly: 4 }]);
    expect(errors).toMatchObject([
      { message: expect.stringContaining('expected Int!, found "three"'), path: ['book', 2, 'partly'] },
    ]);
  });
});

test('a relationship to another source compares array columns as a whole', async () => {
  const { data, statements } = await library.execute('{ book(order_by: { id: asc }) { loans { id } } }');
  expect(data?.book).toEqual([
    { loans: [{ id: 1 }] },
    { loans: [{ id: 2 }] },
    { loans: [{ id: 3 }] },
    { loans: [{ id: 4 }] },
    { loans: [{ id: 1 }] },
  ]);
  expect(statements).toHaveLength(2);
});

test('a relationship from a table to a function passes columns as arguments, in one statement for all rows', async () => {
  const { data, statements } = await library.execute(
    '{ book(order_by: { id: asc }) { beside(order_by: { id: asc }) { id } } }',
  );
  expect(data?.book).toEqual([
    { beside: [{ id: 1 }, { id: 2 }, { id: 5 }] },
    { beside: [{ id: 2 }, { id: 5 }] },
    { beside: [{ id: 3 }, { id: 4 }] },
    { beside: [{ id: 4 }] },
    { beside: [{ id: 5 }] },
  ]);
  expect(statements).toHaveLength(2);
});
