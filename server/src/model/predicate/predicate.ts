/** Parses boolean expressions, which are row rules of permissions and `where` arguments, into predicates. */

import { isJsonObject, memberPath, showJson } from '../../base/json-value.ts';
import type { ColumnType } from '../types/column-type.ts';
import type { Operator } from '../types/operator.ts';
import type { Column, Comparand, Comparison, Operand, Predicate, Relationship, Table } from '../types/table.ts';
import { type AggregateCondition, aggregateConditions } from './aggregates.ts';
import { booleanType } from './column-types.ts';
import { allOf } from './combinators.ts';
import {
  columnNamed,
  computedRows,
  countedMembers,
  invalid,
  listed,
  membersOf,
  type PredicateContext,
  requireSortable,
  type Scope,
} from './context.ts';
import { castsOf, operatorNamed, operatorsOf } from './operators.ts';
import { isNotNull, isNull } from './operators-common.ts';
import { readColumn, readOperand } from './values.ts';

/**
 * Parses a boolean expression. `{}` is true for every row; the members of an object are combined with `and`. Throws a
 * ServiceError with the path of the invalid member. The result is a `rule` if a nested expression refers to a column of
 * the outermost row.
 */
export function parsePredicate(json: unknown, context: PredicateContext): Predicate {
  let usesRoot = false;
  const scope: Scope = {
    context,
    table: context.table,
    depth: 0,
    level: 0,
    usesRoot: () => {
      usesRoot = true;
    },
  };
  const predicate = expression(json, scope, context.path);
  return usesRoot ? { kind: 'rule', of: predicate } : predicate;
}

/** The limit of nesting, which protects the stack. */
const DEEPEST = 200;

function expression(json: unknown, outer: Scope, path: string): Predicate {
  const scope = { ...outer, level: outer.level + 1 };
  if (scope.level > DEEPEST) throw invalid(path, `the expression is nested more than ${DEEPEST} levels deep`);
  const members = countedMembers(json, scope, path, 'a boolean expression');
  return allOf(members.flatMap(([name, value]) => member(name, value, scope, memberPath(path, name))));
}

function member(written: string, value: unknown, scope: Scope, path: string): readonly Predicate[] {
  const { table } = scope;
  const name = currentName(written, scope);
  switch (name) {
    case '_and':
      return expressions(value, scope, path);
    case '_or':
      return [{ kind: 'or', of: expressions(value, scope, path) }];
    case '_not':
      return [{ kind: 'not', of: expression(value, scope, path) }];
    default:
  }
  if (name === '_exists' && scope.context.naming === 'columns') return [exists(value, scope, path)];
  const column = columnNamed(scope, written);
  if (column !== undefined) return onColumn(value, comparandOf(column, scope), scope, path);
  const relationship = table.relationships.get(written);
  if (relationship?.target.native !== undefined) {
    throw invalid(path, `"${written}" is a relationship to a native query, which a condition cannot use`);
  }
  if (relationship !== undefined) {
    const inner = behind(relationship.target, written, scope, path);
    const where = allOf([...inner.rowRules, expression(value, inner.scope, path)]);
    return [{ kind: 'related', relationship, where }];
  }
  const rows = computedRows(table, written);
  if (rows !== undefined) {
    const inner = behind(rows.table, written, scope, path);
    const where = allOf([...inner.rowRules, expression(value, inner.scope, path)]);
    return [{ kind: 'computed', routine: rows.routine, where }];
  }
  const summed = written.endsWith('_aggregate') ? table.relationships.get(written.slice(0, -10)) : undefined;
  if (summed?.kind === 'array' && summed.target.native === undefined) {
    const inner = behind(summed.target, summed.name, scope, path);
    return readAggregates(value, summed, allOf(inner.rowRules), inner.scope, path);
  }
  const why = scope.context.whyMissing?.(table, written);
  throw invalid(path, why ?? `table ${table.name} has no column or relationship "${written}"`);
}

/** The column, null where the caller does not see it. */
function comparandOf(column: Column, { context, table }: Scope): Comparand {
  const seen = context.access?.(table)?.cells?.get(column);
  return { column, cast: undefined, ...(seen && { seen }) };
}

/** The current name of a member. Older metadata writes `$and` for `_and`, and likewise every operator. */
function currentName(written: string, { context }: Scope): string {
  if (context.naming === 'fields') return written;
  const name = written.startsWith('$') ? `_${written.slice(1)}` : written;
  return name === '_ne' ? '_neq' : name === '_cneq' ? '_cne' : name;
}

function expressions(json: unknown, scope: Scope, path: string): readonly Predicate[] {
  if (!Array.isArray(json)) throw invalid(path, `expected a list of boolean expressions, but found ${showJson(json)}`);
  return json.map((item, index) => expression(item, scope, memberPath(path, index)));
}

