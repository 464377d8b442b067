/** Queries a page of events with search, order and polling. */
import type { EventStatus } from '@joinery/metadata/api/events';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useClient } from '../../../api/context.ts';
import { adaptiveInterval, type Timed } from '../../../api/polling.ts';
import { updateSearch, useLocation } from '../../../router/location.ts';
import { isSearchedByText, readSearch } from '../../../shared/events/event-search.ts';
import { countEvents, type EventPage, listEvents } from '../../../shared/events/events-api.ts';
import { readPage } from '../../../ui/table/paging.ts';
import { readSorting, type Sorting, writeSorting } from '../../../ui/table/sorting.ts';
import { sortable } from './event-columns.tsx';
import { usePages } from './use-pages.ts';

export function useEventList(statuses: readonly EventStatus[], usual: Sorting) {
  const client = useClient();
  const { search: address } = useLocation();
  const page = useMemo(() => readPage(address), [address]);
  const search = useMemo(() => readSearch(address), [address]);
  const sorting = readSorting(address.get('sort'), sortable) ?? usual;
  const pages = usePages(JSON.stringify([statuses, search, sorting]));
  const query = useQuery({
    queryKey: ['events', 'list', statuses, search, page, sorting],
    queryFn: async ({ signal }) => {
      const after = sorting.by === 'scheduled_time' ? pages.startOf(page) : undefined;
      const read = await listEvents(client, { statuses, search, page, after, sorting }, signal);
      pages.seen(page, read.value.next);
      return read;
    },
    refetchInterval: adaptiveInterval,
    placeholderData: keepPreviousData,
    select: rowsOf,
  });
  // Text searches have only estimated counts, which are useless for short lists.
  const countable = !isSearchedByText(search);
  const count = useQuery({
    queryKey: ['events', 'count', statuses, search],
    queryFn: ({ signal }) => countEvents(client, statuses, search, signal),
    refetchInterval: adaptiveInterval,
    enabled: countable,
  });
  const onSort = (next: Sorting): void => updateSearch({ sort: writeSorting(next), page: undefined });
  return { query, page, search, sorting, onSort, count: countable ? count.data?.value : undefined };
}

function rowsOf({ value, durationMs }: Timed<EventPage>): Timed<EventPage['rows']> {
  return { value: value.rows, durationMs };
}
