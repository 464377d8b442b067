/** Which texts and JSON values each type rejects, and with which message. */
import { describe, expect, test } from 'vitest';
import { columnType } from '../../../test/support/model/draft.ts';
import { ExactNumber } from '../../base/json-value.ts';
import type { ColumnType } from '../types/column-type.ts';
import { encode, encodeSession } from './encode.ts';

/** `mood` has labels, and the labels of `open` are not known. */
const enums: Readonly<Record<string, readonly string[]>> = { mood: ['happy', 'sad'], open: [] };

function typeNamed(name: string): ColumnType {
  const labels = enums[name];
  return labels === undefined ? columnType(name) : { ...columnType('enum mood'), labels };
}

const exact = (text: string): ExactNumber => new ExactNumber(text);

/** The code, path and message of the error; what was returned if there was none. */
function errorOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    const { code, path, message } = error as { readonly code: string; readonly path: string; readonly message: string };
    return [code, path, message];
  }
}

test.each<readonly [string, string, readonly string[]]>([
  ['Boolean', 'boolean', ['x', 'truee', 'xt', 'o', '1 0']],
  [
    'uuid',
    'uuid',
    [
      '28d6d683-1317-49f7-b1cf-7d195242e4e',
      '28d6d683-1317-49f7-b1cf-7d195242e4e55',
      'g8d6d683131749f7b1cf7d195242e4e5',
      'x28d6d683131749f7b1cf7d195242e4e5',
      '28d6d683131749f7b1cf7d195242e4e5x',
      '28d6d683131749f7b1cf7d195242e4e-',
      'x',
    ],
  ],
  ['Int', 'integer', ['1__0', '_1', '1_', 'x1', '5x', '0x', '1e3', '1.0', '', ' ']],
  ['numeric', 'numeric', ['e5', '.', '1e', 'infinit', 'xinf', '1 2', '5x', 'x5', 'x']],
  ['bigint', 'bigint', ['x']],
  ['smallint', 'smallint', ['x']],
  ['Float', 'real', ['x']],
  ['float8', 'double precision', ['x']],
])('%s does not read, under the name %s, %j', (type, name, texts) => {
  expect(texts.map((text) => errorOf(() => encode(typeNamed(type), text)))).toEqual(
    texts.map((text) => ['data-exception', '$', `invalid input syntax for type ${name}: ${JSON.stringify(text)}`]),
  );
});

