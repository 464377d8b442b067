/** Types of columns, and the functions that values and rows are made by. Types only. */
import type { Header } from '@joinery/metadata/schema/headers';
import type { CatalogEnumValue } from '../../postgres/catalog/catalog-types.ts';

/** The families that decide which operators a column has. */
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

/** The type of a column. A domain is resolved to what it is made of, for casts as well. */
export interface ColumnType {
  /** pg_type.typname of the resolved type. */
  readonly name: string;
  /** For casts; see CatalogType.sqlName. */
  readonly sqlName: string;
  readonly family: TypeFamily;
  /** GraphQL scalar, such as `Int`, `String`, `numeric`, `order_status`; of an array, that of its elements. */
  readonly scalar: string;
  /** Of an array; undefined otherwise. */
  readonly element: ColumnType | undefined;
  /** Labels of a Postgres enum. */
  readonly labels: readonly string[];
  /** pg_type.typcategory, one letter. */
  readonly category: string;
  /** Schema of the extension that brought the type: its operators and functions may be off the search path. */
  readonly extensionSchema?: string | undefined;
  /** Of a column that refers to an enum table: its values. `scalar` is the name of the enum. */
  /** The values are shown in upper case, whatever they are in the table. */
  readonly upperCase?: true;
  readonly enumeration?: readonly EnumValue[];
}

export type EnumValue = CatalogEnumValue;

/** What a caller passes to a function: `row` the row it is a field of, `session` the session variables as JSON. */
export interface RoutineArgument {
  /** In SQL; empty when the function does not name it. */
  readonly name: string;
  /** In GraphQL: its name, else `arg_1` by position. */
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
  /** Name of the input type that holds the caller's arguments. */
  readonly argumentsType: string;
}

/** A webhook that is asked before a mutation writes anything. */
export interface InputCheck {
  /** May contain `{{NAME}}` templates; expanded when a call is made. */
  readonly url: string;
  readonly headers: readonly Header[];
  readonly forwardClientHeaders: boolean;
  readonly timeoutMs: number;
}
