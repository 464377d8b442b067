/** Converts metadata to the form of exports and of the store: ordered members without defaults and empty lists. */

import { writeEventTrigger } from '../event-triggers/export.ts';
import { type Metadata, withCronTriggers } from '../metadata.ts';
import type { Action, ActionDefinition, CustomTypes } from '../schema/actions.ts';
import type { CronTrigger } from '../schema/events/cron-triggers.ts';
import { RetryConf } from '../schema/events/retry.ts';
import type { RelationshipUsing } from '../schema/relationships.ts';
import type { RemoteSchema } from '../schema/remote-schemas.ts';
import type { Source } from '../schema/sources.ts';
import type { QueryCollection, RestEndpoint } from '../schema/stored-operations.ts';
import type { TableEntry } from '../schema/tables.ts';
import type { ExportedMetadata } from './exported-metadata.ts';
import { sortMetadata } from './sort.ts';
import {
  asItIs,
  ifGiven,
  ifTrue,
  list,
  type Member,
  plain,
  unless,
  unlessEmpty,
  type Written,
  write,
} from './written-members.ts';

/** Converts a table or an action with `write`, or returns an earlier result for the same object. */
export type WriteEntry = <Entry extends object>(entry: Entry, write: (entry: Entry) => Written) => unknown;

/** Returns JSON that parses to `metadata` again, except for the order of its lists. */
export function exportMetadata(metadata: Metadata): ExportedMetadata {
  // The writers below work on untyped members; export.test.ts proves that the result parses to the same metadata.
  return exportEntries(metadata, (entry, write) => write(entry)) as unknown as ExportedMetadata;
}

/** As `exportMetadata`. `writeEntry` is called for each table and action. */
export function exportEntries(metadata: Metadata, writeEntry: WriteEntry): Written {
  return write(sortMetadata(metadata), {
    version: asItIs,
    sources: (sources: readonly Source[]) => sources.map((source) => writeSource(source, writeEntry)),
    remote_schemas: list(writeRemoteSchema),
    query_collections: list(writeCollection),
    allowlist: list((entry: Written) => entry),
    actions: list((action: Action) => writeEntry(action, writeAction)),
    custom_types: writeCustomTypes,
    cron_triggers: list(writeCronTrigger),
    rest_endpoints: list(writeEndpoint),
    api_limits: unlessEmpty,
    metrics_config: asItIs,
    inherited_roles: list((role: Written) => role),
    graphql_schema_introspection: (options: Written) => unlessEmpty(plain(options)),
    network: asItIs,
    backend_configs: asItIs,
    opentelemetry: asItIs,
  });
}

function writeSource({ unread, ...source }: Source, writeEntry: WriteEntry): Written {
  if (unread !== undefined) return { name: source.name, kind: source.kind, ...unread };
  return write(source, {
    name: asItIs,
    kind: asItIs,
    tables: (tables: readonly TableEntry[]) => tables.map((entry) => writeEntry(entry, writeTable)),
    functions: list(writeFunction),
    native_queries: list(writeNativeQuery),
    stored_procedures: asItIs,
    logical_models: list(writeLogicalModel),
    configuration: asItIs,
    query_tags: asItIs,
    customization: (customization: Written | null) => unlessEmpty(customization),
  });
}

function writeTable(entry: TableEntry): Written {
  return write(entry, {
    table: nameFirst,
    is_enum: ifTrue,
    configuration: (configuration: Written) => unlessEmpty(plain(configuration)),
    object_relationships: list(writeRelationship(writeUsing)),
    array_relationships: list(writeRelationship(writeUsing)),
    computed_fields: list(writeComputedField),
    remote_relationships: list((relationship: Written) => relationship),
    insert_permissions: list(writeInsertPermission),
    select_permissions: list(writeSelectPermission),
    update_permissions: list(writeUpdatePermission),
    delete_permissions: list(writeDeletePermission),
    event_triggers: list(writeEventTrigger),
    apollo_federation_config: ifGiven,
  });
}

