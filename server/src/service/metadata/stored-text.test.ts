import { exportMetadata } from '@joinery/metadata/document/export';
import { sortMetadata } from '@joinery/metadata/document/sort';
import { Metadata } from '@joinery/metadata/metadata';
import { expect, test } from 'vitest';
import { printJson } from '../../base/json-value.ts';
import { storedText } from './stored-text.ts';

const table = (name: string) => ({
  table: { schema: 'public', name },
  object_relationships: [
    { name: 'b', using: { foreign_key_constraint_on: 'b_id' } },
    { name: 'a', using: { foreign_key_constraint_on: ['a_id', 'id'] } },
  ],
  select_permissions: [{ role: 'user', permission: { columns: '*', filter: { name: { _eq: 'é"\u2028' } } } }],
});

const metadata = Metadata.parse({
  version: 3,
  sources: [
    { name: 'default', kind: 'postgres', configuration: { connection_info: {} }, tables: [table('two'), table('one')] },
  ],
  actions: [
    {
      name: 'act',
      definition: { kind: 'synchronous', handler: 'http://127.0.0.1:1', output_type: 'Int', timeout: 30 },
    },
  ],
});

test('the stored text is that of the export', async () => {
  expect(await storedText(metadata)).toBe(printJson(exportMetadata(metadata)));
});

test('the stored text follows a change of a table, and of a table of the same name', async () => {
  await storedText(metadata);
  const [source] = metadata.sources;
  const [first, second] = source?.tables ?? [];
  if (source === undefined || first === undefined || second === undefined) throw new Error('expected two tables');
  const edited = { ...metadata, sources: [{ ...source, tables: [{ ...first, select_permissions: [] }, second] }] };
  expect(await storedText(edited)).toBe(printJson(exportMetadata(edited)));
  expect(await storedText(edited)).not.toBe(await storedText(metadata));
});

test('sorting returns the same object for a table that was sorted before', () => {
  const once = sortMetadata(metadata);
  const twice = sortMetadata({ ...once });
  expect(twice.sources[0]?.tables[0]).toBe(once.sources[0]?.tables[0]);
  expect(once.sources[0]?.tables.map((one) => one.table.name)).toEqual(['one', 'two']);
  expect(once.sources[0]?.tables[0]?.object_relationships?.map(({ name }) => name)).toEqual(['a', 'b']);
});