describe('a value is rejected', () => {
  test.each<readonly [string, unknown, string, string, string]>([
    [
      'raster raster',
      '0',
      'parse-failed',
      '$',
      'expected well-known binary in hexadecimal digits for type raster, but found "0"',
    ],
    [
      'raster raster',
      'zz',
      'parse-failed',
      '$',
      'expected well-known binary in hexadecimal digits for type raster, but found "zz"',
    ],
    [
      'raster raster',
      '',
      'parse-failed',
      '$',
      'expected well-known binary in hexadecimal digits for type raster, but found ""',
    ],
    [
      'raster raster',
      '01x',
      'parse-failed',
      '$',
      'expected well-known binary in hexadecimal digits for type raster, but found "01x"',
    ],
    [
      'raster raster',
      'x01',
      'parse-failed',
      '$',
      'expected well-known binary in hexadecimal digits for type raster, but found "x01"',
    ],
    [
      'ltree ltree',
      '.a',
      'parse-failed',
      '$',
      'expected labels with dots between them, such as "L1.L2.L3", for type ltree, but found ".a"',
    ],
    [
      'ltree ltree',
      'a..b',
      'parse-failed',
      '$',
      'expected labels with dots between them, such as "L1.L2.L3", for type ltree, but found "a..b"',
    ],
    [
      'ltree ltree',
      'a b',
      'parse-failed',
      '$',
      'expected labels with dots between them, such as "L1.L2.L3", for type ltree, but found "a b"',
    ],
    [
      'ltree ltree',
      ' a',
      'parse-failed',
      '$',
      'expected labels with dots between them, such as "L1.L2.L3", for type ltree, but found " a"',
    ],
    [
      'ltree ltree',
      'a.',
      'parse-failed',
      '$',
      'expected labels with dots between them, such as "L1.L2.L3", for type ltree, but found "a."',
    ],
    [
      'smallint',
      32768,
      'parse-failed',
      '$',
      'expected a whole number for type int2, but found 32768, which is out of range',
    ],
    [
      'smallint',
      -32769,
      'parse-failed',
      '$',
      'expected a whole number for type int2, but found -32769, which is out of range',
    ],
    [
      'Int',
      2147483648,
      'parse-failed',
      '$',
      'expected a whole number for type int4, but found 2147483648, which is out of range',
    ],
    [
      'bigint',
      exact('9223372036854775808'),
      'parse-failed',
      '$',
      'expected a whole number for type int8, but found 9223372036854775808, which is out of range',
    ],
    [
      'bigint',
      exact('99999999999999999999'),
      'parse-failed',
      '$',
      'expected a whole number for type int8, but found 99999999999999999999, which is out of range',
    ],
    [
      'bigint',
      exact('123456789012345678901'),
      'parse-failed',
      '$',
      'expected a whole number for type int8, but found 123456789012345678901, which is out of range',
    ],
    [
      'bigint',
      exact('1111111111111111111111111111111111111111111111111111111111111111111111'),
      'parse-failed',
      '$',
      'expected a whole number for type int8, but found 111111111111111111111111111111111111111111111111111111111111..., which is out of range',
    ],
    ['Int', exact('0e-1001'), 'parse-failed', '$', 'expected a whole number for type int4, but found 0e-1001'],
    [
      'Int',
      exact('0e1000'),
      'parse-failed',
      '$',
      'expected a whole number for type int4, but found 000000000000000000000000000000000000000000000000000000000000..., which is out of range',
    ],
    ['Int', exact('0e1001'), 'parse-failed', '$', 'expected a whole number for type int4, but found 0e1001'],
    ['Int', exact('1.05e1'), 'parse-failed', '$', 'expected a whole number for type int4, but found 1.05e1'],
    ['Int', exact('105e-1'), 'parse-failed', '$', 'expected a whole number for type int4, but found 105e-1'],
    ['Int', exact('0.5'), 'parse-failed', '$', 'expected a whole number for type int4, but found 0.5'],
    [
      'Int',
      1e21,
      'parse-failed',
      '$',
      'expected a whole number for type int4, but found 1000000000000000000000, which is out of range',
    ],
    ['Int', Number.NaN, 'parse-failed', '$', 'expected a whole number for type int4, but found NaN'],
    ['Int', 1.5, 'parse-failed', '$', 'expected a whole number for type int4, but found 1.5'],
    ['numeric', true, 'parse-failed', '$', 'expected a number for type numeric, but found true'],
    ['numeric', [1], 'parse-failed', '$', 'expected a number for type numeric, but found a list'],
    ['numeric', {}, 'parse-failed', '$', 'expected a number for type numeric, but found an object'],
    ['money', true, 'parse-failed', '$', 'expected a number for type money, but found true'],
    ['Int', true, 'parse-failed', '$', 'expected a whole number for type int4, but found true'],
    ['Boolean', 1, 'parse-failed', '$', 'expected true or false for type bool, but found the number 1'],
    ['Boolean', {}, 'parse-failed', '$', 'expected true or false for type bool, but found an object'],
    [
      'uuid',
      1,
      'parse-failed',
      '$',
      'expected a string of 32 hexadecimal digits for type uuid, but found the number 1',
    ],
    ['Int[]', 1, 'parse-failed', '$', 'expected a list for type int4[], but found the number 1'],
    ['Int[]', {}, 'parse-failed', '$', 'expected a list for type int4[], but found an object'],
    ['Int[]', [true], 'parse-failed', '$[0]', 'expected a whole number for type int4, but found true'],
    [
      'raster raster',
      1,
      'parse-failed',
      '$',
      'expected well-known binary in hexadecimal digits for type raster, but found the number 1',
    ],
    [
      'raster raster',
      'x',
      'parse-failed',
      '$',
      'expected well-known binary in hexadecimal digits for type raster, but found "x"',
    ],
    [
      'ltree ltree',
      1,
      'parse-failed',
      '$',
      'expected labels with dots between them, such as "L1.L2.L3", for type ltree, but found the number 1',
    ],
    [
      'hstore hstore',
      1,
      'parse-failed',
      '$',
      'expected an object of strings, or a string such as "a=>1", for type hstore, but found the number 1',
    ],
    [
      'hstore hstore',
      'a',
      'data-exception',
      '$',
      'expected an object of strings, or a string such as "a=>1", for type hstore, but found "a"',
    ],
    [
      'geometry geometry',
      1,
      'parse-failed',
      '$',
      'expected a GeoJSON geometry for type geometry, but found the number 1 that is not a GeoJSON geometry',
    ],
    [
      'geometry geometry',
      { type: 'Dot' },
      'parse-failed',
      '$',
      'expected a GeoJSON geometry for type geometry, but found an object that is not a GeoJSON geometry',
    ],
    [
      'geography geography',
      true,
      'parse-failed',
      '$',
      'expected a GeoJSON geometry for type geography, but found true that is not a GeoJSON geometry',
    ],
    ['geometry geometry', 'a\u0000', 'data-exception', '$', 'the character NUL cannot be stored in PostgreSQL'],
    ['date', 1, 'parse-failed', '$', 'expected a string for type date, but found the number 1'],
    ['String', true, 'parse-failed', '$', 'expected a string for type text, but found true'],
    ['String', [], 'parse-failed', '$', 'expected a string for type text, but found a list'],
    ['String', 'a\u0000', 'data-exception', '$', 'the character NUL cannot be stored in PostgreSQL'],
    ['String', '\ud83d', 'data-exception', '$', 'the text holds half of a surrogate pair, which is no character'],
    ['String', '\udc00x', 'data-exception', '$', 'the text holds half of a surrogate pair, which is no character'],
    ['mood', 'angry', 'data-exception', '$', '"angry" is no value of the enum type mood; it has "happy", "sad"'],
    [
      'mood',
      'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
      'data-exception',
      '$',
      '"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" is no value of the enum type mood; it has "happy", "sad"',
    ],
    [
      'mood',
      'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
      'data-exception',
      '$',
      '"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..." is no value of the enum type mood; it has "happy", "sad"',
    ],
    ['mood', true, 'parse-failed', '$', 'expected a string for type mood, but found true'],
    [
      'Int',
      '9999999999999999999999999999999999999999999999999999999999999x',
      'data-exception',
      '$',
      'invalid input syntax for type integer: "999999999999999999999999999999999999999999999999999999999999..."',
    ],
    [
      'hstore hstore',
      { a: 1 },
      'parse-failed',
      '$.a',
      'hstore holds strings and nulls; write numbers, booleans and JSON as strings',
    ],
    [
      'hstore hstore',
      { a: '\ud83d' },
      'data-exception',
      '$',
      'the text holds half of a surrogate pair, which is no character',
    ],
    ['Int[]', [[1], ['x']], 'data-exception', '$[1][0]', 'invalid input syntax for type integer: "x"'],
    [
      'hstore hstore[]',
      [{ a: 1 }],
      'parse-failed',
      '$[0].a',
      'hstore holds strings and nulls; write numbers, booleans and JSON as strings',
    ],
    ['Int[]', '{1}x', 'data-exception', '$', 'malformed array literal: "{1}x"'],
    ['Int[]', 'x{1}', 'data-exception', '$', 'malformed array literal: "x{1}"'],
    ['Int[]', '[0]={1}', 'data-exception', '$', 'malformed array literal: "[0]={1}"'],
    ['Int[]', '[x:1]={1}', 'data-exception', '$', 'malformed array literal: "[x:1]={1}"'],
    [
      'Int[]',
      'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
      'data-exception',
      '$',
      'malformed array literal: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..."',
    ],
    ['Int[]', '{\u0000}', 'data-exception', '$', 'the character NUL cannot be stored in PostgreSQL'],
  ])('%s %j as %s at %s: %s', (type, value, code, path, message) => {
    expect(errorOf(() => encode(typeNamed(type), value))).toEqual([code, path, message]);
  });
});

