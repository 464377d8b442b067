/** The response type of each command of the metadata API. */
import type { EditName } from '../commands/registry.ts';
import type { ExportedMetadata, QualifiedName } from '../document/exported-metadata.ts';
import type { LogicalModel, NativeQuery } from '../native-queries/schema.ts';
import type { RemoteSchemaIntrospection } from '../sdl/introspection.ts';
import type { ActionRuns, LoggedActionRun } from './action-runs.ts';
import type { HandlerTest } from './action-test.ts';
import type { AuditLog } from './audit.ts';
import type { AlertResponses } from './events/alerts.ts';
import type { CronSchedulePreview, CronTriggerStatistics, CronTriggers } from './events/cron.ts';
import type { EventDestinations } from './events/destinations.ts';
import type { ChangedEvent, CreatedEvent, CreatedEvents } from './events/events.ts';
import type {
  CanceledEvents,
  EventClock,
  FoundEvent,
  Invocations,
  RedeliveredEvents,
  RowCount,
  ScheduledEventStats,
  ScheduledEvents,
} from './events/lists.ts';
import type { MaintenanceResponses } from './events/maintenance.ts';
import type { ChangedEvents, FoundEvents, PayloadIndex } from './events/search.ts';
import type { TrafficHistory } from './events/traffic.ts';
import type { EventTriggerResponses } from './events/triggers.ts';
import type { CatalogState, InternalState, SourceKinds } from './hasura-tools.ts';
import type { LimitedOperations } from './limited-operations.ts';
import type { Consistency, EditedMetadata, MetadataExport, ReloadedMetadata, ReplacedMetadata } from './metadata.ts';
import type { Configuration, Nodes } from './nodes.ts';
import type { RecentErrors } from './recent-errors.ts';
import type { RemoteSchemaStatuses } from './remote-schemas.ts';
import type {
  ActionRelationshipKeys,
  Dependents,
  SourceFunction,
  SuggestedActionRelationship,
  SuggestedRelationship,
  TableInfo,
} from './sources/catalog.ts';
import type { CountedRows, SelectedRows, WrittenRows } from './sources/data.ts';
import type { SqlResult } from './sources/run-sql.ts';
import type { Success } from './success.ts';
import type { TestedTransform } from './webhook-transform.ts';

/** Commands that exist with and without the prefix `pg_`. */
interface SourceResponses {
  readonly get_source_tables: readonly QualifiedName[];
  readonly get_table_info: TableInfo;
  readonly get_dependents: Dependents;
  readonly get_source_functions: readonly SourceFunction[];
  readonly get_native_query: readonly NativeQuery[];
  readonly get_logical_model: readonly LogicalModel[];
  readonly suggest_relationships: { readonly relationships: readonly SuggestedRelationship[] };
  readonly select: SelectedRows;
  readonly count: CountedRows;
  readonly insert: WrittenRows;
  readonly update: WrittenRows;
  readonly delete: WrittenRows;
}

/** The members with and without the prefix `pg_`. */
export type WithPrefix<Members> = {
  readonly [Name in keyof Members & string as Name | `pg_${Name}`]: Members[Name];
};

/** The response of each command, by its name. */
export interface CommandResponses
  extends Readonly<Record<EditName, EditedMetadata>>,
    WithPrefix<SourceResponses>,
    WithPrefix<EventTriggerResponses>,
    AlertResponses,
    MaintenanceResponses {
  /** Version 2 returns `MetadataExport`. */
  readonly export_metadata: ExportedMetadata;
  /** Arguments without the member `metadata` return `EditedMetadata`. */
  readonly replace_metadata: ReplacedMetadata;
  readonly clear_metadata: Success;
  readonly reload_metadata: ReloadedMetadata;
  readonly reload_remote_schema: Success;
  readonly get_inconsistent_metadata: Consistency;
  readonly drop_inconsistent_metadata: Success;
  readonly get_limited_operations: LimitedOperations;
  readonly get_resource_version: { readonly resource_version: number };
  /** The results of the commands, in their order. */
  readonly bulk: readonly unknown[];
  /** The results or errors of the commands, in their order. */
  readonly bulk_keep_going: readonly unknown[];
  readonly bulk_atomic: EditedMetadata;
  /** The results of the commands, in their order. */
  readonly concurrent_bulk: readonly unknown[];
  readonly run_sql: SqlResult;
  readonly pg_run_sql: SqlResult;
  readonly citus_run_sql: SqlResult;
  readonly cockroach_run_sql: SqlResult;
  readonly get_catalog_state: CatalogState;
  readonly set_catalog_state: Success;
  readonly list_source_kinds: SourceKinds;
  /** Always an error. */
  readonly get_source_kind_capabilities: never;
  readonly dump_internal_state: InternalState;
  readonly get_action_relationship_keys: ActionRelationshipKeys;
  readonly suggest_action_relationships: { readonly relationships: readonly SuggestedActionRelationship[] };
  readonly test_action_handler: HandlerTest;
  readonly get_action_runs: ActionRuns;
  readonly get_action_run: LoggedActionRun;
  readonly test_webhook_transform: TestedTransform;
  readonly introspect_remote_schema: RemoteSchemaIntrospection;
  readonly get_remote_schema_status: RemoteSchemaStatuses;
  readonly get_cron_triggers: CronTriggers;
  readonly preview_cron_schedule: CronSchedulePreview;
  readonly get_cron_trigger_stats: CronTriggerStatistics;
  /** Also returns the time of the run. */
  readonly run_cron_trigger: CreatedEvent & Success;
  readonly create_scheduled_event: CreatedEvent & Success;
  readonly create_scheduled_events: CreatedEvents;
  readonly update_scheduled_event: ChangedEvent & { readonly scheduled_time: string };
  readonly cancel_scheduled_event: ChangedEvent;
  readonly cancel_scheduled_events: CanceledEvents;
  readonly delete_scheduled_event: Success;
  readonly redeliver_scheduled_event: ChangedEvent;
  readonly redeliver_scheduled_events: RedeliveredEvents;
  readonly run_scheduled_event_now: ChangedEvent;
  /** The count with `get_rows_count`. */
  readonly get_scheduled_events: ScheduledEvents & Partial<RowCount>;
  readonly get_scheduled_event: FoundEvent;
  /** The count with `get_rows_count`. */
  readonly get_scheduled_event_invocations: Invocations & Partial<RowCount>;
  /** An alias of `get_scheduled_event_invocations`. */
  readonly get_event_invocations: Invocations & Partial<RowCount>;
  /** Events of all kinds. */
  readonly search_events: FoundEvents;
  readonly change_events: ChangedEvents;
  readonly index_event_payloads: PayloadIndex;
  readonly get_scheduled_event_stats: ScheduledEventStats;
  readonly get_traffic_history: TrafficHistory;
  readonly get_event_destinations: EventDestinations;
  readonly set_event_destination: Success;
  readonly pause_event_destination: Success;
  readonly resume_event_destination: Success;
  readonly advance_clock: EventClock;
  readonly reset_clock: EventClock;
  readonly get_nodes: Nodes;
  readonly get_configuration: Configuration;
  readonly get_refused_requests: RecentErrors;
  readonly get_audit_log: AuditLog;
}

/** The name of a command of the metadata API. */
export type CommandName = keyof CommandResponses;

/** The response of the command `Type` in a version of its format; unknown for a name that is not known as a literal. */
export type CommandResponse<Type extends string, Version = 1> = Type extends CommandName
  ? [Type, Version] extends ['export_metadata', 2]
    ? MetadataExport
    : CommandResponses[Type]
  : unknown;
