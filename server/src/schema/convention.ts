/**
 * The naming convention of a source, applied to names that the service defines: arguments, operators, members and shared
 * types. The names of tables and columns follow it in the model already. A renamed input carries the name that the planner
 * reads (`plannedNameOf`).
 */
import type {
  GraphQLArgumentConfig,
  GraphQLEnumTypeConfig,
  GraphQLFieldConfigMap,
  GraphQLInputFieldConfig,
  GraphQLInputObjectTypeConfig,
  GraphQLObjectTypeConfig,
} from 'graphql';
import { camelCase, pascalCase } from '../model/names/naming-convention.ts';
import { plannedName } from './binding.ts';

type ObjectConfig = GraphQLObjectTypeConfig<unknown, unknown>;

/** Names that the service defines, beside those that begin with an underscore or end with `_aggregate`. */
const serviceNames: ReadonlySet<string> = new Set([
  ...['order_by', 'distinct_on', 'pk_columns', 'on_conflict', 'update_columns', 'batch_size', 'initial_value'],
  ...['affected_rows', 'stddev_pop', 'stddev_samp', 'var_pop', 'var_samp'],
]);

function clientName(name: string): string {
  return serviceNames.has(name) || (name.startsWith('_') && !name.startsWith('__')) || name.endsWith('_aggregate')
    ? camelCase(name)
    : name;
}

/** Types that tables share. */
const sharedType = /^(?:order_by|.+_(?:comparison_exp|cast_exp))$/;

/** The name of a type in Pascal case, unless it contains the name of a table, which has it already. */
export function clientTypeName(name: string): string {
  return sharedType.test(name) ? pascalCase(name) : name;
}

/** The object type with its fields and arguments renamed. */
export function conventionalObject(config: ObjectConfig): ObjectConfig {
  const { fields } = config;
  return { ...config, fields: () => clientFields(typeof fields === 'function' ? fields() : fields) };
}

/** The input type with its members renamed. */
export function conventionalInput(config: GraphQLInputObjectTypeConfig): GraphQLInputObjectTypeConfig {
  const { fields } = config;
  return { ...config, fields: () => clientInputs(typeof fields === 'function' ? fields() : fields) };
}

/** The enum type with its values in upper case; the planner reads the original values. */
export function conventionalEnum(config: GraphQLEnumTypeConfig): GraphQLEnumTypeConfig {
  const upper = Object.entries(config.values).map(([value, one]) => [
    value.toUpperCase(),
    { ...one, value: one.value === undefined ? value : one.value },
  ]);
  return { ...config, values: Object.fromEntries(upper) };
}

function clientFields(fields: GraphQLFieldConfigMap<unknown, unknown>): GraphQLFieldConfigMap<unknown, unknown> {
  return Object.fromEntries(
    Object.entries(clientRoots(fields)).map(([name, field]) => [clientName(name), field] as const),
  );
}

/** Renames arguments, or members of an input type. */
export function clientInputs<Input extends GraphQLArgumentConfig | GraphQLInputFieldConfig>(
  inputs: Readonly<Record<string, Input>>,
): Record<string, Input> {
  return Object.fromEntries(
    Object.entries(inputs).map(([old, input]) => {
      const name = clientName(old);
      if (name === old) return [old, input];
      return [name, { ...input, extensions: { ...plannedName(old), ...input.extensions } }];
    }),
  );
}

/** Renames the arguments of root fields. The names of the fields themselves come from the model. */
export function clientRoots(fields: GraphQLFieldConfigMap<unknown, unknown>): GraphQLFieldConfigMap<unknown, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      field.args === undefined ? field : { ...field, args: clientInputs(field.args) },
    ]),
  );
}
