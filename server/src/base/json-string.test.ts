import { expect, test } from 'vitest';
import { endOfString } from './json-string.ts';

test.each(['', 'a', '"', '\\', '\\"', 'ends in \\', '\\\\"\\', '"quoted" \\\\'])(
  'the end of %j is after its closing quote',
  (value) => {
    const string = JSON.stringify(value);
    expect(endOfString(`[1,${string},"x"]`, 3)).toBe(3 + string.length);
  },
);
