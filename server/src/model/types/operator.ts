/** The comparison operators of conditions. Types only. */
import type { Sql } from '../../postgres/sql/sql.ts';
import type { ColumnType } from './column-type.ts';

/** The shape of the right-hand side of an operator. */
export type ArgumentShape =
  /** A value of the type of the left side. */
  | 'same'
  /** A list of values of the type of the left side. */
  | 'list'
  | 'boolean'
  | 'text'
  | 'textList'
  /** A type that the operator names, such as `st_d_within_input`. */
  | { readonly input: string };

export interface Operator {
  /** `_eq`. */
  readonly name: string;
  /** Whether columns of this type have the operator. */
  readonly appliesTo: (type: ColumnType) => boolean;
  readonly argument: ArgumentShape;
  /**
   * Prints the condition, which needs no parentheses under `and`, `or` and `not`. `right` is cast to
   * `argumentType(operator, type)`; for an operand of kind `members` it is a list separated by commas.
   */
  readonly print: (left: Sql, right: Sql, type: ColumnType) => Sql;
  /** The description in the GraphQL schema. */
  readonly description: string;
  /**
   * The members of the input object, in the order that `print` expects. Only if the argument is `{ input }` and not a
   * scalar of that name.
   */
  readonly members?: (type: ColumnType) => readonly OperatorMember[];
}

export interface OperatorMember {
  readonly name: string;
  readonly type: ColumnType;
  /** The value of an omitted member, null for SQL's null. Undefined: the member is required. */
  readonly default: string | number | boolean | null | undefined;
}
