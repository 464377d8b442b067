/** Metadata in which roles lack each kind of field of tables, functions, actions and a remote schema. */

export const sql = `
  create table users (id int primary key, name text not null, secret text);
  create table post (id int primary key, author_id int not null references users, title text);
  create table "odd table" (id int primary key);
  create table odd_columns (id int primary key, "first name" text);
  create table hidden (id int primary key, post_id int references post);
  create function loud(u users) returns text stable language sql as 'select upper(u.name)';
  create function find_users(word text) returns setof users stable language sql as 'select * from users';
  create function secrets(of int) returns setof hidden stable language sql as 'select * from hidden';
  create function secret_posts(u users) returns setof hidden stable language sql as 'select * from hidden';
`;

/** SDL of the remote schema `notes`. */
export const notes = `
  type Query { note: Note secretNote(of: String): Note }
  type Note { text: String secret: String }
`;

const select = (role: string, permission: object) => ({ role, permission: { filter: {}, ...permission } });
const action = (name: string, more: object = {}) => ({
  name,
  definition: { type: 'query', output_type: 'Lookup', handler: 'http://127.0.0.1:1/', ...more },
});

export const metadata = {
  version: 3,
  sources: [
    {
      name: 'default',
      tables: [
        {
          table: 'users',
          select_permissions: [
            select('user', { columns: ['name'] }),
            select('reader', { columns: ['id', 'name'], query_root_fields: ['select'] }),
          ],
          insert_permissions: [{ role: 'user', permission: { columns: ['name'], check: {}, backend_only: true } }],
          update_permissions: [{ role: 'user', permission: { columns: ['name'], filter: {}, check: {} } }],
          array_relationships: [
            { name: 'posts', using: { foreign_key_constraint_on: { table: 'post', column: 'author_id' } } },
            {
              name: 'broken',
              using: {
                manual_configuration: { remote_table: 'nowhere', column_mapping: { id: 'id' }, insertion_order: null },
              },
            },
          ],
          computed_fields: [
            { name: 'loud', definition: { function: 'loud' } },
            { name: 'hiddens', definition: { function: 'secret_posts' } },
          ],
          remote_relationships: [
            {
              name: 'far',
              definition: {
                to_source: {
                  source: 'default',
                  table: 'hidden',
                  relationship_type: 'array',
                  field_mapping: { id: 'id' },
                },
              },
            },
            {
              name: 'near',
              definition: {
                to_source: {
                  source: 'default',
                  table: 'post',
                  relationship_type: 'array',
                  field_mapping: { id: 'id' },
                },
              },
            },
            {
              name: 'alike',
              definition: {
                to_source: {
                  source: 'default',
                  function: 'find_users',
                  relationship_type: 'array',
                  field_mapping: { name: 'word' },
                },
              },
            },
            { name: 'ordered', definition: { to_action: { action: 'placeOrder', arguments: {} } } },
            {
              name: 'note',
              definition: {
                to_remote_schema: {
                  remote_schema: 'notes',
                  lhs_fields: ['name'],
                  remote_field: { secretNote: { arguments: { of: '$name' } } },
                },
              },
            },
          ],
        },
        {
          table: 'post',
          object_relationships: [{ name: 'author', using: { foreign_key_constraint_on: 'author_id' } }],
          select_permissions: [
            select('reader', { columns: ['id', 'title'] }),
            select('user', { columns: ['id', 'nothing'] }),
          ],
        },
        { table: 'hidden' },
        { table: 'gone' },
        { table: 'odd table' },
        { table: 'odd_columns' },
      ],
      functions: [{ function: 'find_users', configuration: { exposed_as: 'query' } }, { function: 'secrets' }],
    },
  ],
  remote_schemas: [
    {
      name: 'notes',
      definition: { url: 'http://127.0.0.1:1/' },
      permissions: [{ role: 'user', definition: { schema: 'type Query { note: Note } type Note { text: String }' } }],
      remote_relationships: [
        {
          type_name: 'Note',
          relationships: [{ name: 'ordered', definition: { to_action: { action: 'placeOrder', arguments: {} } } }],
        },
      ],
    },
  ],
  actions: [
    action('placeOrder'),
    action('later', { type: 'mutation', kind: 'asynchronous' }),
    { ...action('shared'), permissions: [{ role: 'user' }] },
    action('wrong', { output_type: 'Nothing' }),
  ],
  custom_types: {
    objects: [
      {
        name: 'Lookup',
        fields: [{ name: 'id', type: 'Int' }],
        relationships: [
          { name: 'hidden', type: 'object', remote_table: 'hidden', field_mapping: { id: 'id' } },
          { name: 'again', definition: { to_action: { action: 'placeOrder', arguments: {} } } },
          {
            name: 'alike',
            definition: {
              to_source: {
                source: 'default',
                function: 'secrets',
                relationship_type: 'array',
                field_mapping: { id: 'of' },
              },
            },
          },
          { name: 'dangling', type: 'object', remote_table: 'gone', field_mapping: { id: 'id' } },
        ],
      },
    ],
  },
};
