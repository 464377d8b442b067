/** The commands of the service by name. */
import type { EditedMetadata } from '@joinery/metadata/api/metadata';
import type { CommandName } from '@joinery/metadata/api/responses';
import { type EditName, commands as edits } from '@joinery/metadata/commands/registry';
import { z } from 'zod';
import { getActionRun, getActionRuns } from '../async-actions/runs.ts';
import { getAuditLog } from '../audit/get-audit-log.ts';
import { eventTriggerCommands } from '../event-triggers/commands.ts';
import { takeOverHasuraEvents } from '../event-triggers/hasura/hasura-events.ts';
import { getEventOrphans, removeEventOrphans } from '../event-triggers/orphans.ts';
import { changeEvents } from '../events/change-events.ts';
import { searchEvents } from '../events/search-events.ts';
import { applyCommand } from '../metadata/apply-edit.ts';
import { type ServiceCommand, type ServiceCommands, success } from '../metadata/command-context.ts';
import { writeDropped } from '../metadata/dropped-objects.ts';
import { newWarnings, writeWarnings } from '../metadata/inconsistencies.ts';
import { testActionHandler } from './action-handler-test.ts';
import { getActionRelationshipKeys, suggestActionRelationships } from './action-relationship-keys.ts';
import { getDependents } from './catalog/dependents.ts';
import { getSourceFunctions } from './catalog/functions.ts';
import { getLogicalModels, getNativeQueries } from './catalog/native-queries.ts';
import { suggestRelationships } from './catalog/suggest-relationships.ts';
import { getTableInfo } from './catalog/table-info.ts';
import { getSourceTables } from './catalog/tables.ts';
import { editCommand } from './command.ts';
import { dataCommands } from './data/commands.ts';
import { cronCommands } from './events/cron-triggers.ts';
import { eventCommands } from './events/events.ts';
import { getCatalogState, setCatalogState } from './hasura-tools/catalog-state.ts';
import { dumpInternalState, getSourceKindCapabilities, listSourceKinds } from './hasura-tools/server-state.ts';
import {
  clearCommand,
  dropInconsistentCommand,
  exportCommand,
  getInconsistentCommand,
  getLimitedOperations,
  replaceCommand,
  setApiLimitsCommand,
} from './metadata.ts';
import { getConfiguration, getNodes, getRecentErrors, getResourceVersion } from './nodes.ts';
import { reloadMetadata, reloadRemoteSchema } from './reload.ts';
import { getRemoteSchemaStatus, introspectRemoteSchema } from './remote-schemas.ts';
import { runSql } from './run-sql/run-sql.ts';
import { trackManyTables, untrackManyTables } from './track-tables.ts';
import { testWebhookTransform } from './webhook-transform.ts';

/** The edits of the metadata, as commands of the service. */
const editCommands = [...edits].map(([name, command]): [string, ServiceCommand<EditedMetadata>] => [
  name,
  {
    ...editCommand(z.unknown(), async (args, progress, context) => {
      const after = await applyCommand(command, args, progress, context);
      const warnings = await newWarnings(progress.state.model, after.state.model);
      // The older commands of `/v1/query` have the response of Hasura v2, which tracks a table without a GraphQL name in silence.
      const ignored =
        context.api === 'v1' && !name.startsWith('pg_')
          ? warnings.filter(({ accepted }) => accepted === undefined)
          : warnings;
      return { progress: after, result: { ...success, ...writeDropped(after.dropped), ...writeWarnings(ignored) } };
    }),
    arguments: command.arguments,
  },
]);

type BulkName = 'bulk' | 'bulk_keep_going' | 'bulk_atomic' | 'concurrent_bulk';

/** The commands that are not edits of the metadata, and the edits with a handler of their own. */
const otherCommands: ServiceCommands<
  Exclude<CommandName, EditName | BulkName> | 'set_api_limits' | `${'' | 'pg_'}${'track_tables' | 'untrack_tables'}`
> = {
  track_tables: trackManyTables,
  pg_track_tables: trackManyTables,
  untrack_tables: untrackManyTables,
  pg_untrack_tables: untrackManyTables,
  export_metadata: exportCommand,
  replace_metadata: replaceCommand,
  clear_metadata: clearCommand,
  reload_metadata: reloadMetadata,
  reload_remote_schema: reloadRemoteSchema,
  introspect_remote_schema: introspectRemoteSchema,
  get_remote_schema_status: getRemoteSchemaStatus,
  get_inconsistent_metadata: getInconsistentCommand,
  drop_inconsistent_metadata: dropInconsistentCommand,
  set_api_limits: setApiLimitsCommand,
  get_limited_operations: getLimitedOperations,
  get_source_tables: getSourceTables,
  pg_get_source_tables: getSourceTables,
  get_source_functions: getSourceFunctions,
  pg_get_source_functions: getSourceFunctions,
  get_table_info: getTableInfo,
  pg_get_table_info: getTableInfo,
  get_dependents: getDependents,
  pg_get_dependents: getDependents,
  get_native_query: getNativeQueries,
  pg_get_native_query: getNativeQueries,
  get_logical_model: getLogicalModels,
  pg_get_logical_model: getLogicalModels,
  suggest_relationships: suggestRelationships,
  pg_suggest_relationships: suggestRelationships,
  get_action_relationship_keys: getActionRelationshipKeys,
  suggest_action_relationships: suggestActionRelationships,
  run_sql: runSql,
  pg_run_sql: runSql,
  citus_run_sql: runSql,
  cockroach_run_sql: runSql,
  get_catalog_state: getCatalogState,
  set_catalog_state: setCatalogState,
  list_source_kinds: listSourceKinds,
  get_source_kind_capabilities: getSourceKindCapabilities,
  dump_internal_state: dumpInternalState,
  test_action_handler: testActionHandler,
  get_action_runs: getActionRuns,
  get_action_run: getActionRun,
  test_webhook_transform: testWebhookTransform,
  ...dataCommands,
  pg_select: dataCommands.select,
  pg_count: dataCommands.count,
  pg_insert: dataCommands.insert,
  pg_update: dataCommands.update,
  pg_delete: dataCommands.delete,
  ...eventCommands,
  ...cronCommands,
  ...eventTriggerCommands,
  search_events: searchEvents,
  change_events: changeEvents,
  get_event_orphans: getEventOrphans,
  remove_event_orphans: removeEventOrphans,
  take_over_hasura_events: takeOverHasuraEvents,
  get_refused_requests: getRecentErrors,
  get_audit_log: getAuditLog,
  get_nodes: getNodes,
  get_configuration: getConfiguration,
  get_resource_version: getResourceVersion,
};

/** All commands but bulks, which contain other commands. */
export const singleCommands: ReadonlyMap<string, ServiceCommand> = new Map<string, ServiceCommand>([
  ...editCommands,
  ...Object.entries(otherCommands),
]);
