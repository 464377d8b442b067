/** Every metadata edit under every name it has. */

import { createActionPermission, dropActionPermission } from './action-permissions.ts';
import { createActionRelationship, dropActionRelationship, updateActionRelationship } from './action-relationships.ts';
import { createAction, dropAction, updateAction } from './actions.ts';
import {
  addCollectionToAllowlist,
  dropCollectionFromAllowlist,
  updateScopeOfCollectionInAllowlist,
} from './allow-list.ts';
import { removeApiLimits, setApiLimits, setIntrospectionOptions } from './api-limits.ts';
import type { Command } from './command.ts';
import { addComputedField, dropComputedField } from './computed-fields.ts';
import { createCronTrigger, deleteCronTrigger } from './cron-triggers.ts';
import { setCustomTypes } from './custom-types.ts';
import { setTableCustomFields, setTableCustomization } from './customize-table.ts';
import { setTableIsEnum } from './enum-tables.ts';
import {
  createFunctionPermission,
  dropFunctionPermission,
  setFunctionCustomization,
  trackFunction,
  untrackFunction,
} from './functions.ts';
import { addInheritedRole, dropInheritedRole } from './inherited-roles.ts';
import {
  addQueryToCollection,
  createQueryCollection,
  dropQueryCollection,
  dropQueryFromCollection,
  renameQueryCollection,
} from './query-collections.ts';
import {
  createArrayRelationship,
  createObjectRelationship,
  dropRelationship,
  setRelationshipComment,
} from './relationships.ts';
import {
  createRemoteRelationship,
  deleteRemoteRelationship,
  updateRemoteRelationship,
} from './remote-relationships.ts';
import { addRemoteSchemaPermissions, dropRemoteSchemaPermissions } from './remote-schema-permissions.ts';
import { addRemoteSchema, removeRemoteSchema, updateRemoteSchema } from './remote-schemas.ts';
import {
  createRemoteSchemaRelationship,
  deleteRemoteSchemaRelationship,
  updateRemoteSchemaRelationship,
} from './remote-type-relationships.ts';
import { renameRelationship } from './rename-relationship.ts';
import { createRestEndpoint, dropRestEndpoint } from './rest-endpoints.ts';
import { addSource, dropSource, renameSource, setSourceCustomization, updateSource } from './sources.ts';
import { permissionCommands } from './table-permissions.ts';
import { trackTable, trackTables, untrackTable, untrackTables } from './track-table.ts';

/** About tables of a source: known by their v1 name and with `pg_` in front. */
const tableCommands: readonly Command[] = [
  trackTable,
  untrackTable,
  trackTables,
  untrackTables,
  setTableCustomization,
  setTableCustomFields,
  setTableIsEnum,
  addComputedField,
  dropComputedField,
  trackFunction,
  untrackFunction,
  setFunctionCustomization,
  createFunctionPermission,
  dropFunctionPermission,
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
];

/** About the service as a whole: one name each. */
const serviceCommands: readonly Command[] = [
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
];

/** By every name under which an API takes them. */
export const commands: ReadonlyMap<string, Command> = new Map([
  ...tableCommands.flatMap((command): [string, Command][] => [
    [command.name, command],
    [`pg_${command.name}`, command],
  ]),
  ['add_existing_table_or_view', trackTable] as const,
  ...serviceCommands.map((command): [string, Command] => [command.name, command]),
]);
