/** `t_aggregate_fields`: the count, and the functions over columns. */
import {
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLObjectType,
} from 'graphql';
import { typeName } from '../../model/names/source-names.ts';
import type { Column, ComputedField, Table } from '../../model/types/table.ts';
import { bound } from '../binding.ts';
import { selectColumn } from '../inputs/order.ts';
import type { TypeRegistry } from '../registry.ts';
import { appliesTo, type ColumnFunction, columnFunctions, keepsType } from './aggregate-functions.ts';
import { columnOutput, computedArguments, computedDescription, tableTitle } from './columns.ts';
import { seenIn, visibleColumns, visibleComputed } from './visible.ts';

type Fields = GraphQLFieldConfigMap<unknown, unknown>;

/** `t_aggregate_fields`. */
export function aggregateFields(registry: TypeRegistry, table: Table): GraphQLObjectType {
  const name = typeName(table, '_aggregate_fields');
  return registry.object(name, () => ({
    description: `aggregate fields of "${tableTitle(table)}"`,
    fields: () => ({ ...countField(registry, table), ...functionFields(registry, table) }),
  }));
}

function countField(registry: TypeRegistry, table: Table): Fields {
  const columns = selectColumn(registry, table);
  const args: GraphQLFieldConfigArgumentMap = {
    ...(columns !== undefined && { columns: { type: new GraphQLList(new GraphQLNonNull(columns)) } }),
    distinct: { type: registry.scalar('Boolean') },
  };
  return { count: { type: new GraphQLNonNull(registry.scalar('Int')), args, extensions: bound({ kind: 'count' }) } };
}

function functionFields(registry: TypeRegistry, table: Table): Fields {
  const fields: Fields = {};
  for (const one of columnFunctions) {
    const columns = visibleColumns(registry, table).filter((column) => appliesTo(one, column));
    const computed = visibleComputed(registry, table).filter(
      ({ result }) => result.kind === 'scalar' && appliesTo(one, result.column),
    );
    if (columns.length === 0 && computed.length === 0) continue;
    fields[one] = {
      type: functionType(registry, table, one, columns, computed),
      extensions: bound({ kind: 'aggregateFunction', function: one }),
    };
  }
  return fields;
}

/** `t_sum_fields` and its counterparts. All fields are nullable: without rows there is no value. */
function functionType(
  registry: TypeRegistry,
  table: Table,
  one: ColumnFunction,
  columns: readonly Column[],
  computed: readonly ComputedField[],
): GraphQLObjectType {
  const name = typeName(table, `_${one}_fields`);
  return registry.object(name, () => {
    const fields: Fields = {};
    const typeOf = ({ type }: Column) => (keepsType(one) ? columnOutput(registry, type) : registry.scalar('Float'));
    for (const column of columns) {
      fields[column.field] = {
        type: typeOf(column),
        ...(column.comment !== undefined && { description: column.comment }),
        extensions: bound({ kind: 'column', column, ...seenIn(registry, table, column) }),
      };
    }
    for (const field of computed) {
      if (field.result.kind !== 'scalar') continue;
      fields[field.name] = {
        type: typeOf(field.result.column),
        description: computedDescription(field),
        args: computedArguments(registry, field),
        extensions: bound({ kind: 'computed', computed: field, ...seenIn(registry, table, field.result.column) }),
      };
    }
    return { description: `aggregate ${one} on columns`, fields };
  });
}
