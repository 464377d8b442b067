/** Metadata of the Chinook database: its tables, relationships in both directions for each foreign key, and three roles. */

/** `[table, column, referenced table, name of the object relationship, name of the array relationship]`. */
const foreignKeys = [
  ['album', 'artist_id', 'artist', 'artist', 'albums'],
  ['customer', 'support_rep_id', 'employee', 'support', 'customers'],
  ['employee', 'reports_to', 'employee', 'boss', 'team'],
  ['invoice', 'customer_id', 'customer', 'customer', 'invoices'],
  ['invoice_line', 'invoice_id', 'invoice', 'invoice', 'lines'],
  ['invoice_line', 'track_id', 'track', 'track', 'lines'],
  ['playlist_track', 'playlist_id', 'playlist', 'playlist', 'entries'],
  ['playlist_track', 'track_id', 'track', 'track', 'entries'],
  ['track', 'album_id', 'album', 'album', 'tracks'],
  ['track', 'genre_id', 'genre', 'genre', 'tracks'],
  ['track', 'media_type_id', 'media_type', 'format', 'tracks'],
] as const;

export const chinookTables = [
  ...['album', 'artist', 'customer', 'employee', 'genre', 'invoice', 'invoice_line', 'media_type', 'playlist'],
  ...['playlist_track', 'track'],
];

const ownCustomer = { customer_id: { _eq: 'X-Service-Customer-Id' } };
const ownCustomers = { support_rep_id: { _eq: 'X-Service-Employee-Id' } };
const roles = ['customer', 'support', 'editor'];
const contact = ['address', 'city', 'state', 'country', 'postal_code', 'phone'];

const select = (role: string, columns: readonly string[] | '*', filter: unknown, options: object = {}) => ({
  role,
  permission: { columns, filter, allow_aggregations: true, ...options },
});
const readableByAllRoles = roles.map((role) => select(role, '*', {}));
const editable = (columns: readonly string[], filter: unknown = {}) => ({
  select_permissions: readableByAllRoles,
  insert_permissions: [{ role: 'editor', permission: { columns: '*', check: filter } }],
  update_permissions: [{ role: 'editor', permission: { columns, filter: {}, check: filter } }],
});

const permissions: Readonly<Record<string, object>> = {
  artist: editable(['name']),
  album: {
    ...editable(['title', 'artist_id']),
    delete_permissions: [{ role: 'editor', permission: { filter: { _not: { tracks: {} } } } }],
  },
  track: editable(['name', 'unit_price', 'genre_id'], { unit_price: { _gt: 0 } }),
  genre: { select_permissions: readableByAllRoles },
  media_type: { select_permissions: readableByAllRoles },
  playlist: { select_permissions: readableByAllRoles },
  playlist_track: { select_permissions: readableByAllRoles },
  customer: {
    select_permissions: [
      select('customer', ['customer_id', 'first_name', 'last_name', 'email', ...contact], ownCustomer),
      select(
        'support',
        ['customer_id', 'first_name', 'last_name', 'email', 'company', ...contact, 'support_rep_id'],
        ownCustomers,
      ),
    ],
    update_permissions: [{ role: 'customer', permission: { columns: ['email', ...contact], filter: ownCustomer } }],
  },
  employee: {
    select_permissions: [
      select('customer', ['first_name', 'last_name', 'email'], { customers: ownCustomer }),
      select('support', ['employee_id', 'first_name', 'last_name', 'title', 'reports_to'], {}),
    ],
  },
  invoice: {
    select_permissions: [
      select('customer', '*', ownCustomer),
      select(
        'support',
        ['invoice_id', 'customer_id', 'invoice_date', 'total'],
        { customer: ownCustomers },
        { limit: 25 },
      ),
    ],
    insert_permissions: [
      {
        role: 'support',
        permission: {
          columns: ['invoice_id', 'customer_id', 'total'],
          check: { customer: ownCustomers, total: { _gte: 0 } },
          set: { invoice_date: '2024-02-29T12:00:00' },
        },
      },
    ],
    delete_permissions: [{ role: 'support', permission: { filter: { customer: ownCustomers, _not: { lines: {} } } } }],
  },
  invoice_line: {
    select_permissions: [
      select('customer', '*', { invoice: ownCustomer }),
      select('support', '*', { invoice: { customer: ownCustomers } }),
    ],
    insert_permissions: [
      {
        role: 'support',
        permission: { columns: '*', check: { invoice: { customer: ownCustomers }, quantity: { _gt: 0 } } },
      },
    ],
  },
};

export const chinookMetadata = {
  sources: [
    {
      name: 'default',
      tables: chinookTables.map((table) => ({
        table,
        object_relationships: foreignKeys
          .filter(([from]) => from === table)
          .map(([, column, , name]) => ({ name, using: { foreign_key_constraint_on: column } })),
        array_relationships: foreignKeys
          .filter(([, , to]) => to === table)
          .map(([from, column, , , name]) => ({
            name,
            using: { foreign_key_constraint_on: { table: from, column } },
          })),
        ...permissions[table],
      })),
    },
  ],
};
