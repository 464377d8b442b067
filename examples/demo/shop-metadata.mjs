// The shop's tables, relationships and permissions as one metadata call.

const tables = [
  'category',
  'product',
  'customer',
  'orders',
  'order_line',
  'shipment',
  'review',
  'warehouse',
  'stock',
  'order_total',
];

const object = (table, name, column) => ({
  type: 'create_object_relationship',
  args: { table, name, using: { foreign_key_constraint_on: column } },
});
const array = (table, name, from, column) => ({
  type: 'create_array_relationship',
  args: { table, name, using: { foreign_key_constraint_on: { table: from, column } } },
});
const ownRows = { _eq: 'X-Service-User-Id' };
const select = (table, permission) => ({ type: 'create_select_permission', args: { table, role: 'user', permission } });

export const trackingCommand = {
  type: 'bulk',
  args: [
    ...tables.map((name) => ({ type: 'track_table', args: { schema: 'public', name } })),
    object('product', 'category', 'category_id'),
    object('orders', 'customer', 'customer_id'),
    object('order_line', 'product', 'product_id'),
    object('order_line', 'order', 'order_id'),
    array('customer', 'orders', 'orders', 'customer_id'),
    array('orders', 'lines', 'order_line', 'order_id'),
    array('orders', 'shipments', 'shipment', 'order_id'),
    array('product', 'reviews', 'review', 'product_id'),
    select('customer', { columns: ['id', 'name', 'country', 'joined_at'], filter: { id: ownRows } }),
    select('orders', {
      columns: ['id', 'status', 'placed_at'],
      filter: { customer_id: ownRows },
      allow_aggregations: true,
    }),
    select('order_line', { columns: '*', filter: { order: { customer_id: ownRows } } }),
    select('product', { columns: ['id', 'name', 'price', 'tags'], filter: {}, limit: 100 }),
  ],
};
