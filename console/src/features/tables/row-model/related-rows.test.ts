import { expect, test } from 'vitest';
import { relatedRows, relatedTables } from './related-rows.ts';

const order = { schema: 'public', name: 'order' };
const item = { schema: 'shop', name: 'item' };
const event = { schema: 'public', name: 'event' };
const byKeys = [
  {
    type: 'array' as const,
    name: 'items',
    from: { table: order, columns: ['id'] },
    to: { table: item, columns: ['order_id'], constraint_name: 'item_order_fkey' },
  },
];
const manual = {
  array_relationships: [
    {
      name: 'same_day',
      using: { manual_configuration: { remote_table: event, column_mapping: { day: 'day', zone: 'zone' } } },
    },
  ],
};

test('a row links to the rows that reference it', () => {
  expect(relatedRows('default', { id: 7 }, relatedTables(byKeys, {}))).toEqual([
    {
      name: 'items',
      type: 'array',
      table: item,
      to: `/data/default/shop/item/rows?where=${encodeURIComponent('[["order_id","eq","7"]]')}`,
    },
  ]);
});

test('a relationship that names its columns is followed by all of them', () => {
  const [link] = relatedRows('default', { id: null, day: '2026-03-01', zone: 'UTC' }, relatedTables(byKeys, manual));
  expect(link?.table).toEqual(event);
  expect(decodeURIComponent(link?.to ?? '')).toContain('[["day","eq","2026-03-01"],["zone","eq","UTC"]]');
});

test('null leads to no rows', () => {
  expect(relatedRows('default', { id: null }, relatedTables(byKeys, {}))).toEqual([]);
});
