import { describe, expect, test } from 'vitest';
import { isList, mapNamed, namedIn, parseTypeExpression, printType } from './type-expression.ts';

describe('a type expression', () => {
  test.each(['Int', 'Int!', '[Int]', '[Int!]', '[Int!]!', '[[order_status!]]!'])('%s is parsed and printed', (text) => {
    const type = parseTypeExpression(text);
    expect(type && printType(type, (name) => name)).toBe(text);
  });

  test('has at most seven lists', () => {
    const [most, more] = [7, 8].map((count) => `${'['.repeat(count)}Int${']'.repeat(count)}`);
    expect([most, more].map((text) => parseTypeExpression(text ?? '') !== undefined)).toEqual([true, false]);
  });

  test('may have white space between its parts', () => {
    expect(parseTypeExpression(' [ Int ! ] ')).toEqual(parseTypeExpression('[Int!]'));
  });

  test.each([
    '',
    '!',
    '[]',
    '[Int',
    'Int]',
    '[Int]]',
    'Int!!',
    '[Int!!]',
    '1nt',
    'a-b',
    'Int Int!',
    '{Int}',
    '$Int',
    `${'['.repeat(8)}Int${']'.repeat(8)}`,
    `${'['.repeat(100_000)}Int`,
  ])('%.20s is rejected', (text) => {
    expect(parseTypeExpression(text)).toBeUndefined();
  });

  test('preserves its wrappers when its name is replaced by a type', () => {
    const type = parseTypeExpression('[Int!]!');
    const lengths = type && mapNamed(type, (name) => name.length);
    expect(lengths && printType(lengths, String)).toBe('[3!]!');
    expect(lengths && namedIn(lengths)).toBe(3);
    expect(type && mapNamed(type, () => undefined)).toBeUndefined();
  });

  test('is a list with or without a non-null mark', () => {
    const lists = ['[Int]', '[Int]!', 'Int!', 'Int'].map((text) => {
      const type = parseTypeExpression(text);
      return type !== undefined && isList(type);
    });
    expect(lists).toEqual([true, true, false, false]);
  });
});
