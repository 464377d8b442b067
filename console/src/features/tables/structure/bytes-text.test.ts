import { expect, test } from 'vitest';
import { bytesText } from './bytes-text.ts';

test.each([
  [0, '0 bytes'],
  [8_192, '8 kB'],
  [1_500_000, '1.4 MB'],
  [20_000_000_000, '19 GB'],
])('writes %i bytes as %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});
