// The tables, permissions, action and endpoint that the hostile requests use.
import { trackTable } from '../commands.mjs';

export const tables = `
  create extension if not exists hstore;
  create table note (
    id bigint generated always as identity primary key, key text unique, title text, amount numeric, whole int, big bigint,
    real float8, flag boolean, body jsonb, tags text[], numbers int[], at timestamptz, ident uuid, pairs hstore,
    parent_id bigint references note
  );
`;

const foreignKey = (type, table, name, using) => ({
  type: `create_${type}_relationship`,
  args: { table, name, using: { foreign_key_constraint_on: using } },
});

const select = (role, table) => ({
  type: 'create_select_permission',
  args: { table, role, permission: { columns: '*', filter: {}, allow_aggregations: true } },
});

const write = (type, permission) => ({
  type: `create_${type}_permission`,
  args: { table: 'note', role: 'user', permission },
});

const endpoint = (name, query, methods) => ({
  type: 'create_rest_endpoint',
  args: {
    name,
    url: name,
    methods,
    definition: { query: { collection_name: 'stored', query_name: name } },
  },
  query,
});

const endpoints = [
  endpoint(
    'notes',
    'query notes($where: note_bool_exp, $order: [note_order_by!]) { note(where: $where, order_by: $order) { id } }',
    ['GET', 'POST'],
  ),
  endpoint('add', 'mutation add($rows: [note_insert_input!]!) { insert_note(objects: $rows) { affected_rows } }', [
    'POST',
  ]),
];

/** Returns the arguments of a bulk of commands. */
export const metadata = (handler) => [
  ...['artist', 'album', 'track', 'note'].map(trackTable),
  foreignKey('object', 'album', 'artist', 'artist_id'),
  foreignKey('array', 'artist', 'albums', { table: 'album', column: 'artist_id' }),
  foreignKey('array', 'album', 'tracks', { table: 'track', column: 'album_id' }),
  foreignKey('object', 'track', 'album', 'album_id'),
  foreignKey('object', 'note', 'parent', 'parent_id'),
  foreignKey('array', 'note', 'children', { table: 'note', column: 'parent_id' }),
  ...['artist', 'album', 'track', 'note'].flatMap((table) => [select('user', table), select('anonymous', table)]),
  write('insert', { columns: '*', check: { _or: [{ title: { _is_null: true } }, { title: { _neq: 'no' } }] } }),
  write('update', { columns: '*', filter: {}, check: {} }),
  write('delete', { filter: { id: { _lt: 0 } } }),
  {
    type: 'set_custom_types',
    args: {
      scalars: [{ name: 'anything' }],
      input_objects: [
        {
          name: 'Tree',
          fields: [
            { name: 'left', type: 'Tree' },
            { name: 'list', type: '[Tree!]' },
            { name: 'numbers', type: '[Int!]' },
            { name: 'text', type: 'String' },
            { name: 'value', type: 'anything' },
          ],
        },
      ],
      objects: [{ name: 'Result', fields: [{ name: 'ok', type: 'Boolean' }] }],
    },
  },
  {
    type: 'create_action',
    args: {
      name: 'submit',
      definition: {
        type: 'mutation',
        arguments: [{ name: 'tree', type: 'Tree' }],
        output_type: 'Result',
        handler,
      },
    },
  },
  ...['user', 'anonymous'].map((role) => ({ type: 'create_action_permission', args: { action: 'submit', role } })),
  {
    type: 'create_query_collection',
    args: { name: 'stored', definition: { queries: endpoints.map(({ args, query }) => ({ name: args.name, query })) } },
  },
  ...endpoints.map(({ type, args }) => ({ type, args })),
  {
    type: 'set_api_limits',
    args: {
      depth_limit: { global: 20 },
      node_limit: { global: 5000 },
      time_limit: { global: 10 },
    },
  },
];
