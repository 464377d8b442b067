/** The one boolean expression: row rules of permissions and `where` arguments alike. Data only. */
import type { Sql } from '../postgres/sql.ts';
import type { Column, ColumnType, Relationship, Table } from './model.ts';

export type Predicate =
  /** Empty is true. */
  | { readonly kind: 'and'; readonly of: readonly Predicate[] }
  /** Empty is false. */
  | { readonly kind: 'or'; readonly of: readonly Predicate[] }
  | { readonly kind: 'not'; readonly of: Predicate }
  | { readonly kind: 'compare'; readonly left: Comparand; readonly operator: Operator; readonly right: Operand }
  /** Some row behind the relationship fulfils `where` (which holds the target's row rule where one applies). */
  | { readonly kind: 'related'; readonly relationship: Relationship; readonly where: Predicate }
  | {
      readonly kind: 'aggregated';
      readonly relationship: Relationship;
      readonly aggregate: 'count' | 'bool_and' | 'bool_or' | 'sum' | 'avg' | 'min' | 'max' | 'corr' | 'covar_samp';
      readonly arguments: readonly Column[];
      readonly distinct: boolean;
      readonly filter: Predicate;
      /** Each compared with the aggregate's value; all must hold. */
      readonly tests: readonly { readonly operator: Operator; readonly right: Operand }[];
      readonly resultType: ColumnType;
    }
  /** Some row of any table fulfils `where`, unrelated to the current row. */
  | { readonly kind: 'exists'; readonly table: Table; readonly where: Predicate };

export interface Comparand {
  readonly column: Column;
  /** `_cast`: the column is compared after a cast to this type. */
  readonly cast: ColumnType | undefined;
}

/** Where the right-hand side comes from. */
export type Operand =
  /** A JSON value: a number, string, boolean, list or object, or null. */
  | { readonly kind: 'constant'; readonly value: unknown }
  /** Lower-case name. Its text is cast to the operator's argument type; lists are Postgres array text or JSON. */
  | { readonly kind: 'session'; readonly name: string }
  | { readonly kind: 'variable'; readonly name: string }
  /** Another column: of the row at hand, or of the row that the whole rule is about (`["$", "column"]`). */
  | {
      readonly kind: 'column';
      readonly of: 'row' | 'root';
      readonly path: readonly Relationship[];
      readonly column: Column;
    };

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
  /** The condition; `right` is already cast to the argument's type. `flag` is the constant of a boolean argument. */
  readonly print: (left: Sql, right: Sql, type: ColumnType) => Sql;
  /** True when `null` on the right has a meaning (none has in the reference; null is an error). */
  readonly description: string;
}
