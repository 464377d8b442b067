import { describe, expect, test } from 'vitest';
import { operatorNamed } from './operators.ts';
import { itemsOfArray, parseValue, reshaped, showTyped } from './rule-values.ts';

const prefix = 'x-service-';

describe('a typed value', () => {
  test.each([
    ['12', 'int4', 12],
    ['-1.5', 'numeric', -1.5],
    ['true', 'bool', true],
    ['12', 'text', '12'],
    ['2026-01-01', 'date', '2026-01-01'],
    ['{"a": [1]}', 'jsonb', { a: [1] }],
    ['[1,2]', 'int4[]', [1, 2]],
    ['X-Service-User-Id', 'int4', 'X-Service-User-Id'],
    ['X-Service-Ids', 'int4[]', 'X-Service-Ids'],
    ['X-Service-', 'text', 'X-Service-'],
  ])('%s as %s is parsed as %j, and printed unchanged', (text, type, value) => {
    const typed = parseValue(text, type, prefix);
    expect(typed).toEqual({ value });
    expect(parseValue(showTyped(typed.value, type, prefix), type, prefix)).toEqual({ value });
  });

  test.each([
    ['', 'int4'],
    ['twelve', 'numeric'],
    ['yes', 'bool'],
    ['{"a"', 'jsonb'],
    ['X-Other-User-Id', 'int4'],
  ])('%s is not valid as %s', (text, type) => {
    expect(parseValue(text, type, prefix).problem).toBeDefined();
  });
});

test.each([
  [1, '_eq', '_in', [1]],
  ['', '_eq', '_in', []],
  [[1, 2], '_in', '_eq', 1],
  [1, '_eq', '_is_null', true],
  [true, '_is_null', '_eq', ''],
  [1, '_eq', '_gt', 1],
  [{ a: 1 }, '_contains', '_has_key', ''],
  ['a', '_has_key', '_has_keys_any', ['a']],
  ['id', '_ceq', '_eq', ''],
])('%j of the operator %s is converted for the operator %s to %j', (value, from, to, expected) => {
  const operator = operatorNamed(to);
  if (operator === undefined) throw new Error(`no operator ${to}`);
  expect(reshaped(value, from, operator)).toEqual(expected);
});

test.each([
  ['{1,2}', ['1', '2']],
  ['{}', []],
  [' {"a b", "c\\"d" ,e} ', ['a b', 'c"d', 'e']],
  ['{{1},{2}}', undefined],
  ['{1,}', undefined],
  ['1,2', undefined],
])('the array %s has the items %j', (text, items) => {
  expect(itemsOfArray(text)).toEqual(items);
});
