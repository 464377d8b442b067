/** The events of a search: a page with its counts, polled while it is the first and live. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../../api/context.ts';
import { adaptiveInterval } from '../../../api/polling.ts';
import { findEvents } from './activity-api.ts';
import type { ActivitySearch } from './search-state.ts';

export function useEvents(search: ActivitySearch) {
  const client = useClient();
  const pages = useCursors(JSON.stringify(search));
  const [isPaused, setPaused] = useState(false);
  const isLive = !isPaused && pages.current === undefined;
  const query = useQuery({
    queryKey: pageKey(search, pages.current),
    queryFn: ({ signal }) => findEvents(client, search, pages.current, signal),
    refetchInterval: isLive ? adaptiveInterval : false,
    placeholderData: keepPreviousData,
  });
  return { query, pages, isPaused, setPaused, isLive };
}

/** Identifies a page of the search in the cache. `cursor`: undefined for the first page. */
export function pageKey(search: ActivitySearch, cursor: string | undefined): readonly unknown[] {
  return ['events', 'search', search, cursor ?? null];
}

export interface Cursors {
  /** Undefined for the first page. */
  readonly current: string | undefined;
  /** 1 for the first page. */
  readonly number: number;
  readonly open: (next: string) => void;
  readonly back: () => void;
}

/** The cursors of the pages up to the current one. Another search begins with its first page. */
function useCursors(search: string): Cursors {
  const [visited, setVisited] = useState<{ readonly search: string; readonly cursors: readonly string[] }>({
    search,
    cursors: [],
  });
  const cursors = visited.search === search ? visited.cursors : [];
  return {
    current: cursors.at(-1),
    number: cursors.length + 1,
    open: (next) => setVisited({ search, cursors: [...cursors, next] }),
    back: () => setVisited({ search, cursors: cursors.slice(0, -1) }),
  };
}
