import { expect, test } from 'vitest';
import { tokensOf } from './json-tokens.ts';

const kinds = (text: string) =>
  tokensOf(text)
    .filter(({ kind }) => kind !== 'plain')
    .map(({ kind, text: own }) => `${kind} ${own}`);

test('distinguishes keys, strings and literals', () => {
  expect(kinds('{"a": "b: c", "d": [1, -2.5e+3, true, null]}')).toEqual([
    'key "a"',
    'string "b: c"',
    'key "d"',
    'literal 1',
    'literal -2.5e+3',
    'literal true',
    'literal null',
  ]);
});

test('an escaped quote does not end a string', () => {
  expect(kinds(String.raw`{"a\"b": "\\"}`)).toEqual([String.raw`key "a\"b"`, String.raw`string "\\"`]);
});

test.each([['{"a": 1}'], ['not JSON at all: "half'], [''], ['"\\']])('the joined tokens of %j are the text', (text) => {
  expect(
    tokensOf(text)
      .map((token) => token.text)
      .join(''),
  ).toBe(text);
});
