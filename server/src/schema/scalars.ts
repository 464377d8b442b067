/** GraphQL scalars: the built-in ones, and one for each Postgres type, named `ColumnType.scalar`. */
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
import { ExactNumber, kindAndNumber } from '../base/json-value.ts';
import { builtInTypes } from '../model/predicate/column-types.ts';
import { encode } from '../model/predicate/encode.ts';
import { literalValue } from './literal.ts';

const builtInScalars: ReadonlyMap<string, GraphQLScalarType> = new Map(
  [GraphQLInt, GraphQLFloat, GraphQLString, GraphQLBoolean, GraphQLID].map((scalar) => [scalar.name, scalar]),
);

/** The scalar of that name. Values of Postgres types are JSON values. */
export function makeScalar(name: string, description?: string): GraphQLScalarType {
  return (
    builtInScalars.get(name) ??
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
 * Coerces the JSON value of a variable. Throws a ServiceError with the path `$` if it is not a value of the scalar. A Float
 * that exceeds a double is rounded, a Postgres number is not. `ofColumn`: a value of a column, for which any type accepts
 * a string in the text format of PostgreSQL.
 */
export function coerceScalar(type: GraphQLScalarType, value: unknown, ofColumn = false): unknown {
  const own = coercions[type.name];
  if (own === undefined) return type.parseValue(value);
  if (ofColumn && typeof value === 'string') return checked(type.name, value);
  const result = own.accept(value);
  if (result !== undefined) return result;
  throw mismatch(own.expected, type.name, value, ofColumn || (type.name === 'Int' && isWhole(value)));
}

function isWhole(value: unknown): boolean {
  return value instanceof ExactNumber ? /^-?\d+$/.test(value.text) : Number.isInteger(value);
}

/** Coerces a literal without variables. Built-in scalars accept only literals of their kinds. */
export function coerceScalarLiteral(type: GraphQLScalarType, node: ValueNode, ofColumn = false): unknown {
  const own = coercions[type.name];
  if (own === undefined) return type.parseLiteral(node, undefined);
  const value = literalValue(node, () => undefined);
  if (ofColumn && node.kind === Kind.STRING) return checked(type.name, value);
  if (!own.kinds.includes(node.kind)) {
    const found = node.kind === Kind.ENUM ? 'an enum value' : undefined;
    throw mismatch(own.expected, type.name, value, ofColumn, found);
  }
  return coerceScalar(type, value, ofColumn);
}

interface BuiltInScalar {
  readonly expected: string;
  readonly kinds: readonly string[];
  /** The coerced value; undefined if it is not a value of the scalar. */
  readonly accept: (value: unknown) => unknown;
}

const coercions: Readonly<Record<string, BuiltInScalar>> = {
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
 * Encodes values of built-in types of PostgreSQL to check them, so that errors have the path in the request. Null is valid
 * wherever the schema permits it.
 */
function checked(name: string, value: unknown): unknown {
  const type = builtInTypes.get(name);
  // These accept any JSON value.
  if (type !== undefined && type.family !== 'json' && type.family !== 'jsonb') encode(type, value);
  return value;
}

/**
 * The error for a value of the wrong kind; its path is `$`. As in Hasura v2, the code is `parse-failed` for values of columns and
 * for whole numbers that exceed an Int.
 */
export function mismatch(
  expected: string,
  type: string,
  value: unknown,
  parsed = false,
  found: string = kindAndNumber(value),
): ServiceError {
  return new ServiceError(
    parsed ? 'parse-failed' : 'validation-failed',
    `expected ${expected} for type '${type}', but found ${found}`,
  );
}
