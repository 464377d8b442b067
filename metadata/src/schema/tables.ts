/** Sources, tables, relationships and permissions as they are written. */
import { z } from 'zod';
import { ColumnName, FieldName, QualifiedTable, RoleName, SourceName } from '../names.ts';
import { ComputedField, FunctionEntry } from './functions.ts';
import { closedObject, describeMembers, unsupported } from './members.ts';
import { RemoteRelationship } from './remote-schemas.ts';
import { type RootName, rootNames } from './root-names.ts';
import { SourceConfiguration, SourceCustomization } from './sources.ts';

export type { RootName };

import {
  BoolExp,
  DeletePermissionEntry,
  foreignMembers,
  InsertPermissionEntry,
  PermissionColumns,
  UpdatePermissionEntry,
} from './permissions.ts';

const columns = z.union([ColumnName.transform((one) => [one]), z.array(ColumnName).min(1)]);

/** `foreign_key_constraint_on` of an object relationship names columns here, of an array relationship columns there. */
export const RelationshipUsing = z.union([
  z.strictObject({
    foreign_key_constraint_on: z.union([
      columns,
      z.strictObject({ table: QualifiedTable, column: ColumnName }),
      z.strictObject({ table: QualifiedTable, columns }),
    ]),
  }),
  z.strictObject({
    manual_configuration: z.strictObject({
      remote_table: QualifiedTable,
      /** Column here to column there. */
      column_mapping: z.record(ColumnName, ColumnName),
      source: SourceName.optional(),
      insertion_order: z.enum(['before_parent', 'after_parent']).nullish(),
    }),
  }),
]);
export type RelationshipUsing = z.infer<typeof RelationshipUsing>;

export const Relationship = z.strictObject({
  name: FieldName,
  using: RelationshipUsing,
  comment: z.string().nullish(),
});
export type Relationship = z.infer<typeof Relationship>;

export const SelectPermission = z.strictObject({
  columns: PermissionColumns,
  filter: BoolExp.default({}),
  limit: z.int().min(0).nullish(),
  allow_aggregations: z.boolean().optional(),
  computed_fields: z.array(z.string()).optional(),
  query_root_fields: z.array(z.enum(['select', 'select_by_pk', 'select_aggregate'])).nullish(),
  subscription_root_fields: z.array(z.enum(['select', 'select_by_pk', 'select_aggregate', 'select_stream'])).nullish(),
  ...foreignMembers('backend_only', 'presets', 'set'),
});
export type SelectPermission = z.infer<typeof SelectPermission>;

export const SelectPermissionEntry = z.strictObject({
  role: RoleName,
  permission: SelectPermission,
  comment: z.string().nullish(),
});
export type SelectPermissionEntry = z.infer<typeof SelectPermissionEntry>;

const rootField = z.union([FieldName, z.strictObject({ name: FieldName.nullish(), comment: z.string().nullish() })]);

export const TableConfiguration = closedObject({
  custom_name: FieldName.nullish(),
  custom_root_fields: z.partialRecord(z.enum(rootNames), rootField.nullish()).optional(),
  /** The older spelling of `column_config.<column>.custom_name`. */
  custom_column_names: z.record(ColumnName, FieldName).optional(),
  column_config: z
    .record(ColumnName, closedObject({ custom_name: FieldName.nullish(), comment: z.string().nullish() }))
    .optional(),
  comment: z.string().nullish(),
});
export type TableConfiguration = z.infer<typeof TableConfiguration>;

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
  event_triggers: unsupported(
    'no webhook is called for changes of the table; use scheduled events from a trigger of your own',
  ),
  apollo_federation_config: unsupported('the schema has no entities of Apollo Federation'),
  logical_model: unsupported('a table has the columns that the database has'),
});
export type TableEntry = z.infer<typeof TableEntry>;

const sourceKinds: ReadonlySet<unknown> = new Set(['postgres', 'pg', 'citus', 'cockroach', 'alloy']);

/** Of `add_source` and `update_source` as well. */
export const healthCheck = unsupported('GET /readyz reports whether the databases respond');

const SpokenSource = closedObject({
  name: SourceName,
  kind: z.string().default('postgres'),
  tables: z.array(TableEntry).default([]),
  functions: z.array(FunctionEntry).optional(),
  /** Connection settings; missing ones on `default` mean the URL the service was started with. */
  configuration: SourceConfiguration.optional(),
  customization: SourceCustomization.nullish(),
  native_queries: unsupported('track a function or a view instead'),
  logical_models: unsupported('track a function or a view instead'),
  stored_procedures: unsupported('track a function instead'),
  query_tags: unsupported('statements have no comments; use the traces of docs/tracing.md'),
  health_check: healthCheck,
});

/** A database that the service does not speak to: what is written of it is kept as it is. */
const ForeignSource = z
  .looseObject({ name: SourceName, kind: z.string() })
  .transform(({ name, kind, ...unread }): Source => ({ name, kind, tables: [], unread }));

export interface Source extends z.infer<typeof SpokenSource> {
  /** Of a kind that is not spoken: everything but its name and kind. */
  readonly unread?: Readonly<Record<string, unknown>>;
}

/** Does the service speak to databases of this kind? */
export function isSpoken({ kind }: Pick<Source, 'kind'>): boolean {
  return sourceKinds.has(kind);
}

function isForeign(input: unknown): boolean {
  const kind = typeof input === 'object' && input !== null && 'kind' in input ? input.kind : undefined;
  return typeof kind === 'string' && !sourceKinds.has(kind);
}

const AnySource: z.ZodType<Source> = z.unknown().transform((input, context): Source => {
  const parsed = (isForeign(input) ? ForeignSource : SpokenSource).safeParse(input);
  if (parsed.success) return parsed.data;
  // They keep their paths into the source; the list of sources puts its own in front.
  context.issues.push(...(parsed.error.issues as never[]));
  return z.NEVER;
});

export const Source = describeMembers(AnySource, (input) => (isForeign(input) ? undefined : SpokenSource));
