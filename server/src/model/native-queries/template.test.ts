import { describe, expect, test } from 'vitest';
import { parseCode } from './template.ts';

describe('the SQL of a native query', () => {
  test.each<[string, string, ReturnType<typeof parseCode>]>([
    ['arguments with white space', 'select {{ a }},{{_B2}}', ['select ', { argument: 'a' }, ',', { argument: '_B2' }]],
    ['arguments side by side', '{{a}}{{b}}', [{ argument: 'a' }, { argument: 'b' }]],
    ['no arguments', 'select 1', ['select 1']],
    ['semicolons and white space at its end', 'select 1; ;\n ', ['select 1']],
    ['a space within', 'select ; 1 ', 'the SQL has several statements; it must be one query'],
    [
      'braces in a nested comment',
      'select /* a /* b */ {{c}} */ {{d}} as d',
      ['select /* a /* b */ {{c}} */ ', { argument: 'd' }, ' as d'],
    ],
    ['a comment that ends the text', 'select {{d}} -- {{c}}', ['select ', { argument: 'd' }, ' -- {{c}}']],
    [
      'a quote after an E at the end of a string constant',
      `select 'E''\\' || {{a}}`,
      [`select 'E''\\' || `, { argument: 'a' }],
    ],
    ['an array in quotes', `select '{{1,2},{3,4}}'::int[]`, [`select '{{1,2},{3,4}}'::int[]`]],
    ['a dollar sign within a name', 'select a$1, b$2', ['select a$1, b$2']],
    ['a numbered parameter in quotes', `select '$1'`, [`select '$1'`]],
  ])('with %s is split into text and arguments', (_what, code, parts) => {
    expect(parseCode(code)).toEqual(parts);
  });
});

describe('invalid SQL of a native query', () => {
  test.each([
    ['nothing', ' ;\n', 'the SQL is empty'],
    ['only a comment', '/* {{a}} */', 'the SQL is empty'],
    ['several statements', 'select 1; select 2', 'the SQL has several statements; it must be one query'],
    [
      'an argument in a string constant',
      "select 1,\n'%{{a}}%'",
      `line 2: the argument "a" is inside of quotes, where it would be text; concatenate it instead: '%' || {{a}} || '%'`,
    ],
    [
      'an argument on the second line of a quoted identifier',
      `select "x\n{{ my_arg }}"`,
      `line 2: the argument "my_arg" is inside of quotes, where it would be text; concatenate it instead: '%' || {{my_arg}} || '%'`,
    ],
    [
      'a numbered parameter',
      'select {{a}}\n\n+ $1',
      'line 3: the SQL has a numbered parameter; use {{name}} for an argument',
    ],
    [
      'a numbered parameter after a comment of two lines',
      'select /*\n\n*/ $2',
      'line 3: the SQL has a numbered parameter; use {{name}} for an argument',
    ],
    ['braces that are not closed', 'select {{a}},\n{{b', 'line 2: "{{" is not closed by "}}"'],
    ['braces that are closed by a comment', 'select {{a -- }}', 'line 1: "{{" is not closed by "}}"'],
    ['braces without a name', 'select\n{{  }}', 'line 2: there is no name of an argument between "{{" and "}}"'],
  ])('with %s is rejected with the line', (_what, code, reason) => {
    expect(parseCode(code)).toBe(reason);
  });
});
