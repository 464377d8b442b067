/** Every command of the service by its name, for the endpoints that take it. */
import { nearestName } from '@joinery/metadata/commands/edit/nearest-name';
import { commands as edits } from '@joinery/metadata/commands/registry';
import { ServiceError } from '../../base/errors.ts';
import { applyCommand } from '../metadata/apply-edit.ts';
import { type CommandApi, metadataApis, type ServiceCommand, success } from '../metadata/command-context.ts';
import { writeDropped } from '../metadata/dropped-objects.ts';
import { freshUnsupported, writeWarnings } from '../metadata/inconsistencies.ts';
import { getActionRelationshipKeys } from './action-relationship-keys.ts';
import { bulkCommands } from './bulk.ts';
import { getSourceFunctions } from './catalog/functions.ts';
import { suggestRelationships } from './catalog/suggest-relationships.ts';
import { getTableInfo } from './catalog/table-info.ts';
import { getSourceTables } from './catalog/tables.ts';
import { dataCommands } from './data/commands.ts';
import { cronCommands } from './events/cron-triggers.ts';
import { eventDestinationCommands } from './events/destinations.ts';
import { eventCommands } from './events/events.ts';
import { eventRepeatCommands } from './events/repeat.ts';
import {
  clearCommand,
  dropInconsistentCommand,
  exportCommand,
  getInconsistentCommand,
  replaceCommand,
} from './metadata.ts';
import { getConfiguration, getNodes, getResourceVersion } from './nodes.ts';
import { refusedRequests } from './recent-errors.ts';
import { reloadMetadata, reloadRemoteSchema } from './reload.ts';
import { getRemoteSchemaStatus, introspectRemoteSchema } from './remote-schemas.ts';
import { runSql } from './run-sql/run-sql.ts';
import { trackManyTables, untrackManyTables } from './track-tables.ts';
import { testWebhookTransform } from './webhook-transform.ts';

/** The pure edits, as commands of the service. */
const editCommands = [...edits].map(([name, command]): [string, ServiceCommand] => [
  name,
  {
    apis: metadataApis,
    changes: () => true,
    run: async ({ args }, progress, context) => {
      const after = await applyCommand(command, args, progress, context);
      const ignored = await freshUnsupported(progress.state.model, after.state.model);
      return { progress: after, answer: { ...success, ...writeDropped(after.dropped), ...writeWarnings(ignored) } };
    },
  },
]);

const commands: ReadonlyMap<string, ServiceCommand> = new Map([
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
  ...eventDestinationCommands,
  ...eventRepeatCommands,
  ...cronCommands,
  ['get_refused_requests', refusedRequests],
  ['get_nodes', getNodes],
  ['get_configuration', getConfiguration],
  ['get_resource_version', getResourceVersion],
  ...bulkCommands(findCommand),
]);

/** Where a command that came to the wrong endpoint belongs. */
const endpoints: Readonly<Record<CommandApi, string>> = {
  v1: '/v1/query',
  metadata: '/v1/metadata',
  query: '/v2/query',
};

/** Throws `parse-failed` at `$.type` for a command that is unknown, or that `api` does not take. */
export function findCommand(type: string, api: CommandApi): ServiceCommand {
  const command = commands.get(type);
  if (command === undefined) {
    const near = nearestName(type, commands.keys());
    const hint = near === undefined ? '' : `; did you mean "${near}"?`;
    throw new ServiceError('parse-failed', `unknown command "${type}"${hint}`, { path: '$.type' });
  }
  if (!command.apis.has(api)) {
    const others = [...command.apis].map((one) => endpoints[one]).join(' or ');
    throw new ServiceError('parse-failed', `"${type}" is not a command of ${endpoints[api]}; send it to ${others}`, {
      path: '$.type',
    });
  }
  return command;
}