function writeComputedField(field: Written): Written {
  return write(field, {
    name: asItIs,
    definition: (definition: Written) =>
      write(definition, { function: nameFirst, table_argument: ifGiven, session_argument: ifGiven }),
    comment: ifGiven,
  });
}

function writeFunction(entry: Written): Written {
  return write(entry, {
    function: nameFirst,
    configuration: (configuration: Written) => unlessEmpty(plain(configuration)),
    permissions: unlessEmpty,
    comment: ifGiven,
  });
}

function writeNativeQuery(query: Written): Written {
  return write(query, {
    root_field_name: asItIs,
    code: asItIs,
    arguments: unlessEmpty,
    array_relationships: list(writeRelationship(writeNativeUsing)),
    description: ifGiven,
    object_relationships: list(writeRelationship(writeNativeUsing)),
    returns: asItIs,
  });
}

function writeNativeUsing(using: Written): Written {
  return write(using, {
    column_mapping: asItIs,
    insertion_order: asItIs,
    remote_native_query: asItIs,
    remote_table: nameFirst,
  });
}

function writeLogicalModel(model: Written): Written {
  return write(model, {
    name: asItIs,
    description: ifGiven,
    fields: asItIs,
    select_permissions: list((entry: Written) =>
      writePermission(entry, { columns: asItIs, filter: asItIs, limit: ifGiven }),
    ),
  });
}

function nameFirst({ schema, name }: { readonly schema: string; readonly name: string }): Written {
  return { name, schema };
}

function writeRelationship(using: Member): (relationship: Written) => Written {
  return (relationship) => write(relationship, { name: asItIs, using, comment: ifGiven });
}

/** Writes a key of one column as that column. */
function writeUsing(using: RelationshipUsing): Written {
  if ('manual_configuration' in using) {
    return {
      manual_configuration: write(using.manual_configuration, {
        remote_table: nameFirst,
        remote_native_query: asItIs,
        source: ifGiven,
        insertion_order: ifGiven,
        column_mapping: asItIs,
      }),
    };
  }
  const on = using.foreign_key_constraint_on;
  if (!('table' in on)) return { foreign_key_constraint_on: on.length === 1 ? on[0] : on };
  const columns = 'column' in on ? [on.column] : on.columns;
  const key = columns.length === 1 ? { column: columns[0] } : { columns };
  return { foreign_key_constraint_on: { ...key, table: nameFirst(on.table) } };
}

/** The last members of the permissions for mutations. */
const ofChanges = { validate_input: ifGiven, backend_only: ifTrue };

function writeInsertPermission(entry: Written): Written {
  return writePermission(entry, {
    check: asItIs,
    set: unlessEmpty,
    columns: ifGiven,
    ...ofChanges,
  });
}

function writeUpdatePermission(entry: Written): Written {
  return writePermission(entry, {
    columns: asItIs,
    filter: asItIs,
    check: asItIs,
    set: unlessEmpty,
    ...ofChanges,
  });
}

function writeDeletePermission(entry: Written): Written {
  return writePermission(entry, { filter: asItIs, ...ofChanges });
}

function writePermission(entry: Written, members: Readonly<Record<string, Member>>): Written {
  return write(entry, {
    role: asItIs,
    permission: (permission: Written) => write(permission, members),
    comment: ifGiven,
  });
}

function writeSelectPermission(entry: Written): Written {
  return writePermission(entry, {
    columns: asItIs,
    computed_fields: unlessEmpty,
    filter: asItIs,
    limit: ifGiven,
    allow_aggregations: ifTrue,
    query_root_fields: ifGiven,
    subscription_root_fields: ifGiven,
  });
}

function writeCollection(collection: QueryCollection): Written {
  return write(collection, { name: asItIs, comment: ifGiven, definition: asItIs });
}

