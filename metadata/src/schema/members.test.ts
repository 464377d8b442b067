/** Tests of the permitted members of metadata objects. */
import { describe, expect, test } from 'vitest';
import { commands } from '../commands/registry.ts';
import { readDocument } from '../document/document.ts';
import { exportMetadata } from '../document/export.ts';
import { jsonPath } from '../json.ts';
import { emptyMetadata, Metadata } from '../metadata.ts';
import { strayMembers } from './members.ts';

const author = (more: object) => ({
  version: 3,
  sources: [{ name: 'default', kind: 'postgres', tables: [{ table: 'author', ...more }] }],
});
const source = (more: object) => ({
  version: 3,
  sources: [{ name: 'default', kind: 'postgres', tables: [], ...more }],
});
const connection = (more: object) => source({ configuration: { connection_info: { database_url: 'x', ...more } } });
const remote = (definition: object) => ({
  version: 3,
  sources: [],
  remote_schemas: [{ name: 'r', definition: { url: 'http://x', ...definition } }],
});
const action = (definition: object, more: object = {}) => ({
  version: 3,
  sources: [],
  actions: [{ name: 'a', definition: { handler: 'http://x', output_type: 'String', ...definition }, ...more }],
});
const cron = (more: object) => ({
  version: 3,
  sources: [],
  cron_triggers: [{ name: 'c', webhook: 'http://x', schedule: '* * * * *', include_in_metadata: true, ...more }],
});
const openTelemetry = (exporter_otlp: object, status = 'enabled') => ({
  version: 3,
  sources: [],
  opentelemetry: { status, exporter_otlp },
});
const table = '$.sources[0].tables[0]';
const select = (permission: object, more: object = {}) =>
  author({
    select_permissions: [{ role: 'user', permission: { columns: ['id'], filter: {}, ...permission }, ...more }],
  });

describe('a member __proto__ of a map is rejected, because parsing drops it', () => {
  const hostile = JSON.parse('{"__proto__":{"id":{"_eq":1}}}') as object;
  test('in a metadata document, also where unknown members are removed', () => {
    const read = () => readDocument(select({ filter: hostile }), emptyMetadata, () => undefined);
    expect(read).toThrow(expect.objectContaining({ code: 'parse-failed', path: expect.stringMatching(/__proto__/) }));
  });

  test('in the arguments of a command', () => {
    const args = { table: 'author', role: 'user', permission: { columns: ['id'], filter: hostile } };
    const apply = () => commands.get('create_select_permission')?.parse(args);
    expect(apply).toThrow(expect.objectContaining({ message: 'unknown member "__proto__"; remove it' }));
  });

  test('and is accepted in JSON values', () => {
    const payload = JSON.parse('{"__proto__":1}') as object;
    expect(strayMembers(Metadata, cron({ payload }))).toEqual([]);
  });
});

