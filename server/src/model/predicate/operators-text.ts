/** Patterns on text and citext. */
import { cast, type Sql, sql } from '../../postgres/sql/sql.ts';
import type { ColumnType } from '../types/column-type.ts';
import type { Operator } from '../types/operator.ts';
import { textType } from './column-types.ts';
import { infix, operatorFor } from './operators-infix.ts';

function appliesTo({ family }: ColumnType): boolean {
  return family === 'text' || family === 'citext';
}

function pattern(name: string, symbol: Sql, description: string, keyword?: Sql): Operator {
  return { name, appliesTo, argument: 'same', print: infix(symbol, keyword), description };
}

/** The keyword has no form that names a schema; it stands for a regular expression match, which has one. */
function similar(keyword: Sql, match: Sql): Operator['print'] {
  return (left, right, type) =>
    type.extensionSchema === undefined
      ? sql`${left} ${keyword} ${right}`
      : sql`${left} ${operatorFor(type, match)} similar_to_escape(${cast(right, textType)})`;
}

export const textOperators: readonly Operator[] = [
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
