import { describe, expect, test } from 'vitest';
import { columnType } from '../../../test/support/model/draft.ts';
import { isNativeJson, readKeyValue } from './json-values.ts';

describe('isNativeJson', () => {
  test.each([
    ...['Boolean', 'Int', 'numeric', 'String', 'citext citext', 'timestamptz', 'interval', 'uuid'],
    ...['enum status', 'bytea', 'ltree ltree'],
  ])('a value of %s is in its JSON form', (type) => {
    expect(isNativeJson(columnType(type))).toBe(true);
  });

  test.each(['jsonb', 'Int[]', 'inet', 'range int4range', 'other point', 'geometry geometry', 'hstore hstore'])(
    'a value of %s is in the text format of PostgreSQL',
    (type) => {
      expect(isNativeJson(columnType(type))).toBe(false);
    },
  );
});

describe('readKeyValue', () => {
  test.each([
    ['Int', 7, '7'],
    ['Int', null, null],
    ['Int', undefined, null],
    ['String', '[1]', '[1]'],
    ['jsonb', '{"a": 1}', '{"a":1}'],
    ['jsonb', 'null', 'null'],
    ['jsonb', null, null],
    ['jsonb', { a: 1 }, '{"a":1}'],
    ['Int[]', '{1,2}', '{1,2}'],
  ])('reads a value of %s from %j', (type, value, expected) => {
    expect(readKeyValue(columnType(type), value)).toBe(expected);
  });

  test.each([
    ['Int', 'x', 'invalid input syntax for type integer: "x"'],
    ['jsonb', '{', 'the value is not JSON'],
  ])('rejects a value that is none of %s', (type, value, message) => {
    expect(() => readKeyValue(columnType(type), value)).toThrow(message);
  });
});
