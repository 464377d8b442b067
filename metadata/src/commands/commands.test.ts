/** Tests of every edit: its result, the code and path of its errors, and that it does not change its input. */
import { describe, expect, test } from 'vitest';
import { exportMetadata } from '../document/export.ts';
import { emptyMetadata, type Metadata } from '../metadata.ts';
import { type EditContext, runEdit } from './edit/command.ts';
import { EditError } from './edit/edit-error.ts';
import { commands } from './registry.ts';

type Call = readonly [type: string, args: unknown];

function run(calls: readonly Call[], start: Metadata = emptyMetadata, context?: EditContext): Metadata {
  return calls.reduce((metadata, [type, args]) => {
    const command = commands.get(type);
    if (command === undefined) throw new Error(`no command ${type}`);
    const before = JSON.stringify(metadata);
    const after = runEdit(command, args, metadata, context);
    expect(JSON.stringify(metadata)).toBe(before);
    return after;
  }, start);
}

/** Returns code and path of the error that the last of `calls` throws. */
function errorOf(...calls: readonly Call[]): { code: string; path: string; message: string } {
  const last = calls.at(-1);
  const before = run(calls.slice(0, -1));
  try {
    run(last === undefined ? [] : [last], before);
  } catch (error) {
    if (error instanceof EditError) return { code: error.code, path: error.path, message: error.message };
    throw error;
  }
  throw new Error('no error was thrown');
}

/** Returns the first table of the default source as exported. */
function firstTable(metadata: Metadata): unknown {
  return exportMetadata(metadata).sources[0]?.tables?.[0];
}

const author: Call = ['track_table', 'author'];
const article: Call = ['track_table', 'article'];
const byColumn = { foreign_key_constraint_on: 'author_id' };
const toAuthor: Call = ['create_object_relationship', { table: 'article', name: 'author', using: byColumn }];
const toRemote: Call = [
  'create_remote_relationship',
  {
    table: 'article',
    name: 'remote',
    definition: {
      to_source: {
        source: 'default',
        table: 'author',
        relationship_type: 'object',
        field_mapping: { author_id: 'id' },
      },
    },
  },
];
const permit: Call = [
  'create_select_permission',
  { table: 'author', role: 'user', permission: { columns: '*', filter: {} } },
];

describe('track_table', () => {
  const tracked = { table: { name: 'author', schema: 'public' } };

  test.each([
    ['track_table', 'author'],
    ['track_table', { name: 'author' }],
    ['track_table', { schema: 'public', name: 'author' }],
    ['track_table', { table: 'author' }],
    ['add_existing_table_or_view', 'author'],
    ['pg_track_table', { source: 'default', table: { schema: 'public', name: 'author' } }],
  ])('%s takes %j', (type, args) => {
    expect(firstTable(run([[type, args]]))).toEqual(tracked);
  });

  test('stores the given configuration', () => {
    const configuration = { custom_name: 'writer', custom_root_fields: { select: 'writers' } };
    expect(firstTable(run([['pg_track_table', { table: 'author', configuration }]]))).toEqual({
      ...tracked,
      configuration,
    });
  });

  test.each([
    ['a tracked table', [author, author], 'already-tracked', '$'],
    ['an unknown source', [['track_table', { source: 'x', table: 'a' }]], 'not-exists', '$.source'],
    ['an unknown argument', [['track_table', { table: 'a', color: 1 }]], 'parse-failed', '$.color'],
    ['an empty name', [['track_table', { table: '' }]], 'parse-failed', '$.table'],
    ['nothing', [['track_table', {}]], 'parse-failed', '$.table'],
  ] satisfies [string, Call[], string, string][])('rejects %s', (_what, calls, code, path) => {
    expect(errorOf(...calls)).toMatchObject({ code, path });
  });

  test('tracks several tables at once, or fails with the index of the invalid element', () => {
    const tables = [{ table: 'author' }, { table: 'article' }];
    expect(run([['pg_track_tables', { tables }]]).sources[0]?.tables).toHaveLength(2);
    expect(errorOf(article, ['pg_track_tables', { tables }])).toMatchObject({
      code: 'already-tracked',
      path: '$.tables[1]',
    });
    expect(run([article, author, ['pg_untrack_tables', { tables }]]).sources[0]?.tables).toEqual([]);
  });
});

describe('untrack_table', () => {
  test('removes the table and all of its metadata', () => {
    expect(run([author, permit, ['untrack_table', { table: { name: 'author' } }]])).toEqual(emptyMetadata);
  });

  test('rejects a table that is not tracked', () => {
    expect(errorOf(['untrack_table', { table: 'author' }])).toMatchObject({ code: 'already-untracked', path: '$' });
  });

  test('rejects dependents unless cascade drops them', () => {
    const command = commands.get('pg_untrack_table');
    expect(command?.parse({ table: 'a' }).dependents).toBe('reject');
    expect(command?.parse({ table: 'a', cascade: true }).dependents).toBe('drop');
  });
});

