/**
 * What the naming convention of a source does to names that the service itself gives: arguments, operators, members and
 * shared types. Names of tables and columns are the model's. Inputs keep the name that the planner knows beside them.
 */
import {
  type GraphQLArgument,
  GraphQLEnumType,
  type GraphQLField,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  type GraphQLInputField,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
} from 'graphql';
import { camelCase, pascalCase } from '../model/names/naming-convention.ts';
import { plannedName, plannedNameOf } from './binding.ts';

/** Beside those that begin with an underscore or end with `_aggregate`. */
const given: ReadonlySet<string> = new Set([
  ...['order_by', 'distinct_on', 'pk_columns', 'on_conflict', 'update_columns', 'batch_size', 'initial_value'],
  ...['affected_rows', 'stddev_pop', 'stddev_samp', 'var_pop', 'var_samp', 'bool_and', 'bool_or', 'covar_samp'],
  'use_spheroid',
]);

function clientName(name: string): string {
  return given.has(name) || (name.startsWith('_') && !name.startsWith('__')) || name.endsWith('_aggregate')
    ? camelCase(name)
    : name;
}

/** Types that tables share, and enums of tables. */
const shared = /^(?:order_by|cursor_ordering|.+_(?:comparison_exp|cast_exp|enum)|st_.+_input)$/;

/** Of a type whose name does not come from a table's. */
export function clientTypeName(name: string): string {
  return shared.test(name) ? pascalCase(name) : name;
}

/** The type under that name, with members named as clients know them. */
export function asClientsKnow(type: GraphQLNamedType, name: string): GraphQLNamedType {
  if (isEnumType(type)) return name === type.name ? type : upperCased(type, name);
  type.name = name;
  if (isObjectType(type)) type.getFields = renamed(type.getFields.bind(type), clientField);
  else if (isInputObjectType(type)) type.getFields = renamed(type.getFields.bind(type), clientInput);
  return type;
}

function upperCased(type: GraphQLEnumType, name: string): GraphQLEnumType {
  const { values, ...config } = type.toConfig();
  const upper = Object.entries(values).map(([value, one]) => [
    value.toUpperCase(),
    { ...one, value: one.value ?? value },
  ]);
  return new GraphQLEnumType({ ...config, name, values: Object.fromEntries(upper) });
}

type Members<Member> = Record<string, Member>;

/** Fields may lead back to their type, so they are looked at when somebody asks. */
function renamed<Member extends { readonly name: string }>(
  fields: () => Members<Member>,
  rename: (member: Member) => Member,
): () => Members<Member> {
  let known: Members<Member> | undefined;
  return () => {
    known ??= Object.fromEntries(
      Object.values(fields())
        .map(rename)
        .map((member) => [member.name, member]),
    );
    return known;
  };
}

function clientField(field: GraphQLField<unknown, unknown>): GraphQLField<unknown, unknown> {
  return { ...field, name: clientName(field.name), args: field.args.map(clientInput) };
}

function clientInput<Input extends GraphQLArgument | GraphQLInputField>(input: Input): Input {
  const name = clientName(input.name);
  if (name === input.name) return input;
  return { ...input, name, extensions: { ...input.extensions, ...plannedName(plannedNameOf(input)) } };
}

/** The same for arguments that are still a configuration. */
export function clientArguments(args: GraphQLFieldConfigArgumentMap): GraphQLFieldConfigArgumentMap {
  return Object.fromEntries(
    Object.entries(args).map(([old, argument]) => {
      const name = clientName(old);
      if (name === old) return [old, argument];
      return [name, { ...argument, extensions: { ...argument.extensions, ...plannedName(old) } }];
    }),
  );
}

/** Root fields: their own names are the model's, their arguments are given. */
export function clientRoots(fields: GraphQLFieldConfigMap<unknown, unknown>): GraphQLFieldConfigMap<unknown, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      field.args === undefined ? field : { ...field, args: clientArguments(field.args) },
    ]),
  );
}
