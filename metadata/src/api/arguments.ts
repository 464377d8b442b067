/** The type of the arguments of each command of the metadata API, inferred from the schemas that parse them. */

import type { z } from 'zod';
import type { EditArguments, EditName } from '../commands/registry.ts';
import type { ExportedMetadata } from '../document/exported-metadata.ts';
import type { GetActionRun, GetActionRuns } from './action-runs.ts';
import type { TestActionHandler } from './action-test.ts';
import type { GetAuditLog } from './audit.ts';
import type { DeleteAlert, SetAlert } from './events/alerts.ts';
import type { PreviewCronSchedule, RunCronTrigger } from './events/cron.ts';
import type { EventDestinationName, GetEventDestinations, SetEventDestination } from './events/destinations.ts';
import type {
  CreateScheduledEvent,
  CreateScheduledEvents,
  EventTarget,
  UpdateScheduledEvent,
} from './events/events.ts';
import type {
  AdvanceClock,
  CancelScheduledEvents,
  DeleteScheduledEvent,
  GetScheduledEventInvocations,
  GetScheduledEventStats,
  GetScheduledEvents,
  RedeliverScheduledEvents,
} from './events/lists.ts';
import type { GetEventOrphans, RemoveEventOrphans, TakeOverHasuraEvents } from './events/maintenance.ts';
import type { ChangeEvents, IndexEventPayloads, SearchEvents } from './events/search.ts';
import type { GetTrafficHistory } from './events/traffic.ts';
import type {
  CleanupEventTriggerLogs,
  GetEventById,
  GetEventInvocationLogs,
  GetEventLogs,
  GetEventTriggerStats,
  InvokeEventTrigger,
  RedeliverEvent,
  RedeliverEvents,
} from './events/triggers.ts';
import type { GetSourceKindCapabilities, SetCatalogState } from './hasura-tools.ts';
import type { NoArguments, ReloadMetadata, ReplaceMetadata } from './metadata.ts';
import type { GetRecentErrors } from './recent-errors.ts';
import type { GetRemoteSchemaStatus, IntrospectRemoteSchema, ReloadRemoteSchema } from './remote-schemas.ts';
import type { CommandName, WithPrefix } from './responses.ts';
import type {
  GetActionRelationshipKeys,
  GetDependents,
  GetLogicalModels,
  GetNativeQueries,
  GetSourceFunctions,
  GetSourceTables,
  GetTableInfo,
  SuggestActionRelationships,
  SuggestRelationships,
} from './sources/catalog.ts';
import type { CountRows, DeleteRows, InsertRows, SelectRows, UpdateRows } from './sources/data.ts';
import type { RunSql } from './sources/run-sql.ts';
import type { TestWebhookTransform } from './webhook-transform.ts';

/** `T` with read-only members and elements at every depth. */
type Immutable<T> = T extends object ? { readonly [Key in keyof T]: Immutable<T[Key]> } : T;

type Input<Schema extends z.ZodType> = Immutable<z.input<Schema>>;

/** Commands that exist with and without the prefix `pg_`. */
interface SourceArguments {
  readonly get_source_tables: Input<typeof GetSourceTables>;
  readonly get_table_info: Input<typeof GetTableInfo>;
  readonly get_dependents: Input<typeof GetDependents>;
  readonly get_source_functions: Input<typeof GetSourceFunctions>;
  readonly get_native_query: Input<typeof GetNativeQueries>;
  readonly get_logical_model: Input<typeof GetLogicalModels>;
  readonly suggest_relationships: Input<typeof SuggestRelationships>;
  readonly select: Input<typeof SelectRows>;
  readonly count: Input<typeof CountRows>;
  readonly insert: Input<typeof InsertRows>;
  readonly update: Input<typeof UpdateRows>;
  readonly delete: Input<typeof DeleteRows>;
}

/** Commands on events of triggers, which also exist with and without the prefix. */
interface TriggerArguments {
  readonly redeliver_event: Input<typeof RedeliverEvent>;
  readonly invoke_event_trigger: Input<typeof InvokeEventTrigger>;
  readonly get_event_logs: Input<typeof GetEventLogs>;
  readonly get_event_invocation_logs: Input<typeof GetEventInvocationLogs>;
  readonly get_event_by_id: Input<typeof GetEventById>;
  readonly redeliver_events: Input<typeof RedeliverEvents>;
  readonly cleanup_event_trigger_logs: Input<typeof CleanupEventTriggerLogs>;
  readonly get_event_trigger_stats: Input<typeof GetEventTriggerStats>;
}

/** A command of a bulk. */
interface BulkElement {
  readonly type: CommandName;
  readonly args: unknown;
}

