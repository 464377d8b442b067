/** Returns a unique key of a suggestion. Pure. */
import type { Suggestion } from '../../shared/sources/sources-api.ts';

export function keyOfSuggestion({ type, from, to }: Suggestion): string {
  return JSON.stringify([type, from.table, from.columns, to.table, to.columns]);
}
