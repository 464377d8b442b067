import type { SuggestedRelationship } from '@joinery/metadata/api/sources/catalog';
import { describe, expect, test } from 'vitest';
import type { SourceEntry } from '../../shared/sources/sources-api.ts';
import { tableKey } from '../../shared/sources/table-paths.ts';
import { boxHeight, placesOf } from './diagram-layout.ts';
import { type Diagram, diagramOf, primaryKeysOf, searchTables } from './diagram-model.ts';

const table = (name: string) => ({ schema: 'public', name });
const key = (name: string) => tableKey(table(name));

const foreignKeys: readonly SuggestedRelationship[] = [
  {
    type: 'object',
    name: 'customer',
    from: { table: table('order'), columns: ['customer_id'], constraint_name: 'fk' },
    to: { table: table('customer'), columns: ['id'] },
  },
  {
    type: 'array',
    name: 'orders',
    from: { table: table('customer'), columns: ['id'] },
    to: { table: table('order'), columns: ['customer_id'], constraint_name: 'fk' },
  },
];

const shop: SourceEntry = {
  name: 'default',
  kind: 'postgres',
  tables: [
    {
      table: table('customer'),
      array_relationships: [
        { name: 'orders', using: { foreign_key_constraint_on: { table: table('order'), column: 'customer_id' } } },
        {
          name: 'purchases',
          using: { foreign_key_constraint_on: { table: table('order'), columns: ['customer_id'] } },
        },
      ],
      object_relationships: [
        {
          name: 'manager',
          using: { manual_configuration: { remote_table: table('customer'), column_mapping: { manager_id: 'id' } } },
        },
      ],
      remote_relationships: [
        {
          name: 'weather',
          definition: { to_remote_schema: { remote_schema: 'weather', lhs_fields: ['id'], remote_field: {} } },
        },
      ],
    },
    {
      table: table('order'),
      object_relationships: [{ name: 'customer', using: { foreign_key_constraint_on: 'customer_id' } }],
    },
    { table: table('audit') },
  ],
};

const keys = primaryKeysOf([
  ['public', 'customer', 'id'],
  ['public', 'order', 'shop'],
  ['public', 'order', 'number'],
]);

describe('the diagram of a source', () => {
  const { tables, lines } = diagramOf(shop, foreignKeys, keys);

  test('has a box for each table with the columns of keys and joins', () => {
    expect(tables).toEqual([
      {
        key: key('customer'),
        table: table('customer'),
        columns: [
          { name: 'id', is: 'primary' },
          { name: 'manager_id', is: 'joined' },
        ],
        elsewhere: ['weather'],
      },
      {
        key: key('order'),
        table: table('order'),
        columns: [
          { name: 'shop', is: 'primary' },
          { name: 'number', is: 'primary' },
          { name: 'customer_id', is: 'joined' },
        ],
        elsewhere: [],
      },
      { key: key('audit'), table: table('audit'), columns: [], elsewhere: [] },
    ]);
  });

  test('has one line for both directions of a foreign key, and another for a second relationship', () => {
    expect(
      lines.map(({ from, to, pairs, there, back }) => [from, to, pairs.map(String).join(), there?.name, back?.name]),
    ).toEqual([
      [key('customer'), key('customer'), 'manager_id,id', 'manager', undefined],
      [key('customer'), key('order'), 'id,customer_id', 'orders', 'customer'],
      [key('customer'), key('order'), 'id,customer_id', 'purchases', undefined],
    ]);
  });

  test('omits lines to untracked tables', () => {
    const alone = { ...shop, tables: shop.tables.slice(1, 2) };
    expect(diagramOf(alone, foreignKeys, keys).lines).toEqual([]);
  });
});

test('boxes do not overlap, with or without joins', () => {
  const tables = Array.from({ length: 150 }, (_one, index) => ({
    key: `t${index}`,
    table: table(`t${index}`),
    columns: Array.from({ length: index % 11 }, (_column, at) => ({ name: `c${at}`, is: 'joined' as const })),
    elsewhere: [],
  }));
  const lines = Array.from({ length: 90 }, (_one, index) => ({
    key: `l${index}`,
    from: `t${index + 1}`,
    to: `t${Math.floor(index / 3)}`,
    pairs: [],
    there: { name: 'x', type: 'object' as const },
    back: undefined,
  }));
  const diagram: Diagram = { tables, lines };
  const places = placesOf(diagram);
  expect(places.size).toBe(150);
  const boxes = tables.map((one) => ({ ...(places.get(one.key) ?? { x: 0, y: 0 }), height: boxHeight(one) }));
  for (const [index, one] of boxes.entries()) {
    for (const other of boxes.slice(index + 1)) {
      const apart =
        Math.abs(one.x - other.x) >= 208 || one.y + one.height <= other.y || other.y + other.height <= one.y;
      expect(apart).toBe(true);
    }
  }
});

test('splits the layer of a hundred tables that reference one table', () => {
  const names = Array.from({ length: 101 }, (_one, index) => `t${index}`);
  const tables = names.map((name) => ({ key: name, table: table(name), columns: [], elsewhere: [] }));
  const lines = names.slice(1).map((name) => ({
    key: name,
    from: name,
    to: 't0',
    pairs: [],
    there: { name: 'parent', type: 'object' as const },
    back: undefined,
  }));
  const places = [...placesOf({ tables, lines }).values()];
  const width = Math.max(...places.map(({ x }) => x)) + 208;
  const height = Math.max(...places.map(({ y }) => y));
  expect(width / height).toBeGreaterThan(1);
  expect(width / height).toBeLessThan(4);
});

test('searches tables by a part of their names, and lists those that begin with it first', () => {
  const { tables } = diagramOf(shop, [], new Map());
  expect(searchTables(tables, 'OM').map((one) => one.table.name)).toEqual(['customer']);
  expect(searchTables(tables, 'o').map((one) => one.table.name)).toEqual(['order', 'customer']);
  expect(searchTables(tables, ' ')).toEqual([]);
});