describe('an unknown member is rejected with its path and the nearest name', () => {
  test.each([
    [{ version: 3, sources: [], acions: [] }, '$.acions', 'actions'],
    [source({ tabels: [] }), '$.sources[0].tabels', 'tables'],
    [source({ customisation: {} }), '$.sources[0].customisation', 'customization'],
    [source({ customization: { type_name: {} } }), '$.sources[0].customization.type_name', 'type_names'],
    [
      source({ customization: { root_fields: { prefx: 'a' } } }),
      '$.sources[0].customization.root_fields.prefx',
      'prefix',
    ],
    [source({ configuration: { conection_info: {} } }), '$.sources[0].configuration.conection_info', 'connection_info'],
    [connection({ pool_setings: {} }), '$.sources[0].configuration.connection_info.pool_setings', 'pool_settings'],
    [
      connection({ pool_settings: { max_conections: 1 } }),
      '$.sources[0].configuration.connection_info.pool_settings.max_conections',
      'max_connections',
    ],
    [author({ select_permisions: [] }), `${table}.select_permisions`, 'select_permissions'],
    [author({ event_trigers: [] }), `${table}.event_trigers`, 'event_triggers'],
    [author({ configuration: { custom_nam: 'a' } }), `${table}.configuration.custom_nam`, 'custom_name'],
    [
      author({ configuration: { custom_root_fields: { select_by_key: 'a' } } }),
      `${table}.configuration.custom_root_fields.select_by_key`,
      'select_by_pk',
    ],
    [
      author({ configuration: { column_config: { id: { custom_nam: 'a' } } } }),
      `${table}.configuration.column_config.id.custom_nam`,
      'custom_name',
    ],
    [select({ filtr: {} }), `${table}.select_permissions[0].permission.filtr`, 'filter'],
    [select({}, { coment: 'a' }), `${table}.select_permissions[0].coment`, 'comment'],
    [
      author({
        array_relationships: [
          { name: 'a', using: { manual_configuration: { remote_tabel: 'b', column_mapping: { a: 'b' } } } },
        ],
      }),
      `${table}.array_relationships[0].using.manual_configuration.remote_tabel`,
      'remote_table',
    ],
    [
      author({
        remote_relationships: [
          {
            name: 'a',
            definition: {
              to_remote_schema: { remote_schma: 'r', lhs_fields: [], remote_field: { a: { arguments: {} } } },
            },
          },
        ],
      }),
      `${table}.remote_relationships[0].definition.to_remote_schema.remote_schma`,
      'remote_schema',
    ],
    [source({ functions: [{ function: 'f', permissons: [] }] }), '$.sources[0].functions[0].permissons', 'permissions'],
    [
      source({ functions: [{ function: 'f', configuration: { exposd_as: 'query' } }] }),
      '$.sources[0].functions[0].configuration.exposd_as',
      'exposed_as',
    ],
    [remote({ timeout_secs: 5 }), '$.remote_schemas[0].definition.timeout_secs', 'timeout_seconds'],
    [action({ timout: 5 }), '$.actions[0].definition.timout', 'timeout'],
    [action({ headers: [{ name: 'a', valu: 'b' }] }), '$.actions[0].definition.headers[0].valu', 'value'],
    [
      action({ request_transform: { version: 2, body: { action: 'transform', templat: '' } } }),
      '$.actions[0].definition.request_transform.body.templat',
      'template',
    ],
    [cron({ retry_con: {} }), '$.cron_triggers[0].retry_con', 'retry_conf'],
    [cron({ retry_conf: { num_retry: 1 } }), '$.cron_triggers[0].retry_conf.num_retry', 'num_retries'],
    [
      { version: 3, sources: [], api_limits: { depth_limits: { global: 5 } } },
      '$.api_limits.depth_limits',
      'depth_limit',
    ],
    [{ version: 2, tables: [{ table: 'author', is_enm: true }] }, '$.tables[0].is_enm', 'is_enum'],
  ])('%j', (document, path, name) => {
    expect(() => readDocument(document, emptyMetadata)).toThrow(
      expect.objectContaining({
        code: 'parse-failed',
        path,
        message: expect.stringMatching(new RegExp(`^unknown member .*did you mean "${name}"\\?$`)),
      }),
    );
  });
});

describe('an unknown argument of a command is rejected with its path and the nearest name', () => {
  test.each([
    ['pg_track_table', { table: 'author', is_enm: true }, '$.is_enm', 'is_enum'],
    ['pg_track_table', { table: 'a', configuration: { custom_nam: 'b' } }, '$.configuration.custom_nam', 'custom_name'],
    [
      'create_action',
      { name: 'a', definition: { handlr: 'http://x', output_type: 'String' } },
      '$.definition.handlr',
      'handler',
    ],
    [
      'add_remote_schema',
      { name: 'r', definition: { url: 'http://x', timeout_secs: 5 } },
      '$.definition.timeout_secs',
      'timeout_seconds',
    ],
  ])('%s %j', (name, args, path, near) => {
    expect(() => commands.get(name)?.parse(args)).toThrow(
      expect.objectContaining({
        code: 'parse-failed',
        path,
        message: expect.stringContaining(`did you mean "${near}"?`),
      }),
    );
  });
});

