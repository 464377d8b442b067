import { describe, expect, test } from 'vitest';
import { endedOnly } from './snapshot.ts';

describe('between two snapshots, only known transactions have ended', () => {
  test.each([
    ['none ended', '10:10:', '10:10:', [], true],
    ['one known', '10:10:', '11:11:', [10], true],
    ['one unknown', '10:10:', '11:11:', [9, 11], false],
    ['one of two unknown', '10:10:', '12:12:', [10], false],
    ['a known one while another is running', '10:12:10', '10:13:10', [12], true],
    ['a running one that is unknown', '10:12:10', '12:12:', [12], false],
    ['a running one that is known', '10:12:10', '12:12:', [10], true],
    ['one that began later and is running', '10:10:', '10:12:10', [11], true],
    ['ids above 32 bits', '8589934600:8589934600:', '8589934601:8589934601:', [8], true],
    ['too many', '10:10:', '1000:1000:', [], false],
    ['a position of the log', '0/10', '0/20', [], false],
  ] as const)('%s', (_what, earlier, later, known, expected) => {
    expect(endedOnly(new Set(known), earlier, later)).toBe(expected);
  });
});
