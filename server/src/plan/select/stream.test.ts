import { describe, expect, test } from 'vitest';
import { errorsOf, rootOf } from '../../../test/support/model/planning.ts';
import { column, compare, modelFixture, user } from '../../../test/support/model/sample-model.ts';
import type { StreamPlan } from '../plan/query.ts';

const { model, article, rules } = modelFixture();
const request = { model, role: user };
const path = '$.selectionSet.article_stream.args';

const query = (args: string, declared = '') => `subscription ${declared} { article_stream(${args}) { id } }`;
const cursorOf = (cursor: string) => query(`batch_size: 2, cursor: ${cursor}`);

function planned(text: string, variables?: Readonly<Record<string, unknown>>): StreamPlan {
  return rootOf(request, 'stream', text, variables).stream;
}

test('a stream has batches of rows under the row rule, in the order of its column', () => {
  const id = column(article, 'id');
  expect(planned(query('batch_size: 2, cursor: {initial_value: {id: 7}}, where: {title: {_eq: "a"}}'))).toEqual({
    rows: {
      table: article,
      where: { kind: 'and', of: [rules.article, compare(column(article, 'title'), { kind: 'constant', value: 'a' })] },
      orderBy: [{ by: { kind: 'column', column: id }, direction: 'asc', nulls: 'last' }],
      distinctOn: [],
      limit: { kind: 'constant', value: 2 },
      rowLimit: 5,
      withTies: true,
      offset: undefined,
      fields: [{ kind: 'column', alias: 'id', column: id, path: undefined }],
    },
    column: id,
    direction: 'asc',
    initial: { kind: 'constant', value: 7 },
  });
});

describe('the cursor of a stream', () => {
  test.each([
    ['{initial_value: {id: 7}}', 'asc', 'last'],
    ['{initial_value: {id: 7}, ordering: null}', 'asc', 'last'],
    ['{initial_value: {id: 7}, ordering: ASC}', 'asc', 'last'],
    ['{initial_value: {id: 7}, ordering: DESC}', 'desc', 'first'],
    ['[{initial_value: {id: 7}, ordering: DESC}]', 'desc', 'first'],
  ])('%s sorts %s with nulls %s', (cursor, direction, nulls) => {
    const { rows, direction: own, initial } = planned(cursorOf(cursor));
    expect(rows.orderBy).toEqual([{ by: { kind: 'column', column: column(article, 'id') }, direction, nulls }]);
    expect([own, initial]).toEqual([direction, { kind: 'constant', value: 7 }]);
  });

  test.each<[string, string, unknown, unknown]>([
    ['of its value', '$v: Int', '{initial_value: {id: $v}}', { kind: 'variable', name: 'v' }],
    ['of its values', '$v: article_stream_cursor_value_input!', '{initial_value: $v}', { kind: 'constant', value: 7 }],
    ['of the list', '$v: [article_stream_cursor_input]!', '$v', { kind: 'constant', value: 7 }],
  ])('can have a variable %s', (_what, declared, cursor, initial) => {
    const value = declared.includes('Int')
      ? 7
      : declared.includes('value')
        ? { id: 7 }
        : [{ initial_value: { id: 7 } }];
    const text = query(`batch_size: 2, cursor: ${String(cursor)}`, `(${declared})`);
    expect(planned(text, { v: value })).toMatchObject({ column: { name: 'id' }, initial });
  });

  const start = 'a cursor cannot start at null; give the value after which the stream starts';
  test.each([
    [
      '[{initial_value: {id: 7}}, {initial_value: {id: 8}}]',
      '.cursor: multiple column cursors are not supported; give one cursor',
    ],
    ['[{initial_value: {id: 7}}, null]', '.cursor: multiple column cursors are not supported; give one cursor'],
    ['[]', '.cursor: a stream needs one cursor { initial_value: { column: value } }'],
    ['[null]', '.cursor: a stream needs one cursor { initial_value: { column: value } }'],
    [
      '{initial_value: {id: 7, title: "a"}}',
      '.cursor[0].initial_value: multiple column cursors are not supported; give one column',
    ],
    ['{initial_value: {}}', '.cursor[0].initial_value: expected one cursor column'],
    ['{initial_value: {id: null}}', `.cursor[0].initial_value.id: ${start}`],
    [
      '{initial_value: {id: 9999999999}}',
      ".cursor.initial_value.id: expected a 32-bit integer for type 'Int', but found the number 9999999999",
    ],
  ])('%s is rejected', (cursor, error) => {
    expect(errorsOf(request, cursorOf(cursor))).toEqual([path + error]);
  });
});

test.each([
  ['a negative size', 'batch_size: -1, cursor: {initial_value: {id: 7}}', 'batch_size'],
  [
    'a condition with null',
    'batch_size: 1, cursor: {initial_value: {id: 7}}, where: {id: {_eq: null}}',
    'where.id._eq',
  ],
])('%s of a batch is rejected with the path of its argument', (_what, args, at) => {
  expect(errorsOf(request, query(args))[0]).toContain(`${path}.${at}: unexpected n`);
});
