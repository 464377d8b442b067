/** Relationships as written: within a source, and from a table, an output type or a remote type to another system. */
import { z } from 'zod';
import { ActionName, ColumnName, FieldName, QualifiedTable, RemoteSchemaName, SourceName } from '../names.ts';

/** A path into a remote schema: exactly one field per level. Strings that start with `$` name a key of the owner. */
export interface RemoteField {
  readonly [field: string]: {
    readonly arguments: Readonly<Record<string, unknown>>;
    readonly field?: RemoteField | undefined;
  };
}
export const RemoteField: z.ZodType<RemoteField> = z.lazy(() =>
  z
    .record(z.string(), z.strictObject({ arguments: z.record(z.string(), z.unknown()), field: RemoteField.optional() }))
    .refine((level) => Object.keys(level).length === 1, { message: 'must name exactly one field a level' }),
);

const shape = z.enum(['object', 'array']);

/** Relationship to the rows of a table whose columns equal the keys. */
export const ToTable = z.strictObject({
  source: SourceName,
  table: QualifiedTable,
  relationship_type: shape,
  /** Key of the owner to column of the table. */
  field_mapping: z.record(ColumnName, ColumnName),
});
export type ToTable = z.infer<typeof ToTable>;

/** Relationship to the rows that a tracked function returns for the keys. */
export const ToFunction = z.strictObject({
  source: SourceName,
  function: QualifiedTable,
  relationship_type: shape,
  /** Key of the owner to argument of the function. */
  field_mapping: z.record(ColumnName, z.string().min(1)),
});
export type ToFunction = z.infer<typeof ToFunction>;

export const ToRemoteSchema = z.strictObject({
  remote_schema: RemoteSchemaName,
  lhs_fields: z.array(ColumnName),
  remote_field: RemoteField,
});
export type ToRemoteSchema = z.infer<typeof ToRemoteSchema>;

/** Relationship to the result of a query action. */
export const ToAction = z.strictObject({
  action: ActionName,
  /** Arguments of the action; strings that start with `$` name a key of the owner. Clients supply the others. */
  arguments: z.record(FieldName, z.unknown()).default({}),
  /** The handler accepts lists of up to `max_size` inputs. */
  batch: z.strictObject({ max_size: z.int().min(1).default(100) }).nullish(),
});
export type ToAction = z.infer<typeof ToAction>;

/** The `definition` of a relationship. */
export const JoinDefinition = z.union([
  z.strictObject({ to_remote_schema: ToRemoteSchema }),
  z.strictObject({ to_source: z.union([ToTable, ToFunction]) }),
  z.strictObject({ to_action: ToAction }),
]);
export type JoinDefinition = z.infer<typeof JoinDefinition>;

/** Applies `change` to the target of a relationship into a source; returns other definitions unchanged. */
export function changeToSource<Definition extends object>(
  definition: Definition,
  change: <Target extends ToTable | ToFunction>(target: Target) => Target,
): Definition {
  if (!('to_source' in definition)) return definition;
  return { ...definition, to_source: change(definition.to_source as ToTable | ToFunction) };
}

const columns = z.union([ColumnName.transform((one) => [one]), z.array(ColumnName).min(1)]);

const mapped = {
  /** Columns of the table to columns of the target. */
  column_mapping: z.record(ColumnName, ColumnName),
  source: SourceName.optional(),
  insertion_order: z.enum(['before_parent', 'after_parent']).nullish(),
};

/** `foreign_key_constraint_on` names columns of the table, or of the other table for an array relationship. */
export const RelationshipUsing = z.union([
  z.strictObject({
    foreign_key_constraint_on: z.union([
      columns,
      z.strictObject({ table: QualifiedTable, column: ColumnName }),
      z.strictObject({ table: QualifiedTable, columns }),
    ]),
  }),
  z.strictObject({
    manual_configuration: z.union([
      z.strictObject({ remote_table: QualifiedTable, ...mapped }),
      z.strictObject({ remote_native_query: FieldName, ...mapped }),
    ]),
  }),
]);
export type RelationshipUsing = z.infer<typeof RelationshipUsing>;

export const Relationship = z.strictObject({
  name: FieldName,
  using: RelationshipUsing,
  comment: z.string().nullish(),
});
export type Relationship = z.infer<typeof Relationship>;

/** The forms of a remote relationship. Exports keep the form that was used. */
export const RemoteRelationship = z.union([
  z.strictObject({
    name: FieldName,
    hasura_fields: z.array(ColumnName),
    remote_schema: RemoteSchemaName,
    remote_field: RemoteField,
  }),
  z.strictObject({
    name: FieldName,
    definition: z.union([
      ...JoinDefinition.options,
      z.strictObject({
        hasura_fields: z.array(ColumnName),
        remote_schema: RemoteSchemaName,
        remote_field: RemoteField,
      }),
    ]),
  }),
]);
export type RemoteRelationship = z.infer<typeof RemoteRelationship>;
