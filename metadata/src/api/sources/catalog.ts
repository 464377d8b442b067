/** Commands that read the tables and functions of a source from its database. */
import { z } from 'zod';
import { sourceArgument, tableArguments } from '../../commands/edit/change.ts';
import type { QualifiedName } from '../../document/exported-metadata.ts';
import { QualifiedTable, TypeName } from '../../names.ts';
import type { DroppedObject, InconsistentObject } from '../metadata.ts';

export const GetSourceTables = z.strictObject({ source: sourceArgument });
export const GetSourceFunctions = z.strictObject({ source: sourceArgument });
export const GetTableInfo = z.strictObject(tableArguments);
export const GetNativeQueries = z.strictObject({ source: sourceArgument });
export const GetLogicalModels = z.strictObject({ source: sourceArgument });

export const SuggestRelationships = z.strictObject({
  source: sourceArgument,
  /** Tables that the relationships start from; all tracked tables unless given. */
  tables: z.array(QualifiedTable).nullish(),
  /** Leaves out suggestions for which a relationship exists. */
  omit_tracked: z.boolean().nullish(),
});

/** The objects of the database that would be dropped. */
export const GetDependents = z.strictObject({
  source: sourceArgument,
  tables: z.array(QualifiedTable).nullish(),
  columns: z.array(z.strictObject({ table: QualifiedTable, column: z.string() })).nullish(),
  /** Each with all functions of its name. */
  functions: z.array(QualifiedTable).nullish(),
});

export interface Dependents {
  /** The objects that would become inconsistent: SQL that drops what they need fails without `cascade`. */
  readonly dependents: readonly InconsistentObject[];
  /** All objects that the metadata would lose with `cascade`, with those of the dropped tables. */
  readonly removed: readonly DroppedObject[];
}

export type TableKind = 'table' | 'partitioned_table' | 'view' | 'materialized_view' | 'foreign_table';

export interface ColumnInfo {
  readonly name: string;
  /** The name of the type in the catalog: `int4`, `text[]`. */
  readonly type: string;
  /** The type as SQL writes it: `numeric(10,2)`. */
  readonly sql_type: string;
  /** Of a domain. */
  readonly base_type?: string;
  /** Of an enum type, or of an array of one. */
  readonly values?: readonly string[];
  readonly nullable: boolean;
  readonly has_default: boolean;
  /** The expression of the default or of the generated column. */
  readonly default: string | null;
  readonly generated: boolean;
  readonly identity: 'always' | 'by default' | null;
  /** False where only the database writes the column. */
  readonly writable: boolean;
  readonly comment: string | null;
}

/** A computed field that relationships can have as a key: its result is a scalar, and it needs no arguments of the caller. */
export type ComputedKey = Pick<ColumnInfo, 'name' | 'type' | 'values'>;

export interface ForeignKey {
  readonly constraint: string;
  /** Columns of the table to the columns that they reference. */
  readonly columns: Readonly<Record<string, string>>;
  readonly table: QualifiedName;
}

export interface TableInfo {
  readonly table: QualifiedName;
  readonly kind: TableKind;
  readonly comment: string | null;
  /** The estimate of the planner; null where there is none. */
  readonly estimated_rows: number | null;
  readonly insertable: boolean;
  readonly updatable: boolean;
  readonly deletable: boolean;
  readonly columns: readonly ColumnInfo[];
  /** Of a tracked table. */
  readonly computed_keys: readonly ComputedKey[];
  readonly primary_key: readonly string[] | null;
  readonly unique_keys: readonly (readonly string[])[];
  readonly foreign_keys: readonly ForeignKey[];
  readonly tracked: boolean;
  readonly enum: boolean;
  /** Whether the table changed since the service read the catalog for its schema. */
  readonly changed: boolean;
}

/** A function that returns rows of a table. */
export interface SourceFunction extends QualifiedName {
  readonly arguments: readonly { readonly name: string; readonly type: string; readonly has_default: boolean }[];
  readonly returns: QualifiedName;
  readonly returns_set: boolean;
  readonly volatility: 'immutable' | 'stable' | 'volatile';
  readonly comment: string | null;
  readonly tracked: boolean;
  /** Why the function cannot be tracked. */
  readonly problem?: string;
}

export interface SuggestedRelationshipEnd {
  readonly table: QualifiedName;
  readonly columns: readonly string[];
  /** On the end that has the foreign key. */
  readonly constraint_name?: string;
}

/** A relationship along a foreign key between tracked tables. */
export interface SuggestedRelationship {
  readonly type: 'object' | 'array';
  readonly from: SuggestedRelationshipEnd;
  readonly to: SuggestedRelationshipEnd;
  /** The name of the existing relationship, otherwise one that is not used on the table. */
  readonly name: string;
}

/** `get_action_relationship_keys`: the fields and columns that a relationship of an output type can map. */
export const GetActionRelationshipKeys = z.strictObject({ type_name: TypeName, ...tableArguments });

/** A field of an output type with the columns of the table. A column with a `problem` cannot be mapped to the field. */
export interface RelationshipKey {
  readonly field: string;
  /** GraphQL type of the field. */
  readonly type: string;
  readonly columns: readonly { readonly column: string; readonly type: string; readonly problem?: string }[];
}

export interface ActionRelationshipKeys {
  readonly fields: readonly RelationshipKey[];
}

/** `suggest_action_relationships`: relationships of an output type to tables, by the names of its fields. */
export const SuggestActionRelationships = z.strictObject({ type_name: TypeName });

/** The arguments of `create_action_relationship` without the name of the type. */
export interface SuggestedActionRelationship {
  /** A name that is not used on the type. */
  readonly name: string;
  readonly type: 'object' | 'array';
  readonly source: string;
  readonly remote_table: QualifiedName;
  readonly field_mapping: Readonly<Record<string, string>>;
}