function writeEndpoint(endpoint: RestEndpoint): Written {
  return write(endpoint, {
    allow_get_mutation: ifGiven,
    comment: ifGiven,
    definition: asItIs,
    methods: asItIs,
    name: asItIs,
    url: asItIs,
  });
}

function writeCronTrigger(trigger: CronTrigger): Written {
  const retries = trigger.retry_conf;
  const standard = RetryConf.parse({});
  const isStandard = (conf: Written): boolean => JSON.stringify(plain(conf)) === JSON.stringify(standard);
  return write(trigger, {
    name: asItIs,
    webhook: asItIs,
    target: ifGiven,
    schedule: asItIs,
    include_in_metadata: asItIs,
    payload: asItIs,
    headers: unlessEmpty,
    retry_conf: () => (retries === null || retries === undefined || isStandard(retries) ? undefined : plain(retries)),
    comment: ifGiven,
    timezone: ifGiven,
    catch_up: (caughtUp: boolean | null) => (caughtUp === false ? false : undefined),
    paused: ifTrue,
  });
}

function writeRemoteSchema(remote: RemoteSchema): Written {
  return write(remote, {
    name: asItIs,
    definition: (definition: Written) =>
      write(definition, {
        url: asItIs,
        url_from_env: asItIs,
        timeout_seconds: unless(60),
        customization: ifGiven,
        headers: unlessEmpty,
        forward_client_headers: ifTrue,
      }),
    comment: ifGiven,
    permissions: list(plain),
    remote_relationships: list((type: Written) => type),
  });
}

function writeAction(action: Action): Written {
  return write(action, {
    name: asItIs,
    definition: writeDefinition,
    comment: ifGiven,
    permissions: list(plain),
  });
}

function writeDefinition(definition: ActionDefinition): Written {
  return write(definition, {
    handler: asItIs,
    output_type: asItIs,
    forward_client_headers: ifTrue,
    headers: unlessEmpty,
    ignored_client_headers: asItIs,
    arguments: list(writeInputValue),
    request_transform: ifGiven,
    response_transform: ifGiven,
    forward_response_headers: unlessEmpty,
    max_concurrent_calls: asItIs,
    cache: asItIs,
    type: asItIs,
    // Queries are always synchronous.
    kind: (kind: string) => (definition.type === 'query' ? undefined : kind),
    timeout: unless(30),
    retry_conf: ifGiven,
  });
}

/** Keeps default values that are null, false or empty. */
function writeInputValue({ default_value, ...value }: { readonly default_value?: unknown }): Written {
  return { ...plain(value), ...(default_value !== undefined && { default_value }) };
}

function writeCustomTypes(types: CustomTypes): unknown {
  return unlessEmpty(
    write(types, {
      input_objects: list((type: Written) =>
        write(type, { name: asItIs, fields: list(writeInputValue), description: ifGiven }),
      ),
      objects: list((type: Written) =>
        write(type, {
          name: asItIs,
          fields: list(plain),
          description: ifGiven,
          implements: list(asItIs),
          relationships: list((relationship: Written) =>
            write(relationship, {
              name: asItIs,
              type: asItIs,
              source: ifGiven,
              remote_table: nameFirst,
              field_mapping: asItIs,
              definition: asItIs,
            }),
          ),
        }),
      ),
      interfaces: list((type: Written) => write(type, { name: asItIs, fields: list(plain), description: ifGiven })),
      unions: list(plain),
      scalars: list(plain),
      enums: list((type: Written) => write(type, { name: asItIs, values: list(plain), description: ifGiven })),
    }),
  );
}

/** Removes the cron triggers that are excluded from exports. */
export function withoutExcludedTriggers(metadata: Metadata): Metadata {
  return withCronTriggers(
    metadata,
    (metadata.cron_triggers ?? []).filter((one) => one.include_in_metadata),
  );
}

/** Returns the cron triggers that are excluded from exports. */
export function excludedTriggers(current: Metadata): CronTrigger[] {
  return (current.cron_triggers ?? []).filter((one) => !one.include_in_metadata);
}
