import { describe, expect, test } from 'vitest';
import { columnType } from '../../../test/support/model/draft.ts';
import { errorsOf, rowsOf } from '../../../test/support/model/planning.ts';
import { allow, modelFixture, tableOf, user } from '../../../test/support/model/sample-model.ts';
import { everyRow } from '../../model/predicate/combinators.ts';
import type { NativeArgument, NativeSql, Table } from '../../model/types/table.ts';

const count: NativeArgument = { name: 'count', type: columnType('Int'), nullable: true, description: undefined };
const word: NativeArgument = { name: 'word', type: columnType('String'), nullable: true, description: undefined };

function request(native: Partial<NativeSql>) {
  const { model } = modelFixture();
  const logical = tableOf('default', 'found', { id: 'Int!' });
  allow(logical, user, ['id'], everyRow, { limit: 3 });
  const sql = { parts: ['select 1'], arguments: [], argumentsType: 'found_arguments', description: undefined };
  const table: Table = { ...logical, native: { ...sql, ...native } };
  const sources = [...model.sources.values()].map(
    (source) => [source.name, { ...source, nativeQueries: new Map([['found', table]]) }] as const,
  );
  return { model: { ...model, sources: new Map(sources.slice(0, 1)) }, role: user };
}

const twoArguments = request({ parts: ['select ', count, ' + ', word], arguments: [count, word] });
const partsOf = (query: string, variables?: Readonly<Record<string, unknown>>) => {
  const { from } = rowsOf(twoArguments, query, variables);
  return from?.kind === 'native' ? from.parts : from;
};

test('a native query without arguments is its SQL', () => {
  expect(rowsOf(request({}), '{ found(limit: 2) { id } }')).toMatchObject({
    from: { kind: 'native', parts: ['select 1'] },
    limit: { value: 2 },
    rowLimit: 3,
  });
});

describe('the arguments of a native query', () => {
  test('are values with their types in the SQL', () => {
    expect(partsOf('{ found(args: {word: "a", count: 2}) { id } }')).toEqual([
      'select ',
      { type: count.type, value: { kind: 'constant', value: 2 } },
      ' + ',
      { type: word.type, value: { kind: 'constant', value: 'a' } },
    ]);
  });

  test.each<[string, string, Readonly<Record<string, unknown>> | undefined, readonly unknown[]]>([
    ['null if they are absent', '{ found(args: {}) { id } }', undefined, [null, null]],
    ['null if they are null', '{ found(args: {count: null}) { id } }', undefined, [null, null]],
    [
      'those of a variable',
      'query ($a: found_arguments!) { found(args: $a) { id } }',
      { a: { count: 1, word: 'b' } },
      [1, 'b'],
    ],
  ])('are %s', (_what, query, variables, values) => {
    expect(partsOf(query, variables)).toMatchObject([
      'select ',
      { value: { kind: 'constant', value: values[0] } },
      ' + ',
      { value: { kind: 'constant', value: values[1] } },
    ]);
  });

  test('can be variables', () => {
    expect(partsOf('query ($c: Int) { found(args: {count: $c}) { id } }', { c: 1 })).toMatchObject([
      'select ',
      { value: { kind: 'variable', name: 'c' } },
      ' + ',
      { value: { value: null } },
    ]);
  });

  test('are values of their type', () => {
    expect(errorsOf(twoArguments, '{ found(args: {count: "x"}) { id } }')).toEqual([
      '$.selectionSet.found.args.args.count: invalid input syntax for type integer: "x"',
    ]);
  });
});
