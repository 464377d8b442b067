/** `<relationship>_aggregate` in boolean expressions: the functions, and JSON -> Predicate. */

import type { ColumnType, TypeFamily } from '../types/column-type.ts';
import type { Column, Predicate, PredicateAggregate, Relationship } from '../types/table.ts';
import { booleanType, doubleType, integerType } from './column-types.ts';
import { allOf } from './combinators.ts';
import { at, columnNamed, countedMembers, kindOf, listed, membersOf, refused, type Scope } from './context.ts';

type Aggregated = Extract<Predicate, { readonly kind: 'aggregated' }>;

/** One function that a condition on related rows may use. */
export interface AggregateCondition {
  readonly name: PredicateAggregate;
  /** `any`: a list of columns of every type, may be left out; `one`: a column; `pair`: `{ Y: column, X: column }`. */
  readonly arguments: 'any' | 'one' | 'pair';
  /** Family of its columns; undefined: every one. */
  readonly family: TypeFamily | undefined;
  /** What the value is compared as. */
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

/** The parser of the whole, which leads here and is needed again for what stands inside. */
export interface Inner {
  /** A boolean expression on the related rows. */
  expression(json: unknown, scope: Scope, path: string): Predicate;
  /** The comparisons of a value of the type. */
  tests(json: unknown, type: ColumnType, scope: Scope, path: string): Aggregated['tests'];
}

/** All the conditions in `json` on the rows behind `relationship`; `scope` is that of its target. */
export function readAggregates(
  json: unknown,
  relationship: Relationship,
  rowRule: Predicate,
  scope: Scope,
  path: string,
  inner: Inner,
): Predicate[] {
  return countedMembers(json, scope, path, 'the aggregates').map(([name, value]) => {
    const condition = aggregateConditions.find((one) => one.name === name);
    if (condition === undefined) {
      throw refused(
        at(path, name),
        `no such aggregate; use one of ${listed(aggregateConditions.map((one) => one.name))}`,
      );
    }
    return readAggregate(value, condition, relationship, rowRule, scope, at(path, name), inner);
  });
}

function readAggregate(
  json: unknown,
  condition: AggregateCondition,
  relationship: Relationship,
  rowRule: Predicate,
  scope: Scope,
  path: string,
  inner: Inner,
): Aggregated {
  const {
    predicate,
    arguments: columns,
    distinct = false,
    filter,
    ...others
  } = Object.fromEntries(countedMembers(json, scope, path, 'an aggregate'));
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw refused(at(path, unknown), 'no such member; use predicate, arguments, distinct, filter');
  if (predicate === undefined) throw refused(path, 'the member "predicate" is missing');
  if (typeof distinct !== 'boolean') throw refused(at(path, 'distinct'), 'expected true or false');
  const filters = filter === undefined ? [] : [inner.expression(filter, scope, at(path, 'filter'))];
  const cells = scope.context.access?.(relationship.target)?.cells;
  return {
    kind: 'aggregated',
    relationship,
    ...(cells && { cells }),
    aggregate: condition.name,
    arguments: readArguments(columns, condition, scope, at(path, 'arguments')),
    distinct,
    filter: allOf([rowRule, ...filters]),
    tests: inner.tests(predicate, condition.resultType, scope, at(path, 'predicate')),
    resultType: condition.resultType,
  };
}

function readArguments(json: unknown, condition: AggregateCondition, scope: Scope, path: string): readonly Column[] {
  const read = (name: unknown, where: string) => readArgument(name, condition, scope, where);
  switch (condition.arguments) {
    case 'any':
      if (json === undefined) return [];
      return Array.isArray(json) ? json.map((name, index) => read(name, at(path, index))) : [read(json, path)];
    case 'one':
      return [Array.isArray(json) && json.length === 1 ? read(json[0], at(path, 0)) : read(json, path)];
    case 'pair': {
      const { X, Y } = Object.fromEntries(membersOf(json, path, 'the two columns Y and X'));
      return [read(Y, at(path, 'Y')), read(X, at(path, 'X'))];
    }
    default:
      return condition.arguments satisfies never;
  }
}

function readArgument(name: unknown, { family }: AggregateCondition, scope: Scope, path: string): Column {
  if (typeof name !== 'string') {
    throw refused(path, `expected the name of a column, but found ${name === undefined ? 'nothing' : kindOf(name)}`);
  }
  const column = columnNamed(scope, name);
  if (column === undefined) throw refused(path, `table ${scope.table.name} has no column "${name}"`);
  if (family !== undefined && column.type.family !== family) {
    throw refused(path, `expected a column of a ${family} type, but "${name}" is of type ${column.type.name}`);
  }
  return column;
}
