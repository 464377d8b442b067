/** The object type of a table's rows, and the arguments of a list of them. */
import {
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
} from 'graphql';
import { typeName } from '../../model/names/source-names.ts';
import { isEveryRow } from '../../model/predicate/combinators.ts';
import type { Column, ColumnType, Table } from '../../model/types/table.ts';
import { bound, takesDigits } from '../binding.ts';
import { leafType } from '../enum-types.ts';
import { orderBy, selectColumn } from '../inputs/order.ts';
import { boolExp } from '../inputs/where.ts';
import type { TypeRegistry } from '../registry.ts';
import { functionArguments } from './function-arguments.ts';
import {
  aggregates,
  seenIn,
  type VisibleRelationship,
  visibleColumns,
  visibleComputed,
  visibleComputedRows,
  visibleRelationships,
} from './visible.ts';

type Fields = GraphQLFieldConfigMap<unknown, unknown>;

/** `joins` brings the fields that lead out of the source. Call it only for a table of which `hasRows` holds. */
export function rowType(registry: TypeRegistry, table: Table, joins: (table: Table) => Fields): GraphQLObjectType {
  return registry.named(
    typeName(table),
    () =>
      new GraphQLObjectType({
        name: typeName(table),
        description: table.comment ?? `columns and relationships of "${tableTitle(table)}"`,
        fields: () => ({
          ...columnFields(registry, table),
          ...computedFields(registry, table),
          ...relationshipFields(registry, table),
          ...joins(table),
        }),
      }),
  );
}

/** The table as descriptions name it: with its schema outside `public`. */
export function tableTitle(table: Table): string {
  return table.schema === 'public' ? table.name : `${table.schema}.${table.name}`;
}

function columnFields(registry: TypeRegistry, table: Table): Fields {
  const fields: Fields = {};
  for (const column of visibleColumns(registry, table)) fields[column.field] = columnField(registry, table, column);
  return fields;
}

function columnField(registry: TypeRegistry, table: Table, column: Column): GraphQLFieldConfig<unknown, unknown> {
  const seen = seenIn(registry, table, column);
  const type = columnOutput(registry, column.type);
  const isJson = column.type.family === 'json' || column.type.family === 'jsonb';
  return {
    type: column.nullable || seen.seen !== undefined ? type : new GraphQLNonNull(type),
    ...(column.comment !== undefined && { description: column.comment }),
    ...(isJson && { args: { path: { type: registry.scalar('String'), description: 'JSON select path' } } }),
    extensions: bound({ kind: 'column', column, ...seen }),
  };
}

function computedFields(registry: TypeRegistry, table: Table): Fields {
  const fields: Fields = {};
  for (const computed of visibleComputed(registry, table)) {
    if (computed.result.kind !== 'scalar') continue;
    const { args, ...field } = columnField(registry, table, computed.result.column);
    const taken = functionArguments(
      registry,
      computed.routine,
      `input parameters for computed field "${computed.name}"`,
    );
    fields[computed.name] = {
      ...field,
      description: computed.comment ?? `A computed field, executes function "${computed.routine.name}"`,
      args: { ...args, ...taken },
      extensions: bound({ kind: 'computed', computed, ...seenIn(registry, table, computed.result.column) }),
    };
  }
  for (const { computed, target, access } of visibleComputedRows(registry, table)) {
    const row = registry.row(target);
    if (row === undefined) continue;
    const taken = functionArguments(
      registry,
      computed.routine,
      `input parameters for computed field "${computed.name}"`,
    );
    fields[computed.name] = {
      // As in the reference, where these are not declared to be there always.
      type: new GraphQLList(new GraphQLNonNull(row)),
      description: computed.comment ?? `A computed field, executes function "${computed.routine.name}"`,
      args: { ...taken, ...registry.listArguments(target) },
      extensions: bound({ kind: 'computedRows', computed, table: target, access }),
    };
  }
  return fields;
}

/** The nullable type of a column's values; elements of arrays count as not null, as in the reference. */
export function columnOutput(
  registry: TypeRegistry,
  type: ColumnType,
): ReturnType<typeof leafType> | GraphQLList<GraphQLOutputType> {
  if (type.element === undefined) return leafType(registry, type);
  return new GraphQLList(new GraphQLNonNull(columnOutput(registry, type.element)));
}

function relationshipFields(registry: TypeRegistry, table: Table): Fields {
  const fields: Fields = {};
  for (const visible of visibleRelationships(registry, table)) {
    Object.assign(fields, relationshipField(registry, visible));
  }
  return fields;
}

function relationshipField(registry: TypeRegistry, { relationship, access }: VisibleRelationship): Fields {
  const fields: Fields = {};
  const { name, target, comment } = relationship;
  const row = registry.row(target);
  if (row !== undefined) {
    fields[name] =
      relationship.kind === 'object'
        ? {
            // The row may be one that the role does not see.
            type: relationship.nullable || !isEveryRow(access.filter) ? row : new GraphQLNonNull(row),
            description: comment ?? 'An object relationship',
            extensions: bound({ kind: 'relationship', relationship, access }),
          }
        : {
            type: listOfRows(row),
            description: comment ?? 'An array relationship',
            args: registry.listArguments(target),
            extensions: bound({ kind: 'relationship', relationship, access }),
          };
  }
  const aggregate = aggregates(relationship, access) ? registry.aggregate(target) : undefined;
  if (aggregate !== undefined) {
    fields[`${name}_aggregate`] = {
      type: new GraphQLNonNull(aggregate),
      description: 'An aggregate relationship',
      args: registry.listArguments(target),
      extensions: bound({ kind: 'relationshipAggregate', relationship, access }),
    };
  }
  return fields;
}

/** `[t!]!` */
export function listOfRows(row: GraphQLObjectType): GraphQLOutputType {
  return new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(row)));
}

/** `distinct_on`, `limit`, `offset`, `order_by` and `where`, as far as the role has something to name there. */
export function listArguments(registry: TypeRegistry, table: Table): GraphQLFieldConfigArgumentMap {
  const columns = selectColumn(registry, table);
  const order = orderBy(registry, table);
  const count = registry.scalar('Int');
  return {
    ...(columns !== undefined && {
      distinct_on: { type: new GraphQLList(new GraphQLNonNull(columns)), description: 'distinct select on columns' },
    }),
    limit: { type: count, description: 'limit the number of rows returned' },
    offset: { type: count, description: 'skip the first n rows. Use only with order_by', extensions: takesDigits },
    ...(order !== undefined && {
      order_by: {
        type: new GraphQLList(new GraphQLNonNull(order)),
        description: 'sort the rows by one or more columns',
      },
    }),
    where: { type: boolExp(registry, table), description: 'filter the rows returned' },
  };
}
