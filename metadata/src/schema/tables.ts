/** Tracked tables as written. */
import { z } from 'zod';
import { EventTrigger } from '../event-triggers/schema.ts';
import { ColumnName, FieldName, QualifiedTable } from '../names.ts';
import { rootNames } from '../root-names.ts';
import { ComputedField } from './functions.ts';
import { closedObject, unsupported } from './members.ts';
import {
  DeletePermissionEntry,
  InsertPermissionEntry,
  SelectPermissionEntry,
  UpdatePermissionEntry,
} from './permissions.ts';
import { Relationship, RemoteRelationship } from './relationships.ts';

const noName = z.literal('').transform(() => null);

/** An empty name, which older consoles write, is the same as none. */
const rootField = z.union([
  FieldName,
  noName,
  z.strictObject({ name: z.union([FieldName, noName]).nullish(), comment: z.string().nullish() }),
]);

export const TableConfiguration = closedObject({
  custom_name: FieldName.nullish(),
  custom_root_fields: z.partialRecord(z.enum(rootNames), rootField.nullish()).optional(),
  /** The older form of `column_config.<column>.custom_name`. */
  custom_column_names: z.record(ColumnName, FieldName).optional(),
  column_config: z
    .record(ColumnName, closedObject({ custom_name: FieldName.nullish(), comment: z.string().nullish() }))
    .optional(),
  comment: z.string().nullish(),
});
export type TableConfiguration = z.infer<typeof TableConfiguration>;

/** Makes the rows of the table entities of Apollo Federation v1. */
export const ApolloFederationConfig = closedObject({ enable: z.literal('v1') });

export const TableEntry = closedObject({
  table: QualifiedTable,
  is_enum: z.boolean().optional(),
  configuration: TableConfiguration.optional(),
  object_relationships: z.array(Relationship).optional(),
  array_relationships: z.array(Relationship).optional(),
  computed_fields: z.array(ComputedField).optional(),
  remote_relationships: z.array(RemoteRelationship).optional(),
  insert_permissions: z.array(InsertPermissionEntry).optional(),
  select_permissions: z.array(SelectPermissionEntry).optional(),
  update_permissions: z.array(UpdatePermissionEntry).optional(),
  delete_permissions: z.array(DeletePermissionEntry).optional(),
  event_triggers: z.array(EventTrigger).optional(),
  apollo_federation_config: ApolloFederationConfig.nullish(),
  logical_model: unsupported('a table has the columns that the database has'),
});
export type TableEntry = z.infer<typeof TableEntry>;
