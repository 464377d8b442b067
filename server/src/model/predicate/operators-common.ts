/** Operators of most types: equality, order, membership, null. */
import { ident, type Sql, sql, typeName } from '../../postgres/sql/sql.ts';
import type { ColumnType } from '../types/column-type.ts';
import type { Operator } from '../types/operator.ts';
import { hasEquality, isSortable } from './column-types.ts';

type Print = (left: Sql, right: Sql, type: ColumnType) => Sql;

/** The operator for a left side of `type`, with its schema if it is of an extension. A keyword such as `like` has none. */
export function operatorFor(type: ColumnType, symbol: Sql, keyword: Sql = symbol): Sql {
  return type.extensionSchema === undefined ? keyword : sql`operator(${ident(type.extensionSchema)}.${symbol})`;
}

/** `left symbol right`. */
export function infix(symbol: Sql, keyword?: Sql): Print {
  return (left, right, type) => sql`${left} ${operatorFor(type, symbol, keyword)} ${right}`;
}

/** `name(left, right)`, a function of the type's extension. */
export function call(name: string): Print {
  return (left, right, { extensionSchema }) => {
    const function_ = extensionSchema === undefined ? ident(name) : ident(extensionSchema, name);
    return sql`${function_}(${left}, ${right})`;
  };
}

/** Types with `=` and without `<`. hstore has an order, but names its operators otherwise. */
const withoutOrder: ReadonlySet<string> = new Set(['raster', 'line', 'xid', 'cid', 'aclitem', 'hstore']);

function hasOrder(type: ColumnType): boolean {
  return hasEquality(type) && (type.element === undefined ? !withoutOrder.has(type.name) : isSortable(type.element));
}

function comparison(name: string, symbol: Sql, description: string, appliesTo = hasOrder): Operator {
  return { name, appliesTo, argument: 'same', print: infix(symbol), description };
}

/**
 * The operand of `any` and `all`: the array on the right. If the left side is an array, the right side is a text array of
 * text forms of arrays, because PostgreSQL has no arrays of arrays.
 */
function members(right: Sql, type: ColumnType): Sql {
  if (type.family !== 'array') return sql`(${right})`;
  return sql`(select item.value::${typeName(type)} from unnest(${right}) as item (value))`;
}

const withoutInequality: ReadonlySet<string> = new Set(['box', 'line', 'path']);

/** Types of extensions may lack `<>`; those of PostGIS do. */
function unequal(plain: (left: Sql, right: Sql) => Sql, equal: Operator['print']): Operator['print'] {
  return (left, right, type) =>
    type.extensionSchema !== undefined || withoutInequality.has(type.name)
      ? sql`not (${equal(left, right, type)})`
      : plain(left, right);
}

function equalsOne(left: Sql, right: Sql, type: ColumnType): Sql {
  return sql`${left} ${operatorFor(type, sql`=`)} any ${members(right, type)}`;
}

export const commonOperators: readonly Operator[] = [
  comparison('_eq', sql`=`, 'equal to the value', hasEquality),
  {
    name: '_neq',
    appliesTo: hasEquality,
    argument: 'same',
    print: unequal((left, right) => sql`${left} <> ${right}`, infix(sql`=`)),
    description: 'not equal to the value',
  },
  comparison('_gt', sql`>`, 'greater than the value'),
  comparison('_lt', sql`<`, 'less than the value'),
  comparison('_gte', sql`>=`, 'greater than the value or equal to it'),
  comparison('_lte', sql`<=`, 'less than the value or equal to it'),
  {
    name: '_in',
    appliesTo: hasEquality,
    argument: 'list',
    print: equalsOne,
    description: 'equal to one of the values',
  },
  {
    name: '_nin',
    appliesTo: hasEquality,
    argument: 'list',
    print: (left, right, type) =>
      unequal(() => sql`${left} <> all ${members(right, type)}`, equalsOne)(left, right, type),
    description: 'equal to none of the values',
  },
  {
    name: '_is_null',
    appliesTo: () => true,
    argument: 'boolean',
    print: (left, right) => sql`(${left} is null) = ${right}`,
    description: 'null, or not null',
  },
];

/** `_is_null: true`, in the form that can use an index on nulls. The right side is not printed. */
export const isNull: Operator = {
  name: '_is_null',
  appliesTo: () => true,
  argument: 'boolean',
  print: (left) => sql`${left} is null`,
  description: 'null',
};

/** `_is_null: false`. The right side is not printed. */
export const isNotNull: Operator = { ...isNull, print: (left) => sql`${left} is not null`, description: 'not null' };
