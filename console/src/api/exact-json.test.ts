import { expect, test } from 'vitest';
import { jsonProblem, parseExactly, prettyText, printPretty } from './exact-json.ts';

test('prints JSON on several lines, and other text unchanged', () => {
  expect(prettyText('{"a":[1,"b"]}')).toBe('{\n  "a": [\n    1,\n    "b"\n  ]\n}');
  expect(prettyText('out of order')).toBe('out of order');
  expect(printPretty(parseExactly('null'))).toBe('null');
  expect(printPretty(undefined)).toBe('null');
});

test('reports the error of invalid JSON', () => {
  expect(jsonProblem('{"a": 1}')).toBeUndefined();
  expect(jsonProblem('{"a": }')).toContain('JSON');
});
