import { describe, expect, test } from 'vitest';
import { columnType } from '../../../test/support/model/draft.ts';
import { ServiceError } from '../../base/errors.ts';
import { ExactNumber, parseJson } from '../../base/json-value.ts';
import type { ColumnType } from '../types/column-type.ts';
import { arrayOf } from './column-types.ts';
import { encode, encodeSession } from './encode.ts';
import { argumentType, operatorNamed } from './operators.ts';

const mood: ColumnType = { ...columnType('enum mood'), labels: ['happy', 'sad'] };
const path = columnType('ltree ltree');

function typeNamed(name: string): ColumnType {
  return name === 'mood' ? mood : name === 'ltree' ? path : columnType(name);
}

function failure(run: () => unknown): ServiceError {
  try {
    run();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('a value is encoded as text', () => {
  test.each<readonly [string, unknown, unknown]>([
    ['Int', 5, '5'],
    ['Int', '5', '5'],
    ['Int', -0, '0'],
    ['bigint', new ExactNumber('9007199254740993'), '9007199254740993'],
    ['bigint', new ExactNumber('9007199254740993.0'), '9007199254740993'],
    ['bigint', new ExactNumber('-1.234567890123456789e18'), '-1234567890123456789'],
    ['bigint', '9007199254740993', '9007199254740993'],
    ['numeric', new ExactNumber('0.1000000000000000000001'), '0.1000000000000000000001'],
    ['numeric', 1e-7, '1e-7'],
    ['numeric', '1.50', '1.50'],
    ['float8', 'NaN', 'NaN'],
    ['float8', '-Infinity', '-Infinity'],
    ['money', '$1,000.00', '$1,000.00'],
    ['money', 3, '3'],
    ['Boolean', true, 'true'],
    ['Boolean', 'off', 'off'],
    ['String', 'a', 'a'],
    ['String', '', ''],
    ['String', 'emoji \u{1F600}', 'emoji \u{1F600}'],
    ['uuid', '28D6D683-1317-49f7-b1cf-7d195242e4e5', '28D6D683-1317-49f7-b1cf-7d195242e4e5'],
    ['uuid', '{28d6d683131749f7b1cf7d195242e4e5}', '{28d6d683131749f7b1cf7d195242e4e5}'],
    ['timestamptz', 'yesterday', 'yesterday'],
    ['bytea', '\\xff', '\\xff'],
    ['jsonb', 'a', '"a"'],
    ['jsonb', 3, '3'],
    ['jsonb', false, 'false'],
    ['jsonb', { a: [1, null], n: new ExactNumber('1.10') }, '{"a":[1,null],"n":1.10}'],
    ['jsonb', [1, 'x'], '[1,"x"]'],
    ['json', '{"a":1}', '"{\\"a\\":1}"'],
    ['mood', 'sad', 'sad'],
    ['ltree', 'A.b_1.ü-2', 'A.b_1.ü-2'],
    ['ltree', '', ''],
    ['raster raster', '01Af', '01Af'],
    ['geometry geometry', { type: 'Point', coordinates: [1, 2] }, 'SRID=4326;POINT(1 2)'],
    ['geography geography', 'POINT(1 2)', 'POINT(1 2)'],
    ['Int[]', [1, null, 2], ['1', null, '2']],
    ['Int[]', [[1], [2]], [['1'], ['2']]],
    ['Int[]', '{1,2}', '{1,2}'],
    ['Int[]', '[0:1]={1,2}', '[0:1]={1,2}'],
    ['String[]', [], []],
    ['jsonb[]', [[1], { a: 1 }], ['[1]', '{"a":1}']],
    ['hstore hstore', { a: '1', 'b "c" \\': null, d: '' }, '"a"=>"1", "b \\"c\\" \\\\"=>NULL, "d"=>""'],
    ['hstore hstore', {}, ''],
    ['hstore hstore', 'a=>1, "b c" => NULL', 'a=>1, "b c" => NULL'],
    ['hstore hstore[]', [{ a: '1' }, 'b=>2'], ['"a"=>"1"', 'b=>2']],
    ['other tsvector', 'a & b', 'a & b'],
    ['Int', null, null],
    ['jsonb', null, null],
    ['Int', undefined, null],
  ])('%s %j', (type, value, sent) => {
    expect(encode(typeNamed(type), value)).toEqual(sent);
  });

  test('by the name of a scalar', () => {
    expect(encode('bigint', new ExactNumber('9007199254740993'))).toBe('9007199254740993');
    expect(encode('jsonb', [1])).toBe('[1]');
    expect(encode('hstore', 'a=>1')).toBe('a=>1');
    expect(failure(() => encode('uuid', 'x')).code).toBe('data-exception');
  });

  test('each item of a list of arrays is the text of one array', () => {
    const type = arrayOf(columnType('Int'));
    const operator = operatorNamed('_in', type);
    const list = operator && argumentType(operator, type);
    expect(list?.sqlName).toBe('text[]');
    expect(list && encode(list, [[1, 2], [], '{3}'])).toEqual(['{"1","2"}', '{}', '{3}']);
  });
});

describe('an invalid value', () => {
  const cases: readonly (readonly [string, unknown, ServiceError['code'], string?])[] = [
    ['Int', 1.5, 'parse-failed'],
    ['Int', '1.5', 'data-exception'],
    ['Int', 'X-Hasura-User-Id', 'data-exception'],
    ['Int', true, 'parse-failed'],
    ['Int', [1], 'parse-failed'],
    ['bigint', new ExactNumber('12345678901234567.5'), 'parse-failed'],
    ['bigint', new ExactNumber('1e999999999'), 'parse-failed'],
    ['bigint', new ExactNumber('-12345678901234567890'), 'parse-failed'],
    ['smallint', 40000, 'parse-failed'],
    ['numeric', 'abc', 'data-exception'],
    ['numeric', {}, 'parse-failed'],
    ['Boolean', 1, 'parse-failed'],
    ['Boolean', 'maybe', 'data-exception'],
    ['String', 5, 'parse-failed'],
    ['String', 'a\0b', 'data-exception'],
    ['String', 'half \ud83d', 'data-exception'],
    ['date', 2024, 'parse-failed'],
    ['uuid', '28d6d683', 'data-exception'],
    ['mood', 'angry', 'data-exception'],
    ['mood', 1, 'parse-failed'],
    ['ltree', 'Tree.Science.', 'parse-failed'],
    ['raster raster', 'not a raster', 'parse-failed'],
    ['geometry geometry', { type: 'Dot' }, 'parse-failed'],
    ['hstore hstore', '{"a":"1"}', 'data-exception'],
    ['hstore hstore', 'a=>', 'data-exception'],
    ['hstore hstore', ['a=>1'], 'parse-failed'],
    ['hstore hstore', { a: '1', b: 2 }, 'parse-failed', '$.b'],
    ['hstore hstore', { 'a b': { c: '1' } }, 'parse-failed', '$["a b"]'],
    ['hstore hstore', { a: 'x\0' }, 'data-exception'],
    ['Int[]', 1, 'parse-failed'],
    ['Int[]', 'one', 'data-exception'],
    ['Int[]', [1, 'x'], 'data-exception', '$[1]'],
    ['Int[]', [[1], ['x']], 'data-exception', '$[1][0]'],
  ];
  test.each(cases.map(([type, value, code, at = '$']) => [type, value, code, at] as const))(
    '%s %j is rejected as %s',
    (type, value, code, at) => {
      const error = failure(() => encode(typeNamed(type), value));
      expect(error.code).toBe(code);
      expect(error.path).toBe(at);
    },
  );

  test('the message names the type and the value', () => {
    expect(failure(() => encode('Int', 'abc')).message).toBe('invalid input syntax for type integer: "abc"');
    expect(failure(() => encode(mood, 'angry')).message).toBe(
      '"angry" is no value of the enum type mood; it has "happy", "sad"',
    );
    expect(failure(() => encode(columnType('Int[]'), 'x'.repeat(500))).message.length).toBeLessThan(150);
  });
});

describe('session variables', () => {
  test.each<readonly [string, string, unknown]>([
    ['Int', '5', '5'],
    ['String', '[1]', '[1]'],
    ['Int[]', '{1,2}', '{1,2}'],
    ['Int[]', '[1,2]', ['1', '2']],
    ['String[]', '["a","b"]', ['a', 'b']],
    ['Int[]', '[0:1]={1,2}', '[0:1]={1,2}'],
    ['jsonb', '{"a":1}', '{"a":1}'],
    ['geometry geometry', '{"type":"Point","coordinates":[1,2]}', 'SRID=4326;POINT(1 2)'],
    ['geometry geometry', 'POINT(1 2)', 'POINT(1 2)'],
    ['hstore hstore', '{"a":"1","b":null}', '"a"=>"1", "b"=>NULL'],
    ['hstore hstore', 'a=>1', 'a=>1'],
  ])('%s %s', (type, text, sent) => {
    expect(encodeSession(typeNamed(type), text)).toEqual(sent);
  });

  test('invalid JSON is rejected', () => {
    expect(failure(() => encodeSession(columnType('Int[]'), '[1,')).code).toBe('parse-failed');
    expect(failure(() => encodeSession(columnType('hstore hstore'), 'a=1')).code).toBe('data-exception');
    expect(failure(() => encodeSession(columnType('String'), 'a\0')).code).toBe('data-exception');
  });
});

test('numbers of a request keep all digits', () => {
  expect(encode('numeric', parseJson('123456789012345678.123456789'))).toBe('123456789012345678.123456789');
});

test('rejects an invalid number of a million digits in linear time', () => {
  const digits = '1'.repeat(1_000_000);
  for (const text of [
    `${digits}x`,
    `${'1_'.repeat(500_000)}x`,
    `${digits}.${digits}x`,
    `.${digits}x`,
    `1e${digits}x`,
  ]) {
    expect(() => encode('numeric', text)).toThrow('invalid input syntax for type numeric');
  }
});
