/** The arguments of an action as GraphQL types, to check relationships and default values. */

import {
  coerceInputValue,
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLFloat,
  GraphQLID,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLScalarType,
  GraphQLString,
  getNullableType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { jsonPath } from '../../base/json-value.ts';
import type { Action, InputField, InputNamed, TypeRef } from '../types/action.ts';

export interface ArgumentType {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly defaultValue: unknown;
}

/** The argument types in order, created at each call. */
export function argumentTypes(action: Action): readonly ArgumentType[] {
  const known = new Map<string, GraphQLInputType>();
  return action.arguments.map(({ name, type, defaultValue }) => ({
    name,
    type: typeOf(type, known),
    defaultValue,
  }));
}

/** The error of the default value or deprecation of `field`; undefined if it is valid. */
export function defaultProblem({ type, defaultValue, deprecated }: InputField): string | undefined {
  const required = type.kind === 'nonNull' && defaultValue === undefined;
  if (required && deprecated !== undefined) return 'a required input cannot be deprecated; give it a default_value';
  if (defaultValue === undefined) return undefined;
  const wanted = typeOf(type, new Map());
  const errors: string[] = [];
  coerceInputValue(defaultValue, wanted, (path, _value, { message }) => {
    errors.push(`${jsonPath(path, 'default_value')}: ${message}`);
  });
  if (errors.length === 0 && hasFreeForm(defaultValue, wanted)) {
    errors.push(
      'default_value: the default of a scalar is a string, a number within the range of a double, true or false; write longer numbers as strings',
    );
  }
  return errors.length === 0 ? undefined : errors.join(', ');
}

/** Whether a scalar in `value` is an object or list, which introspection cannot print. */
function hasFreeForm(value: unknown, type: GraphQLInputType): boolean {
  const nullable = getNullableType(type);
  if (typeof value !== 'object' || value === null) return false;
  if (isListType(nullable)) {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    return items.some((item) => hasFreeForm(item, nullable.ofType));
  }
  if (!isInputObjectType(nullable)) return true;
  const fields = nullable.getFields();
  return Object.entries(value).some(([name, member]) => {
    const field = fields[name];
    return field !== undefined && hasFreeForm(member, field.type);
  });
}

const builtIn: ReadonlyMap<string, GraphQLInputType> = new Map(
  [GraphQLInt, GraphQLFloat, GraphQLString, GraphQLBoolean, GraphQLID].map((scalar) => [scalar.name, scalar]),
);

function typeOf(type: TypeRef<InputNamed>, known: Map<string, GraphQLInputType>): GraphQLInputType {
  if (type.kind === 'nonNull') return new GraphQLNonNull(typeOf(type.of, known));
  if (type.kind === 'list') return new GraphQLList(typeOf(type.of, known));
  const { name } = type.type;
  const created = builtIn.get(name) ?? known.get(name) ?? namedType(type.type, known);
  known.set(name, created);
  return created;
}

function namedType(named: InputNamed, known: Map<string, GraphQLInputType>): GraphQLInputType {
  switch (named.kind) {
    case 'scalar':
      return new GraphQLScalarType({ name: named.name });
    case 'enum':
      return new GraphQLEnumType({
        name: named.name,
        values: Object.fromEntries(named.values.map(({ value }) => [value, {}])),
      });
    case 'input':
      return new GraphQLInputObjectType({
        name: named.name,
        fields: () =>
          Object.fromEntries([...named.fields].map(([name, field]) => [name, { type: typeOf(field.type, known) }])),
      });
    default:
      return named satisfies never;
  }
}
