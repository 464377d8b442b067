import type { SourceName } from '@joinery/metadata/names';
import { describe, expect, test } from 'vitest';
import { Positions, positionsOf, readConsistencyOf } from './read-consistency.ts';
import { includes, type WalPosition } from './wal-position.ts';

const shop = 'shop' as SourceName;
const other = 'other' as SourceName;
const at = (lsn: bigint, timeline = 1): WalPosition => ({ cluster: '01234567', timeline, lsn });
const none = new Positions([]);
const wantedIn = (header: string, source = shop) =>
  positionsOf({ 'joinery-position': header })?.wanted(source, [shop, other]);
const printed = (position: WalPosition | undefined, source = shop) => none.print(new Map([[source, position]]));

test('a position survives the header', () => {
  expect(wantedIn(printed(at(2n ** 63n, 7)))).toMatchObject(at(2n ** 63n, 7));
});

test('"new" has no position', () => {
  expect(wantedIn('new')).toBeUndefined();
});

test('a position applies to its source only', () => {
  expect(wantedIn(printed(at(5n)), other)).toBeUndefined();
});

test('the later of two positions of a source counts', () => {
  expect(wantedIn(`${printed(at(9n))}, ${printed(at(5n))}`)).toMatchObject(at(9n));
});

test('the position of the later timeline counts', () => {
  expect(wantedIn(`${printed(at(5n, 2))},${printed(at(9n, 1))}`)).toMatchObject(at(5n, 2));
});

test('a position of a source that does not exist makes others read the primary', () => {
  expect(wantedIn(printed(at(5n), 'renamed' as SourceName))).toBe('primary');
});

test('no standby includes a position that could not be read', () => {
  const wanted = wantedIn(printed(undefined)) as WalPosition;
  expect(includes(at(2n ** 63n), wanted)).toBe(false);
});

test('no standby on an earlier timeline includes a position', () => {
  expect(includes(at(9n, 1), at(5n, 2))).toBe(false);
});

describe('the header', () => {
  test.each([
    ['', 'is empty'],
    ['0/16B3748', 'is a position of PostgreSQL'],
    [`${printed(at(1n))}=`, 'has another length'],
    [`${printed(at(1n)).slice(0, -1)}/`, 'has other characters'],
    [`${printed(at(1n)).slice(0, -1)}B`, 'has bits that no position has'],
    [`new,`, 'ends with a comma'],
    [Array(101).fill('new').join(','), 'has more than 100 entries'],
  ])('%j is rejected, because it %s', (header) => {
    expect(() => readConsistencyOf({ 'joinery-position': header })).toThrow(/must be "new", or the value/);
  });
});
