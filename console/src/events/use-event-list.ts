/** A page of events in the order that the address asks for, read again every few seconds. */
import type { EventStatus } from '@joinery/metadata/events';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useClient } from '../api/context.ts';
import { politely } from '../api/polling.ts';
import { goWithin, usePlace } from '../router/place.ts';
import { readPage } from '../show/paging.ts';
import { readSorting, type Sorting, writeSorting } from '../show/sorting.ts';
import { listEvents } from './event-api.ts';
import { sortable } from './event-columns.tsx';

export function useEventList(statuses: readonly EventStatus[], usual: Sorting) {
  const client = useClient();
  const { search } = usePlace();
  const page = useMemo(() => readPage(search), [search]);
  const sorting = readSorting(search.get('sort'), sortable) ?? usual;
  const query = useQuery({
    queryKey: ['events', 'list', statuses, page, sorting],
    queryFn: ({ signal }) => listEvents(client, { statuses, page, sorting }, signal),
    refetchInterval: politely,
    placeholderData: keepPreviousData,
  });
  const onSort = (next: Sorting): void => goWithin({ sort: writeSorting(next), page: undefined });
  return { query, page, sorting, onSort };
}
