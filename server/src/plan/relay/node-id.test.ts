import { expect, test } from 'vitest';
import { parseNodeId } from './node-id.ts';

const encoded = (text: string) => Buffer.from(text).toString('base64');

test('an id names a schema, a table and the values of a key', () => {
  expect(parseNodeId(encoded('[1, "shop", "item", 7, "a"]'), '$')).toEqual({
    schema: 'shop',
    table: 'item',
    key: [7, 'a'],
  });
});

test('a number that a double cannot represent keeps its digits', () => {
  expect(String(parseNodeId(encoded('[1, "a", "b", 9007199254740993]'), '$').key[0])).toBe('9007199254740993');
});

const members = 'expecting schema name, table name and at least one column value';

test.each([
  ['not JSON', 'nothing', 'not a valid json value'],
  ['an object', '{}', 'parsing node id failed, expected Array, but encountered an object'],
  ['an empty list', '[]', 'unexpected GUID format, found empty list'],
  ['a list without a version', '["1", "a", "b", 1]', 'unexpected GUID format, needs to start with a version number'],
  ['another version', '[2, "a", "b", 1]', 'unsupported GUID version: 2'],
  ['a schema that is no string', '[1, 1, "b", 1]', `GUID version 1: ${members}`],
  ['a table that is no string', '[1, "a", 1, 1]', `GUID version 1: ${members}`],
  ['no key', '[1, "a", "b"]', `GUID version 1: ${members}`],
])('rejects an id that is %s', (_what, text, reason) => {
  expect(() => parseNodeId(encoded(text), '$.id')).toThrow(
    expect.objectContaining({
      code: 'validation-failed',
      message: `invalid node id: Error in $: ${reason}`,
      path: '$.id',
    }),
  );
});
