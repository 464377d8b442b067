/** Tests of adding a variable. */
import { expect, test } from 'vitest';
import { withVariable } from './with-variable.ts';

test('adds a variable beside the others, and leaves other text unchanged', () => {
  expect(withVariable('', 'a', 1)).toBe('{\n  "a": 1\n}');
  expect(withVariable('{"b": [true]}', 'a', null)).toBe('{\n  "b": [\n    true\n  ],\n  "a": null\n}');
  expect(withVariable('{"b": ', 'a', 1)).toBe('{"b": ');
  expect(withVariable('[]', 'a', 1)).toBe('[]');
});
