/** Tests of exports: the order of members and lists, omitted defaults, and preserved unknown members. */
import { describe, expect, test } from 'vitest';
import { EditError } from '../commands/edit/edit-error.ts';
import { emptyMetadata, Metadata } from '../metadata.ts';
import { SourceName } from '../names.ts';
import { readDocument } from './document.ts';
import { exportMetadata } from './export.ts';

/** A document of an older project, unsorted, with unsupported members. */
const document = {
  network: { tls_allowlist: [] },
  version: 3,
  actions: [
    {
      permissions: [{ role: 'user' }],
      name: 'place',
      definition: { kind: 'synchronous', handler: 'http://a', output_type: 'Result', timeout: 10, headers: [] },
    },
    { name: 'find', definition: { type: 'query', handler: 'http://a', output_type: 'Result' } },
  ],
  custom_types: { enums: [], objects: [{ fields: [{ type: 'Int', name: 'id' }], name: 'Result' }], scalars: [] },
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      configuration: { connection_info: { database_url: { from_env: 'DB' } } },
      tables: [
        { table: { schema: 'shop', name: 'a' } },
        {
          table: { schema: 'public', name: 'b' },
          configuration: { custom_root_fields: {}, column_config: {}, custom_name: null },
          insert_permissions: [{ role: 'user', permission: { check: {}, columns: ['id'] } }],
          select_permissions: [
            { role: 'z', permission: { filter: { id: { _gt: 1 } }, columns: ['id'], allow_aggregations: false } },
            { role: 'a', permission: { columns: '*', filter: {}, allow_aggregations: true, limit: 5 }, comment: null },
          ],
        },
        { table: { schema: 'public', name: 'a' }, is_enum: false },
      ],
      functions: [{ function: { schema: 'public', name: 'f' } }],
    },
  ],
};

describe('exportMetadata', () => {
  test('omits settings that are empty', () => {
    const settings = { api_limits: {}, graphql_schema_introspection: { disabled_for_roles: [] } };
    const metadata = { version: 3, sources: [] };
    expect(exportMetadata(Metadata.parse({ ...metadata, ...settings }))).toEqual(metadata);
  });

  const exported = exportMetadata(Metadata.parse(document));

  test('sorts lists, orders members and omits defaults as Hasura v2 does', () => {
    expect(JSON.stringify(exported)).toBe(
      JSON.stringify({
        version: 3,
        sources: [
          {
            name: 'default',
            kind: 'postgres',
            tables: [
              { table: { name: 'a', schema: 'public' } },
              {
                table: { name: 'b', schema: 'public' },
                insert_permissions: [{ role: 'user', permission: { check: {}, columns: ['id'] } }],
                select_permissions: [
                  { role: 'a', permission: { columns: '*', filter: {}, limit: 5, allow_aggregations: true } },
                  { role: 'z', permission: { columns: ['id'], filter: { id: { _gt: 1 } } } },
                ],
              },
              { table: { name: 'a', schema: 'shop' } },
            ],
            functions: [{ function: { name: 'f', schema: 'public' } }],
            configuration: { connection_info: { database_url: { from_env: 'DB' } } },
          },
        ],
        actions: [
          { name: 'find', definition: { handler: 'http://a', output_type: 'Result', type: 'query' } },
          {
            name: 'place',
            definition: {
              handler: 'http://a',
              output_type: 'Result',
              type: 'mutation',
              kind: 'synchronous',
              timeout: 10,
            },
            permissions: [{ role: 'user' }],
          },
        ],
        custom_types: { objects: [{ name: 'Result', fields: [{ name: 'id', type: 'Int' }] }] },
        network: { tls_allowlist: [] },
      }),
    );
  });

  test('writes a document that is read as the same metadata', () => {
    expect(JSON.stringify(exportMetadata(readDocument(exported, emptyMetadata)))).toBe(JSON.stringify(exported));
  });

  test('writes empty metadata as the empty default source', () => {
    expect(exportMetadata(emptyMetadata)).toEqual({
      version: 3,
      sources: [{ name: 'default', kind: 'postgres', tables: [] }],
    });
  });
});

describe('readDocument', () => {
  test.each([[{ tables: [] }], [{ version: 2, tables: [{ table: 'author' }] }]])(
    'reads a document without sources as the default source: %j',
    (older) => {
      const configuration = { pool: 5 };
      const current = { ...emptyMetadata, sources: [{ ...source, configuration }] };
      expect(readDocument(older, current).sources).toEqual([
        { ...source, configuration, tables: older.tables.map(() => ({ table: { schema: 'public', name: 'author' } })) },
      ]);
    },
  );

  test('preserves unsupported members of Hasura v2', () => {
    const unread = {
      network: { tls_allowlist: [{ host: 'h' }] },
      metrics_config: { analyze_query_variables: true },
      opentelemetry: { status: 'disabled' },
      backend_configs: { dataconnector: {} },
    };
    expect(exportMetadata(readDocument({ version: 3, sources: [], ...unread }, emptyMetadata))).toMatchObject(unread);
    expect(exportMetadata(readDocument({ version: 2, tables: [], ...unread }, emptyMetadata))).toMatchObject(unread);
  });

  test.each([
    [{ version: 3, sources: [], cron_trigers: [] }, '$.cron_trigers', /"cron_trigers".*did you mean "cron_triggers"\?/],
    [{ version: 3, source: [] }, '$.source', /did you mean "sources"\?/],
    [{ version: 3, sources: [], 'my notes': '' }, '$["my notes"]', /unknown member "my notes" .*; remove it$/],
    [{ version: 3, sources: [], tables: [] }, '$.tables', /unknown member "tables"/],
    [{ version: 2, tables: [], function: [] }, '$.function', /did you mean "functions"\?/],
    [{ tables: [], action: [] }, '$.action', /did you mean "actions"\?/],
  ])('rejects unknown members at the root, and names the nearest one: %j', (written, path, message) => {
    const read = () => readDocument(written, emptyMetadata);
    expect(read).toThrow(message);
    expect(read).toThrow(expect.objectContaining({ code: 'parse-failed', path }));
  });

  test.each([
    [
      'a table that is defined twice',
      { version: 3, sources: [{ ...default_(), tables: [a(), a()] }] },
      '$.sources[0].tables[1]',
    ],
    [
      'a role that is defined twice',
      { tables: [{ ...a(), select_permissions: [user(), user()] }] },
      '$.tables[0].select_permissions[1]',
    ],
    ['a source without a name', { version: 3, sources: [{}] }, '$.sources[0].name'],
    ['a table without a name, in the older form', { version: 2, tables: [{}] }, '$.tables[0].table'],
    ['another version', { version: 4, tables: [] }, '$.version'],
    ['a string', 'metadata', '$'],
  ])('rejects %s', (_what, written, path) => {
    expect(() => readDocument(written, emptyMetadata)).toThrow(EditError);
    try {
      readDocument(written, emptyMetadata);
    } catch (error) {
      expect(error).toMatchObject({ code: 'parse-failed', path });
    }
  });
});

const source = { name: SourceName.parse('default'), kind: 'postgres' as const, tables: [] };

function default_() {
  return { name: 'default' };
}

function a() {
  return { table: 'a' };
}

function user() {
  return { role: 'user', permission: { columns: '*', filter: {} } };
}
