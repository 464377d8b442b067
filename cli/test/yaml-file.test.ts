/** Tests of YAML whose value cannot be a tree of metadata. */
import { expect, test } from 'vitest';
import { keysOf } from '../src/project/json-path.ts';
import { parseYaml, yamlValue } from '../src/project/yaml-file.ts';

test.each([
  ['an alias without an anchor', 'a: 1\nb: *missing', 'tables.yaml:2:4: the alias *missing has no anchor before it'],
  ['an alias within its own value', 'a: &x\n  - *x', 'tables.yaml:2:5: the alias *x is a part of its own value'],
  ['a merge key without a mapping', '<<: 1', 'tables.yaml:1:1: Merge sources must be maps or map aliases'],
])('rejects %s with its line', (_case, text, message) => {
  expect(() => yamlValue(parseYaml(text, 'tables.yaml'))).toThrow(message);
});

test('stops at an invalid escape in the path of an error', () => {
  expect(keysOf(String.raw`$.sources[0]["\x"].tables`)).toEqual(['sources', 0]);
});
