import { expect, test } from 'vitest';
import { ServiceError } from './errors.ts';
import { parseJsonPath } from './json-path.ts';

test.each([
  ['$', []],
  ['$.a.b', ['a', 'b']],
  ['a.b', ['a', 'b']],
  ['.a', ['a']],
  ['[0].sku', [0, 'sku']],
  ['$[0][-1]', [0, -1]],
  ['$["a.b"][\'c d\'].e-f', ['a.b', 'c d', 'e-f']],
  ['$.lines[ 2 ]', ['lines', 2]],
  ['$["say \\"hi\\""]', ['say "hi"']],
  ['$["\\n"]', ['\n']],
  ['$["\\t\\r\\b\\f\\/\\\\n"]', ['\t\r\b\f/\\n']],
  ['$["\\u00e9\\ud83d\\ude00"].n', ['é😀', 'n']],
  ["$['it\\'s \\n \"so\"']", ['it\'s \n "so"']],
  ['$["a\nb"]', ['a\nb']],
  ["$.['https://example.com/claims'].user.id", ['https://example.com/claims', 'user', 'id']],
  ['objs.[0]', ['objs', 0]],
  ['$.objs.["a b"].[1].c', ['objs', 'a b', 1, 'c']],
  ['$price', ['$price']],
  ['$.ключ', ['ключ']],
])('parses %s to its steps', (path, steps) => {
  expect(parseJsonPath(path)).toEqual(steps);
});

test.each([
  '$.',
  '$..a',
  '$..[0]',
  'a.',
  'a[].b',
  '$.*',
  '$[*]',
  '$[0:1]',
  'a[',
  'a[b]',
  'a["b]',
  '$.a b',
  '[0]a',
  '$.a]',
  '$["\\q"]',
  '$["\\u12"]',
  '$["\\\'"]',
])('%s is rejected with the position of the error', (path) => {
  expect(() => parseJsonPath(path)).toThrow(ServiceError);
  expect(() => parseJsonPath(path)).toThrow(/is invalid at character \d+/);
});

test.each(['', '  '])('rejects the empty path %j', (path) => {
  expect(() => parseJsonPath(path)).toThrow(
    expect.objectContaining({ code: 'validation-failed', message: expect.stringContaining('must not be empty') }),
  );
});

test('rejects a value that is no string', () => {
  expect(() => parseJsonPath(5)).toThrow(/must be a string/);
});

test('rejects a path of more than 10,000 characters', () => {
  expect(parseJsonPath(`$${'.a'.repeat(4_999)}`)).toHaveLength(4_999);
  expect(() => parseJsonPath(`$${'.a'.repeat(5_000)}`)).toThrow('at most 10000 characters');
});
