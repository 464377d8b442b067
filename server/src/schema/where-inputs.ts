/** `t_bool_exp` and `t_aggregate_bool_exp`. */
import {
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
} from 'graphql';
import { booleanType, doubleType, integerType } from '../model/column-types.ts';
import type { Column, ColumnType, Table } from '../model/model.ts';
import { comparison } from './comparison-inputs.ts';
import { columnEnum, selectColumn } from './order-inputs.ts';
import type { TypeRegistry } from './registry.ts';
import { aggregates, visibleColumns, visibleRelationships } from './visible.ts';

/** `t_bool_exp`. */
export function boolExp(registry: TypeRegistry, table: Table): GraphQLInputObjectType {
  const name = `${table.graphqlName}_bool_exp`;
  return registry.named(
    name,
    () =>
      new GraphQLInputObjectType({
        name,
        description: `Boolean expression to filter rows from the table "${table.graphqlName}". All fields are combined with a logical 'AND'.`,
        fields: () => boolFields(registry, table),
      }),
  );
}

function boolFields(registry: TypeRegistry, table: Table): GraphQLInputFieldConfigMap {
  const self = boolExp(registry, table);
  const list = new GraphQLList(new GraphQLNonNull(self));
  const fields: GraphQLInputFieldConfigMap = { _and: { type: list }, _not: { type: self }, _or: { type: list } };
  for (const column of visibleColumns(registry, table)) {
    fields[column.field] = { type: comparison(registry, column.type) };
  }
  for (const { relationship, access } of visibleRelationships(registry, table)) {
    fields[relationship.name] = { type: boolExp(registry, relationship.target) };
    if (aggregates(relationship, access)) {
      fields[`${relationship.name}_aggregate`] ??= { type: aggregateBoolExp(registry, relationship.target) };
    }
  }
  return fields;
}

/** What a function is applied to, and the type that its value is compared as. */
interface Aggregate {
  readonly name: string;
  readonly compared: ColumnType;
  readonly takes: (column: Column) => boolean;
  /** Over two columns, X and Y. */
  readonly pair?: true;
}

const isBoolean = ({ type }: Column) => type.family === 'boolean';
const isDouble = ({ type }: Column) => type.name === doubleType.name;

const aggregateFunctions: readonly Aggregate[] = [
  ...['bool_and', 'bool_or'].map((name) => ({ name, compared: booleanType, takes: isBoolean })),
  ...['avg', 'max', 'min', 'stddev_samp', 'sum', 'var_samp'].map((name) => ({
    name,
    compared: doubleType,
    takes: isDouble,
  })),
  ...['corr', 'covar_samp'].map((name) => ({ name, compared: doubleType, takes: isDouble, pair: true as const })),
];

/** `t_aggregate_bool_exp`: conditions on the count and other aggregates of the rows behind a relationship. */
function aggregateBoolExp(registry: TypeRegistry, table: Table): GraphQLInputObjectType {
  const name = `${table.graphqlName}_aggregate_bool_exp`;
  return registry.named(name, () => new GraphQLInputObjectType({ name, fields: () => members(registry, table, name) }));
}

function members(registry: TypeRegistry, table: Table, name: string): GraphQLInputFieldConfigMap {
  const countable = selectColumn(registry, table);
  const columns = countable && new GraphQLList(new GraphQLNonNull(countable));
  const fields: GraphQLInputFieldConfigMap = {
    count: { type: condition(registry, table, `${name}_count`, columns, integerType) },
  };
  for (const one of aggregateFunctions) {
    const taken = visibleColumns(registry, table).filter(one.takes);
    if (taken.length === 0) continue;
    const prefix = `${name}_${one.name}`;
    const of = `${prefix}_arguments_columns`;
    const description = `select "${of}" columns of table "${table.graphqlName}"`;
    const column = new GraphQLNonNull(
      columnEnum(registry, `${table.graphqlName}_select_column_${of}`, description, taken),
    );
    const input = one.pair ? new GraphQLNonNull(pairInput(registry, `${prefix}_arguments`, column)) : column;
    fields[one.name] = { type: condition(registry, table, prefix, input, one.compared) };
  }
  return fields;
}

function pairInput(registry: TypeRegistry, name: string, column: GraphQLInputType): GraphQLInputObjectType {
  return registry.named(
    name,
    () => new GraphQLInputObjectType({ name, fields: { X: { type: column }, Y: { type: column } } }),
  );
}

/** The arguments of one aggregate, which rows it counts, and what its value is compared with. */
function condition(
  registry: TypeRegistry,
  table: Table,
  name: string,
  columns: GraphQLInputType | undefined,
  compared: ColumnType,
): GraphQLInputObjectType {
  return registry.named(
    name,
    () =>
      new GraphQLInputObjectType({
        name,
        fields: () => ({
          ...(columns !== undefined && { arguments: { type: columns } }),
          distinct: { type: registry.scalar('Boolean') },
          filter: { type: boolExp(registry, table) },
          predicate: { type: new GraphQLNonNull(comparison(registry, compared)) },
        }),
      }),
  );
}
