/** Continues a search that compares a part of the events at a time, until it finds an event or has compared all. */
import type { FoundEvents } from '@joinery/metadata/api/events/search';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useClient } from '../../../api/context.ts';
import { type Failure, toFailure } from '../../../api/failure.ts';
import { findEvents } from './activity-api.ts';
import type { ActivitySearch } from './search-state.ts';
import { type Cursors, pageKey } from './use-events.ts';

export interface SearchFurther {
  /** The time up to which events were compared; undefined while no search continues. */
  readonly until: string | undefined;
  readonly failure: Failure | undefined;
  readonly start: (found: FoundEvents) => void;
  /** Ends the search, and shows the part that it has reached. */
  readonly stop: () => void;
}

export function useSearchFurther(search: ActivitySearch, pages: Cursors): SearchFurther {
  const client = useClient();
  const queries = useQueryClient();
  const [until, setUntil] = useState<string>();
  const [failure, setFailure] = useState<Failure>();
  const running = useRef<AbortController>(undefined);
  const text = JSON.stringify(search);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another search ends the former one.
  useEffect(() => () => running.current?.abort('replaced'), [text]);
  const start = async ({ next, searched_until: from }: FoundEvents): Promise<void> => {
    if (next === undefined) return;
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    setFailure(undefined);
    setUntil(from);
    let cursor = next;
    try {
      for (;;) {
        const page = await findEvents(client, search, cursor, signal);
        const { events, next: after, searched_until: compared } = page.value;
        if (events.length > 0 || after === undefined || compared === undefined) {
          queries.setQueryData(pageKey(search, cursor), page);
          pages.open(cursor);
          return;
        }
        cursor = after;
        setUntil(compared);
      }
    } catch (error) {
      if (!signal.aborted) setFailure(toFailure(error));
      // The page of the last cursor continues where the search was stopped.
      if (signal.reason !== 'replaced') pages.open(cursor);
    } finally {
      if (running.current === controller) setUntil(undefined);
    }
  };
  return {
    until,
    failure,
    start: (found) => void start(found),
    stop: () => running.current?.abort('stopped'),
  };
}
