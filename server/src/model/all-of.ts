/** Predicates that hold together. */
import type { Predicate } from './table-model.ts';

/** Holds for every row. */
export const everyRow: Predicate = { kind: 'and', of: [] };

/** Holds where all of them hold, with no more wrapping than needed. */
export function allOf(predicates: readonly Predicate[]): Predicate {
  const parts = predicates.flatMap((one) => (one.kind === 'and' ? one.of : [one]));
  const [first] = parts;
  if (first === undefined) return everyRow;
  return parts.length === 1 ? first : { kind: 'and', of: parts };
}
