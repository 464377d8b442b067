/** Types of columns, SQL functions and input validation webhooks. Types only. */
import type { Header } from '@joinery/metadata/schema/headers';
import type { CatalogEnumValue } from '../../postgres/catalog/catalog-types.ts';

/** The family of a type, which determines the operators. */
export type TypeFamily =
  | 'boolean'
  | 'number'
  | 'text'
  | 'citext'
  | 'time'
  | 'interval'
  | 'uuid'
  | 'bytes'
  | 'json'
  | 'jsonb'
  | 'enum'
  | 'array'
  | 'range'
  | 'network'
  | 'ltree'
  | 'lquery'
  | 'ltxtquery'
  | 'hstore'
  | 'geometry'
  | 'geography'
  | 'raster'
  | 'composite'
  | 'other';

/** The type of a column. A domain is resolved to its base type, also for casts, but has a scalar of its own. */
export interface ColumnType {
  /** pg_type.typname of the resolved type. */
  readonly name: string;
  /** For casts; see CatalogType.sqlName. */
  readonly sqlName: string;
  readonly family: TypeFamily;
  /** GraphQL scalar, such as `Int`, `numeric`, `order_status` or the name of a domain; of an array, that of its elements. */
  readonly scalar: string;
  /** The element type of an array; undefined for other types. */
  readonly element: ColumnType | undefined;
  /** Of a domain over an enum: the enum. PostgreSQL compares values of the domain only as those of the enum. */
  readonly enumOf?: ColumnType;
  /** Labels of a Postgres enum. */
  readonly labels: readonly string[];
  /** pg_type.typcategory, one letter. */
  readonly category: string;
  /** The schema of the type's extension, whose operators and functions may not be on the search path. */
  readonly extensionSchema?: string | undefined;
  /** Whether the values are shown in upper case. */
  readonly upperCase?: true;
  /** The values of a column that refers to an enum table. `scalar` is the name of the enum. */
  readonly enumeration?: readonly EnumValue[];
}

export type EnumValue = CatalogEnumValue;

/** An argument of a function. `from`: the caller, the `row` of a computed field, or the session variables as JSON. */
export interface RoutineArgument {
  /** The SQL name; empty if the argument has none. */
  readonly name: string;
  /** The GraphQL name: the SQL name; `arg_1`, `arg_2` for the caller's arguments without one. */
  readonly field: string;
  readonly type: ColumnType;
  readonly hasDefault: boolean;
  readonly from: 'caller' | 'row' | 'session';
}

export interface Routine {
  readonly schema: string;
  readonly name: string;
  /** In order of position. */
  readonly arguments: readonly RoutineArgument[];
  /** The name of the input type of the caller's arguments. */
  readonly argumentsType: string;
  /** Whether each call may have another result. */
  readonly isVolatile?: true;
}

/** A webhook that validates the input of a mutation before it writes. */
export interface InputCheck {
  /** May contain `{{NAME}}` templates; expanded when a call is made. */
  readonly url: string;
  readonly headers: readonly Header[];
  readonly forwardClientHeaders: boolean;
  readonly timeoutMs: number;
}
