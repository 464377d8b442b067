/** The functions of `<relationship>_aggregate` in boolean expressions. */

import type { ColumnType, TypeFamily } from '../types/column-type.ts';
import type { PredicateAggregate } from '../types/table.ts';
import { booleanType, doubleType, integerType } from './column-types.ts';

/** A function that a condition on related rows may use. */
export interface AggregateCondition {
  readonly name: PredicateAggregate;
  /** `any`: an optional list of columns of any type; `one`: a column; `pair`: `{ Y: column, X: column }`. */
  readonly arguments: 'any' | 'one' | 'pair';
  /** The family of its columns; undefined: any. */
  readonly family: TypeFamily | undefined;
  /** The type that the value is compared as. */
  readonly resultType: ColumnType;
}

function ofNumber(name: PredicateAggregate, arguments_: 'one' | 'pair' = 'one'): AggregateCondition {
  return { name, arguments: arguments_, family: 'number', resultType: doubleType };
}

function ofBoolean(name: PredicateAggregate): AggregateCondition {
  return { name, arguments: 'one', family: 'boolean', resultType: booleanType };
}

export const aggregateConditions: readonly AggregateCondition[] = [
  { name: 'count', arguments: 'any', family: undefined, resultType: integerType },
  ofBoolean('bool_and'),
  ofBoolean('bool_or'),
  ofNumber('avg'),
  ofNumber('sum'),
  ofNumber('min'),
  ofNumber('max'),
  ofNumber('stddev_samp'),
  ofNumber('var_samp'),
  ofNumber('corr', 'pair'),
  ofNumber('covar_samp', 'pair'),
];
