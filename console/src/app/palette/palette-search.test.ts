import { describe, expect, test } from 'vitest';
import { commandEntries, metadataEntries, pageEntries, settingEntries } from './palette-entries.ts';
import { searchPalette, withRecent } from './palette-search.ts';

const table = (name: string, schema = 'public') => ({ table: { schema, name } });

const entries = [
  ...pageEntries(),
  ...commandEntries('default'),
  ...settingEntries(['JOINERY_POOL_SIZE']),
  ...metadataEntries({
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        configuration: { connection_info: { database_url: 'postgres://x' } },
        tables: [
          { ...table('customer'), event_triggers: [{ name: 'welcome', definition: {}, webhook: 'http://x' }] },
          table('customer_order'),
          table('shelf', 'depot'),
        ],
      },
    ],
    actions: [{ name: 'placeOrder', definition: { handler: 'http://x', output_type: 'Placed' } }],
    remote_schemas: [{ name: 'weather', definition: { url: 'http://x' } }],
    cron_triggers: [{ name: 'nightly', webhook: 'http://x', schedule: '0 2 * * *', include_in_metadata: true }],
  }),
];
const first = (text: string) => searchPalette(entries, text, [])[0]?.entries[0];
const labels = (text: string) =>
  searchPalette(entries, text, []).flatMap((group) => group.entries.map((one) => one.label));

describe('a search finds', () => {
  test.each([
    ['customer', 'customer', 'Table'],
    ['cuord', 'customer_order', 'Table'],
    ['depot.sh', 'depot.shelf', 'Table'],
    ['placeo', 'placeOrder', 'Action'],
    ['welcome', 'welcome', 'Event trigger'],
    ['nightly', 'nightly', 'Cron trigger'],
    ['weather', 'weather', 'Remote schema'],
    ['pool size', 'JOINERY_POOL_SIZE', 'Setting'],
    ['new cron', 'Create a cron trigger', 'Command'],
  ])('%s', (text, label, kind) => {
    expect(first(text)).toMatchObject({ label, kind });
  });

  test('a tab of a table that the text names', () => {
    expect(labels('customer')).not.toContain('customer: permissions');
    expect(first('customer perm')).toMatchObject({ label: 'customer: permissions' });
  });

  test('nothing for a text that matches nothing', () => {
    expect(searchPalette(entries, 'qqqqq', [])).toEqual([]);
  });
});

test('of equal matches the recent one is first', () => {
  const [known] = entries.filter(({ label }) => label === 'customer_order');
  expect(searchPalette(entries, 'customer_', [known?.id ?? ''])[0]?.entries[0]).toBe(known);
});

test('without text the recent entries are first, then commands and pages', () => {
  const [action] = entries.filter(({ kind }) => kind === 'Action');
  const groups = searchPalette(entries, ' ', [action?.id ?? '', 'an entry that was removed']);
  expect(groups.map(({ title }) => title)).toEqual(['Recent', 'Commands', 'Pages']);
  expect(groups[0]?.entries).toEqual([action]);
});

test('an opened entry becomes the latest of at most eight recent ones', () => {
  expect(withRecent(['a', 'b'], 'b')).toEqual(['b', 'a']);
  expect(withRecent(['1', '2', '3', '4', '5', '6', '7', '8'], '9')).toHaveLength(8);
});
