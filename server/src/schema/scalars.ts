/** GraphQL scalars: GraphQL's own five, and one for each Postgres type, named as `ColumnType.scalar`. */
import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLScalarType,
  GraphQLString,
  Kind,
  type ValueNode,
} from 'graphql';
import { ServiceError } from '../base/errors.ts';
import { ExactNumber } from '../base/json-value.ts';
import { builtInTypes } from '../model/predicate/column-types.ts';
import { encode } from '../model/predicate/encode.ts';
import { literalValue } from './literal.ts';

const ownFive: ReadonlyMap<string, GraphQLScalarType> = new Map(
  [GraphQLInt, GraphQLFloat, GraphQLString, GraphQLBoolean, GraphQLID].map((scalar) => [scalar.name, scalar]),
);

/** The scalar of that name. Values of a Postgres type keep their JSON form. */
export function makeScalar(name: string, description?: string): GraphQLScalarType {
  return (
    ownFive.get(name) ??
    new GraphQLScalarType({
      name,
      ...(description !== undefined && { description }),
      serialize: (value) => value,
      parseValue: (value) => checked(name, value),
      parseLiteral: (node, variables) =>
        checked(
          name,
          literalValue(node, (variable) => variables?.[variable]),
        ),
    })
  );
}

/**
 * A JSON value of a variable as a value of the scalar. Throws a ServiceError whose path is `$` when it does not fit.
 * A Float that is exact beyond a double is rounded, as the type says; a Postgres number is not. `ofColumn`: the value is
 * one of a column, so that a string fits any type in the form that PostgreSQL reads.
 */
export function coerceScalar(type: GraphQLScalarType, value: unknown, ofColumn = false): unknown {
  const own = five[type.name];
  if (own === undefined) return type.parseValue(value);
  if (ofColumn && typeof value === 'string') return checked(type.name, value);
  const result = own.accept(value);
  if (result === undefined) throw mismatch(own.expected, type.name, value);
  return result;
}

/** The same of a literal that holds no variables. GraphQL's own five take only literals of their own kinds. */
export function coerceScalarLiteral(type: GraphQLScalarType, node: ValueNode, ofColumn = false): unknown {
  const own = five[type.name];
  if (own === undefined) return type.parseLiteral(node, undefined);
  const value = literalValue(node, () => undefined);
  if (ofColumn && node.kind === Kind.STRING) return checked(type.name, value);
  if (!own.kinds.includes(node.kind)) throw mismatch(own.expected, type.name, value);
  return coerceScalar(type, value);
}

interface OwnScalar {
  readonly expected: string;
  readonly kinds: readonly string[];
  /** `undefined` means that the value does not fit. */
  readonly accept: (value: unknown) => unknown;
}

const five: Readonly<Record<string, OwnScalar>> = {
  Int: {
    expected: 'a 32-bit integer',
    kinds: [Kind.INT],
    accept: (value) => (typeof value === 'number' && (value | 0) === value ? value : undefined),
  },
  Float: {
    expected: 'a number',
    kinds: [Kind.INT, Kind.FLOAT],
    accept: (value) => {
      const number = value instanceof ExactNumber ? Number(value.text) : value;
      return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
    },
  },
  String: {
    expected: 'a string',
    kinds: [Kind.STRING],
    accept: (value) => (typeof value === 'string' ? value : undefined),
  },
  Boolean: {
    expected: 'true or false',
    kinds: [Kind.BOOLEAN],
    accept: (value) => (typeof value === 'boolean' ? value : undefined),
  },
  ID: {
    expected: 'a string or a whole number',
    kinds: [Kind.STRING, Kind.INT],
    accept: (value) =>
      typeof value === 'string' || Number.isInteger(value) || value instanceof ExactNumber ? String(value) : undefined,
  },
};

/**
 * Values of the built-in types of PostgreSQL are checked as they will be when they are sent, so that the error names the
 * place in the request. Null fits wherever the schema lets it stand.
 */
function checked(name: string, value: unknown): unknown {
  const type = builtInTypes.get(name);
  // Any JSON value fits these, and printing it twice is for nothing.
  if (type !== undefined && type.family !== 'json' && type.family !== 'jsonb') encode(type, value);
  return value;
}

/** The error for a value of the wrong kind; its path is `$`. */
export function mismatch(expected: string, type: string, value: unknown): ServiceError {
  return new ServiceError('validation-failed', `expected ${expected} for type '${type}', but found ${kindOf(value)}`);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof ExactNumber) return 'a number';
  switch (typeof value) {
    case 'object':
      return 'an object';
    case 'undefined':
      return 'nothing';
    case 'boolean':
      return String(value);
    case 'number':
      return `the number ${value}`;
    default:
      return `a ${typeof value}`;
  }
}
