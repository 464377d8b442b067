/** The names of Hasura v2 that the pages "from-hasura-*" list, and the rows that the code implies for them. */
import { ServiceError } from '../../src/base/errors.ts';
import { commandLineVariables, counterpartOf, withoutCounterpart } from '../../src/config/environment/hasura-names.ts';
import { findCommand } from '../../src/service/commands/bulk.ts';
import { singleCommands } from '../../src/service/commands/registry.ts';

const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '');

/** Variables of the server of Hasura v2 and of its command line tool, without `HASURA_GRAPHQL_`. */
const variables = words(`
  DATABASE_URL METADATA_DATABASE_URL METADATA_DATABASE_EXTENSIONS_SCHEMA METADATA_DEFAULTS NO_OF_RETRIES PG_STRIPES
  PG_CONNECTIONS PG_TIMEOUT PG_CONN_LIFETIME PG_POOL_TIMEOUT USE_PREPARED_STATEMENTS TX_ISOLATION SERVER_HOST SERVER_PORT
  SERVER_TIMEOUT MAX_TOTAL_HEADER_LENGTH ADMIN_SECRET ACCESS_KEY AUTH_HOOK AUTH_HOOK_MODE AUTH_HOOK_TYPE
  AUTH_HOOK_SEND_REQUEST_BODY JWT_SECRET UNAUTHORIZED_ROLE PRESERVE_401_ERRORS ADMIN_INTERNAL_ERRORS DEV_MODE CORS_DOMAIN
  DISABLE_CORS WS_READ_COOKIE ENABLE_CONSOLE CONSOLE_ASSETS_DIR ENABLE_TELEMETRY ENABLED_APIS STRINGIFY_NUMERIC_TYPES
  V1_BOOLEAN_NULL_COLLAPSE BACKWARDS_COMPAT_NULL_IN_NONNULLABLE_VARIABLES NO_NULL_UNBOUND_VARIABLE_DEFAULT
  INFER_FUNCTION_PERMISSIONS DEFAULT_NAMING_CONVENTION DISABLE_NATIVE_QUERY_VALIDATION ENABLE_RELAY ENABLE_APOLLO_FEDERATION
  ENABLE_REMOTE_SCHEMA_PERMISSIONS REMOTE_SCHEMA_SKIP_NULLS REMOTE_SCHEMA_PRIORITIZE_DATA ENABLE_ALLOWLIST
  ENABLE_PERSISTED_QUERIES PERSISTED_QUERIES_TTL LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL
  LIVE_QUERIES_MULTIPLEXED_BATCH_SIZE STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL
  STREAMING_QUERIES_MULTIPLEXED_BATCH_SIZE CONNECTION_COMPRESSION WEBSOCKET_KEEPALIVE WEBSOCKET_CONNECTION_INIT_TIMEOUT
  CLOSE_WEBSOCKETS_ON_METADATA_CHANGE EVENTS_HTTP_POOL_SIZE EVENTS_FETCH_INTERVAL EVENTS_FETCH_BATCH_SIZE
  ASYNC_ACTIONS_FETCH_INTERVAL ASYNC_ACTIONS_FETCH_BATCH_SIZE DISABLE_EVENTING GRACEFUL_SHUTDOWN_TIMEOUT
  CONFIGURED_HEADER_PRECEDENCE SCHEMA_SYNC_POLL_INTERVAL ENABLE_MAINTENANCE_MODE EXPERIMENTAL_FEATURES LOG_LEVEL
  ENABLED_LOG_TYPES LOG_MASKED_VARIABLES ENABLE_METADATA_QUERY_LOGGING HTTP_LOG_QUERY_ONLY_ON_ERROR ENABLE_QUERY_TRACING
  ENABLE_TRIGGERS_ERROR_LOG_LEVEL QUERY_PLAN_CACHE_SIZE STRIPES_PER_READ_REPLICA CONNECTIONS_PER_READ_REPLICA
  DYNAMIC_SECRETS_ALLOWED_PATH_PREFIX
  METADATA_DIR MIGRATIONS_DIR MIGRATIONS_SERVER_PORT MIGRATIONS_SERVER_TIMEOUT MIGRATIONS_DATABASE_ENV_VAR ENDPOINT
  ADMIN_SECRETS METADATA_DIRECTORY METADATA_FILE MIGRATIONS_DIRECTORY SEEDS_DIRECTORY CERTIFICATE_AUTHORITY
  INSECURE_SKIP_TLS_VERIFY API_PATHS_QUERY DISABLE_INTERACTIVE NO_TRANSACTION`);

/** Returns the rows of docs/from-hasura-settings.md. Throws for a name that the code does not know. */
export function settingRows(): readonly string[] {
  return variables.map((bare) => {
    const name = `HASURA_GRAPHQL_${bare}`;
    const counterpart = counterpartOf(name, '')?.variable;
    const reason = commandLineVariables[bare] ?? withoutCounterpart[bare];
    if (counterpart === undefined && reason === undefined) throw new Error(`no counterpart and no reason: ${name}`);
    if (counterpart === undefined) {
      const isRead = reason?.startsWith('read by the command line tool') === true;
      return row([`\`${name}\``, isRead ? 'supported' : 'no meaning here', reason ?? '']);
    }
    const status = counterpart === `JOINERY_${bare}` ? 'supported' : 'renamed';
    return row([`\`${name}\``, status, `\`${counterpart}\``]);
  });
}

