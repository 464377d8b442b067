/** The comparison operators of conditions. Types only. */
import type { Sql } from '../../postgres/sql/sql.ts';
import type { ColumnType } from './column-type.ts';

/** What the right-hand side of an operator is. */
export type ArgumentShape =
  /** The type of the left side. */
  | 'same'
  /** A list of the type of the left side. */
  | 'list'
  /** Element type of the left side (arrays, ranges). */
  | 'element'
  | 'boolean'
  | 'text'
  | 'textList'
  /** An input object or value that the operator names itself, such as `st_d_within_input`. */
  | { readonly input: string };

/** One row of the one operator table. */
export interface Operator {
  /** `_eq`. */
  readonly name: string;
  /** Does a column of this type have it? */
  readonly appliesTo: (type: ColumnType) => boolean;
  readonly argument: ArgumentShape;
  /**
   * The condition. It may stand under `and`, `or` and `not` without parentheses. `right` is cast to
   * `argumentType(operator, type)` (model/operators.ts); for an operand of kind `members` it is the list with commas.
   */
  readonly print: (left: Sql, right: Sql, type: ColumnType) => Sql;
  /** For GraphQL's documentation. */
  readonly description: string;
  /**
   * The members of the input object, in the order in which `print` takes them; only where the argument is `{ input }`
   * and no plain scalar of that name.
   */
  readonly members?: (type: ColumnType) => readonly OperatorMember[];
}

export interface OperatorMember {
  readonly name: string;
  readonly type: ColumnType;
  /** For a member that may be left out; null is SQL's null. Undefined: it must be given. */
  readonly default: string | number | boolean | null | undefined;
}