describe('table customization', () => {
  test('is replaced completely', () => {
    const first: Call = ['set_table_customization', { table: 'author', configuration: { custom_name: 'writer' } }];
    const configuration = { column_config: { id: { custom_name: 'key' } } };
    const second: Call = ['pg_set_table_customization', { table: 'author', configuration }];
    expect(firstTable(run([author, first, second]))).toMatchObject({ configuration });
    const none: Call = ['pg_set_table_customization', { table: 'author', configuration: { custom_name: null } }];
    expect(firstTable(run([author, first, none]))).not.toHaveProperty('configuration');
  });

  test('can be set by the older command', () => {
    const fields = { custom_root_fields: { select: 'writers' }, custom_column_names: { id: 'key' } };
    const call: Call = ['set_table_custom_fields', { table: 'author', ...fields }];
    expect(firstTable(run([author, call]))).toMatchObject({ configuration: fields });
  });

  test('of a table that is not tracked is rejected', () => {
    const call: Call = ['set_table_customization', { table: 'author', configuration: {} }];
    expect(errorOf(call)).toMatchObject({ code: 'not-exists', path: '$.table' });
  });

  test('with an invalid GraphQL name is rejected at that name', () => {
    const configuration = { custom_root_fields: { select: '1st' } };
    const call: Call = ['set_table_customization', { table: 'author', configuration }];
    expect(errorOf(author, call)).toMatchObject({
      code: 'parse-failed',
      path: '$.configuration.custom_root_fields.select',
    });
  });
});

describe('relationships', () => {
  test('are exported in the forms of Hasura v2', () => {
    const articles: Call = [
      'pg_create_array_relationship',
      {
        table: 'author',
        name: 'articles',
        using: { foreign_key_constraint_on: { table: 'article', column: 'author_id' } },
        comment: 'all of them',
      },
    ];
    const manual = { remote_table: 'address', column_mapping: { id: 'author_id' } };
    const address: Call = [
      'create_object_relationship',
      { table: 'author', name: 'address', using: { manual_configuration: manual } },
    ];
    expect(firstTable(run([author, articles, address]))).toEqual({
      table: { name: 'author', schema: 'public' },
      object_relationships: [
        {
          name: 'address',
          using: {
            manual_configuration: {
              remote_table: { name: 'address', schema: 'public' },
              column_mapping: { id: 'author_id' },
            },
          },
        },
      ],
      array_relationships: [
        {
          name: 'articles',
          using: {
            foreign_key_constraint_on: { column: 'author_id', table: { name: 'article', schema: 'public' } },
          },
          comment: 'all of them',
        },
      ],
    });
    expect(firstTable(run([article, toAuthor]))).toMatchObject({
      object_relationships: [{ name: 'author', using: byColumn }],
    });
  });

  test.each([
    [
      'a name in use by any kind of relationship',
      [article, toAuthor, ['create_array_relationship', { table: 'article', name: 'author', using: byColumn }]],
      'already-exists',
      '$.name',
    ],
    ['an untracked table', [toAuthor], 'not-exists', '$.table'],
    [
      'an empty name',
      [['create_object_relationship', { table: 'a', name: '', using: byColumn }]],
      'parse-failed',
      '$.name',
    ],
    ['a missing name', [['create_object_relationship', { table: 'a', using: byColumn }]], 'parse-failed', '$.name'],
    [
      'an unknown form, at the invalid member',
      [
        [
          'create_object_relationship',
          { table: 'a', name: 'b', using: { manual_configuration: { remote_table: 'c' } } },
        ],
      ],
      'parse-failed',
      '$.using.manual_configuration.column_mapping',
    ],
    [
      'a removal of an unknown object',
      [article, ['drop_relationship', { table: 'article', relationship: 'author' }]],
      'not-exists',
      '$.relationship',
    ],
    [
      'a comment on an unknown relationship',
      [article, ['set_relationship_comment', { table: 'article', name: 'author', comment: 'x' }]],
      'not-exists',
      '$.name',
    ],
    [
      'a comment without the name of a relationship',
      [article, ['set_relationship_comment', { table: 'article', comment: 'x' }]],
      'parse-failed',
      '$.relationship',
    ],
    [
      'a removal of a remote relationship by drop_relationship',
      [article, toRemote, ['drop_relationship', { table: 'article', relationship: 'remote' }]],
      'unexpected-payload',
      '$.relationship',
    ],
    [
      'a removal of a relationship by delete_remote_relationship',
      [article, toAuthor, ['delete_remote_relationship', { table: 'article', name: 'author' }]],
      'unexpected-payload',
      '$.name',
    ],
  ] satisfies [string, Call[], string, string][])('rejects %s', (_what, calls, code, path) => {
    expect(errorOf(...calls)).toMatchObject({ code, path });
  });

  test.each(['name', 'relationship'])('are dropped and commented, by the argument "%s"', (argument) => {
    const comment: Call = [
      'set_relationship_comment',
      { table: 'article', [argument]: 'author', comment: 'the author of the article' },
    ];
    expect(firstTable(run([article, toAuthor, comment]))).toMatchObject({
      object_relationships: [{ name: 'author', comment: 'the author of the article' }],
    });
    const drop: Call = ['pg_drop_relationship', { table: 'article', relationship: 'author' }];
    expect(firstTable(run([article, toAuthor, drop]))).toEqual({ table: { name: 'article', schema: 'public' } });
  });
});

