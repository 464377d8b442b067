import { describe, expect, test } from 'vitest';
import { functionOf } from '../../../test/support/model/catalog.ts';
import { columnType } from '../../../test/support/model/draft.ts';
import type { CatalogFunction } from '../../postgres/catalog/catalog-types.ts';
import type { ColumnType } from '../types/column-type.ts';
import { positionOf, readRoutine, reasonsText, sessionErrors } from './routines.ts';

const types = new Map<number, ColumnType>(
  ['Int', 'String', 'json', 'jsonb'].map((name, index) => [index + 1, columnType(name)]),
);
const [int, text, json, jsonb, unknown] = [1, 2, 3, 4, 5];
const typeOf = (oid: number) => types.get(oid);

function found(
  list: readonly (readonly [name: string, type: number, hasDefault?: boolean])[],
  volatility: CatalogFunction['volatility'] = 'stable',
): CatalogFunction {
  const written = list.map(([name, type, hasDefault = false]) => ({ name, type, hasDefault }));
  return functionOf('find', { schema: 'shop', volatility, arguments: written });
}

describe('a routine', () => {
  test('has its arguments in order, with those that the caller does not pass', () => {
    const list = [
      ['', int],
      ['', int],
      ['session', json],
      ['most', text, true],
    ] as const;
    expect(readRoutine(found(list), { row: 1, session: 2 }, 'find_args', typeOf)).toEqual({
      schema: 'shop',
      name: 'find',
      argumentsType: 'find_args',
      arguments: [
        { name: '', field: 'arg_1', type: types.get(int), hasDefault: false, from: 'caller' },
        { name: '', field: '', type: types.get(int), hasDefault: false, from: 'row' },
        { name: 'session', field: 'session', type: types.get(json), hasDefault: false, from: 'session' },
        { name: 'most', field: 'most', type: types.get(text), hasDefault: true, from: 'caller' },
      ],
    });
  });

  test('numbers arguments without a name, and leaves out numbers that others have', () => {
    const routine = readRoutine(
      found([
        ['', int],
        ['arg_2', int],
        ['', int],
        ['', int],
      ]),
      {},
      'args',
      typeOf,
    );
    expect(typeof routine === 'string' ? routine : routine.arguments.map(({ field }) => field)).toEqual([
      'arg_1',
      'arg_2',
      'arg_3',
      'arg_4',
    ]);
  });

  test.each([
    ['volatile', true],
    ['stable', false],
    ['immutable', false],
  ] as const)('that is %s may have another result at each call: %s', (volatility, isVolatile) => {
    expect('isVolatile' in Object(readRoutine(found([], volatility), {}, 'args', typeOf))).toBe(isVolatile);
  });

  test.each([
    ['an unknown type', [['a', unknown]], {}, 'the type of argument "a" of the function "find" is not known'],
    [
      'an unknown type and no name',
      [['', unknown]],
      {},
      'the type of argument "arg_1" of the function "find" is not known',
    ],
    ['no GraphQL name', [['a b', int]], {}, 'the argument "a b" of the function "find" has no GraphQL name; rename it'],
  ] as const)('is rejected for an argument with %s', (_what, list, taken, reason) => {
    expect(readRoutine(found(list), taken, 'args', typeOf)).toBe(reason);
  });

  test.each([{ row: 0 }, { session: 0 }])(
    'may have an argument without a GraphQL name that the service passes: %j',
    (taken) => {
      expect(readRoutine(found([['a b', json]]), taken, 'args', typeOf)).toMatchObject({
        arguments: [{ field: 'a b' }],
      });
    },
  );
});

test.each([
  [['a'], 'because a'],
  [['a', 'b'], 'for the following reasons:\n  • a\n  • b\n'],
])('the reasons %j are one text', (reasons, text) => {
  expect(reasonsText(reasons)).toBe(text);
});

describe('the session argument of a function', () => {
  const list = [
    ['plain', text],
    ['a', json],
    ['b', jsonb],
    ['c', unknown],
  ] as const;

  test.each([['a'], ['b'], [undefined], [null], ['']])('is of type json or jsonb, or absent: %s', (name) => {
    expect(sessionErrors(found(list), name, typeOf)).toEqual([]);
  });

  test.each([
    ['none', '"none" is not an input argument of the function "find"'],
    ['plain', '"plain" argument of the function "find" is not of type JSON'],
    ['c', '"c" argument of the function "find" is not of type JSON'],
  ])('is rejected as %s', (name, reason) => {
    expect(sessionErrors(found(list), name, typeOf)).toEqual([reason]);
  });

  test.each([
    ['plain', 0],
    ['b', 2],
    ['none', undefined],
    ['', undefined],
    [null, undefined],
  ])('named %s is at position %s', (name, position) => {
    expect(positionOf(found([...list, ['', int]]), name)).toBe(position);
  });
});
