/** Metadata of a shop with actions whose outputs have relationships to tables and, through them, to a remote schema. */

/** Customers 1 to 1,000, depots and order lines. */
export const sql = `
  create type standing as enum ('new', 'good');
  create table customer (
    id int primary key, name text not null, key uuid not null, standing standing not null, region text, code int
  );
  insert into customer
    select n, 'customer ' || n, ('00000000-0000-0000-0000-' || lpad(n::text, 12, '0'))::uuid,
      case when n % 2 = 0 then 'good' else 'new' end::standing, case when n % 2 = 0 then 'north' else 'south' end, n % 3
    from generate_series(1, 1000) as n;
  create table depot (region text, code int, name text, primary key (region, code));
  insert into depot values ('north', 0, 'N0'), ('north', 1, 'N1'), ('south', 1, 'S1');
  create table line (id bigint primary key, customer_id int not null references customer, product text, qty int, price numeric);
  insert into line values
    (1, 1, 'pen', 3, 1.50), (2, 1, 'ink', 1, 12345678901234567890.10), (9007199254740993, 1, 'pad', 2, 4), (4, 2, 'pen', 5, 1.50);
`;

/** SDL of the remote schema `badges`. */
export const remoteSchema = 'type Query { badge(customerId: Int!): Badge } type Badge { text: String! }';

/** The response of the handler for one order. */
export const placed = {
  customerId: 1,
  customerKey: '00000000-0000-0000-0000-000000000002',
  region: 'north',
  code: 1,
  total: 5,
};

/** Returns the metadata. `handlerUrl` serves each action under its name. Role `user` may select only its own customer. */
export function metadataFor(handlerUrl: string, remoteUrl: string): Readonly<Record<string, unknown>> {
  const permission = (table: string, columns: readonly string[], filter: object, more: object = {}) => ({
    table,
    select_permissions: [{ role: 'user', permission: { columns, filter, ...more } }],
  });
  const action = (name: string, output_type: string, more: object = {}) => ({
    name,
    permissions: [{ role: 'user' }],
    definition: { output_type, handler: `${handlerUrl}/${name}`, type: 'query', ...more },
  });
  return {
    sources: [
      {
        name: 'default',
        tables: [
          {
            ...permission('customer', ['id', 'name'], { id: { _eq: 'X-Service-User-Id' } }),
            array_relationships: [
              { name: 'lines', using: { foreign_key_constraint_on: { table: 'line', column: 'customer_id' } } },
            ],
            remote_relationships: [
              {
                name: 'badge',
                hasura_fields: ['id'],
                remote_schema: 'badges',
                remote_field: { badge: { arguments: { customerId: '$id' } } },
              },
            ],
          },
          permission('line', ['id', 'product', 'qty'], {}, { limit: 2, allow_aggregations: false }),
          { table: 'depot' },
        ],
      },
    ],
    remote_schemas: [{ name: 'badges', definition: { url: remoteUrl } }],
    custom_types: {
      objects: [
        {
          name: 'Placed',
          fields: [
            { name: 'customerId', type: 'Int' },
            { name: 'customerKey', type: 'uuid' },
            { name: 'region', type: 'String' },
            { name: 'code', type: 'Int' },
            { name: 'total', type: 'Float' },
          ],
          relationships: [
            { name: 'customer', type: 'object', remote_table: 'customer', field_mapping: { customerId: 'id' } },
            { name: 'friend', type: 'object', remote_table: 'customer', field_mapping: { customerKey: 'key' } },
            { name: 'lines', type: 'array', remote_table: 'line', field_mapping: { customerId: 'customer_id' } },
            { name: 'depot', type: 'object', remote_table: 'depot', field_mapping: { region: 'region', code: 'code' } },
          ],
        },
        {
          name: 'Nested',
          fields: [
            { name: 'id', type: 'Int!' },
            { name: 'first', type: 'Placed' },
            { name: 'rest', type: '[Placed!]!' },
            { name: 'inner', type: 'Nested_inner' },
          ],
        },
        { name: 'Nested_inner', fields: [{ name: 'first', type: 'Placed' }] },
      ],
    },
    actions: [
      action('placed', 'Placed', {
        type: 'mutation',
        arguments: [
          { name: 'customerId', type: 'Int' },
          { name: 'code', type: 'Int' },
        ],
      }),
      action('list', '[Placed]!'),
      action('many', '[Placed!]!'),
      action('nested', 'Nested!'),
      action('wrong', '[Placed!]'),
    ],
  };
}
