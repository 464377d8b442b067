/** The one operator table: every comparison, its types, its argument and its SQL. */

import type { ColumnType } from '../types/column-type.ts';
import type { Operator } from '../types/operator.ts';
import { arrayOf, booleanType, siblingType, textType } from './column-types.ts';
import { commonOperators } from './operators-common.ts';
import { containerOperators } from './operators-containers.ts';
import { ltreeOperators } from './operators-ltree.ts';
import { spatialOperators } from './operators-spatial.ts';
import { textOperators } from './operators-text.ts';

/** Names are unique for each type, not over the table: `_st_d_within` has one row for geometry and one for geography. */
export const operators: readonly Operator[] = [
  ...commonOperators,
  ...textOperators,
  ...containerOperators,
  ...ltreeOperators,
  ...spatialOperators,
];

/** All that columns which refer to an enum table are asked for. */
const ofEnums: ReadonlySet<string> = new Set(['_eq', '_neq', '_in', '_nin', '_is_null']);

/** The operators of columns of the type, in the order of the table. */
export function operatorsOf(type: ColumnType): readonly Operator[] {
  const has = operators.filter((operator) => operator.appliesTo(type));
  return type.enumeration === undefined ? has : has.filter(({ name }) => ofEnums.has(name));
}

/** The operator of that name, such as `_eq`, for columns of the type. */
export function operatorNamed(name: string, type: ColumnType): Operator | undefined {
  return operators.find((operator) => operator.name === name && operator.appliesTo(type));
}

/**
 * What the right side is cast to. By shape: `same`: the type; `list`: an array of it, but where the type is an array
 * itself text[], its elements the text forms of arrays (PostgreSQL has no arrays of arrays); `element`: the type of the elements; `boolean`, `text` and
 * `textList`: boolean, text, text[]; `{ input }` of a scalar: the type of that name from the same extension. An operand
 * of kind `members` is cast member by member and not as a whole.
 */
export function argumentType({ argument }: Operator, type: ColumnType): ColumnType {
  switch (argument) {
    case 'same':
      return type;
    case 'list':
      return type.family === 'array' ? { ...arrayOf(textType), element: type } : arrayOf(type);
    case 'element':
      return type.element ?? type;
    case 'boolean':
      return booleanType;
    case 'text':
      return textType;
    case 'textList':
      return arrayOf(textType);
    default:
      return siblingType(type, argument.input);
  }
}

/** A member of `_cast`, named by the scalar of its type: `String`. */
export interface Cast {
  readonly name: string;
  readonly type: ColumnType;
}

/** What `_cast` may turn a column of the type into. */
export function castsOf(type: ColumnType): readonly Cast[] {
  switch (type.family) {
    case 'jsonb':
      return [{ name: textType.scalar, type: textType }];
    case 'geometry':
      return [{ name: 'geography', type: siblingType(type, 'geography') }];
    case 'geography':
      return [{ name: 'geometry', type: siblingType(type, 'geometry') }];
    default:
      return [];
  }
}
