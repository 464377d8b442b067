/** `t_order_by`, `t_select_column` and the types that they use. */
import type { GraphQLEnumType, GraphQLInputFieldConfigMap, GraphQLInputObjectType, GraphQLInputType } from 'graphql';
import { typeName } from '../../model/names/source-names.ts';
import type { Column, Table } from '../../model/types/table.ts';
import { countedInput } from '../binding.ts';
import type { TypeRegistry } from '../registry.ts';
import { appliesTo, columnFunctions } from '../tables/aggregate-functions.ts';
import { comparedRelationships, comparedRows, isOrderable, sortedColumns, visibleColumns } from '../tables/visible.ts';

/** The enum `order_by`: the direction and the position of nulls. */
export function direction(registry: TypeRegistry): GraphQLEnumType {
  return registry.enumeration('order_by', () => ({
    description: 'column ordering options',
    values: {
      asc: { description: 'in ascending order, nulls last' },
      asc_nulls_first: { description: 'in ascending order, nulls first' },
      asc_nulls_last: { description: 'in ascending order, nulls last' },
      desc: { description: 'in descending order, nulls first' },
      desc_nulls_first: { description: 'in descending order, nulls first' },
      desc_nulls_last: { description: 'in descending order, nulls last' },
    },
  }));
}

/** `t_order_by`; undefined if the role has nothing to order by. */
export function orderBy(registry: TypeRegistry, table: Table): GraphQLInputObjectType | undefined {
  if (!isOrderable(registry, table)) return undefined;
  const name = typeName(table, '_order_by');
  return registry.input(name, () => ({
    extensions: countedInput,
    description: `Ordering options when selecting data from "${table.graphqlName}".`,
    fields: () => orderFields(registry, table),
  }));
}

function orderFields(registry: TypeRegistry, table: Table): GraphQLInputFieldConfigMap {
  const fields: GraphQLInputFieldConfigMap = {};
  for (const column of sortedColumns(registry, table)) fields[column.field] = { type: direction(registry) };
  for (const { computed, target } of comparedRows(registry, table)) {
    fields[`${computed.name}_aggregate`] ??= { type: aggregateOrderBy(registry, target) };
  }
  for (const { relationship } of comparedRelationships(registry, table)) {
    const type = relationship.kind === 'object' ? orderBy(registry, relationship.target) : undefined;
    if (type !== undefined) fields[relationship.name] = { type };
    // As in Hasura v2, without the permission to aggregate.
    if (relationship.kind === 'array') {
      fields[`${relationship.name}_aggregate`] ??= { type: aggregateOrderBy(registry, relationship.target) };
    }
  }
  return fields;
}

function aggregateOrderBy(registry: TypeRegistry, table: Table): GraphQLInputObjectType {
  const name = typeName(table, '_aggregate_order_by');
  return registry.input(name, () => ({
    extensions: countedInput,
    description: `order by aggregate values of table "${table.graphqlName}"`,
    fields: () => {
      const fields: GraphQLInputFieldConfigMap = { count: { type: direction(registry) } };
      for (const one of columnFunctions) {
        const columns = visibleColumns(registry, table).filter((column) => appliesTo(one, column));
        if (columns.length > 0) fields[one] = { type: functionOrderBy(registry, table, one, columns) };
      }
      return fields;
    },
  }));
}

function functionOrderBy(
  registry: TypeRegistry,
  table: Table,
  name: string,
  columns: readonly Column[],
): GraphQLInputType {
  const own = typeName(table, `_${name}_order_by`);
  return registry.input(own, () => ({
    extensions: countedInput,
    description: `order by ${name}() on columns of table "${table.graphqlName}"`,
    fields: Object.fromEntries(
      columns.map((column) => [column.field, { type: direction(registry), description: column.comment ?? null }]),
    ),
  }));
}

/** `t_select_column`; undefined if the role may select no column. */
export function selectColumn(registry: TypeRegistry, table: Table): GraphQLEnumType | undefined {
  const columns = visibleColumns(registry, table);
  if (columns.length === 0) return undefined;
  const name = typeName(table, '_select_column');
  return columnEnum(registry, name, `select columns of table "${table.graphqlName}"`, columns);
}

/** Literals of GraphQL, which cannot be values of an enum. */
const literals: ReadonlySet<string> = new Set(['true', 'false', 'null']);

/** An enum of the GraphQL names of columns. */
export function columnEnum(
  registry: TypeRegistry,
  name: string,
  description: string,
  columns: readonly Column[],
): GraphQLEnumType {
  return registry.enumeration(name, () => ({
    description,
    values: Object.fromEntries(
      columns
        .filter((column) => !literals.has(column.field))
        .map((column) => [column.field, { description: 'column name' }]),
    ),
  }));
}
