/** Invalidates all queries of events. */
import type { QueryClient } from '@tanstack/react-query';

export function refreshEvents(queries: QueryClient): void {
  void queries.invalidateQueries({ queryKey: ['events'] });
}