describe('the text of a session variable is rejected', () => {
  test.each([
    [
      'Int[]',
      '[{',
      'parse-failed',
      '$',
      'expected a list for type int4[], but found a session variable that is not valid JSON',
    ],
    [
      'hstore hstore',
      'x{"a"',
      'data-exception',
      '$',
      'expected an object of strings, or a string such as "a=>1", for type hstore, but found "x{\\"a\\""',
    ],
    [
      'hstore hstore',
      'a=>',
      'data-exception',
      '$',
      'expected an object of strings, or a string such as "a=>1", for type hstore, but found "a=>"',
    ],
    [
      'geometry geometry',
      ' {',
      'parse-failed',
      '$',
      'expected a GeoJSON geometry for type geometry, but found a session variable that is not valid JSON',
    ],
    [
      'geography geography',
      '{',
      'parse-failed',
      '$',
      'expected a GeoJSON geometry for type geography, but found a session variable that is not valid JSON',
    ],
    ['String', 'a\u0000', 'data-exception', '$', 'the character NUL cannot be stored in PostgreSQL'],
    [
      'hstore hstore',
      '{"a":1}',
      'parse-failed',
      '$.a',
      'hstore holds strings and nulls; write numbers, booleans and JSON as strings',
    ],
    ['jsonb', '\ud83d', 'data-exception', '$', 'the text holds half of a surrogate pair, which is no character'],
  ])('%s %j as %s at %s: %s', (type, text, code, path, message) => {
    expect(errorOf(() => encodeSession(columnType(type), text))).toEqual([code, path, message]);
  });
});

test('a scalar that is not built in takes strings', () => {
  expect([encode('tsvector', 'a & b'), errorOf(() => encode('tsvector', 5))]).toEqual([
    'a & b',
    ['parse-failed', '$', 'expected a string for type text, but found the number 5'],
  ]);
});
