/** The commands of the service by name. */
import { commands as edits } from '@joinery/metadata/commands/registry';
import { applyCommand } from '../metadata/apply-edit.ts';
import { metadataApis, type ServiceCommand, success } from '../metadata/command-context.ts';
import { writeDropped } from '../metadata/dropped-objects.ts';
import { newUnsupported, writeWarnings } from '../metadata/inconsistencies.ts';
import { getActionRelationshipKeys } from './action-relationship-keys.ts';
import { getSourceFunctions } from './catalog/functions.ts';
import { suggestRelationships } from './catalog/suggest-relationships.ts';
import { getTableInfo } from './catalog/table-info.ts';
import { getSourceTables } from './catalog/tables.ts';
import { dataCommands } from './data/commands.ts';
import { cronCommands } from './events/cron-triggers.ts';
import { eventCommands } from './events/events.ts';
import {
  clearCommand,
  dropInconsistentCommand,
  exportCommand,
  getInconsistentCommand,
  replaceCommand,
} from './metadata.ts';
import { getConfiguration, getNodes, getRecentErrors, getResourceVersion } from './nodes.ts';
import { reloadMetadata, reloadRemoteSchema } from './reload.ts';
import { getRemoteSchemaStatus, introspectRemoteSchema } from './remote-schemas.ts';
import { runSql } from './run-sql/run-sql.ts';
import { trackManyTables, untrackManyTables } from './track-tables.ts';
import { testWebhookTransform } from './webhook-transform.ts';

/** Metadata edits, as commands of the service. */
const editCommands = [...edits].map(([name, command]): [string, ServiceCommand] => [
  name,
  {
    apis: metadataApis,
    changes: () => true,
    run: async ({ args }, progress, context) => {
      const after = await applyCommand(command, args, progress, context);
      const ignored = await newUnsupported(progress.state.model, after.state.model);
      return { progress: after, result: { ...success, ...writeDropped(after.dropped), ...writeWarnings(ignored) } };
    },
  },
]);

/** All commands but bulks, which contain other commands. */
export const singleCommands: ReadonlyMap<string, ServiceCommand> = new Map([
  ...editCommands,
  ['track_tables', trackManyTables],
  ['pg_track_tables', trackManyTables],
  ['untrack_tables', untrackManyTables],
  ['pg_untrack_tables', untrackManyTables],
  ['export_metadata', exportCommand],
  ['replace_metadata', replaceCommand],
  ['clear_metadata', clearCommand],
  ['reload_metadata', reloadMetadata],
  ['reload_remote_schema', reloadRemoteSchema],
  ['introspect_remote_schema', introspectRemoteSchema],
  ['get_remote_schema_status', getRemoteSchemaStatus],
  ['get_inconsistent_metadata', getInconsistentCommand],
  ['drop_inconsistent_metadata', dropInconsistentCommand],
  ['get_source_tables', getSourceTables],
  ['pg_get_source_tables', getSourceTables],
  ['get_source_functions', getSourceFunctions],
  ['pg_get_source_functions', getSourceFunctions],
  ['get_table_info', getTableInfo],
  ['pg_get_table_info', getTableInfo],
  ['suggest_relationships', suggestRelationships],
  ['pg_suggest_relationships', suggestRelationships],
  ['get_action_relationship_keys', getActionRelationshipKeys],
  ['run_sql', runSql],
  ['test_webhook_transform', testWebhookTransform],
  ...dataCommands,
  ...eventCommands,
  ...cronCommands,
  ['get_refused_requests', getRecentErrors],
  ['get_nodes', getNodes],
  ['get_configuration', getConfiguration],
  ['get_resource_version', getResourceVersion],
]);
