/** Relationships from a table's rows to query actions: calls bounded and made once, batches, permissions, failures. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Handle } from '../support/http/handler-server.ts';
import { until } from '../support/until.ts';
import { type Library, startLibrary } from './library.ts';

const toAction = (action: string, args: object, more: object = {}) => ({
  definition: { to_action: { action, arguments: args, ...more } },
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

/** Of one input or of a batch. */
function each(answer: (id: unknown) => unknown): Handle {
  return ({ body }) => {
    const { input, inputs } = body as Body;
    return inputs === undefined ? answer(input?.id) : inputs.map(({ id }) => answer(id));
  };
}

let library: Library;
/** Calls of /slow that are under way, and the most that ever were. */
const slow = { now: 0, most: 0 };

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
      slow.now += 1;
      slow.most = Math.max(slow.most, slow.now);
      await until('two calls are under way', () => slow.most > 1);
      slow.now -= 1;
      return (body.input as { id: number }).id;
    },
  });
});

afterAll(() => library.close());

test('the metadata of these tests is sound', () => {
  expect(library.engine.inconsistencies).toEqual([]);
});

describe('a relationship of a table to an action', () => {
  test('calls it once for equal keys, not at all for null, and is joined further', async () => {
    const { data, called, statements } = await library.ask(
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
    expect(called).toEqual(['/writer', '/writer']);
    const inputs = library.handler.calls.map(({ body }) => body.input);
    expect(inputs).toEqual(
      expect.arrayContaining([
        { id: '10', lang: 'is' },
        { id: '20', lang: 'is' },
      ]),
    );
    expect(statements).toHaveLength(2);
  });

  test('sends inputs in lists where the handler takes batches', async () => {
    const { data, called } = await library.ask('{ book(order_by: { id: asc }) { authors { id } } }', {
      role: 'reader',
    });
    expect(data?.book).toEqual([
      { authors: { id: '10' } },
      { authors: { id: '10' } },
      { authors: { id: '20' } },
      { authors: null },
      { authors: { id: '20' } },
    ]);
    expect(called).toEqual(['/writer']);
    expect(library.handler.calls[0]?.body).toEqual({
      action: { name: 'writer' },
      inputs: [{ id: '10' }, { id: '20' }],
      session_variables: { 'x-service-role': 'reader' },
      request_query: '{ book(order_by: { id: asc }) { authors { id } } }',
    });
  });

  test('cuts many inputs into several lists, and gives each answer to its own input', async () => {
    const { data, called } = await library.ask(
      '{ number(where: { n: { _neq: 3 } }, order_by: { n: asc }) { n counted } }',
    );
    const numbers = Array.from({ length: 30 }, (_, index) => index + 1).filter((n) => n !== 3);
    expect(data?.number).toEqual(numbers.map((n) => ({ n, counted: n })));
    const sizes = library.handler.calls.map(({ body }) => (body as Body).inputs?.length);
    expect(called).toHaveLength(3);
    expect(sizes.sort()).toEqual([12, 12, 5]);
  });

  test('fills objects and lists within arguments, and leaves the rest to the client', async () => {
    const { data } = await library.ask('{ book(where: { id: { _eq: 2 } }) { review(words: 3) } }');
    expect(data?.book).toEqual([{ review: { of: { book: 2, tags: ['sea', 'wood'] }, stars: 5, words: 3 } }]);
    const { errors, called } = await library.ask('{ book { review } }');
    expect(errors).toMatchObject([{ extensions: { code: 'validation-failed' } }]);
    expect(called).toEqual([]);
  });

  test('calls at most ten at a time', async () => {
    const { data, called } = await library.ask('{ number(order_by: { n: asc }) { slow } }');
    expect(data?.number).toEqual(Array.from({ length: 30 }, (_, index) => ({ slow: index + 1 })));
    expect(called).toHaveLength(30);
    expect(slow.most).toBeGreaterThan(1);
    expect(slow.most).toBeLessThanOrEqual(10);
  });

  test('is there for roles that may call the action and see the columns', async () => {
    const asked = (role: string) => library.ask('{ book { author { id } } }', { role });
    expect((await asked('reader')).errors).toBeUndefined();
    for (const role of ['stranger', 'blind']) {
      expect((await asked(role)).errors, role).toMatchObject([{ extensions: { code: 'validation-failed' } }]);
    }
  });
});

describe('a call that fails', () => {
  test('is null in its places, with the error and path of each beside the data', async () => {
    const { data, errors } = await library.ask('{ book(order_by: { id: asc }, limit: 3) { id flaky } }');
    expect(data?.book).toEqual([
      { id: 1, flaky: 1 },
      { id: 2, flaky: null },
      { id: 3, flaky: 3 },
    ]);
    expect(errors).toEqual([
      { message: 'no 2', path: ['book', 1, 'flaky'], extensions: expect.objectContaining({ code: 'lost' }) },
    ]);
  });

  test('with a list of the wrong length fails all of its batch', async () => {
    const { data, errors } = await library.ask('{ book(order_by: { id: asc }, limit: 2) { short } }');
    expect(data?.book).toEqual([{ short: null }, { short: null }]);
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining('expected a list of 2, one result for each input'),
        path: ['book', 0, 'short'],
      },
      { path: ['book', 1, 'short'] },
    ]);
  });

  test('with one answer of the wrong shape fails that one alone', async () => {
    const { data, errors } = await library.ask('{ book(order_by: { id: asc }, limit: 4) { partly } }');
    expect(data?.book).toEqual([{ partly: 1 }, { partly: 2 }, { partly: null }, { partly: 4 }]);
    expect(errors).toMatchObject([
      { message: expect.stringContaining('expected Int!, found "three"'), path: ['book', 2, 'partly'] },
    ]);
  });
});

test('columns that hold arrays are compared whole, across sources', async () => {
  const { data, statements } = await library.ask('{ book(order_by: { id: asc }) { loans { id } } }');
  expect(data?.book).toEqual([
    { loans: [{ id: 1 }] },
    { loans: [{ id: 2 }] },
    { loans: [{ id: 3 }] },
    { loans: [{ id: 4 }] },
    { loans: [{ id: 1 }] },
  ]);
  expect(statements).toHaveLength(2);
});

test('a relationship of a table to a function passes columns as arguments, one statement for all rows', async () => {
  const { data, statements } = await library.ask(
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
