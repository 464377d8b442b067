/** The tables and metadata that the examples of a page use and the page does not show, by the name of the page. */

/** A metadata command, or a GraphQL operation of a role with its session variables. */
export type Step = Command | Operation;

export interface Command {
  readonly type: string;
  readonly args: unknown;
}

export interface Operation {
  readonly query: string;
  readonly session: Readonly<Record<string, string>>;
  readonly endpoint?: string;
}

export interface PageFixture {
  /** Settings of the service. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly sql?: string;
  readonly commands?: readonly Command[];
}

function tracked(...tables: readonly string[]): Command {
  return { type: 'track_tables', args: { tables: tables.map((table) => ({ table })) } };
}

function selectPermission(table: string, role: string, columns: '*' | readonly string[] = '*'): Command {
  return { type: 'create_select_permission', args: { table, role, permission: { columns, filter: {} } } };
}

/** An action whose output has a relationship to a table. */
function action(name: string, handler: string, definition: object): readonly Command[] {
  return [
    { type: 'create_action', args: { name, definition: { handler, ...definition } } },
    { type: 'create_action_permission', args: { action: name, role: 'user' } },
  ];
}

/** The action `placeOrder` with the tables of the tutorial, and ratings of a remote schema. */
const shop: PageFixture = {
  sql: `
    create table product (sku text primary key, name text not null);
    create table orders (id int primary key, sku text not null references product);
    insert into product values ('A1', 'Lamp');
    insert into orders values (1, 'A1');`,
  commands: [
    tracked('product', 'orders'),
    selectPermission('product', 'user'),
    selectPermission('orders', 'user'),
    {
      type: 'create_object_relationship',
      args: { table: 'orders', name: 'product', using: { foreign_key_constraint_on: 'sku' } },
    },
    { type: 'add_remote_schema', args: { name: 'ratings', definition: { url: '{{RATINGS_URL}}' } } },
    {
      type: 'create_remote_relationship',
      args: {
        table: 'product',
        name: 'ratings',
        definition: {
          to_remote_schema: {
            remote_schema: 'ratings',
            lhs_fields: ['sku'],
            remote_field: { ratings: { arguments: { sku: '$sku' } } },
          },
        },
      },
    },
    {
      type: 'set_custom_types',
      args: {
        objects: [
          {
            name: 'PlacedOrder',
            fields: [{ name: 'orderId', type: 'Int!' }],
            relationships: [
              { name: 'order', type: 'object', remote_table: 'orders', field_mapping: { orderId: 'id' } },
            ],
          },
        ],
      },
    },
    ...action('placeOrder', '{{HANDLERS}}/place-order', {
      arguments: [{ name: 'sku', type: 'String!' }],
      output_type: 'PlacedOrder',
    }),
  ],
};

const orders = 'create table orders (id int primary key, status text not null, total int not null);';
const insertOrder = `insert into orders values (1, 'open', 25);`;

function collection(name: string, queries: Readonly<Record<string, string>>): Command {
  const list = Object.entries(queries).map(([key, query]) => ({ name: key, query }));
  return { type: 'create_query_collection', args: { name, definition: { queries: list } } };
}

export const fixtures: Readonly<Record<string, PageFixture>> = {
  'index.md': shop,
  'architecture.md': shop,
  'action-joins.md': {
    sql: `
      create table customer (id int primary key, name text not null);
      create table users (user_id int primary key, country text);
      insert into users values (1, 'IS'), (2, 'PE');`,
    commands: [
      tracked('customer', 'users'),
      {
        type: 'set_custom_types',
        args: {
          scalars: [{ name: 'json' }],
          objects: [
            {
              name: 'OrderResult',
              fields: [
                { name: 'orderId', type: 'Int!' },
                { name: 'customerId', type: 'Int!' },
              ],
            },
            { name: 'Profile', fields: [{ name: 'name', type: 'String!' }] },
          ],
          input_objects: [{ name: 'ProfileOptions', fields: [{ name: 'country', type: 'String' }] }],
        },
      },
      ...action('placeOrder', '{{HANDLERS}}/place-order-of-customer', { output_type: 'OrderResult' }),
      ...action('get_profile', '{{HANDLERS}}/profiles', {
        type: 'query',
        output_type: 'Profile',
        arguments: [
          { name: 'id', type: 'Int!' },
          { name: 'kind', type: 'String' },
          { name: 'options', type: 'ProfileOptions' },
          { name: 'lang', type: 'String' },
        ],
      }),
      selectPermission('users', 'user'),
    ],
  },
  'rest-endpoints.md': {
    environment: { JOINERY_UNAUTHORIZED_ROLE: 'anonymous' },
    sql: `create table author (id int primary key, name text not null); insert into author values (1, 'Ada');`,
    commands: [tracked('author'), selectPermission('author', 'anonymous')],
  },
  'import-rows.md': {
    sql: 'create table product (id int primary key, name text not null, price numeric);',
    commands: [tracked('product')],
  },
  'event-triggers.md': {
    sql: `${orders} ${insertOrder} create table product (id int primary key, name text, description text);`,
    commands: [
      tracked('orders', 'product'),
      selectPermission('orders', 'clerk'),
      {
        type: 'create_update_permission',
        args: { table: 'orders', role: 'clerk', permission: { columns: ['status'], filter: {} } },
      },
    ],
  },
  'action-calls.md': {
    commands: [
      { type: 'set_custom_types', args: { objects: [{ name: 'User', fields: [{ name: 'name', type: 'String' }] }] } },
    ],
  },
  'event-targets.md': {
    sql: `
      ${orders} ${insertOrder}
      create table invoices (id int generated always as identity primary key, order_id int, total int, day date default now(), closed boolean default false);
      create function close_month(month date, notify boolean) returns void language sql as '';`,
    commands: [
      tracked('orders', 'invoices'),
      collection('shop', {
        cancel_order:
          'mutation ($id: Int!, $reason: String) { update_orders_by_pk(pk_columns: {id: $id}, _set: {status: $reason}) { id } }',
        add_invoice:
          'mutation ($order: Int!, $total: Int!) { insert_invoices_one(object: {order_id: $order, total: $total}) { id } }',
      }),
      selectPermission('orders', 'clerk'),
      selectPermission('invoices', 'accounting'),
      {
        type: 'create_update_permission',
        args: { table: 'orders', role: 'clerk', permission: { columns: ['status'], filter: {} } },
      },
      {
        type: 'create_insert_permission',
        args: { table: 'invoices', role: 'accounting', permission: { columns: '*', check: {} } },
      },
    ],
  },
  'scheduled-events.md': {
    environment: { JOINERY_DEV_MODE: 'true' },
    sql: 'create table customer (id int primary key); ',
  },
  'remote-schemas.md': {
    environment: { JOINERY_ENABLE_REMOTE_SCHEMA_PERMISSIONS: 'true' },
    sql: 'create table customer (id text primary key, name text);',
    commands: [tracked('customer')],
  },
  'permissions.md': {
    sql: `
      create table article (id int generated always as identity primary key, title text, author_id int);
      create table users (id int generated always as identity primary key, name text, phone text);`,
    commands: [tracked('article', 'users')],
  },
  'sources.md': {
    sql: `
      create table customer (id int primary key);
      create table "order" (id serial primary key, customer_id int references customer);
      create table author (id int primary key, name text, born date);
      create table article (id int primary key, title text, note text);
      create function search_articles(search text) returns setof article language sql stable
        as 'select * from article where title ilike ''%'' || search || ''%''';
      insert into article values (1, 'Trees of the tropics'), (2, 'Rivers');`,
    commands: [
      tracked('customer', 'order', 'author', 'article'),
      { type: 'track_function', args: { function: 'search_articles' } },
      selectPermission('author', 'user', ['id', 'born']),
    ],
  },
  'explain.md': {
    sql: 'create table users (id int primary key, name text);',
    commands: [tracked('users'), selectPermission('users', 'user')],
  },
  'cli-commands.md': {
    sql: `create table item (id int primary key, note text); insert into item values (1, 'new'), (2, 'old');`,
  },
  'tutorial.md': {
    commands: [
      { type: 'set_custom_types', args: { objects: [{ name: 'Sample', fields: [{ name: 'id', type: 'Int!' }] }] } },
      ...action('placeOrder', '{{HANDLERS}}/sample', { output_type: 'Sample' }),
    ],
  },
  'unsupported-metadata.md': {
    sql: 'create table author (id int primary key);',
    commands: [
      {
        type: 'replace_metadata',
        args: {
          allow_inconsistent_metadata: true,
          metadata: {
            version: 3,
            sources: [
              {
                name: 'default',
                kind: 'postgres',
                configuration: { connection_info: { database_url: { from_env: 'JOINERY_DATABASE_URL' } } },
                tables: [{ table: { schema: 'public', name: 'author' }, logical_model: 'writer' }],
              },
            ],
          },
        },
      },
    ],
  },
  'errors.md': {
    sql: 'create table customer (id int primary key);',
    commands: [tracked('customer')],
  },
};