/** The arguments of each command, by its name. */
export interface CommandArguments extends WithPrefix<SourceArguments>, WithPrefix<TriggerArguments>, ImmutableEdits {
  readonly export_metadata: Input<typeof NoArguments>;
  readonly replace_metadata: Input<typeof ReplaceMetadata> | ExportedMetadata;
  readonly clear_metadata: Input<typeof NoArguments>;
  readonly reload_metadata: Input<typeof ReloadMetadata>;
  readonly reload_remote_schema: Input<typeof ReloadRemoteSchema>;
  readonly get_inconsistent_metadata: Input<typeof NoArguments>;
  readonly drop_inconsistent_metadata: Input<typeof NoArguments>;
  readonly get_limited_operations: Input<typeof NoArguments>;
  readonly get_resource_version: Input<typeof NoArguments>;
  readonly bulk: readonly BulkElement[];
  readonly bulk_keep_going: readonly BulkElement[];
  /** Edits of the metadata. */
  readonly bulk_atomic: readonly BulkElement[];
  /** Commands of `/v2/query` that do not change the metadata. */
  readonly concurrent_bulk: readonly BulkElement[];
  readonly get_event_orphans: Input<typeof GetEventOrphans>;
  readonly remove_event_orphans: Input<typeof RemoveEventOrphans>;
  readonly take_over_hasura_events: Input<typeof TakeOverHasuraEvents>;
  readonly run_sql: Input<typeof RunSql>;
  readonly pg_run_sql: Input<typeof RunSql>;
  readonly citus_run_sql: Input<typeof RunSql>;
  readonly cockroach_run_sql: Input<typeof RunSql>;
  readonly get_catalog_state: Input<typeof NoArguments>;
  readonly set_catalog_state: Input<typeof SetCatalogState>;
  readonly list_source_kinds: Input<typeof NoArguments>;
  readonly get_source_kind_capabilities: Input<typeof GetSourceKindCapabilities>;
  readonly dump_internal_state: Input<typeof NoArguments>;
  readonly get_action_relationship_keys: Input<typeof GetActionRelationshipKeys>;
  readonly suggest_action_relationships: Input<typeof SuggestActionRelationships>;
  readonly get_action_runs: Input<typeof GetActionRuns>;
  readonly get_action_run: Input<typeof GetActionRun>;
  readonly test_action_handler: Input<typeof TestActionHandler>;
  readonly test_webhook_transform: Input<typeof TestWebhookTransform>;
  readonly introspect_remote_schema: Input<typeof IntrospectRemoteSchema>;
  readonly get_remote_schema_status: Input<typeof GetRemoteSchemaStatus>;
  readonly get_cron_triggers: Input<typeof NoArguments>;
  readonly preview_cron_schedule: Input<typeof PreviewCronSchedule>;
  readonly get_cron_trigger_stats: Input<typeof NoArguments>;
  readonly run_cron_trigger: Input<typeof RunCronTrigger>;
  readonly create_scheduled_event: Input<typeof CreateScheduledEvent>;
  readonly create_scheduled_events: Input<typeof CreateScheduledEvents>;
  readonly update_scheduled_event: Input<typeof UpdateScheduledEvent>;
  readonly cancel_scheduled_event: Input<typeof EventTarget>;
  readonly cancel_scheduled_events: Input<typeof CancelScheduledEvents>;
  readonly delete_scheduled_event: Input<typeof DeleteScheduledEvent>;
  readonly redeliver_scheduled_event: Input<typeof EventTarget>;
  readonly redeliver_scheduled_events: Input<typeof RedeliverScheduledEvents>;
  readonly run_scheduled_event_now: Input<typeof EventTarget>;
  readonly get_scheduled_events: Input<typeof GetScheduledEvents>;
  readonly get_scheduled_event: Input<typeof EventTarget>;
  readonly get_scheduled_event_invocations: Input<typeof GetScheduledEventInvocations>;
  readonly get_event_invocations: Input<typeof GetScheduledEventInvocations>;
  readonly search_events: Input<typeof SearchEvents>;
  readonly change_events: Input<typeof ChangeEvents>;
  readonly index_event_payloads: Input<typeof IndexEventPayloads>;
  readonly get_scheduled_event_stats: Input<typeof GetScheduledEventStats>;
  readonly get_alerts: Input<typeof NoArguments>;
  readonly set_alert: Input<typeof SetAlert>;
  readonly delete_alert: Input<typeof DeleteAlert>;
  readonly get_traffic_history: Input<typeof GetTrafficHistory>;
  readonly get_event_destinations: Input<typeof GetEventDestinations>;
  readonly set_event_destination: Input<typeof SetEventDestination>;
  readonly pause_event_destination: Input<typeof EventDestinationName>;
  readonly resume_event_destination: Input<typeof EventDestinationName>;
  readonly advance_clock: Input<typeof AdvanceClock>;
  /** Ignored. */
  readonly reset_clock: unknown;
  readonly get_nodes: Input<typeof NoArguments>;
  readonly get_configuration: Input<typeof NoArguments>;
  readonly get_refused_requests: Input<typeof GetRecentErrors>;
  readonly get_audit_log: Input<typeof GetAuditLog>;
}

type ImmutableEdits = { readonly [Name in EditName]: Immutable<EditArguments[Name]> };
