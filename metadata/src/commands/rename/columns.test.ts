import { expect, test } from 'vitest';
import { exportMetadata } from '../../document/export.ts';
import { Metadata } from '../../metadata.ts';
import { DEFAULT_SOURCE } from '../../names.ts';
import { renameColumns } from './columns.ts';

/** Columns of table `a`, and one of table `b`. */
interface Names {
  readonly id: string;
  readonly name: string;
  readonly key: string;
}

const shop = (name: string) => ({ schema: 'shop', name });

/** Returns metadata with columns `id` and `name` of table `a` and column `key` of table `b` in every place of a column name. */
function metadata({ id, name, key }: Names): Metadata {
  const remoteField = {
    find: {
      arguments: { by: `$${id}`, deep: { list: [`$${name}`, 'name', '$other'] } },
      field: { more: { arguments: { name: `$${name}` } } },
    },
  };
  const toA = {
    to_source: { source: 'default', table: shop('a'), relationship_type: 'object', field_mapping: { id, name } },
  };
  const rule = {
    _and: [{ [name]: { _eq: 'name' } }, { $or: [{ _not: { [id]: { _gt: 1, _ceq: name } } }] }],
    [id]: { _cgt: ['$', name], $cne: ['b', key], _clt: ['$', 'b', key], _in: ['name'] },
    b: { [key]: { _is_null: false }, id: { _cne: ['$', id] } },
    bs_aggregate: {
      count: { arguments: [key, 'id'], filter: { [key]: { _eq: 1 } }, predicate: { _eq: 1 } },
      corr: { arguments: { X: key, Y: 'name' }, predicate: { _eq: 1 } },
      sum: { arguments: key, predicate: { _eq: 1 } },
    },
    _exists: { _table: shop('b'), _where: { [key]: { _eq: 'X-Service-Id', _ceq: ['$', id] }, name: { _eq: 1 } } },
    computed: { [key]: { _eq: 1 } },
  };
  return Metadata.parse({
    version: 3,
    sources: [
      {
        name: 'default',
        tables: [
          {
            table: shop('a'),
            configuration: {
              column_config: { [name]: { custom_name: 'title' }, other: { custom_name: 'more' } },
              custom_column_names: { [id]: 'number' },
            },
            object_relationships: [
              {
                name: 'b',
                using: { manual_configuration: { remote_table: shop('b'), column_mapping: { [id]: key } } },
              },
              { name: 'own', using: { foreign_key_constraint_on: name } },
              { name: 'two', using: { foreign_key_constraint_on: [id, name] } },
            ],
            array_relationships: [
              { name: 'bs', using: { foreign_key_constraint_on: { table: shop('b'), column: key } } },
              { name: 'pairs', using: { foreign_key_constraint_on: { table: shop('b'), columns: [key, 'id'] } } },
            ],
            computed_fields: [{ name: 'computed', definition: { function: shop('f') } }],
            remote_relationships: [
              { name: 'old', hasura_fields: [id, name], remote_schema: 'r', remote_field: remoteField },
              {
                name: 'remote',
                definition: {
                  to_remote_schema: { remote_schema: 'r', lhs_fields: [id, name], remote_field: remoteField },
                },
              },
              { name: 'action', definition: { to_action: { action: 'act', arguments: { a: `$${name}`, b: ['$z'] } } } },
              {
                name: 'rows',
                definition: {
                  to_source: {
                    source: 'other',
                    table: shop('a'),
                    relationship_type: 'object',
                    field_mapping: { [name]: 'name', computed: 'id' },
                  },
                },
              },
              {
                name: 'called',
                definition: {
                  to_source: {
                    source: 'other',
                    function: shop('f'),
                    relationship_type: 'array',
                    field_mapping: { [id]: 'id' },
                  },
                },
              },
            ],
            select_permissions: [
              { role: 'user', permission: { columns: [id, name, 'other'], filter: rule } },
              { role: 'all', permission: { columns: '*', filter: {} } },
            ],
            insert_permissions: [
              {
                role: 'user',
                permission: { columns: [id], check: rule, set: { [name]: 'name', other: 'X-Service-Id' } },
              },
            ],
            update_permissions: [
              { role: 'user', permission: { columns: [name], filter: rule, check: rule, set: { [id]: 1 } } },
            ],
            delete_permissions: [{ role: 'user', permission: { filter: rule } }],
            event_triggers: [
              {
                name: 'changed',
                definition: {
                  enable_manual: false,
                  insert: { columns: '*' },
                  update: { columns: [name], payload: [id, 'other'] },
                },
                retry_conf: { num_retries: 0, interval_sec: 10, timeout_sec: 60 },
                webhook: 'http://name',
                when: {
                  _or: [
                    { new: { [name]: { _eq: 'name', _cne: ['$', 'old', name] }, _not: { [id]: { _ceq: name } } } },
                    { _not: { old: { other: { _ceq: [id] } } } },
                  ],
                },
                ordering_key: [id, 'other'],
                debounce: { key: [name], window_ms: 1 },
              },
            ],
          },
          { table: shop('b') },
        ],
        native_queries: [
          {
            root_field_name: 'q',
            code: 'select 1 as id',
            returns: 'm',
            object_relationships: [{ name: 'a', using: { remote_table: shop('a'), column_mapping: { id, name } } }],
            array_relationships: [{ name: 'q', using: { remote_native_query: 'q', column_mapping: { id: 'id' } } }],
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
                  columns: ['id'],
                  filter: {
                    id: { _ceq: 'name' },
                    _exists: { _table: shop('b'), _where: { [key]: { _ceq: ['$', 'id'] } } },
                  },
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
            table: shop('a'),
            configuration: { column_config: { name: { custom_name: 'title' } } },
            remote_relationships: [{ name: 'far', definition: toA }],
          },
        ],
      },
    ],
    remote_schemas: [
      {
        name: 'r',
        definition: { url: 'http://127.0.0.1/' },
        remote_relationships: [{ type_name: 'T', relationships: [{ name: 'a', definition: toA }] }],
      },
    ],
    custom_types: {
      objects: [
        {
          name: 'Result',
          fields: [{ name: 'name', type: 'Int' }],
          relationships: [
            { name: 'a', type: 'object', remote_table: shop('a'), field_mapping: { name } },
            { name: 'rows', definition: { to_source: { ...toA.to_source, field_mapping: { name } } } },
          ],
        },
      ],
    },
  });
}

const around = {
  mutates: () => false,
  relationshipTarget: (_s: string, _t: unknown, name: string) => (name === 'computed' ? shop('b') : undefined),
};

test('renames every reference to the column, and no reference to other tables and sources', () => {
  const before = metadata({ id: 'id', name: 'name', key: 'key' });
  const renames = [
    {
      table: shop('a'),
      columns: new Map([
        ['id', 'number'],
        ['name', 'full name'],
      ]),
    },
    { table: shop('b'), columns: new Map([['key', 'k']]) },
  ];
  const after = metadata({ id: 'number', name: 'full name', key: 'k' });
  expect(exportMetadata(renameColumns(before, DEFAULT_SOURCE, renames, around))).toEqual(exportMetadata(after));
});

test('two columns can exchange their names', () => {
  const before = metadata({ id: 'x', name: 'y', key: 'key' });
  const renames = [
    {
      table: shop('a'),
      columns: new Map([
        ['x', 'y'],
        ['y', 'x'],
      ]),
    },
  ];
  const after = metadata({ id: 'y', name: 'x', key: 'key' });
  expect(exportMetadata(renameColumns(before, DEFAULT_SOURCE, renames, around))).toEqual(exportMetadata(after));
});
