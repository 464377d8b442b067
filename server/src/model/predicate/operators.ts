/** The comparison operators: their types, arguments and SQL. */

import { cast, type Sql, sql, typeName } from '../../postgres/sql/sql.ts';
import type { ColumnType, TypeFamily } from '../types/column-type.ts';
import type { ArgumentShape, Operator } from '../types/operator.ts';
import { arrayOf, booleanType, hasEquality, siblingType, textType } from './column-types.ts';
import { commonOperators, infix, operatorFor } from './operators-common.ts';
import { spatialOperators } from './operators-spatial.ts';

function appliesTo({ family }: ColumnType): boolean {
  return family === 'text' || family === 'citext';
}

function pattern(name: string, symbol: Sql, description: string, keyword?: Sql): Operator {
  return { name, appliesTo, argument: 'same', print: infix(symbol, keyword), description };
}

/** `similar to` cannot name the schema of an extension; the equivalent regular expression match can. */
function similar(keyword: Sql, match: Sql): Operator['print'] {
  return (left, right, type) =>
    type.extensionSchema === undefined
      ? sql`${left} ${keyword} ${right}`
      : sql`${left} ${operatorFor(type, match)} similar_to_escape(${cast(right, textType)})`;
}

const textOperators: readonly Operator[] = [
  pattern('_like', sql`~~`, 'matches the pattern', sql`like`),
  pattern('_nlike', sql`!~~`, 'does not match the pattern', sql`not like`),
  pattern('_ilike', sql`~~*`, 'matches the pattern, whatever the case', sql`ilike`),
  pattern('_nilike', sql`!~~*`, 'does not match the pattern, whatever the case', sql`not ilike`),
  {
    name: '_similar',
    appliesTo,
    argument: 'same',
    print: similar(sql`similar to`, sql`~`),
    description: 'matches the SQL regular expression',
  },
  {
    name: '_nsimilar',
    appliesTo,
    argument: 'same',
    print: similar(sql`not similar to`, sql`!~`),
    description: 'does not match the SQL regular expression',
  },
  pattern('_regex', sql`~`, 'matches the POSIX regular expression'),
  pattern('_nregex', sql`!~`, 'does not match the POSIX regular expression'),
  pattern('_iregex', sql`~*`, 'matches the POSIX regular expression, whatever the case'),
  pattern('_niregex', sql`!~*`, 'does not match the POSIX regular expression, whatever the case'),
];

const containers: ReadonlySet<TypeFamily> = new Set(['array', 'range', 'jsonb']);

/** Not for arrays of elements without equality. */
function contains(name: string, symbol: Sql, description: string): Operator {
  return {
    name,
    appliesTo: (type) => containers.has(type.family) && hasEquality(type),
    argument: 'same',
    print: infix(symbol),
    description,
  };
}

function ofJsonb(name: string, argument: ArgumentShape, print: Operator['print'], description: string): Operator {
  return { name, appliesTo: ({ family }: ColumnType) => family === 'jsonb', argument, print, description };
}

const containerOperators: readonly Operator[] = [
  contains('_contains', sql`@>`, 'contains the value'),
  contains('_contained_in', sql`<@`, 'is contained in the value'),
  ofJsonb('_has_key', 'text', infix(sql`?`), 'has the string as a key or an element at its top'),
  ofJsonb('_has_keys_any', 'textList', infix(sql`?|`), 'has one of the strings as a key or an element at its top'),
  ofJsonb('_has_keys_all', 'textList', infix(sql`?&`), 'has all of the strings as keys or elements at its top'),
  ofJsonb(
    '_jsonb_path_exists',
    'text',
    (left, right) => sql`${left} @? ${right}::jsonpath`,
    'the JSON path gives an item',
  ),
  ofJsonb('_jsonb_path_match', 'text', (left, right) => sql`${left} @@ ${right}::jsonpath`, 'the JSON path gives true'),
];

function ofLtree(name: string, argument: ArgumentShape, print: Operator['print'], description: string): Operator {
  return { name, appliesTo: ({ family }) => family === 'ltree', argument, print, description };
}

/** Matches one of the patterns of type `pattern` in an array of text. */
function matchesAny(pattern: string, symbol: Sql, open: Sql, close: Sql): Operator['print'] {
  return (left, right, type) => {
    const patterns = typeName(arrayOf(siblingType(type, pattern)));
    return sql`${left} ${operatorFor(type, symbol)} ${open}${right}::${patterns}${close}`;
  };
}

const ltreeOperators: readonly Operator[] = [
  ofLtree('_ancestor', 'same', infix(sql`@>`), 'is an ancestor of the path, or the path'),
  ofLtree('_ancestor_any', 'list', infix(sql`@>`), 'is an ancestor of one of the paths, or one of them'),
  ofLtree('_descendant', 'same', infix(sql`<@`), 'is a descendant of the path, or the path'),
  ofLtree('_descendant_any', 'list', infix(sql`<@`), 'is a descendant of one of the paths, or one of them'),
  ofLtree('_matches', { input: 'lquery' }, infix(sql`~`), 'matches the lquery'),
  ofLtree('_matches_any', 'textList', matchesAny('lquery', sql`?`, sql``, sql``), 'matches one of the lqueries'),
  ofLtree('_matches_fulltext', { input: 'ltxtquery' }, infix(sql`@`), 'matches the ltxtquery'),
  ofLtree(
    '_matches_fulltext_any',
    'textList',
    matchesAny('ltxtquery', sql`@`, sql`any (`, sql`)`),
    'matches one of the ltxtqueries',
  ),
];

/** All operators. Names are unique for each type only: `_st_d_within` has an entry for geometry and one for geography. */
export const operators: readonly Operator[] = [
  ...commonOperators,
  ...textOperators,
  ...containerOperators,
  ...ltreeOperators,
  ...spatialOperators,
];

/** The operators of columns that refer to an enum table. */
const ofEnums: ReadonlySet<string> = new Set(['_eq', '_neq', '_in', '_nin', '_is_null']);

/** The operators of columns of the type. */
export function operatorsOf(type: ColumnType): readonly Operator[] {
  const has = operators.filter((operator) => operator.appliesTo(type));
  return type.enumeration === undefined ? has : has.filter(({ name }) => ofEnums.has(name));
}

/** The operator of that name, such as `_eq`, for columns of the type. */
export function operatorNamed(name: string, type: ColumnType): Operator | undefined {
  return operators.find((operator) => operator.name === name && operator.appliesTo(type));
}

/**
 * The type that the right side is cast to, by shape. `same`: the type. `list`: an array of it; for an array type text[]
 * with the text forms of arrays, because PostgreSQL has no arrays of arrays. `boolean`, `text`, `textList`: boolean, text,
 * text[]. `{ input }` of a scalar: the type of that name of the same extension. The members of an operand of kind `members`
 * are cast one by one.
 */
export function argumentType({ argument }: Operator, type: ColumnType): ColumnType {
  switch (argument) {
    case 'same':
      return type;
    case 'list':
      return type.family === 'array' ? { ...arrayOf(textType), element: type } : arrayOf(type);
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

/** A member of `_cast`, named after the scalar of its type: `String`. */
export interface Cast {
  readonly name: string;
  readonly type: ColumnType;
}

/** The casts of columns of the type. */
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
