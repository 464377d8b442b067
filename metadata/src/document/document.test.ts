/** Tests of the forms of metadata documents, and of members that a document may have without effect. */
import { describe, expect, test } from 'vitest';
import { jsonPath } from '../json.ts';
import { emptyMetadata, type Metadata } from '../metadata.ts';
import { readDocument, unknownMembersOf } from './document.ts';
import { exportMetadata } from './export.ts';

const search = { name: 'search', schema: 'public' };

/** Metadata with a source whose settings and stored operations an older document does not describe. */
const current = readDocument(
  {
    version: 3,
    sources: [
      {
        name: 'default',
        configuration: { connection_info: { database_url: { from_env: 'URL' } } },
        customization: { root_fields: { prefix: 'a_' } },
        query_tags: { format: 'standard' },
        stored_procedures: [{ stored_procedure: 'a' }],
        health_check: { test: { sql: 'select 1' } },
        tables: [],
        functions: [{ function: 'search' }],
        logical_models: [{ name: 'model', fields: [{ name: 'a', type: { scalar: 'text' } }] }],
        native_queries: [{ root_field_name: 'native', code: 'select 1', returns: 'model' }],
      },
      { name: 'other', tables: [] },
    ],
    query_collections: [{ name: 'c', definition: { queries: [{ name: 'q', query: '{ __typename }' }] } }],
    rest_endpoints: [
      { name: 'e', url: 'e', methods: ['GET'], definition: { query: { collection_name: 'c', query_name: 'q' } } },
    ],
    inherited_roles: [{ role_name: 'both', role_set: ['one', 'two'] }],
  },
  emptyMetadata,
);

function read(document: unknown, before: Metadata = current) {
  return exportMetadata(readDocument(document, before));
}

describe('a document without sources', () => {
  test.each([
    ['names', { tables: [], functions: ['search'] }, [{ function: search }]],
    ['qualified names', { version: 1, tables: [], functions: [search] }, [{ function: search }]],
    ['names without a schema', { tables: [], functions: [{ name: 'search' }] }, [{ function: search }]],
    [
      'entries',
      { version: 2, tables: [], functions: [{ function: 'search', configuration: { exposed_as: 'query' } }] },
      [{ function: search, configuration: { exposed_as: 'query' } }],
    ],
  ])('may list functions as %s', (_form, document, functions) => {
    expect(read(document).sources).toMatchObject([{ name: 'default', functions }]);
  });

  test('replaces all metadata except for the connection of the default source', () => {
    const after = read({ tables: [] });
    expect(after).toEqual({
      version: 3,
      sources: [
        {
          name: 'default',
          kind: 'postgres',
          tables: [],
          configuration: { connection_info: { database_url: { from_env: 'URL' } } },
        },
      ],
    });
  });

  test('is rejected if there is no default source', () => {
    const withoutDefault = { ...emptyMetadata, sources: [] };
    expect(() => read({ tables: [] }, withoutDefault)).toThrow(expect.objectContaining({ code: 'not-supported' }));
  });
});

test.each([
  ['tables', {}],
  ['tables', { version: 2, actions: [] }],
  ['sources', { version: 3 }],
])('a document must have the member "%s": %j', (member, document) => {
  expect(() => read(document)).toThrow(expect.objectContaining({ code: 'parse-failed', path: `$.${member}` }));
});

const author = (entry: object) => ({
  version: 3,
  sources: [{ name: 'default', tables: [{ table: 'author', ...entry }] }],
});
const permission = (kind: string, members: object) =>
  author({ [`${kind}_permissions`]: [{ role: 'user', permission: members }] });
const table = '$.sources[0].tables[0]';

describe('an unknown member is removed and passed to the caller', () => {
  test.each([
    ['of the metadata', { version: 3, sources: [], notes: 'x' }, ['$.notes']],
    ['of a table', author({ owner_team: 'x' }), [`${table}.owner_team`]],
    [
      'of a permission',
      permission('insert', { check: {}, filter: { id: 1 } }),
      [`${table}.insert_permissions[0].permission.filter`],
    ],
    [
      'of the name of a table',
      author({ object_relationships: [{ name: 'a', using: { foreign_key_constraint_on: 'a_id', extra: 1 } }] }),
      [`${table}.object_relationships[0].using.extra`],
    ],
    [
      'of an action and of its definition',
      {
        version: 3,
        sources: [],
        actions: [{ name: 'a', owner: 'x', definition: { handler: 'http://x', output_type: 'Int', roles: [] } }],
      },
      ['$.actions[0].owner', '$.actions[0].definition.roles'],
    ],
    ['of an older document', { version: 2, tables: [{ table: 'a', owner_team: 'x' }] }, ['$.tables[0].owner_team']],
  ])('%s', (_owner, document, paths) => {
    const removed: string[] = [];
    const metadata = readDocument(document, emptyMetadata, ({ path }) => removed.push(jsonPath(path)));
    expect(removed).toEqual(paths);
    expect(unknownMembersOf(exportMetadata(metadata))).toEqual([]);
  });

  test('unless its name is similar to that of a valid member', () => {
    const misspelled = permission('select', { columns: '*', filtr: { id: 1 } });
    expect(() => readDocument(misspelled, emptyMetadata, () => undefined)).toThrow(
      expect.objectContaining({
        code: 'parse-failed',
        path: `${table}.select_permissions[0].permission.filtr`,
        message: expect.stringContaining('did you mean "filter"?'),
      }),
    );
  });
});

