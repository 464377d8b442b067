/** Which texts and JSON values each type accepts, and what is sent. */
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

test.each<readonly [string, readonly string[]]>([
  [
    'Boolean',
    [
      't',
      'tr',
      'tru',
      'true',
      'f',
      'fa',
      'fal',
      'fals',
      'false',
      'y',
      'ye',
      'yes',
      'n',
      'no',
      'on',
      'of',
      'off',
      '1',
      '0',
      ' TRUE\n',
    ],
  ],
  ['uuid', [' 28d6d683-1317-49f7-b1cf-7d195242e4e5\t']],
  ['raster raster', ['01', 'AB01']],
  ['ltree ltree', ['a', 'a.b', 'a-1.b_2']],
  ['Int', ['+5', '-5', '1_000', '0x1F', '0o17', '0b101', ' 5 ', '0XAB', '12', '1_23_456']],
  [
    'numeric',
    [
      '1.',
      '.5',
      '1_000.5',
      '1e5',
      '1E-5',
      '1e+12',
      'inf',
      'infinity',
      '+Infinity',
      'nan',
      '-NaN',
      '0x1.8p3',
      '1.5_0',
      '.5_1',
      '12',
      '1.25',
      ' 1 ',
      '-1',
    ],
  ],
  ['money', ['x']],
  ['geometry geometry', ['x']],
  ['open', ['any']],
  ['Int[]', [' {1} ', '[0:1]={1}', '[10:12]={1,2,3}', '[1:2]={1,\n2}', '[-1:+1]={1}', '{\n}']],
])('%s reads %j, which are sent as they are', (type, texts) => {
  expect(texts.map((text) => encode(typeNamed(type), text))).toEqual(texts);
});

test.each(['', ' ', ' a=>1', 'a=>1,', 'a=>b, c => NULL ', '"a b"=>"\\"c"', '\\"=>1', 'a=>"x,y"\n,\tb=>""'])(
  'hstore reads %j',
  (text) => {
    expect(encode(columnType('hstore hstore'), text)).toBe(text);
  },
);

test.each(['a', 'a=>', '=>1', ',', 'a=>1 b=>2', '"a=>1', 'a=>"1', 'a=>"1"x'])('hstore does not read %j', (text) => {
  expect(() => encode(columnType('hstore hstore'), text)).toThrow('expected an object of strings');
});

describe('a value is sent as text', () => {
  test.each<readonly [string, unknown, unknown]>([
    ['smallint', 32767, '32767'],
    ['smallint', -32768, '-32768'],
    ['Int', 2147483647, '2147483647'],
    ['bigint', exact('9223372036854775807'), '9223372036854775807'],
    ['bigint', exact('-9223372036854775808'), '-9223372036854775808'],
    ['Int', exact('100e-2'), '1'],
    ['Int', exact('0.0'), '0'],
    ['Int', exact('0e5'), '000000'],
    ['Int', exact('1.5e1'), '15'],
    ['Int', exact('-1.5e1'), '-15'],
    ['Int', exact('1e+2'), '100'],
    ['Int', exact('1E2'), '100'],
    ['Int', exact('0e-1000'), '0'],
    ['Int', exact('10.0'), '10'],
    ['Int', 1000, '1000'],
    ['numeric', exact('1e400'), '1e400'],
    ['numeric', 1.5, '1.5'],
    ['money', 1.5, '1.5'],
    ['money', exact('1.10'), '1.10'],
    ['jsonb', 'a\u0000', '"a\\u0000"'],
    ['jsonb', { a: '\ud83d' }, '{"a":"\\ud83d"}'],
    ['json[]', [[1]], ['[1]']],
    ['jsonb[]', [[1]], ['[1]']],
  ])('%s %j as %j', (type, value, sent) => {
    expect(encode(typeNamed(type), value)).toEqual(sent);
  });
});

describe('the text of a session variable is sent', () => {
  test.each<readonly [string, string, unknown]>([
    ['Int[]', ' [1]', ['1']],
    ['Int[]', 'x[1]', 'x[1]'],
    ['Int[]', '[1:2]={1,2}', '[1:2]={1,2}'],
    ['Int[]', '[12:13]={1,2}', '[12:13]={1,2}'],
    ['jsonb', '[1]', '[1]'],
    ['hstore hstore', ' { "a":"1"}', '"a"=>"1"'],
    ['hstore hstore', '{ }', ''],
    ['hstore hstore', '{a=>1', '{a=>1'],
    ['geography geography', ' {"type":"Point","coordinates":[1,2]}', 'SRID=4326;POINT(1 2)'],
    ['geometry geometry', 'x{', 'x{'],
    ['String', '{"a":1}', '{"a":1}'],
    ['String', '{', '{'],
  ])('%s %j as %j', (type, text, sent) => {
    expect(encodeSession(columnType(type), text)).toEqual(sent);
  });
});
