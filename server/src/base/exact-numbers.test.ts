import { isSafeNumber, parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { hasExactNumber } from './exact-numbers.ts';
import { parseJson, printJson } from './json-value.ts';

describe('hasExactNumber', () => {
  it.each([
    '12345678901234567890',
    '-9007199254740993',
    '[1, 0.12345678901234567]',
    '{"a":1e400}',
    '{"a":1E-400 }',
    '{"a":"text","b":[{"c":1e16}]}',
    '{"a\\"":"\\\\","b":12345678901234567890}',
    `["${'x'.repeat(100)}",9007199254740993]`,
  ])('finds the number in %s', (text) => {
    expect(hasExactNumber(text)).toBe(true);
  });

  it.each([
    '99.90',
    '[1, 0.1, 1e3, 12.50, 9007199254740991]',
    '1.0000000000000000000',
    '{"card":"1234567890123456"}',
    '{"a":"12345678901234567890,","b":"1e400,"}',
    '{"12345678901234567890":1}',
    '["a \\" 12345678901234567890", "\\\\"]',
    '"1e400"',
    '[0,"2026.11.23.11.22.33.444.55"]',
  ])('finds none in %s', (text) => {
    expect(hasExactNumber(text)).toBe(false);
  });

  it('finds a number of sixteen digits at any position', () => {
    for (let before = 0; before < 40; before += 1) {
      expect(hasExactNumber(`["${'x'.repeat(before)}",9007199254740993]`)).toBe(true);
      expect(hasExactNumber(`["${'x'.repeat(before)}","9007199254740993"]`)).toBe(false);
    }
  });

  it('agrees with a parser of all numbers on random texts', () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const digits = (): string => Array.from({ length: 1 + random(20) }, () => String(1 + random(9))).join('');
    const number = (): string => {
      const fraction = random(2) === 0 ? '' : `.${digits()}`;
      const power = random(4) === 0 ? `${'eE'[random(2)]}${['', '+', '-'][random(3)]}${random(500)}` : '';
      return `${random(2) === 0 ? '' : '-'}${digits()}${fraction}${power}`;
    };
    const text = (): string =>
      JSON.stringify(`${'\\" \n'.slice(0, random(5))}${number()}${[',', ']', '"', ''][random(4)]}`);
    const value = (depth: number): string => {
      const kind = random(depth > 3 ? 4 : 6);
      const members = kind < 4 ? [] : Array.from({ length: random(5) }, () => value(depth + 1));
      if (kind === 5) return `{${members.map((member) => `${text()}: ${member}`).join(',')}}`;
      if (kind === 4) return `[${members.join(', ')}]`;
      return kind === 3 && random(3) === 0 ? number() : text();
    };
    for (let round = 0; round < 2_000; round += 1) {
      const written = value(0);
      let isExact = false;
      parse(written, undefined, {
        parseNumber: (found) => {
          isExact ||= !isSafeNumber(found);
          return 0;
        },
        onDuplicateKey: ({ newValue }) => newValue,
      });
      expect(hasExactNumber(written), written).toBe(isExact);
    }
  });
});

it('numbers keep their digits, as numbers and within strings', () => {
  const text = '{"a":12345678901234567890,"b":1e400,"c":"99.90","d":"12345678901234567890","e":"1e400"}';
  expect(printJson(parseJson(text))).toBe(text);
});
