import { describe, expect, test } from 'vitest';
import { sortedJson } from './sorted-json.ts';

describe('sorted JSON', () => {
  test.each([
    [
      'sorts members at every level',
      '{"b":{"d":1,"c":[{"z":1,"y":2}]},"a":2}',
      '{"a":2,"b":{"c":[{"y":2,"z":1}],"d":1}}',
    ],
    ['removes white space outside of strings', '{ "a" : [ 1 , 2 ] ,\n"b":" x "}', '{"a":[1,2],"b":" x "}'],
    [
      'keeps the digits of numbers',
      '{"b": 12345678901234567890.50, "a": 1e-30}',
      '{"a":1e-30,"b":12345678901234567890.50}',
    ],
    ['keeps strings as written', '{"b":"\\u00e9\\n\\"}","a":"\\\\"}', '{"a":"\\\\","b":"\\u00e9\\n\\"}"}'],
    ['prints the last of members with equal names', '{"b":1,"a":2,"b":3}', '{"a":2,"b":3}'],
    ['prints the last of equal names that are next to each other', '{"a":1,"a":2}', '{"a":2}'],
    ['sorts by the characters of escaped names', '{"\\u0061":1,"B":2}', '{"B":2,"\\u0061":1}'],
    ['keeps empty objects and lists', '{"b":{},"a":[ ]}', '{"a":[],"b":{}}'],
    ['keeps scalars', ' "text" ', '"text"'],
    ['keeps names with brackets and quotes', '{"}":1,"\\"":{"[":2}}', '{"\\"":{"[":2},"}":1}'],
    ['sorts upper case before lower case', '{"a":1,"B":2}', '{"B":2,"a":1}'],
  ])('%s', (_rule, text, sorted) => {
    expect(sortedJson(text)).toBe(sorted);
    expect(sortedJson(sorted)).toBe(sorted);
  });

  test('quotes numbers of the named members of the outermost object only', () => {
    const text = '{"n":-1.50,"o":{"n":1},"t":"x","z":null}';
    expect(sortedJson(text, new Set(['n', 't', 'z']))).toBe('{"n":"-1.50","o":{"n":1},"t":"x","z":null}');
  });

  test('keeps JSON that is nested too deep to be sorted', () => {
    const deep = `{"b":1,"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(sortedJson(deep)).toBe(deep);
  });
});
