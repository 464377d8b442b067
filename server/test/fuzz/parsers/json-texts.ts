/** Generators of JSON texts with every kind of number, string and space, and of damaged texts. */
import fc from 'fast-check';

const digit = fc.constantFrom(...'0123456789');
const digits = (most: number) => fc.string({ unit: digit, minLength: 1, maxLength: most });
const integer = fc.oneof(
  fc.constantFrom('0', '9007199254740993', '12345678901234567', '1000000000000000000000'),
  digits(40).map((text) => text.replace(/^0+(?=.)/, '')),
);
const optional = (text: fc.Arbitrary<string>) => fc.oneof(fc.constant(''), text);

/** A JSON number as text, often with more digits than a double has. */
export const numberText = fc
  .tuple(
    fc.constantFrom('', '-'),
    integer,
    optional(digits(25).map((text) => `.${text}`)),
    optional(
      fc.tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), digits(3)).map((parts) => parts.join('')),
    ),
  )
  .map((parts) => parts.join(''));

const escapedCharacter = fc.oneof(
  fc.constantFrom('\\"', '\\\\', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t'),
  fc
    .string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), minLength: 4, maxLength: 4 })
    .map((hex) => `\\u${hex}`),
);
const plain = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }).map((text) => JSON.stringify(text).slice(1, -1)),
  fc.constantFrom('1e400', '12345678901234567890', '}', ']', ',', ':', '{{', '__proto__', '\u2028'),
  numberText,
);
const stringText = fc.array(fc.oneof(plain, escapedCharacter), { maxLength: 5 }).map((parts) => `"${parts.join('')}"`);
const name = fc.oneof(stringText, fc.constantFrom('"a"', '"b"', '"__proto__"', '"constructor"'));
const space = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  fc.string({ unit: fc.constantFrom(...' \t\r\n'), maxLength: 3 }),
);

/** A JSON text. Members may have the same name. */
export const jsonText: fc.Arbitrary<string> = fc.letrec<{
  value: string;
  list: string;
  object: string;
  member: string;
}>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('true', 'false', 'null'),
    numberText,
    stringText,
    tie('list'),
    tie('object'),
  ),
  list: fc
    .tuple(space, fc.array(tie('value'), { maxLength: 5 }))
    .map(([gap, items]) => `[${gap}${items.join(`${gap},${gap}`)}]`),
  member: fc.tuple(name, space, tie('value')).map(([key, gap, value]) => `${key}${gap}:${gap}${value}`),
  object: fc
    .tuple(space, fc.array(tie('member'), { maxLength: 5 }))
    .map(([gap, members]) => `{${gap}${members.join(`,${gap}`)}${gap}}`),
})).value;

/** Texts of `from` with characters that are removed, repeated, inserted or exchanged. */
export function damaged(
  from: fc.Arbitrary<string>,
  inserted = '"\\{}[]:,-+.0eE \n\u0000\u00a0tn\'$',
): fc.Arbitrary<string> {
  const change = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    kind: fc.constantFrom('remove', 'repeat', 'insert', 'cut'),
    text: fc.constantFrom(...inserted),
  });
  return fc.tuple(from, fc.array(change, { minLength: 1, maxLength: 3 })).map(([whole, changes]) =>
    changes.reduce((text, { at, kind, text: other }) => {
      const start = Math.floor(at * text.length);
      const end = Math.min(text.length, start + 1 + (start % 4));
      if (kind === 'remove') return text.slice(0, start) + text.slice(end);
      if (kind === 'repeat') return text.slice(0, end) + text.slice(start);
      return kind === 'insert' ? text.slice(0, start) + other + text.slice(start) : text.slice(0, start);
    }, whole),
  );
}
