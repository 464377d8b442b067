import { expect, test } from 'vitest';
import { parseCode } from './template.ts';

test('braces in a nested comment are no argument', () => {
  const code = 'select /* a /* b */ {{c}} */ {{d}} as d';
  expect(parseCode(code)).toEqual(['select /* a /* b */ {{c}} */ ', { argument: 'd' }, ' as d']);
});

test('a quote after an E at the end of a string constant does not begin an escape string', () => {
  expect(parseCode(`select 'E''\\' || {{a}}`)).toEqual([`select 'E''\\' || `, { argument: 'a' }]);
});

test('rejects an argument in a string constant, with its line', () => {
  expect(parseCode("select 1,\n'%{{a}}%'")).toBe(
    `line 2: the argument "a" is inside of quotes, where it would be text; concatenate it instead: '%' || {{a}} || '%'`,
  );
});
