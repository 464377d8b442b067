/** The arguments of an action as GraphQL types: what relationships that lead to it are read against. */
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
import type { Action, InputField, InputNamed, TypeRef } from '../types/action.ts';

export interface ArgumentType {
  readonly name: string;
  readonly type: GraphQLInputType;
  readonly defaultValue: unknown;
}

/** In order; the types are made for this call. */
export function argumentTypes(action: Action): readonly ArgumentType[] {
  const known = new Map<string, GraphQLInputType>();
  return action.arguments.map(({ name, type, defaultValue }) => ({
    name,
    type: typeOf(type, known),
    defaultValue,
  }));
}

/** What is wrong with the default value of `field`, or with its deprecation; undefined when nothing is. */
export function defaultProblem({ type, defaultValue, deprecated }: InputField): string | undefined {
  const required = type.kind === 'nonNull' && defaultValue === undefined;
  if (required && deprecated !== undefined) return 'what is required cannot be deprecated; give it a default_value';
  if (defaultValue === undefined) return undefined;
  const wanted = typeOf(type, new Map());
  const faults: string[] = [];
  coerceInputValue(defaultValue, wanted, (path, _value, { message }) => {
    faults.push(
      `default_value${path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')}: ${message}`,
    );
  });
  if (faults.length === 0 && hasFreeForm(defaultValue, wanted)) {
    faults.push(
      'default_value: a scalar has a string, a number that a double holds, true or false for a default; write longer numbers as strings',
    );
  }
  return faults.length === 0 ? undefined : faults.join(', ');
}

/** Objects and lists within scalars cannot be shown by introspection. */
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
