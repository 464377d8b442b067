/** `t_bool_exp` and `t_aggregate_bool_exp`. */
import {
  type GraphQLInputFieldConfigMap,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
} from 'graphql';
import { lowerFirst, upperFirst } from '../../model/names/naming-convention.ts';
import { typeName } from '../../model/names/source-names.ts';
import { aggregateConditions } from '../../model/predicate/aggregates.ts';
import { doubleType } from '../../model/predicate/column-types.ts';
import type { ColumnType } from '../../model/types/column-type.ts';
import type { Table } from '../../model/types/table.ts';
import { countedInput, decidesPlan } from '../binding.ts';
import type { TypeRegistry } from '../registry.ts';
import {
  aggregates,
  comparedComputed,
  comparedRelationships,
  comparedRows,
  visibleColumns,
} from '../tables/visible.ts';
import { comparison } from './comparison.ts';
import { columnEnum, selectColumn } from './order.ts';

/** `t_bool_exp`. */
export function boolExp(registry: TypeRegistry, table: Table): GraphQLInputObjectType {
  const name = typeName(table, '_bool_exp');
  return registry.input(name, () => ({
    extensions: countedInput,
    description: `Boolean expression to filter rows from the table "${table.graphqlName}". All fields are combined with a logical 'AND'.`,
    fields: () => boolFields(registry, table),
  }));
}

function boolFields(registry: TypeRegistry, table: Table): GraphQLInputFieldConfigMap {
  const self = boolExp(registry, table);
  const list = new GraphQLList(new GraphQLNonNull(self));
  const fields: GraphQLInputFieldConfigMap = { _and: { type: list }, _not: { type: self }, _or: { type: list } };
  for (const column of [...visibleColumns(registry, table), ...comparedComputed(registry, table)]) {
    fields[column.field] = { type: comparison(registry, column.type) };
  }
  for (const { computed, target } of comparedRows(registry, table)) {
    fields[computed.name] = { type: boolExp(registry, target) };
  }
  for (const { relationship, access } of comparedRelationships(registry, table)) {
    fields[relationship.name] = { type: boolExp(registry, relationship.target) };
    if (aggregates(relationship, access)) {
      fields[`${relationship.name}_aggregate`] ??= { type: aggregateBoolExp(registry, relationship.target) };
    }
  }
  return fields;
}

/** `t_aggregate_bool_exp`: conditions on aggregates of the rows of a relationship. */
function aggregateBoolExp(registry: TypeRegistry, table: Table): GraphQLInputObjectType {
  const name = typeName(table, '_aggregate_bool_exp');
  // The functions keep their names under a naming convention, as in Hasura v2.
  return registry.plain.input(name, () => ({ extensions: countedInput, fields: () => members(registry, table) }));
}

/** The names of the types of one function. Hasura v2 applies the naming convention to the name of the table only. */
interface AggregateNames {
  readonly condition: string;
  readonly pair: string;
  readonly columns: string;
  /** `columns` in its description. */
  readonly title: string;
}

function aggregateNames(table: Table, name: string): AggregateNames {
  const { graphqlName, typeSuffix = '', convention, customNamed } = table;
  if (convention === undefined) {
    const prefix = `_aggregate_bool_exp_${name}`;
    const title = `${graphqlName}${prefix}_arguments_columns`;
    return {
      condition: typeName(table, prefix),
      pair: typeName(table, `${prefix}_arguments`),
      columns: typeName(table, `_select_column_${title}`),
      title,
    };
  }
  const condition = `${customNamed ? graphqlName : lowerFirst(graphqlName)}AggregateBoolExp${upperFirst(name)}`;
  const title = `${condition}ArgumentsColumns`;
  return {
    condition: `${condition}${typeSuffix}`,
    pair: `${condition}Arguments${typeSuffix}`,
    columns: `${graphqlName}SelectColumn${upperFirst(title)}${typeSuffix}`,
    title,
  };
}

function members(registry: TypeRegistry, table: Table): GraphQLInputFieldConfigMap {
  const fields: GraphQLInputFieldConfigMap = {};
  for (const { name: function_, arguments: takes, family, resultType } of aggregateConditions) {
    const names = aggregateNames(table, function_);
    if (takes === 'any') {
      const countable = selectColumn(registry, table);
      const columns = countable && new GraphQLList(new GraphQLNonNull(countable));
      fields[function_] = { type: condition(registry, table, names.condition, columns, resultType) };
      continue;
    }
    const taken = visibleColumns(registry, table).filter(({ type }) => type.family === family && isOffered(type));
    if (taken.length === 0) continue;
    const description = `select "${names.title}" columns of table "${table.graphqlName}"`;
    const column = new GraphQLNonNull(columnEnum(registry, names.columns, description, taken));
    const input = takes === 'pair' ? new GraphQLNonNull(pairInput(registry, names.pair, column)) : column;
    fields[function_] = { type: condition(registry, table, names.condition, input, resultType) };
  }
  return fields;
}

/** Among numbers only double precision, as in Hasura v2, because each function adds types for each table. */
function isOffered(type: ColumnType): boolean {
  return type.family !== 'number' || type.name === doubleType.name;
}

function pairInput(registry: TypeRegistry, name: string, column: GraphQLInputType): GraphQLInputObjectType {
  return registry.plain.input(name, () => ({
    extensions: countedInput,
    fields: { X: { type: column }, Y: { type: column } },
  }));
}

/** The input of one aggregate: its arguments, the rows that it counts, and the condition on its value. */
function condition(
  registry: TypeRegistry,
  table: Table,
  name: string,
  columns: GraphQLInputType | undefined,
  compared: ColumnType,
): GraphQLInputObjectType {
  return registry.plain.input(name, () => ({
    extensions: countedInput,
    fields: () => ({
      ...(columns !== undefined && { arguments: { type: columns } }),
      distinct: { type: registry.scalar('Boolean'), extensions: decidesPlan },
      filter: { type: boolExp(registry, table) },
      predicate: { type: new GraphQLNonNull(comparison(registry, compared)) },
    }),
  }));
}
