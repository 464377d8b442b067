/** The response type of each command of the metadata API that returns more than a success message. */
import type { ExportedMetadata, QualifiedName } from '../document/exported-metadata.ts';
import type { RemoteSchemaIntrospection } from '../sdl/introspection.ts';
import type { ActionRelationshipKeys } from './action-keys.ts';
import type { SourceFunction, SqlResult, SuggestedRelationship, TableInfo } from './catalog.ts';
import type { CronSchedulePreview, CronTriggers } from './cron.ts';
import type { EventDestinations } from './event-destinations.ts';
import type {
  CanceledEvents,
  EventClock,
  FoundEvent,
  Invocations,
  RedeliveredEvents,
  RowCount,
  ScheduledEventStats,
  ScheduledEvents,
} from './event-lists.ts';
import type { ChangedEvent, CreatedEvent, CreatedEvents } from './events.ts';
import type { Consistency, MetadataExport, ReloadedMetadata, ReplacedMetadata, TrackedTables } from './metadata.ts';
import type { Configuration, Nodes } from './nodes.ts';
import type { RecentErrors } from './recent-errors.ts';
import type { RemoteSchemaStatuses, TestedTransform } from './remote-schemas.ts';
import type { Success } from './success.ts';

export interface CommandResponses {
  readonly export_metadata: ExportedMetadata;
  readonly replace_metadata: ReplacedMetadata;
  readonly reload_metadata: ReloadedMetadata;
  readonly get_inconsistent_metadata: Consistency;
  readonly get_resource_version: { readonly resource_version: number };
  readonly pg_track_tables: TrackedTables;
  readonly pg_untrack_tables: TrackedTables;
  readonly pg_get_source_tables: readonly QualifiedName[];
  readonly pg_get_table_info: TableInfo;
  readonly pg_get_source_functions: readonly SourceFunction[];
  readonly pg_suggest_relationships: { readonly relationships: readonly SuggestedRelationship[] };
  readonly run_sql: SqlResult;
  readonly get_action_relationship_keys: ActionRelationshipKeys;
  readonly test_webhook_transform: TestedTransform;
  readonly introspect_remote_schema: RemoteSchemaIntrospection;
  readonly get_remote_schema_status: RemoteSchemaStatuses;
  readonly get_cron_triggers: CronTriggers;
  readonly preview_cron_schedule: CronSchedulePreview;
  readonly create_scheduled_event: CreatedEvent & Success;
  readonly create_scheduled_events: CreatedEvents;
  readonly update_scheduled_event: ChangedEvent & { readonly scheduled_time: string };
  readonly cancel_scheduled_event: ChangedEvent;
  readonly cancel_scheduled_events: CanceledEvents;
  readonly redeliver_scheduled_event: ChangedEvent;
  readonly redeliver_scheduled_events: RedeliveredEvents;
  readonly run_scheduled_event_now: ChangedEvent;
  /** The count with `get_rows_count`. */
  readonly get_scheduled_events: ScheduledEvents & Partial<RowCount>;
  readonly get_scheduled_event: FoundEvent;
  /** The count with `get_rows_count`. */
  readonly get_scheduled_event_invocations: Invocations & Partial<RowCount>;
  readonly get_scheduled_event_stats: ScheduledEventStats;
  readonly get_event_destinations: EventDestinations;
  readonly advance_clock: EventClock;
  readonly reset_clock: EventClock;
  readonly get_nodes: Nodes;
  readonly get_configuration: Configuration;
  readonly get_refused_requests: RecentErrors;
}

/** The response of the command `Type` in a version of its format; unknown for commands that are not listed. */
export type CommandResponse<Type extends string, Version = 1> = Type extends keyof CommandResponses
  ? [Type, Version] extends ['export_metadata', 2]
    ? MetadataExport
    : CommandResponses[Type]
  : unknown;
