/** The metadata edits by all of their names. */

import { createAction, dropAction, setCustomTypes, updateAction } from './actions/actions.ts';
import { createActionPermission, dropActionPermission } from './actions/permissions.ts';
import { createActionRelationship, dropActionRelationship, updateActionRelationship } from './actions/relationships.ts';
import { removeApiLimits, setApiLimits, setIntrospectionOptions } from './api-limits.ts';
import { createCronTrigger, deleteCronTrigger, pauseCronTrigger, resumeCronTrigger } from './cron-triggers.ts';
import type { Command } from './edit/command.ts';
import {
  createEventTrigger,
  deleteEventTrigger,
  pauseEventTrigger,
  pauseEventTriggerCleanups,
  resumeEventTrigger,
  resumeEventTriggerCleanups,
} from './event-triggers.ts';
import {
  createFunctionPermission,
  dropFunctionPermission,
  setFunctionCustomization,
  trackFunction,
  untrackFunction,
} from './functions.ts';
import { addInheritedRole, dropInheritedRole } from './inherited-roles.ts';
import {
  createLogicalModelSelectPermission,
  dropLogicalModelSelectPermission,
  trackLogicalModel,
  trackNativeQuery,
  untrackLogicalModel,
  untrackNativeQuery,
} from './native-queries.ts';
import { addRemoteSchemaPermissions, dropRemoteSchemaPermissions } from './remote-schemas/permissions.ts';
import { addRemoteSchema, removeRemoteSchema, updateRemoteSchema } from './remote-schemas/remote-schemas.ts';
import {
  createRemoteRelationship,
  deleteRemoteRelationship,
  updateRemoteRelationship,
} from './remote-schemas/table-relationships.ts';
import {
  createRemoteSchemaRelationship,
  deleteRemoteSchemaRelationship,
  updateRemoteSchemaRelationship,
} from './remote-schemas/type-relationships.ts';
import { renameRelationship } from './rename/relationship.ts';
import { addSource, dropSource, renameSource, setQueryTags, setSourceCustomization, updateSource } from './sources.ts';
import {
  addCollectionToAllowlist,
  dropCollectionFromAllowlist,
  updateScopeOfCollectionInAllowlist,
} from './stored-operations/allow-list.ts';
import {
  addQueryToCollection,
  createQueryCollection,
  dropQueryCollection,
  dropQueryFromCollection,
  renameQueryCollection,
} from './stored-operations/query-collections.ts';
import { createRestEndpoint, dropRestEndpoint } from './stored-operations/rest-endpoints.ts';
import { addComputedField, dropComputedField } from './tables/computed-fields.ts';
import {
  setApolloFederationConfig,
  setTableCustomFields,
  setTableCustomization,
  setTableIsEnum,
} from './tables/customize-table.ts';
import { permissionCommands } from './tables/permissions.ts';
import {
  createArrayRelationship,
  createObjectRelationship,
  dropRelationship,
  setRelationshipComment,
} from './tables/relationships.ts';
import { trackTable, trackTables, untrackTable, untrackTables } from './tables/track-table.ts';
import { removeMetricsConfig, setMetricsConfig, setOpenTelemetryConfig, setOpenTelemetryStatus } from './telemetry.ts';

/** Commands of sources: available by their v1 name and with the prefix `pg_`. */
const tableCommands = [
  trackTable,
  untrackTable,
  trackTables,
  untrackTables,
  setTableCustomization,
  setTableCustomFields,
  setTableIsEnum,
  setApolloFederationConfig,
  addComputedField,
  dropComputedField,
  trackFunction,
  untrackFunction,
  setFunctionCustomization,
  createFunctionPermission,
  dropFunctionPermission,
  trackLogicalModel,
  untrackLogicalModel,
  createLogicalModelSelectPermission,
  dropLogicalModelSelectPermission,
  trackNativeQuery,
  untrackNativeQuery,
  createEventTrigger,
  deleteEventTrigger,
  pauseEventTrigger,
  resumeEventTrigger,
  pauseEventTriggerCleanups,
  resumeEventTriggerCleanups,
  createObjectRelationship,
  createArrayRelationship,
  dropRelationship,
  renameRelationship,
  setRelationshipComment,
  ...permissionCommands,
  createRemoteRelationship,
  updateRemoteRelationship,
  deleteRemoteRelationship,
  addSource,
  updateSource,
  setSourceCustomization,
  dropSource,
  renameSource,
] as const satisfies readonly Command[];

/** Commands of the service, with one name each. */
const serviceCommands = [
  setQueryTags,
  createAction,
  updateAction,
  dropAction,
  createActionPermission,
  dropActionPermission,
  setCustomTypes,
  createActionRelationship,
  updateActionRelationship,
  dropActionRelationship,
  addRemoteSchema,
  updateRemoteSchema,
  removeRemoteSchema,
  addRemoteSchemaPermissions,
  dropRemoteSchemaPermissions,
  createRemoteSchemaRelationship,
  updateRemoteSchemaRelationship,
  deleteRemoteSchemaRelationship,
  addInheritedRole,
  dropInheritedRole,
  createCronTrigger,
  deleteCronTrigger,
  pauseCronTrigger,
  resumeCronTrigger,
  createQueryCollection,
  renameQueryCollection,
  dropQueryCollection,
  addQueryToCollection,
  dropQueryFromCollection,
  addCollectionToAllowlist,
  updateScopeOfCollectionInAllowlist,
  dropCollectionFromAllowlist,
  createRestEndpoint,
  dropRestEndpoint,
  setApiLimits,
  removeApiLimits,
  setIntrospectionOptions,
  setOpenTelemetryConfig,
  setOpenTelemetryStatus,
  setMetricsConfig,
  removeMetricsConfig,
] as const satisfies readonly Command[];

type TableCommand = (typeof tableCommands)[number];
type ServiceCommand = (typeof serviceCommands)[number];

/** The type of valid arguments of each metadata edit. */
export type EditArguments = {
  readonly [One in TableCommand as One['name'] | `pg_${One['name']}`]: InputOf<One>;
} & {
  readonly [One in ServiceCommand as One['name']]: InputOf<One>;
} & { readonly add_existing_table_or_view: InputOf<typeof trackTable> };

type InputOf<One> = One extends Command<string, infer Input> ? Input : never;

/** The names of the metadata edits. */
export type EditName = keyof EditArguments;

/** Commands by every name of the API. */
export const commands: ReadonlyMap<string, Command> = new Map([
  ...tableCommands.flatMap((command): [string, Command][] => [
    [command.name, command],
    [`pg_${command.name}`, command],
  ]),
  ['add_existing_table_or_view', trackTable] as const,
  ...serviceCommands.map((command): [string, Command] => [command.name, command]),
]);