describe('select permissions', () => {
  test.each(['type', 'permission'])('are created, commented and dropped, by the argument "%s"', (argument) => {
    const comment: Call = [
      'set_permission_comment',
      { table: 'author', role: 'user', [argument]: 'select', comment: 'readers' },
    ];
    expect(firstTable(run([author, permit, comment]))).toMatchObject({
      select_permissions: [{ role: 'user', permission: { columns: '*', filter: {} }, comment: 'readers' }],
    });
    const drop: Call = ['drop_select_permission', { table: 'author', role: 'user' }];
    expect(firstTable(run([author, permit, drop]))).toEqual({ table: { name: 'author', schema: 'public' } });
  });

  test.each([
    ['the same role twice', [author, permit, permit], 'already-exists', '$'],
    [
      'the role admin, which has every permission',
      [
        author,
        ['create_select_permission', { table: 'author', role: 'admin', permission: { columns: '*', filter: {} } }],
      ],
      'already-exists',
      '$',
    ],
    [
      'a missing permission',
      [author, ['create_select_permission', { table: 'author', role: 'a' }]],
      'parse-failed',
      '$.permission',
    ],
    [
      'an unknown member',
      [
        author,
        ['create_select_permission', { table: 'author', role: 'a', permission: { columns: [], filter: {}, rows: 1 } }],
      ],
      'parse-failed',
      '$.permission.rows',
    ],
    [
      'a negative limit',
      [
        author,
        [
          'create_select_permission',
          { table: 'author', role: 'a', permission: { columns: [], filter: {}, limit: -1 } },
        ],
      ],
      'parse-failed',
      '$.permission.limit',
    ],
    [
      'a removal of an unknown object',
      [author, ['drop_select_permission', { table: 'author', role: 'user' }]],
      'not-exists',
      '$.role',
    ],
  ] satisfies [string, Call[], string, string][])('rejects %s', (_what, calls, code, path) => {
    expect(errorOf(...calls)).toMatchObject({ code, path });
  });
});

describe('rename_relationship', () => {
  const address: Call = [
    'create_object_relationship',
    {
      table: 'author',
      name: 'address',
      using: { manual_configuration: { remote_table: 'address', column_mapping: { address_id: 'id' } } },
    },
  ];
  const rule = (name: string) => ({
    _or: [
      { author: { [name]: { city: { _eq: 'Rome' } }, _not: { [`${name}_aggregate`]: { count: {} } } } },
      { _exists: { _table: 'author', _where: { [name]: {} } } },
      { city: { _ceq: ['author', name, 'city'] } },
      { [name]: 'a column of another table' },
    ],
  });
  const calls: Call[] = [
    author,
    article,
    ['track_table', 'address'],
    address,
    toAuthor,
    [
      'create_select_permission',
      { table: 'article', role: 'user', permission: { columns: '*', filter: rule('address') } },
    ],
  ];
  const rename: Call = ['rename_relationship', { table: 'author', name: 'address', new_name: 'home' }];
  const context: EditContext = {
    mutates: () => false,
    relationshipTarget: (_source, table, name) =>
      table.name === 'article' && name === 'author' ? { schema: 'public', name: 'author' } : undefined,
  };

  test('renames it in every row rule that uses it, and nothing else of that name', () => {
    const renamed = run([rename], run(calls), context);
    const rules = renamed.sources[0]?.tables[1]?.select_permissions?.[0]?.permission.filter;
    expect(rules).toEqual({
      ...rule('home'),
      _or: [...rule('home')._or.slice(0, 3), { address: 'a column of another table' }],
    });
    expect(renamed.sources[0]?.tables[0]?.object_relationships).toMatchObject([{ name: 'home' }]);
  });

  test.each([
    ['a name in use', ['rename_relationship', { table: 'author', name: 'address', new_name: 'address' }]],
  ] satisfies [string, Call][])('rejects %s', (_what, call) => {
    expect(errorOf(...calls, call)).toMatchObject({ code: 'already-exists', path: '$.new_name' });
  });

  test('rejects an unknown relationship', () => {
    const call: Call = ['rename_relationship', { table: 'author', name: 'x', new_name: 'y' }];
    expect(errorOf(...calls, call)).toMatchObject({ code: 'not-exists', path: '$.name' });
  });
});

test('rejects a query collection with two queries of one name', () => {
  const query = { name: 'q', query: '{ author { id } }' };
  expect(errorOf(['create_query_collection', { name: 'c', definition: { queries: [query, query] } }])).toMatchObject({
    code: 'not-supported',
    path: '$.definition.queries[1].name',
    message: 'query "q" is defined twice in the collection',
  });
});