/** The scope of the rows of `target`, to which the field `name` leads, and the caller's row rule on them. */
function behind(
  target: Table,
  name: string,
  scope: Scope,
  path: string,
): { readonly scope: Scope; readonly rowRules: readonly Predicate[] } {
  const inner = { ...scope, table: target, depth: scope.depth + 1 };
  if (scope.context.access === undefined) return { scope: inner, rowRules: [] };
  const access = scope.context.access(target);
  if (access === undefined) throw invalid(path, `the target of "${name}" is a table that the role may not select`);
  return { scope: inner, rowRules: [access.filter] };
}

function exists(json: unknown, scope: Scope, path: string): Predicate {
  const { _table: written, _where: where = {} } = Object.fromEntries(membersOf(json, path, '_exists'));
  const table = typeof written === 'string' ? { name: written } : written;
  const { schema = 'public', name }: Readonly<Record<string, unknown>> = isJsonObject(table) ? table : {};
  if (typeof name !== 'string' || typeof schema !== 'string') {
    throw invalid(memberPath(path, '_table'), 'expected the name of a table, or an object with its schema and name');
  }
  const target: Table | undefined = scope.context.tableNamed?.(schema, name);
  if (target === undefined) {
    throw invalid(memberPath(path, '_table'), `table ${schema}.${name} is not tracked in this source, or was dropped`);
  }
  const inner = expression(where, { ...scope, table: target, depth: scope.depth + 1 }, memberPath(path, '_where'));
  return { kind: 'exists', table: target, where: inner };
}

/** Parses an object of operators. In row rules a value that is not an object means `_eq`. */
function onColumn(json: unknown, left: Comparand, scope: Scope, path: string): readonly Predicate[] {
  if (scope.context.naming === 'columns' && !isJsonObject(json)) return comparison('_eq', json, left, scope, path);
  return countedMembers(json, scope, path, 'the operators of a column').flatMap(([name, value]) =>
    comparison(name, value, left, scope, memberPath(path, name)),
  );
}

/** Operators that compare two columns, and the operator that each applies. */
export const betweenColumns: Readonly<Record<string, string>> = {
  _ceq: '_eq',
  _cne: '_neq',
  _cgt: '_gt',
  _clt: '_lt',
  _cgte: '_gte',
  _clte: '_lte',
};

function comparison(written: string, json: unknown, left: Comparand, scope: Scope, path: string): readonly Predicate[] {
  const name = currentName(written, scope);
  const type = left.cast ?? left.column.type;
  if (name === '_cast') return casts(json, left, scope, path);
  const { naming, columnComparisons = naming === 'columns' } = scope.context;
  const plain = columnComparisons && Object.hasOwn(betweenColumns, name) ? betweenColumns[name] : undefined;
  if (plain !== undefined) {
    const operator = operatorFor(plain, type, path);
    return [{ kind: 'compare', left, operator, right: readColumn(json, left.column, type, path, scope) }];
  }
  const operator = operatorFor(name, type, path);
  if (operator.name === '_is_null') return [{ kind: 'compare', left, ...nullTest(json, operator, scope, path) }];
  if (type.family === 'array' && operator.argument === 'list') {
    const separate = itemByItem(json, operator, left, type, scope, path);
    if (separate !== undefined) return [separate];
  }
  const compare: Comparison = {
    kind: 'compare',
    left,
    operator,
    right: readOperand(json, operator, type, path, scope),
  };
  scope.context.compared?.(compare, path);
  return [compare];
}

function operatorFor(name: string, type: ColumnType, path: string): Operator {
  const operator = operatorNamed(name, type);
  if (operator !== undefined) return operator;
  const names = listed(operatorsOf(type).map((one) => one.name));
  throw invalid(path, `columns of type ${type.name} have no operator "${name}"; they have ${names}`);
}

/** The constant forms are operators of their own, which can use an index on nulls. */
function nullTest(
  json: unknown,
  operator: Operator,
  scope: Scope,
  path: string,
): { operator: Operator; right: Operand } {
  if (typeof json === 'boolean') {
    return { operator: json ? isNull : isNotNull, right: { kind: 'constant', value: json } };
  }
  return { operator, right: readOperand(json, operator, booleanType, path, scope) };
}

/** Compares an array with each item of a list, some of which are known only when the plan runs. */
function itemByItem(
  json: unknown,
  operator: Operator,
  left: Comparand,
  type: ColumnType,
  scope: Scope,
  path: string,
): Predicate | undefined {
  const right = readOperand(json, operator, type, path, scope);
  if (right.kind !== 'list') return undefined;
  scope.context.count?.(right.items.length, path);
  const one = operatorFor(operator.name === '_in' ? '_eq' : '_neq', type, path);
  const of = right.items.map((item): Predicate => ({ kind: 'compare', left, operator: one, right: item }));
  return operator.name === '_in' ? { kind: 'or', of } : { kind: 'and', of };
}

