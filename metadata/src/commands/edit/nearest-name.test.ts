import { expect, test } from 'vitest';
import { commands } from '../registry.ts';
import { nearestName } from './nearest-name.ts';

test.each([
  ['track_tabel', 'track_table'],
  ['pg_track_tabl', 'pg_track_table'],
  ['create_acton', 'create_action'],
  ['something_else', undefined],
  ['', undefined],
])('the nearest name to %s is %s', (name, meant) => {
  expect(nearestName(name, commands.keys())).toBe(meant);
});
