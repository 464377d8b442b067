import { expect, test } from 'vitest';
import { canChangeMetadata, createMetadataWatch } from './metadata-watch.ts';

test('own changes are not external changes', () => {
  const watch = createMetadataWatch();
  expect(watch.saw(7)).toBe(false);
  expect(watch.saw(7)).toBe(false);
  watch.changedHere();
  watch.changedHere();
  expect(watch.saw(9)).toBe(false);
  expect(watch.saw(10)).toBe(true);
  expect(watch.version()).toBe(10);
});

test('detects an external change beside an own change', () => {
  const watch = createMetadataWatch();
  watch.saw(1);
  watch.changedHere();
  expect(watch.saw(3)).toBe(true);
});

test('a version that was read before an own change completed is not an external change', () => {
  const watch = createMetadataWatch();
  watch.saw(1);
  watch.changedHere();
  expect(watch.saw(1)).toBe(false);
  expect(watch.saw(2)).toBe(false);
});

test.each([
  ['pg_track_table', true],
  ['bulk', true],
  ['replace_metadata', true],
  ['replace_metadata', false, '{"metadata":{},"dry_run":true}'],
  ['create_cron_trigger', true],
  ['get_nodes', false],
  ['export_metadata', false],
  ['create_scheduled_event', false],
  ['pg_get_table_info', false],
])('%s may change the metadata: %s', (type, may, args = '{}') => {
  expect(canChangeMetadata(type, args)).toBe(may);
});