describe('an unsupported member of Hasura v2 is preserved and listed with its path', () => {
  test.each([
    [{ version: 3, sources: [], network: { tls_allowlist: [{ host: 'a' }] } }, '$.network'],
    [{ version: 3, sources: [], metrics_config: { analyze_query_variables: true } }, '$.metrics_config'],
    [
      openTelemetry({ otlp_metrics_endpoint: 'http://c/v1/metrics' }),
      '$.opentelemetry.exporter_otlp.otlp_metrics_endpoint',
    ],
    [openTelemetry({ otlp_logs_endpoint: 'http://c/v1/logs' }), '$.opentelemetry.exporter_otlp.otlp_logs_endpoint'],
    [openTelemetry({ traces_propagators: ['b3'] }), '$.opentelemetry.exporter_otlp.traces_propagators'],
    [{ version: 3, sources: [], backend_configs: { dataconnector: { a: { uri: 'http://x' } } } }, '$.backend_configs'],
    [
      source({
        logical_models: [
          {
            name: 'a',
            fields: [],
            select_permissions: [{ role: 'user', permission: { columns: '*', filter: {}, allow_aggregations: true } }],
          },
        ],
      }),
      '$.sources[0].logical_models[0].select_permissions[0].permission.allow_aggregations',
    ],
    [source({ stored_procedures: [{ stored_procedure: 'a' }] }), '$.sources[0].stored_procedures'],
    [source({ health_check: { test: { sql: 'select 1' } } }), '$.sources[0].health_check'],
    [
      source({ configuration: { connection_template: { template: 'x' } } }),
      '$.sources[0].configuration.connection_template',
    ],
    [source({ configuration: { connection_set: [{ name: 'a' }] } }), '$.sources[0].configuration.connection_set'],
    [source({ configuration: { extensions_schema: 'ext' } }), '$.sources[0].configuration.extensions_schema'],
    [connection({ pool_settings: { retries: 3 } }), '$.sources[0].configuration.connection_info.pool_settings.retries'],
    [author({ logical_model: 'a' }), `${table}.logical_model`],
    [select({ backend_only: true }), `${table}.select_permissions[0].permission.backend_only`],
    [
      author({
        insert_permissions: [{ role: 'user', permission: { check: {}, columns: '*', computed_fields: ['a'] } }],
      }),
      `${table}.insert_permissions[0].permission.computed_fields`,
    ],
    [
      source({ functions: [{ function: 'f', configuration: { response: { type: 'table' } } }] }),
      '$.sources[0].functions[0].configuration.response',
    ],
    [
      action({}, { permissions: [{ role: 'user', definition: { select: { filter: { id: 1 } } } }] }),
      '$.actions[0].permissions[0].definition',
    ],
    [cron({ response_transform: { version: 2 } }), '$.cron_triggers[0].response_transform'],
  ])('%j', (document, path) => {
    const metadata = readDocument(document, emptyMetadata);
    expect(strayMembers(Metadata, metadata).map((one) => [one.kind, jsonPath(one.path)])).toEqual([
      ['unsupported', path],
    ]);
    const again = readDocument(exportMetadata(metadata), emptyMetadata);
    expect(exportMetadata(again)).toEqual(exportMetadata(metadata));
    const [member] = strayMembers(Metadata, again);
    expect(member?.value).toEqual(strayMembers(Metadata, document)[0]?.value);
  });
});

test.each([
  [author({ event_triggers: [], apollo_federation_config: null, logical_model: null })],
  [source({ native_queries: [], query_tags: {}, health_check: null })],
  [source({ configuration: { extensions_schema: 'public' } })],
  [connection({ pool_settings: { retries: 1, max_connections: 5 } })],
  [{ version: 3, sources: [], network: { tls_allowlist: [] }, metrics_config: { analyze_query_variables: false } }],
  [{ version: 3, sources: [], opentelemetry: {} }],
  [openTelemetry({ otlp_metrics_endpoint: 'http://c/v1/metrics' }, 'disabled')],
  [openTelemetry({ otlp_traces_endpoint: 'http://c/v1/traces', protocol: 'http/protobuf', headers: [] })],
])('a value without effect is not listed: %j', (document) => {
  expect(strayMembers(Metadata, readDocument(document, emptyMetadata))).toEqual([]);
});
