/** Compares the commands of the service with the types of the metadata API. */
import type { CommandArguments } from '@joinery/metadata/api/arguments';
import type { CommandName } from '@joinery/metadata/api/responses';
import { type EditName, commands as edits } from '@joinery/metadata/commands/registry';
import { expect, expectTypeOf, test } from 'vitest';
import { commandNames } from './bulk.ts';

/** The names with a response type that are not edits. The compiler rejects a missing and an unknown name. */
const named: Readonly<Record<Exclude<CommandName, EditName>, true>> = {
  export_metadata: true,
  replace_metadata: true,
  clear_metadata: true,
  reload_metadata: true,
  reload_remote_schema: true,
  get_inconsistent_metadata: true,
  get_limited_operations: true,
  drop_inconsistent_metadata: true,
  get_resource_version: true,
  bulk: true,
  bulk_keep_going: true,
  bulk_atomic: true,
  concurrent_bulk: true,
  run_sql: true,
  pg_run_sql: true,
  citus_run_sql: true,
  cockroach_run_sql: true,
  get_catalog_state: true,
  set_catalog_state: true,
  list_source_kinds: true,
  get_source_kind_capabilities: true,
  dump_internal_state: true,
  get_action_relationship_keys: true,
  test_webhook_transform: true,
  introspect_remote_schema: true,
  get_remote_schema_status: true,
  get_cron_triggers: true,
  preview_cron_schedule: true,
  create_scheduled_event: true,
  create_scheduled_events: true,
  update_scheduled_event: true,
  cancel_scheduled_event: true,
  cancel_scheduled_events: true,
  delete_scheduled_event: true,
  redeliver_scheduled_event: true,
  redeliver_scheduled_events: true,
  run_scheduled_event_now: true,
  get_scheduled_events: true,
  get_scheduled_event: true,
  get_scheduled_event_invocations: true,
  get_event_invocations: true,
  get_scheduled_event_stats: true,
  get_event_destinations: true,
  set_event_destination: true,
  pause_event_destination: true,
  resume_event_destination: true,
  advance_clock: true,
  reset_clock: true,
  get_nodes: true,
  get_configuration: true,
  get_refused_requests: true,
  get_source_tables: true,
  get_table_info: true,
  get_source_functions: true,
  get_native_query: true,
  pg_get_native_query: true,
  get_logical_model: true,
  pg_get_logical_model: true,
  suggest_relationships: true,
  select: true,
  count: true,
  insert: true,
  update: true,
  delete: true,
  pg_get_source_tables: true,
  pg_get_table_info: true,
  pg_get_source_functions: true,
  pg_suggest_relationships: true,
  pg_select: true,
  pg_count: true,
  pg_insert: true,
  pg_update: true,
  pg_delete: true,
};

test('the metadata API has a response type for each command of the service, and for no other', () => {
  const typed = [...Object.keys(named), ...edits.keys()].sort();
  expect([...commandNames()].sort()).toEqual(typed);
});

test('the metadata API has an argument type for each command with a response type, and for no other', () => {
  expectTypeOf<keyof CommandArguments>().toEqualTypeOf<CommandName>();
});
