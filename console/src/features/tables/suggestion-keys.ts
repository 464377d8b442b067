/** Returns a unique key of a suggestion. Pure. */
import type { SuggestedRelationship } from '@joinery/metadata/api/catalog';

export function keyOfSuggestion({ type, from, to }: SuggestedRelationship): string {
  return JSON.stringify([type, from.table, from.columns, to.table, to.columns]);
}
