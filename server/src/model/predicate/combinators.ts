/** Conjunctions and disjunctions of predicates. */
import type { Predicate } from '../types/table.ts';

/** True for every row. */
export const everyRow: Predicate = { kind: 'and', of: [] };

/** The conjunction of the predicates, flattened. */
export function allOf(predicates: readonly Predicate[]): Predicate {
  const parts = predicates.flatMap((one) => (one.kind === 'and' ? one.of : [one]));
  const [first] = parts;
  if (first === undefined) return everyRow;
  return parts.length === 1 ? first : { kind: 'and', of: parts };
}

/** The disjunction of the predicates; true for every row if one of them is. */
export function anyOf(predicates: readonly Predicate[]): Predicate {
  const different = [...new Set(predicates)];
  if (different.some(isEveryRow)) return everyRow;
  const [first] = different;
  return first !== undefined && different.length === 1 ? first : { kind: 'or', of: different };
}

/** Whether the predicate is trivially true for every row. */
export function isEveryRow(predicate: Predicate): boolean {
  return predicate.kind === 'and' && predicate.of.length === 0;
}
