/** JSON texts, valid and damaged: the parsers of the service against `JSON.parse`, and printing against parsing. */
import fc from 'fast-check';
import { isSafeNumber } from 'lossless-json';
import { expect, test } from 'vitest';
import { hasExactNumber } from '../../../src/base/exact-numbers.ts';
import { parseJson, printJson } from '../../../src/base/json-value.ts';
import { parseLargeJson } from '../../../src/base/large-json.ts';
import { fuzz, unhurried } from '../seed.ts';
import { damaged, jsonText } from './json-texts.ts';

const anyText = fc.oneof(jsonText, damaged(jsonText), fc.string({ unit: 'binary' }));

/** Returns the value, or the class of the error. */
function outcome(parse: () => unknown): unknown {
  try {
    return { value: parse() };
  } catch (error) {
    return (error as Error).constructor.name;
  }
}

/** The number -0 is printed as 0, by JSON.stringify as well. */
const unsigned = (_name: string, value: unknown): unknown => (value === 0 ? 0 : value);

test(
  'a text is valid exactly where JSON.parse accepts it, and its numbers round to the same doubles',
  unhurried,
  () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const read = outcome(() => JSON.parse(printJson(parseJson(text)), unsigned));
        expect(read).toEqual(outcome(() => JSON.parse(text, unsigned)));
      }),
      fuzz(4_000),
    );
  },
);

test('a large text has the value, or the error class, that parseJson gives it', unhurried, async () => {
  await fc.assert(
    fc.asyncProperty(anyText, async (text) => {
      const large = await parseLargeJson(text).then(
        (value) => ({ value }),
        (error: Error) => error.constructor.name,
      );
      expect(large).toEqual(outcome(() => parseJson(text)));
    }),
    fuzz(4_000),
  );
});

test('a printed value is parsed to a value that is printed alike', unhurried, () => {
  fc.assert(
    fc.property(jsonText, (text) => {
      const printed = printJson(parseJson(text));
      expect(printJson(parseJson(printed))).toBe(printed);
    }),
    fuzz(3_000),
  );
});

/** The numbers of a JSON text, without those in strings. */
function numbersIn(text: string): readonly string[] {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"/gs, '""').match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g) ?? [];
}

test('a number that a double cannot represent is found wherever it is in the text', unhurried, () => {
  fc.assert(
    fc.property(jsonText, (text) => {
      expect(hasExactNumber(text)).toBe(numbersIn(text).some((number) => !isSafeNumber(number)));
    }),
    fuzz(6_000),
  );
});