const kinds = ['insert', 'select', 'update', 'delete'];
const each = (names: readonly string[], build: (name: string) => readonly string[]): readonly string[] =>
  names.flatMap(build);

/** Names of both lists of metadata commands, on `/v1/query` and without prefix on `/v1/metadata`. */
const sharedCommands = words(`
  add_remote_schema update_remote_schema remove_remote_schema reload_remote_schema introspect_remote_schema
  create_cron_trigger delete_cron_trigger create_scheduled_event
  create_query_collection rename_query_collection drop_query_collection add_query_to_collection
  drop_query_from_collection add_collection_to_allowlist drop_collection_from_allowlist
  replace_metadata export_metadata clear_metadata reload_metadata get_inconsistent_metadata drop_inconsistent_metadata
  create_action drop_action update_action create_action_permission drop_action_permission
  create_rest_endpoint drop_rest_endpoint dump_internal_state set_custom_types bulk`);

const queryCommands = [
  ...words(`
  add_existing_table_or_view track_table untrack_table set_table_is_enum set_table_customization set_table_custom_fields
  track_function untrack_function create_object_relationship create_array_relationship drop_relationship
  set_relationship_comment rename_relationship add_computed_field drop_computed_field create_remote_relationship
  update_remote_relationship delete_remote_relationship set_permission_comment
  insert select update delete count create_event_trigger delete_event_trigger redeliver_event invoke_event_trigger run_sql`),
  ...each(kinds, (kind) => [`create_${kind}_permission`, `drop_${kind}_permission`]),
  ...sharedCommands,
];

const prefixedCommands = [
  ...words(`
  add_source drop_source update_source set_table_customization set_apollo_federation_config get_source_tables
  get_table_info track_table track_tables untrack_table untrack_tables set_permission_comment
  track_function untrack_function set_function_customization create_function_permission drop_function_permission
  create_object_relationship create_array_relationship set_relationship_comment rename_relationship drop_relationship
  suggest_relationships create_remote_relationship update_remote_relationship delete_remote_relationship
  create_event_trigger delete_event_trigger invoke_event_trigger redeliver_event get_event_logs
  get_event_invocation_logs get_event_by_id add_computed_field drop_computed_field set_table_is_enum
  test_connection_template get_native_query track_native_query untrack_native_query get_logical_model
  track_logical_model untrack_logical_model create_logical_model_select_permission drop_logical_model_select_permission
  get_stored_procedure track_stored_procedure untrack_stored_procedure`),
  ...each(kinds, (kind) => [`create_${kind}_permission`, `drop_${kind}_permission`]),
].map((name) => `pg_${name}`);

const metadataCommands = [
  ...sharedCommands,
  ...prefixedCommands,
  ...words(`
  rename_source add_remote_schema_permissions drop_remote_schema_permissions create_remote_schema_remote_relationship
  update_remote_schema_remote_relationship delete_remote_schema_remote_relationship cleanup_event_trigger_logs
  resume_event_trigger_cleanups pause_event_trigger_cleanups get_cron_triggers delete_scheduled_event
  get_scheduled_events get_scheduled_event_invocations update_scope_of_collection_in_allowlist dc_add_agent dc_delete_agent
  list_source_kinds get_source_kind_capabilities get_table_info set_api_limits remove_api_limits set_metrics_config
  remove_metrics_config add_inherited_role drop_inherited_role add_host_to_tls_allowlist drop_host_from_tls_allowlist
  get_catalog_state set_catalog_state set_graphql_schema_introspection_options test_webhook_transform set_query_tags
  set_opentelemetry_config set_opentelemetry_status bulk_keep_going bulk_atomic`),
];

const sqlCommands = words(`
  select insert update delete count run_sql pg_run_sql citus_run_sql cockroach_run_sql mssql_run_sql bigquery_run_sql
  bigquery_database_inspection bulk concurrent_bulk`);

const endpoints = [
  ['/v1/query', 'v1', queryCommands],
  ['/v1/metadata', 'metadata', metadataCommands],
  ['/v2/query', 'query', sqlCommands],
] as const;

/** Returns the rows of the commands of Hasura v2 in docs/from-hasura-commands.md. */
export function commandRows(): readonly string[] {
  const names = [...new Set(endpoints.flatMap(([, , commands]) => commands))].sort();
  return names.map((name) => {
    const there = endpoints.filter(([, , commands]) => commands.includes(name)).map(([path]) => `\`${path}\``);
    return row([`\`${name}\``, there.join(', '), pathsHere(name) ?? 'not supported']);
  });
}

/** Returns the rows of the other commands of the service. */
export function ownCommandRows(): readonly string[] {
  const known = new Set<string>(endpoints.flatMap(([, , commands]) => commands));
  return [...singleCommands.keys()]
    .filter((name) => !known.has(name))
    .sort()
    .map((name) => row([`\`${name}\``, pathsHere(name) ?? '']));
}

/** Returns the endpoints that take the command; undefined where none does. */
function pathsHere(name: string): string | undefined {
  const found = endpoints.filter(([, api]) => {
    try {
      return findCommand(name.replace(/^(?:citus|cockroach)_/, 'pg_'), api).apis.has(api);
    } catch (error) {
      if (error instanceof ServiceError) return false;
      throw error;
    }
  });
  return found.length === 0 ? undefined : found.map(([path]) => `\`${path}\``).join(', ');
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
