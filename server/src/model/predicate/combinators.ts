/** Predicates that hold together. */
import type { Predicate } from '../types/table.ts';

/** Holds for every row. */
export const everyRow: Predicate = { kind: 'and', of: [] };

/** Holds where all of them hold, with no more wrapping than needed. */
export function allOf(predicates: readonly Predicate[]): Predicate {
  const parts = predicates.flatMap((one) => (one.kind === 'and' ? one.of : [one]));
  const [first] = parts;
  if (first === undefined) return everyRow;
  return parts.length === 1 ? first : { kind: 'and', of: parts };
}

/** Holds where any of them holds; for every row, when one does. */
export function anyOf(predicates: readonly Predicate[]): Predicate {
  const different = [...new Set(predicates)];
  if (different.some(isEveryRow)) return everyRow;
  const [first] = different;
  return first !== undefined && different.length === 1 ? first : { kind: 'or', of: different };
}

/** Is it plain that it holds for every row? */
export function isEveryRow(predicate: Predicate): boolean {
  return predicate.kind === 'and' && predicate.of.length === 0;
}
