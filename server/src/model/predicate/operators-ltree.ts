/** Paths of labels: the type ltree of the extension of that name. */
import { type Sql, sql, typeName } from '../../postgres/sql/sql.ts';
import type { ArgumentShape, Operator } from '../types/operator.ts';
import { arrayOf, siblingType } from './column-types.ts';
import { infix, operatorFor } from './operators-infix.ts';

function ofLtree(name: string, argument: ArgumentShape, print: Operator['print'], description: string): Operator {
  return { name, appliesTo: ({ family }) => family === 'ltree', argument, print, description };
}

/** The right side is an array of text; its items are patterns of the type `pattern`. */
function matchesAny(pattern: string, symbol: Sql, open: Sql, close: Sql): Operator['print'] {
  return (left, right, type) => {
    const patterns = typeName(arrayOf(siblingType(type, pattern)));
    return sql`${left} ${operatorFor(type, symbol)} ${open}${right}::${patterns}${close}`;
  };
}

export const ltreeOperators: readonly Operator[] = [
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
