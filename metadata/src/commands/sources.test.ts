import { describe, expect, test } from 'vitest';
import { exportMetadata } from '../document/export.ts';
import { Metadata } from '../metadata.ts';
import { runEdit } from './edit/command.ts';
import { addSource, dropSource, renameSource, setSourceCustomization, updateSource } from './sources.ts';

const to = (source: string) => ({
  name: 'books',
  definition: {
    to_source: { source, table: 'book', relationship_type: 'array', field_mapping: { id: 'author_id' } },
  },
});

const metadata = Metadata.parse({
  version: 3,
  sources: [
    { name: 'default', tables: [{ table: 'author', remote_relationships: [to('shop')] }] },
    { name: 'shop', configuration: { connection_info: { database_url: { from_env: 'SHOP' } } } },
  ],
  custom_types: {
    objects: [
      {
        name: 'Found',
        fields: [{ name: 'id', type: 'Int!' }],
        relationships: [{ name: 'author', type: 'object', remote_table: 'author', field_mapping: { id: 'id' } }],
      },
    ],
  },
});

const configuration = { connection_info: { database_url: 'postgres://there' } };

describe('sources', () => {
  test('are added without tables', () => {
    const { sources } = runEdit(addSource, { name: 'new', configuration }, metadata);
    expect(sources.at(-1)).toEqual({ name: 'new', kind: 'postgres', tables: [], configuration });
  });

  test('preserve their tables when their settings are replaced', () => {
    const args = { name: 'default', configuration, replace_configuration: true };
    const [source] = runEdit(addSource, args, metadata).sources;
    expect(source).toMatchObject({ configuration, tables: [{ table: { name: 'author' } }] });
  });

  test('lose their customization when their settings are replaced without one', () => {
    const customization = { root_fields: { namespace: 'shop' } };
    const named = runEdit(updateSource, { name: 'default', customization }, metadata);
    const args = { name: 'default', configuration, replace_configuration: true };
    expect(runEdit(addSource, args, named).sources[0]).not.toHaveProperty('customization');
    expect(runEdit(addSource, { ...args, customization }, metadata).sources[0]).toMatchObject({ customization });
  });

  test('update only the given settings', () => {
    const customization = { root_fields: { namespace: 'shop' } };
    const named = runEdit(updateSource, { name: 'shop', customization }, metadata);
    expect(named.sources[1]).toMatchObject({ ...metadata.sources[1], customization });
    const moved = runEdit(updateSource, { name: 'shop', configuration }, named);
    expect(moved.sources[1]).toMatchObject({ configuration, customization });
    const plain = runEdit(setSourceCustomization, { source: 'shop' }, moved);
    expect(plain.sources[1]).not.toHaveProperty('customization');
  });

  test('are renamed with all references to them', () => {
    const renamed = runEdit(renameSource, { name: 'shop', new_name: 'store' }, metadata);
    expect(renamed.sources.map(({ name }) => name)).toEqual(['default', 'store']);
    expect(renamed.sources[0]?.tables[0]?.remote_relationships).toMatchObject(
      [to('store')].map(({ name }) => ({ name })),
    );
    expect(JSON.stringify(renamed)).not.toContain('"shop"');
    const home = runEdit(renameSource, { name: 'default', new_name: 'home' }, metadata);
    expect(home.custom_types?.objects?.[0]?.relationships?.[0]).toMatchObject({ source: 'home' });
  });

  test.each(['shop', 'default'])('are renamed in the targets of triggers: %s', (name) => {
    const target = { function: { ...(name !== 'default' && { source: name }), function: 'note' } };
    const [author, ...tables] = metadata.sources[0]?.tables ?? [];
    const triggers = [{ name: 'changed', definition: { enable_manual: true }, target }];
    const whole = Metadata.parse({
      ...metadata,
      sources: [
        { ...metadata.sources[0], tables: [{ ...author, event_triggers: triggers }, ...tables] },
        metadata.sources[1],
      ],
      cron_triggers: [
        { name: 'nightly', schedule: '0 0 * * *', include_in_metadata: true, target },
        {
          name: 'other',
          schedule: '0 0 * * *',
          include_in_metadata: true,
          target: { function: { source: 'x', function: 'f' } },
        },
      ],
    });
    const renamed = runEdit(renameSource, { name, new_name: 'store' }, whole);
    const found = [...(renamed.sources[0]?.tables[0]?.event_triggers ?? []), ...(renamed.cron_triggers ?? [])];
    expect(found.map((one) => one.target?.function?.source)).toEqual(['store', 'store', 'x']);
  });

  test.each([
    [addSource, { name: 'shop', configuration }, 'already-exists', '$.name'],
    [addSource, { name: 'new' }, 'parse-failed', '$.configuration'],
    [updateSource, { name: 'none' }, 'not-exists', '$.name'],
    [dropSource, { name: 'none' }, 'not-exists', '$.name'],
    [renameSource, { name: 'none', new_name: 'other' }, 'not-exists', '$.name'],
    [renameSource, { name: 'shop', new_name: 'default' }, 'already-exists', '$.new_name'],
  ] as const)('are rejected with the path of the error (%#)', (command, args, code, path) => {
    expect(() => runEdit(command, args, metadata)).toThrow(expect.objectContaining({ code, path }));
  });

  test('of an unsupported kind are exported unchanged', () => {
    const foreign = {
      name: 'far',
      kind: 'mssql',
      tables: [{ table: { schema: 'dbo', name: 't' }, x: 1 }],
      customization: {},
    };
    const read = Metadata.parse({ version: 3, sources: [foreign] });
    expect(read.sources[0]?.tables).toEqual([]);
    expect(exportMetadata(read).sources).toEqual([foreign]);
  });

  test('of a supported kind are validated, with the path of the error', () => {
    const written = { version: 3, sources: [{ name: 'a', tables: [{ table: 't', is_enum: 'yes' }] }] };
    expect(Metadata.safeParse(written).error?.issues[0]?.path).toEqual(['sources', 0, 'tables', 0, 'is_enum']);
  });
});
