import { describe, expect, it } from 'vitest';
import { parseJson, printJson } from './json-value.ts';
import { LARGE_JSON, parseLargeJson } from './large-json.ts';

const padded = (text: string) => `${text}${' '.repeat(10)}`;

describe('a large text', () => {
  it.each([
    '{}',
    '[]',
    'null',
    '-0.5',
    '"a string"',
    '[1,2.5,-3e2,true,false,null,"x"]',
    '{"a":{"b":[{"c":[]},{}]},"d":""}',
    ' { "a" : [ 1 , 2 ] , "b" : { } } ',
    '{"a":1,"a":2}',
    '["\\u0041\\n\\"\\\\","\\ud83d\\ude00","é"]',
    '{"escaped \\" name":1}',
    '{"id":9007199254740993,"price":12345678901234.123456,"big":1e400,"small":1E-2}',
    '{"__proto__":{"a":1},"constructor":2,"1":3}',
    '[[[[[[]]]]]]',
  ])('has the value that parseJson returns: %s', async (text) => {
    const value = await parseLargeJson(padded(text));
    expect(value).toEqual(parseJson(text));
    expect(printJson(value)).toBe(printJson(parseJson(text)));
  });

  it('has a member named __proto__ as its own', async () => {
    const value = await parseLargeJson('{"__proto__":{"polluted":true}}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.hasOwn(value as object, '__proto__')).toBe(true);
  });

  it.each([
    '',
    ' ',
    '{',
    '[1,]',
    '[,1]',
    '[1 2]',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{a:1}',
    '{,}',
    '[}',
    '{]',
    '01',
    '1.',
    '.5',
    '1e',
    '-',
    '+1',
    'tru',
    'nul',
    'undefined',
    '"open',
    '"a\nb"',
    '"\\x"',
    '"\\u12"',
    '[1]]',
    '{}{}',
    '1 1',
    '\u00a01',
    "{'a':1}",
  ])('is rejected if JSON.parse rejects it: %j', async (text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    await expect(parseLargeJson(text)).rejects.toThrow(SyntaxError);
  });

  it('is rejected when it is nested more than 10,000 levels deep', async () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(await parseLargeJson(nested(10_000))).toBeInstanceOf(Array);
    await expect(parseLargeJson(nested(10_001))).rejects.toThrow('nested more than 10000 levels deep');
  });

  it('is rejected when an object has more than 100,000 members', async () => {
    const object = (members: number) => `{${Array.from({ length: members }, (_, n) => `"n${n}":{"a":1}`).join(',')}}`;
    expect(Object.keys((await parseLargeJson(object(100_000))) as object)).toHaveLength(100_000);
    await expect(parseLargeJson(object(100_001))).rejects.toThrow('an object has more than 100000 members');
  });

  it('does not block other events while it is parsed', async () => {
    const text = `[${'{"a":[1,"b"]},'.repeat(LARGE_JSON)}1]`;
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    const value = (await parseLargeJson(text)) as readonly unknown[];
    clearInterval(timer);
    expect(value).toHaveLength(LARGE_JSON + 1);
    expect(turns).toBeGreaterThan(2);
  });
});
