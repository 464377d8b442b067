/** The arguments of an action as GraphQL types: what relationships that lead to it are read against. */
import {
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
} from 'graphql';
import type { Action, InputNamed, TypeRef } from './action-model.ts';

export interface ArgumentType {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly defaultValue: unknown;
}

/** In order; the types are made for this call. */
export function argumentTypes(action: Action): readonly ArgumentType[] {
  const known = new Map<string, GraphQLInputType>();
  return action.arguments.map(({ name, type }) => ({ name, type: typeOf(type, known), defaultValue: undefined }));
}

const builtIn: ReadonlyMap<string, GraphQLInputType> = new Map(
  [GraphQLInt, GraphQLFloat, GraphQLString, GraphQLBoolean, GraphQLID].map((scalar) => [scalar.name, scalar]),
);

function typeOf(type: TypeRef<InputNamed>, known: Map<string, GraphQLInputType>): GraphQLInputType {
  if (type.kind === 'nonNull') return new GraphQLNonNull(typeOf(type.of, known));
  if (type.kind === 'list') return new GraphQLList(typeOf(type.of, known));
  const { name } = type.type;
  const made = builtIn.get(name) ?? known.get(name) ?? namedType(type.type, known);
  known.set(name, made);
  return made;
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
