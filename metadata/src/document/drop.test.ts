import { expect, test } from 'vitest';
import { Metadata } from '../metadata.ts';
import { dropObjects } from './drop.ts';
import { exportMetadata } from './export.ts';

const relationship = (name: string) => ({ name, using: { foreign_key_constraint_on: 'a_id' } });
const metadata = Metadata.parse({
  version: 3,
  sources: [
    {
      name: 'default',
      tables: [
        {
          table: 'a',
          object_relationships: [relationship('one'), relationship('two'), relationship('three')],
          configuration: { column_config: { 'odd.name': { custom_name: 'odd' }, plain: { custom_name: 'simple' } } },
        },
        { table: 'b' },
      ],
    },
    { name: 'other' },
  ],
  actions: [{ name: 'go', definition: { handler: 'http://a', output_type: 'A' }, permissions: [{ role: 'user' }] }],
  custom_types: {
    objects: [
      {
        name: 'A',
        fields: [{ name: 'id', type: 'Int' }],
        relationships: [{ name: 'b', type: 'object', remote_table: 'b', field_mapping: { id: 'id' } }],
      },
    ],
  },
});

function dropped(...paths: string[]): Metadata {
  return dropObjects(metadata, paths).metadata;
}

test('drops several elements of one list, each once', () => {
  const list = '$.sources[0].tables[0].object_relationships';
  const result = dropObjects(metadata, [`${list}[0]`, `${list}[2]`, `${list}[2].using`]);
  expect(result.metadata.sources[0]?.tables[0]?.object_relationships).toMatchObject([{ name: 'two' }]);
  expect(result.dropped).toBe(2);
});

test('drops an object with its parts', () => {
  const result = dropped('$.sources[0].tables[0].object_relationships[1]', '$.sources[0].tables[0]');
  expect(result.sources[0]?.tables).toMatchObject([{ table: { name: 'b' } }]);
});

test('drops a relationship of a custom type alone, and a type for an error in one of its fields', () => {
  expect(dropped('$.custom_types.objects[0].relationships[0].field_mapping').custom_types?.objects).toMatchObject([
    { name: 'A', relationships: [] },
  ]);
  expect(dropped('$.custom_types.objects[0].fields[0].type').custom_types?.objects).toEqual([]);
});

test('drops the entry of a type of a remote schema with its last relationship', () => {
  const type = (type_name: string, ...names: readonly string[]) => ({
    type_name,
    relationships: names.map((name) => ({
      name,
      definition: {
        to_source: {
          source: 'default',
          table: { name: 'a', schema: 'public' },
          relationship_type: 'object',
          field_mapping: { id: 'id' },
        },
      },
    })),
  });
  const remote = {
    name: 'books',
    definition: { url: 'http://books' },
    remote_relationships: [type('Book', 'one'), type('Shop', 'one', 'two')],
  };
  const joined = Metadata.parse({ version: 3, sources: [], remote_schemas: [remote] });
  const types = '$.remote_schemas[0].remote_relationships';
  const { metadata: rest } = dropObjects(joined, [`${types}[0].relationships[0]`, `${types}[1].relationships[1]`]);
  expect(exportMetadata(rest).remote_schemas).toMatchObject([{ remote_relationships: [type('Shop', 'one')] }]);
});

test('drops the configuration of one column with any name', () => {
  const result = dropped('$.sources[0].tables[0].configuration.column_config.odd.name');
  expect(result.sources[0]?.tables[0]?.configuration).toEqual({ column_config: { plain: { custom_name: 'simple' } } });
});

test('drops an action, or one of its permissions', () => {
  expect(dropped('$.actions[0].permissions[0]').actions).toMatchObject([{ name: 'go', permissions: [] }]);
  expect(dropped('$.actions[0].definition.output_type').actions).toEqual([]);
});

test('drops a source, but never the default source', () => {
  expect(dropped('$.sources[1]').sources).toHaveLength(1);
  expect(dropObjects(metadata, ['$.sources[0]', '$.version'])).toEqual({ metadata, dropped: 0 });
});

test('does not change its input', () => {
  const before = JSON.stringify(exportMetadata(metadata));
  dropped('$.sources[0].tables[0]', '$.actions[0]');
  expect(JSON.stringify(exportMetadata(metadata))).toBe(before);
});
