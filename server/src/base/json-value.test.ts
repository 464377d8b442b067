import { describe, expect, it } from 'vitest';
import { ExactNumber, parseJson, printJson, RawJson } from './json-value.ts';

describe('parseJson', () => {
  it('preserves the digits of numbers that a double would change', () => {
    const text = '{"id":9007199254740993,"price":12345678901234.123456,"big":1e400}';
    expect(printJson(parseJson(text))).toBe(text);
  });

  it('returns numbers if a double is exact', () => {
    expect(parseJson('[1, 0.1, 1e3, 12.50]')).toEqual([1, 0.1, 1000, 12.5]);
  });

  it('rejects the same texts as JSON.parse', () => {
    expect(() => parseJson('{"a":1234567890123456789,}')).toThrow(SyntaxError);
    expect(() => parseJson('{"a":01}')).toThrow(SyntaxError);
  });

  it('uses the last of duplicate members, in both parsers', () => {
    expect(parseJson('{"a":1,"a":2}')).toEqual({ a: 2 });
    expect(parseJson('{"a":1,"a":12345678901234567890}')).toEqual({ a: new ExactNumber('12345678901234567890') });
  });
});

describe('printJson', () => {
  it.each([
    'plain',
    'quote " and \\ back',
    'line\nbreak \u0001',
    'lone \ud800 surrogate',
    'pair \u{1f600}',
    'x'.repeat(100),
    '\u2028',
    [1, -0, 1.5e300, Number.NaN, true, null],
    { 'a "name"': [], b: {} },
  ])('prints %j as JSON.stringify does', (value) => {
    expect(printJson(value)).toBe(JSON.stringify(value));
  });

  it('splices JSON text unparsed', () => {
    expect(printJson({ rows: new RawJson('[{"n":1.10}]') })).toBe('{"rows":[{"n":1.10}]}');
  });

  it('omits undefined members and prints undefined items as null', () => {
    expect(printJson({ a: undefined, b: [undefined, 'x'] })).toBe('{"b":[null,"x"]}');
  });
});