describe('null is the same as absence', () => {
  const action = { name: 'a', definition: { handler: 'http://x', output_type: 'Int' } };
  const whole = { version: 3, sources: [] };
  test.each([
    [
      'for members of the metadata',
      { ...whole, remote_schemas: null, actions: null, custom_types: null, cron_triggers: null, inherited_roles: null },
      whole,
    ],
    [
      'for members of an older document',
      { tables: [{ table: 'a', is_enum: null }], functions: null },
      { tables: [{ table: 'a' }] },
    ],
    [
      'for members of a table',
      author({ configuration: null, select_permissions: null, object_relationships: null }),
      author({}),
    ],
    [
      'for members of a permission',
      permission('select', { columns: '*', filter: {}, computed_fields: null, allow_aggregations: null }),
      permission('select', { columns: '*', filter: {} }),
    ],
    [
      'for members of an action, which have their defaults',
      {
        ...whole,
        actions: [
          {
            ...action,
            permissions: null,
            definition: { ...action.definition, headers: null, timeout: null, type: null },
          },
        ],
      },
      { ...whole, actions: [action] },
    ],
  ])('%s', (_owner, document, same) => {
    expect(read(document)).toEqual(read(same));
  });

  test('but null is a value of a default value', () => {
    const withDefault = (default_value: unknown) => ({
      ...whole,
      actions: [
        { ...action, definition: { ...action.definition, arguments: [{ name: 'x', type: 'Int', default_value }] } },
      ],
    });
    expect(read(withDefault(null)).actions?.[0]?.definition.arguments).toEqual([
      { name: 'x', type: 'Int', default_value: null },
    ]);
  });

  test.each([
    ['select', 'filter', { columns: '*' }],
    ['update', 'filter', { columns: '*' }],
    ['delete', 'filter', {}],
    ['insert', 'check', { columns: '*' }],
  ] as const)('but a permission to %s must have a %s, because none would grant all rows', (kind, member, others) => {
    for (const incomplete of [others, { ...others, [member]: null }]) {
      const { sources } = permission(kind, incomplete);
      const documents = [
        { version: 3, sources },
        { version: 2, tables: sources[0]?.tables },
      ];
      for (const [document, path] of [
        [documents[0], '$.sources[0].tables[0]'],
        [documents[1], '$.tables[0]'],
      ] as const) {
        const at = `${path}.${kind}_permissions[0].permission.${member}`;
        expect(() => read(document)).toThrow(expect.objectContaining({ code: 'parse-failed', path: at }));
      }
    }
  });

  test('and required members must not be null', () => {
    for (const document of [
      { version: 3, sources: null },
      { version: 2, tables: null },
    ]) {
      expect(() => read(document)).toThrow(expect.objectContaining({ code: 'parse-failed' }));
    }
  });
});

describe('the kind of an action', () => {
  const action = (definition: object) => ({
    version: 3,
    sources: [],
    actions: [{ name: 'a', definition: { handler: 'http://x', output_type: 'Int', ...definition } }],
  });

  test.each([
    ['is synchronous if it is empty', { kind: '' }, 'synchronous'],
    ['is synchronous if it is null', { type: 'mutation', kind: null }, 'synchronous'],
    ['is synchronous if it is absent', { type: 'mutation' }, 'synchronous'],
    ['is asynchronous as written', { type: 'mutation', kind: 'asynchronous' }, 'asynchronous'],
    ['is ignored for a query, which is synchronous', { type: 'query', kind: 'asynchronous' }, 'synchronous'],
    ['is ignored for a query if it is empty', { type: 'query', kind: '' }, 'synchronous'],
    ['is ignored for a query if it is unknown', { type: 'query', kind: 'other' }, 'synchronous'],
  ])('%s', (_rule, definition, kind) => {
    expect(readDocument(action(definition), emptyMetadata).actions?.[0]?.definition.kind).toBe(kind);
  });

  test('is rejected if it is unknown and the action is a mutation', () => {
    expect(() => readDocument(action({ kind: 'other' }), emptyMetadata)).toThrow(
      expect.objectContaining({ code: 'parse-failed', path: '$.actions[0].definition.kind' }),
    );
  });
});

test.each([
  ['query_collections', { name: 'c', definition: { queries: [] } }],
  ['allowlist', { collection: 'c' }],
])('an entry of %s that is defined twice is rejected with the path of the second', (member, entry) => {
  const document = { version: 3, sources: [], [member]: [entry, entry] };
  expect(() => read(document)).toThrow(expect.objectContaining({ path: `$.${member}[1]` }));
});

test('a role that is listed twice for a collection of the allow list is rejected', () => {
  const scope = { global: false, roles: ['a', 'a'] };
  const document = { version: 3, sources: [], allowlist: [{ collection: 'c', scope }] };
  expect(() => read(document)).toThrow(
    expect.objectContaining({ code: 'parse-failed', message: expect.stringContaining('twice') }),
  );
});
