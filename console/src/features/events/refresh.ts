/** Reads everything that is shown of events again. */
import type { QueryClient } from '@tanstack/react-query';

export function refreshEvents(queries: QueryClient): void {
  void queries.invalidateQueries({ queryKey: ['events'] });
}
