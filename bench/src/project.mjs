// The tables and the metadata of a large project.

const numbers = (count) => Array.from({ length: count }, (_, n) => n + 1);

/** Returns SQL that creates the tables, and a function for each computed field. Each table but the first refers to two others. */
export function largeTables({ tables, computedFields }) {
  const table = (n) => `
    create table table_${n} (
      id int generated always as identity primary key, code uuid not null default gen_random_uuid() unique, name text not null,
      note text, amount numeric(10, 2), made_at timestamptz not null default now(), tags jsonb, done boolean not null default false,
      ${n === 1 ? 'parent_id int, previous_id int' : `parent_id int references table_${n >> 1}, previous_id int references table_${n - 1}`}
    );`;
  const label = (n) => `
    create function label_${n}(one table_${n}) returns text language sql stable as $$ select one.name || one.note $$;`;
  return [...numbers(tables).map(table), ...numbers(computedFields).map(label)].join('');
}

/**
 * Returns metadata in which every table has relationships in both directions, the roles with odd numbers have permissions on all
 * tables and the others on every second one. The output of each action has a relationship to a table.
 */
export function largeMetadata({ tables, roles, actions, computedFields }) {
  return {
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        configuration: { connection_info: { database_url: { from_env: 'JOINERY_DATABASE_URL' } } },
        tables: numbers(tables).map((n) => trackedTable(n, { tables, roles, computedFields })),
      },
    ],
    actions: numbers(actions).map((n) => action(n, roles)),
    custom_types: {
      input_objects: numbers(actions).map((n) => ({
        name: `Input${n}`,
        fields: [
          { name: 'id', type: 'Int!' },
          { name: 'words', type: '[String!]' },
        ],
      })),
      objects: numbers(actions).map((n) => outputObject(n, tables)),
    },
  };
}

function trackedTable(n, { tables, roles, computedFields }) {
  const object = (name, column) => ({ name, using: { foreign_key_constraint_on: column } });
  const array = (name, target, column) => ({
    name,
    using: { foreign_key_constraint_on: { table: { schema: 'public', name: `table_${target}` }, column } },
  });
  const allowed = numbers(roles).filter((role) => role % 2 === 1 || n % 2 === 0);
  const filter = { name: { _eq: 'X-Service-User-Name' } };
  const given = ['name', 'note', 'amount', 'tags', 'parent_id', 'previous_id'];
  const permissions = (permission) => allowed.map((role) => ({ role: `role_${role}`, permission }));
  return {
    table: { schema: 'public', name: `table_${n}` },
    object_relationships: n === 1 ? [] : [object('parent', 'parent_id'), object('previous', 'previous_id')],
    array_relationships: [
      ...[2 * n, 2 * n + 1]
        .filter((child) => child > 1 && child <= tables)
        .map((child, side) => array(`children_${side}`, child, 'parent_id')),
      ...(n < tables ? [array('following', n + 1, 'previous_id')] : []),
    ],
    computed_fields:
      n > computedFields ? [] : [{ name: 'label', definition: { function: { schema: 'public', name: `label_${n}` } } }],
    select_permissions: permissions({
      columns: '*',
      ...(n <= computedFields && { computed_fields: ['label'] }),
      filter,
      allow_aggregations: true,
    }),
    insert_permissions: permissions({ columns: given, check: filter }),
    update_permissions: permissions({ columns: given, filter, check: filter }),
  };
}

function action(n, roles) {
  return {
    name: `action_${n}`,
    definition: {
      kind: 'synchronous',
      handler: 'http://127.0.0.1:9/',
      type: n % 2 === 0 ? 'query' : 'mutation',
      arguments: [{ name: 'input', type: `Input${n}!` }],
      output_type: `Output${n}`,
    },
    permissions: numbers(roles).map((role) => ({ role: `role_${role}` })),
  };
}

function outputObject(n, tables) {
  return {
    name: `Output${n}`,
    fields: [
      { name: 'id', type: 'Int!' },
      { name: 'words', type: '[String!]' },
      { name: 'created_at', type: 'timestamptz' },
    ],
    relationships: [
      {
        name: 'row',
        type: 'object',
        source: 'default',
        remote_table: { schema: 'public', name: `table_${1 + (n % tables)}` },
        field_mapping: { id: 'id' },
      },
    ],
  };
}
