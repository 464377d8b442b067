import { expect, test } from 'vitest';
import { exportMetadata } from '../../document/export.ts';
import { Metadata } from '../../metadata.ts';
import { DEFAULT_SOURCE } from '../../names.ts';
import { renameTable } from './table.ts';

/** Returns metadata with table `a` in every place of a table name, and table `b`. */
function metadata(a: string, b: string): Metadata {
  const mapping = { column_mapping: { id: 'id' } };
  return Metadata.parse({
    version: 3,
    sources: [
      {
        name: 'default',
        tables: [
          {
            table: { schema: 'shop', name: a },
            array_relationships: [
              { name: 'bs', using: { foreign_key_constraint_on: { table: { schema: 'shop', name: b }, column: 'x' } } },
            ],
          },
          {
            table: { schema: 'shop', name: b },
            object_relationships: [
              { name: 'a', using: { manual_configuration: { remote_table: { schema: 'shop', name: a }, ...mapping } } },
            ],
            select_permissions: [
              {
                role: 'user',
                permission: {
                  columns: '*',
                  filter: { _exists: { _table: { schema: 'shop', name: a }, _where: { id: { _eq: 1 } } } },
                },
              },
            ],
          },
        ],
        native_queries: [
          {
            root_field_name: 'q',
            code: 'select 1 as id',
            returns: 'm',
            array_relationships: [{ name: 'as', using: { remote_table: { schema: 'shop', name: a }, ...mapping } }],
            object_relationships: [{ name: 'q', using: { remote_native_query: 'q', ...mapping } }],
          },
        ],
        logical_models: [
          {
            name: 'm',
            fields: [{ name: 'id', type: 'integer' }],
            select_permissions: [
              {
                role: 'user',
                permission: {
                  columns: '*',
                  filter: { _not: { _exists: { _table: { schema: 'shop', name: a }, _where: { id: { _eq: 1 } } } } },
                },
              },
            ],
          },
        ],
      },
      {
        name: 'other',
        tables: [
          {
            table: { schema: 'shop', name: 'a' },
            remote_relationships: [
              {
                name: 'far',
                definition: {
                  to_source: {
                    source: 'default',
                    table: { schema: 'shop', name: a },
                    relationship_type: 'object',
                    field_mapping: { id: 'id' },
                  },
                },
              },
            ],
          },
        ],
      },
    ],
    custom_types: {
      objects: [
        {
          name: 'Result',
          fields: [{ name: 'id', type: 'Int' }],
          relationships: [
            { name: 'a', type: 'object', remote_table: { schema: 'shop', name: a }, field_mapping: { id: 'id' } },
          ],
        },
      ],
    },
  });
}

const shop = (name: string) => ({ schema: 'shop', name });

test('renames every reference to the table, and no reference to the table of another source', () => {
  const renamed = renameTable(metadata('a', 'b'), DEFAULT_SOURCE, [{ from: shop('a'), to: shop('c') }]);
  expect(exportMetadata(renamed)).toEqual(exportMetadata(metadata('c', 'b')));
});

test('two tables can exchange their names', () => {
  const renames = [
    { from: shop('a'), to: shop('b') },
    { from: shop('b'), to: shop('a') },
  ];
  const renamed = renameTable(metadata('a', 'b'), DEFAULT_SOURCE, renames);
  expect(exportMetadata(renamed)).toEqual(exportMetadata(metadata('b', 'a')));
});
