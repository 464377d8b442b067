/** Random YAML of a project, valid and damaged. `FUZZ_SEED` and `FUZZ_SCALE` are those of the random tests of the server. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { CliError } from '../../src/cli-error.ts';
import { keysOf } from '../../src/project/json-path.ts';
import { parseYaml, yamlValue } from '../../src/project/yaml-file.ts';

const { FUZZ_SEED = '1', FUZZ_SCALE = '1' } = process.env;
const seed = FUZZ_SEED === 'random' ? Math.floor(Math.random() * 1_000_000) : Number(FUZZ_SEED);
const fuzz = (usual: number): fc.Parameters<unknown> => ({ seed, numRuns: usual * Number(FUZZ_SCALE) });
const unhurried = { timeout: 1_200_000 };

const line = fc.tuple(
  fc.constantFrom('', '  ', '    ', '- ', '\t'),
  fc.constantFrom('a: ', '"b": ', '<<: ', '? ', ': ', '&x ', '*x', '*y ', '!include ', '!!set ', '!!binary ', '- '),
  fc.constantFrom(
    '1',
    'text',
    '"!include a.yaml"',
    '*x',
    '&x [*x]',
    '&y {a: *x}',
    '{<<: *x}',
    '|',
    '>-',
    '[',
    '{',
    '"',
    '#',
    '---',
    '%YAML 9',
  ),
);
const yaml = fc.oneof(
  fc
    .array(
      line.map((parts) => parts.join('')),
      { maxLength: 6 },
    )
    .map((lines) => lines.join('\n')),
  fc.string({ unit: fc.constantFrom(...'ab:-*&!<{}[],"\'|>#%@\n\t ?') }),
);

test('YAML has a value that is a tree, or is rejected with its line', unhurried, () => {
  fc.assert(
    fc.property(yaml, (text) => {
      try {
        expect(typeof JSON.stringify(yamlValue(parseYaml(text, 'tables.yaml')) ?? null)).toBe('string');
      } catch (error) {
        expect(error).toBeInstanceOf(CliError);
        expect((error as CliError).message).toMatch(/^tables\.yaml:\d+:\d+: ./);
      }
    }),
    fuzz(3_000),
  );
});

test('printed YAML has the value that was printed', unhurried, () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(yamlValue(parseYaml(stringify(value), 'tables.yaml'))).toEqual(value);
    }),
    fuzz(500),
  );
});

test('the keys of a path are read up to what is invalid', unhurried, () => {
  const part = fc.constantFrom('.', 'a', '[0]', '["', '"]', '\\', 'u0041', 'x', '"', '["a b"]', '\n', '[', ']', '*');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 10 }), (parts) => {
      const keys = keysOf(`$${parts.join('')}`);
      expect(keys.every((key) => typeof key === 'string' || Number.isInteger(key))).toBe(true);
    }),
    fuzz(2_000),
  );
});
