/** A key that no two suggestions of a source share. Pure. */
import type { Suggestion } from './data-api.ts';

export function keyOfSuggestion({ type, from, to }: Suggestion): string {
  return JSON.stringify([type, from.table, from.columns, to.table, to.columns]);
}
