/** Tests of the formatter of operations. */
import { expect, test } from 'vitest';
import { prettyOperation } from './prettify.ts';

test('formats an operation unless it is invalid or has comments', () => {
  expect(prettyOperation('query A{a(b:1){c}}')).toBe('query A {\n  a(b: 1) {\n    c\n  }\n}\n');
  expect(prettyOperation('{ a # why\n}')).toBeUndefined();
  expect(prettyOperation('{ a')).toBeUndefined();
});
