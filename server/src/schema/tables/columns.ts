/** Fields for the columns and scalar computed fields of a table, and titles of tables in descriptions. */
import {
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
  type GraphQLOutputType,
} from 'graphql';
import { selectAccess } from '../../model/permissions/access.ts';
import type { ColumnType } from '../../model/types/column-type.ts';
import type { Column, ComputedField, MutationKind, SubscriptionRootKind, Table } from '../../model/types/table.ts';
import { bound } from '../binding.ts';
import { leafType } from '../enum-types.ts';
import type { TypeRegistry } from '../registry.ts';
import { functionArguments } from './function-arguments.ts';
import { seenIn, visibleColumns, visibleComputed } from './visible.ts';

type Fields = GraphQLFieldConfigMap<unknown, unknown>;

/** The name of the table in descriptions: with its schema outside of `public`. */
export function tableTitle(table: Table): string {
  return table.schema === 'public' ? table.name : `${table.schema}.${table.name}`;
}

/** The description of a root field: its comment, nothing if that is empty, or `fallback`. */
export function rootDescription(
  { rootComments }: Table,
  kind: SubscriptionRootKind | MutationKind,
  fallback: string,
): { readonly description?: string } {
  const description = rootComments?.[kind] ?? fallback;
  return description === '' ? {} : { description };
}

/** `[t!]!` */
export function listOfRows(row: GraphQLObjectType): GraphQLOutputType {
  return new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(row)));
}

export function columnFields(registry: TypeRegistry, table: Table): Fields {
  const fields: Fields = {};
  for (const column of visibleColumns(registry, table)) fields[column.field] = columnField(registry, table, column);
  return fields;
}

function columnField(registry: TypeRegistry, table: Table, column: Column): GraphQLFieldConfig<unknown, unknown> {
  const seen = seenIn(registry, table, column);
  const type = columnOutput(registry, column.type);
  const isJson = column.type.family === 'json' || column.type.family === 'jsonb';
  return {
    type: column.nullable || isPartlyGranted(registry, table, column) ? type : new GraphQLNonNull(type),
    ...(column.comment !== undefined && { description: column.comment }),
    ...(isJson && { args: { path: { type: registry.scalar('String'), description: 'JSON select path' } } }),
    extensions: bound({ kind: 'column', column, ...seen }),
  };
}

function isPartlyGranted({ role }: TypeRegistry, table: Table, column: Column): boolean {
  return selectAccess(table, role)?.partlyGranted?.has(column) === true;
}

/** The fields whose value a function computes for the row. */
export function computedValueFields(registry: TypeRegistry, table: Table): Fields {
  const fields: Fields = {};
  for (const computed of visibleComputed(registry, table)) {
    if (computed.result.kind !== 'scalar') continue;
    const { column } = computed.result;
    const { args, ...field } = columnField(registry, table, column);
    fields[computed.name] = {
      ...field,
      description: computedDescription(computed),
      args: { ...args, ...computedArguments(registry, computed) },
      extensions: bound({ kind: 'computed', computed, ...seenIn(registry, table, column) }),
    };
  }
  return fields;
}

export function computedArguments(registry: TypeRegistry, { name, routine }: ComputedField) {
  return functionArguments(registry, routine, `input parameters for computed field "${name}"`);
}

export function computedDescription({ comment, routine }: ComputedField): string {
  return comment ?? `A computed field, executes function "${routine.name}"`;
}

/** The nullable type of a column's values. Elements of arrays are declared non-null, as in Hasura v2. */
export function columnOutput(
  registry: TypeRegistry,
  type: ColumnType,
): ReturnType<typeof leafType> | GraphQLList<GraphQLOutputType> {
  if (type.element === undefined) return leafType(registry, type);
  return new GraphQLList(new GraphQLNonNull(columnOutput(registry, type.element)));
}
