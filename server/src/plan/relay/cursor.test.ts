import { describe, expect, test } from 'vitest';
import { columnType } from '../../../test/support/model/draft.ts';
import { column, modelFixture, relationship, tableOf } from '../../../test/support/model/sample-model.ts';
import { everyRow } from '../../model/predicate/combinators.ts';
import type { Routine } from '../../model/types/column-type.ts';
import type { AggregateFunction, Column } from '../../model/types/table.ts';
import type { CursorPart, OrderKey } from '../plan/query.ts';
import { cursorPart, readCursor } from './cursor.ts';

const { author, article } = modelFixture();
const name = column(author, 'name');
const id = column(author, 'id');
const articles = relationship(author, 'articles');
const routine: Routine = { schema: 'public', name: 'recent', arguments: [], argumentsType: '' };
const values = tableOf('default', 'values', {
  money: 'number money',
  real: 'Float',
  double: 'float8',
  bigint: 'bigint',
  numeric: 'numeric',
  date: 'date',
  json: 'json!',
});

describe('a cursor has the value', () => {
  test('of a column by its name', () => {
    expect(cursorPart({ kind: 'column', column: id })).toEqual({ path: ['id'], type: id.type, nullable: false });
    expect(cursorPart({ kind: 'column', column: name })).toEqual({ path: ['name'], type: name.type, nullable: true });
  });

  test.each<[string, OrderKey]>([
    ['that the role does not see in all rows', { kind: 'column', column: id, seen: everyRow }],
    ['that a function computes', { kind: 'column', column: { ...id, computed: routine } }],
  ])('of a column %s, which may be null', (_what, key) => {
    expect(cursorPart(key).nullable).toBe(true);
  });

  test('of a json column, as jsonb', () => {
    expect(cursorPart({ kind: 'column', column: column(values, 'json') })).toEqual({
      path: ['json'],
      type: columnType('jsonb'),
      nullable: false,
    });
  });

  test('of a related row below the name of the relationship, which may have no row', () => {
    const key = { kind: 'column', column: id } as const;
    expect(
      cursorPart({ kind: 'related', relationship: relationship(article, 'author'), filter: everyRow, key }),
    ).toEqual({ path: ['author', 'id'], type: id.type, nullable: true });
  });

  test('of a count, which is never null', () => {
    expect(
      cursorPart({ kind: 'aggregate', relationship: articles, filter: everyRow, function: 'count', column: undefined }),
    ).toEqual({ path: ['articles_aggregate', 'count'], type: columnType('bigint'), nullable: false });
  });

  test('of an aggregate of rows that a function returns, by the name of the function', () => {
    expect(
      cursorPart({ kind: 'computedAggregate', routine, filter: everyRow, function: 'max', column: id }).path,
    ).toEqual(['public.recent_aggregate', 'max', 'id']);
  });

  test('of no position in the list of keys of a join', () => {
    expect(() => cursorPart({ kind: 'place', column: id, index: 0 })).toThrow('not sorted by the keys of a join');
  });
});

describe('the type of an aggregate', () => {
  const typeOf = (called: AggregateFunction, of: Column) =>
    cursorPart({ kind: 'aggregate', relationship: articles, filter: everyRow, function: called, column: of });

  test.each<[AggregateFunction, string, string]>([
    ['max', 'bigint', 'int8'],
    ['min', 'real', 'float4'],
    ['sum', 'bigint', 'numeric'],
    ['avg', 'bigint', 'numeric'],
    ['sum', 'numeric', 'numeric'],
    ['sum', 'real', 'float4'],
    ['sum', 'double', 'float8'],
    ['avg', 'real', 'float8'],
    ['stddev', 'double', 'float8'],
    ['sum', 'money', 'money'],
    ['max', 'date', 'date'],
    ['sum', 'date', 'date'],
  ])('%s of %s is %s', (called, of, expected) => {
    const part = typeOf(called, column(values, of));
    expect([part.path, part.type.name, part.nullable]).toEqual([['articles_aggregate', called, of], expected, true]);
  });
});

describe('readCursor', () => {
  const parts: readonly CursorPart[] = [
    { path: ['author', 'name'], type: columnType('String'), nullable: true },
    { path: ['id'], type: columnType('Int'), nullable: false },
  ];
  const read = (text: string) => readCursor(Buffer.from(text).toString('base64'), parts, '$.after');

  test('returns the values in the order of the parts', () => {
    expect(read('{"id": 7, "author": {"name": "a"}}')).toEqual(['a', '7']);
    expect(read('{"id": 7, "author": {"name": null}}')).toEqual([null, '7']);
  });

  test.each([
    ['no JSON', 'x'],
    ['no object', '[7]'],
    ['without a value', '{"id": 7, "author": {}}'],
    ['without a related row', '{"id": 7, "author": null}'],
    ['with a null for a value that is never null', '{"id": null, "author": {"name": "a"}}'],
    ['with a value of another type', '{"id": "x", "author": {"name": "a"}}'],
  ])('rejects a cursor that is %s', (_what, text) => {
    expect(() => read(text)).toThrow(
      expect.objectContaining({
        code: 'validation-failed',
        message: 'the "after" or "before" cursor is invalid',
        path: '$.after',
      }),
    );
  });

  test('reads no members of a prototype', () => {
    const part = { path: ['toString'], type: columnType('String'), nullable: true };
    expect(() => readCursor(Buffer.from('{}').toString('base64'), [part], '$')).toThrow(
      expect.objectContaining({ cause: new SyntaxError('a value is missing') }),
    );
  });
});