function casts(json: unknown, left: Comparand, scope: Scope, path: string): readonly Predicate[] {
  const { column } = left;
  const known = castsOf(column.type);
  return countedMembers(json, scope, path, 'the types to cast to').flatMap(([name, value]) => {
    const target = known.find((one) => one.name === name || one.type.name === name);
    if (target !== undefined) return onColumn(value, { ...left, cast: target.type }, scope, memberPath(path, name));
    const names = known.length === 0 ? 'it has no casts' : `use ${listed(known.map((one) => one.name))}`;
    throw invalid(memberPath(path, name), `a column of type ${column.type.name} cannot be cast to "${name}"; ${names}`);
  });
}

type Aggregated = Extract<Predicate, { readonly kind: 'aggregated' }>;

/** Parses the conditions on aggregates of the rows of `relationship`; `scope` is that of its target. */
function readAggregates(
  json: unknown,
  relationship: Relationship,
  rowRule: Predicate,
  scope: Scope,
  path: string,
): Predicate[] {
  const members = countedMembers(json, scope, path, 'the aggregates');
  if (members.length !== 1 && scope.context.naming === 'fields') {
    throw invalid(path, 'exactly one predicate should be specified');
  }
  return members.map(([name, value]) => {
    const condition = aggregateConditions.find((one) => one.name === name);
    if (condition === undefined) {
      throw invalid(
        memberPath(path, name),
        `no such aggregate; use one of ${listed(aggregateConditions.map((one) => one.name))}`,
      );
    }
    return readAggregate(value, condition, relationship, rowRule, scope, memberPath(path, name));
  });
}

function readAggregate(
  json: unknown,
  condition: AggregateCondition,
  relationship: Relationship,
  rowRule: Predicate,
  scope: Scope,
  path: string,
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
    throw invalid(memberPath(path, unknown), 'no such member; use predicate, arguments, distinct, filter');
  if (predicate === undefined) throw invalid(path, 'the member "predicate" is missing');
  if (typeof distinct !== 'boolean') throw invalid(memberPath(path, 'distinct'), 'expected true or false');
  const counted = readArguments(columns, condition, scope, memberPath(path, 'arguments'));
  if (distinct) for (const column of counted) requireSortable(column, memberPath(path, 'distinct'));
  const filters = filter === undefined ? [] : [expression(filter, scope, memberPath(path, 'filter'))];
  const cells = scope.context.access?.(relationship.target)?.cells;
  return {
    kind: 'aggregated',
    relationship,
    ...(cells && { cells }),
    aggregate: condition.name,
    arguments: counted,
    distinct,
    filter: allOf([rowRule, ...filters]),
    tests: aggregateTests(predicate, condition.resultType, scope, memberPath(path, 'predicate')),
    resultType: condition.resultType,
  };
}

function readArguments(json: unknown, condition: AggregateCondition, scope: Scope, path: string): readonly Column[] {
  const read = (name: unknown, where: string) => readArgument(name, condition, scope, where);
  switch (condition.arguments) {
    case 'any':
      if (json === undefined) return [];
      return Array.isArray(json) ? json.map((name, index) => read(name, memberPath(path, index))) : [read(json, path)];
    case 'one':
      return [Array.isArray(json) && json.length === 1 ? read(json[0], memberPath(path, 0)) : read(json, path)];
    case 'pair': {
      const { X, Y } = Object.fromEntries(membersOf(json, path, 'the two columns Y and X'));
      return [read(Y, memberPath(path, 'Y')), read(X, memberPath(path, 'X'))];
    }
    default:
      return condition.arguments satisfies never;
  }
}

function readArgument(name: unknown, { family }: AggregateCondition, scope: Scope, path: string): Column {
  if (typeof name !== 'string') {
    throw invalid(path, `expected the name of a column, but found ${showJson(name)}`);
  }
  const column = columnNamed(scope, name);
  if (column === undefined) throw invalid(path, `table ${scope.table.name} has no column "${name}"`);
  if (family !== undefined && column.type.family !== family) {
    throw invalid(path, `expected a column of a ${family} type, but "${name}" is of type ${column.type.name}`);
  }
  return column;
}

/** The comparisons of an aggregate, whose value has the type `type`. */
function aggregateTests(json: unknown, type: ColumnType, scope: Scope, path: string): Aggregated['tests'] {
  return countedMembers(json, scope, path, 'the operators of an aggregate').map(([written, value]) => {
    const where = memberPath(path, written);
    const operator = operatorFor(currentName(written, scope), type, where);
    if (operator.name === '_is_null') return nullTest(value, operator, scope, where);
    return { operator, right: readOperand(value, operator, type, where, scope) };
  });
}
