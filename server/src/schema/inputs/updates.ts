/** The input types of updates: one for each operator, such as `_set` and `_inc`. */
import {
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputFieldConfig,
  type GraphQLInputFieldConfigMap,
  type GraphQLInputObjectType,
  GraphQLList,
  GraphQLNonNull,
} from 'graphql';
import { typeName } from '../../model/names/source-names.ts';
import type { Column, Table } from '../../model/types/table.ts';
import { readWhenRun } from '../binding.ts';
import type { TypeRegistry } from '../registry.ts';
import { tableTitle } from '../tables/columns.ts';
import { columnInput } from './comparison.ts';
import { mayUpdate, writtenColumns } from './mutation-access.ts';
import { boolExp } from './where.ts';

interface ChangeInput {
  readonly name: string;
  readonly description: string;
  readonly appliesTo: (column: Column) => boolean;
  readonly value: (registry: TypeRegistry, column: Column) => GraphQLInputFieldConfig;
  readonly onlyDataCommands?: true;
}

const isNumber = ({ type }: Column) => type.family === 'number';
const isJsonb = ({ type }: Column) => type.family === 'jsonb';
const ownType = (registry: TypeRegistry, column: Column) => columnInput(registry, column.type);

/** The update operators. */
const changes: readonly ChangeInput[] = [
  {
    name: '_set',
    description: 'sets the columns of the filtered rows to the given values',
    appliesTo: () => true,
    value: ownType,
  },
  {
    name: '_inc',
    description: 'increments the numeric columns with given value of the filtered values',
    appliesTo: isNumber,
    value: ownType,
  },
  {
    name: '_append',
    description: 'append existing jsonb value of filtered columns with new jsonb value',
    appliesTo: isJsonb,
    value: ownType,
  },
  {
    name: '_prepend',
    description: 'prepend existing jsonb value of filtered columns with new jsonb value',
    appliesTo: isJsonb,
    value: ownType,
  },
  {
    name: '_delete_key',
    description: 'delete key/value pair or string element. key/value pairs are matched based on their key value',
    appliesTo: isJsonb,
    value: (registry) => ({ type: registry.scalar('String') }),
  },
  {
    name: '_delete_elem',
    description: 'delete the array element with specified index (negative integers count from the end)',
    appliesTo: isJsonb,
    value: (registry) => ({ type: registry.scalar('Int') }),
  },
  {
    name: '_delete_at_path',
    description:
      'delete the field or element with specified path (for JSON arrays, negative integers count from the end)',
    appliesTo: isJsonb,
    value: (registry) => ({ type: new GraphQLList(new GraphQLNonNull(registry.scalar('String'))) }),
  },
  {
    name: '_mul',
    description: 'multiplies the numeric columns by the given values',
    appliesTo: isNumber,
    value: ownType,
    onlyDataCommands: true,
  },
  {
    name: '_default',
    description: 'sets the columns to their default values',
    appliesTo: () => true,
    value: (registry) => ({ type: registry.scalar('Boolean') }),
    onlyDataCommands: true,
  },
];

/** The arguments `_set`, `_inc` and so on that have columns which the role may update. */
export function changeArguments(registry: TypeRegistry, table: Table): GraphQLFieldConfigArgumentMap {
  const columns = writtenColumns(table, mayUpdate(registry, table)?.columns ?? new Set());
  const args: GraphQLFieldConfigArgumentMap = {};
  for (const change of changes) {
    if (change.onlyDataCommands && !registry.model.forDataCommands) continue;
    const taken = columns.filter(change.appliesTo);
    if (taken.length === 0) continue;
    const name = typeName(table, `${change.name}_input`);
    const config = () => ({
      description: `${change.description}; of table "${tableTitle(table)}"`,
      fields: () =>
        Object.fromEntries(
          taken.map((column) => [
            column.field,
            { ...change.value(registry, column), description: column.comment ?? null },
          ]),
        ),
    });
    args[change.name] = {
      type: registry.input(name, config),
      description: change.description,
      extensions: readWhenRun,
    };
  }
  return args;
}

/** `t_updates`: an item of `update_many`. */
export function updatesInput(registry: TypeRegistry, table: Table): GraphQLInputObjectType {
  const name = typeName(table, '_updates');
  return registry.input(name, () => ({
    fields: () => {
      const fields: GraphQLInputFieldConfigMap = {};
      for (const [change, { type, description }] of Object.entries(changeArguments(registry, table))) {
        fields[change] = { type, description: description ?? null };
      }
      fields.where = {
        type: new GraphQLNonNull(boolExp(registry, table)),
        description: 'filter the rows which have to be updated',
      };
      return fields;
    },
  }));
}

/** `t_pk_columns_input`. */
export function keyInput(registry: TypeRegistry, table: Table, key: readonly Column[]): GraphQLInputObjectType {
  const name = typeName(table, '_pk_columns_input');
  return registry.input(name, () => ({
    description: `primary key columns input for table: ${table.graphqlName}`,
    fields: Object.fromEntries(
      key.map((column) => [
        column.field,
        { ...columnInput(registry, column.type, 'required'), description: column.comment ?? null },
      ]),
    ),
  }));
}
