/** The events that are done with, the latest first: delivered, failed, or too late to be called. */
import type { EventStatus } from '@joinery/metadata/events';
import { Button, SegmentedControl } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../api/context.ts';
import { politely } from '../api/polling.ts';
import { goWithin, linkTo, usePlace } from '../router/place.ts';
import { Empty } from '../show/empty.tsx';
import { type Column, Rows } from '../show/rows.tsx';
import type { Sorting } from '../show/sorting.ts';
import { countEvents, processedStatuses, type ScheduledEvent } from './event-api.ts';
import { commentColumn, statusColumn, timeColumn, triesColumn, webhookColumn } from './event-columns.tsx';
import { EventDetails } from './event-details.tsx';
import { ListFrame } from './list-frame.tsx';
import { refreshEvents } from './refresh.ts';
import { useEventList } from './use-event-list.ts';

const columns: readonly [Column<ScheduledEvent>, ...Column<ScheduledEvent>[]] = [
  timeColumn,
  webhookColumn,
  commentColumn,
  statusColumn,
  triesColumn,
];

const latestFirst: Sorting = { by: 'scheduled_time', direction: 'desc' };

const filters: readonly {
  readonly value: string;
  readonly label: string;
  readonly statuses: readonly EventStatus[];
}[] = [
  { value: 'all', label: 'All', statuses: processedStatuses },
  { value: 'delivered', label: 'Delivered', statuses: ['delivered'] },
  { value: 'error', label: 'Failed', statuses: ['error'] },
  { value: 'dead', label: 'Dead', statuses: ['dead'] },
];
const [everything] = filters;

export function ProcessedEvents() {
  const client = useClient();
  const queries = useQueryClient();
  const { search } = usePlace();
  const filter = filters.find(({ value }) => value === search.get('status')) ?? everything;
  const statuses = filter?.statuses ?? processedStatuses;
  const { query, page, sorting, onSort } = useEventList(statuses, latestFirst);
  const count = useQuery({
    queryKey: ['events', 'count', statuses],
    queryFn: ({ signal }) => countEvents(client, statuses, signal),
    refetchInterval: politely,
  });
  const [opened, setOpened] = useState<ScheduledEvent>();
  const filtered = filter !== everything;
  return (
    <>
      <ListFrame
        title="The processed events could not be read"
        query={query}
        page={page}
        count={count.data?.value}
        onRefresh={() => refreshEvents(queries)}
        filters={
          <SegmentedControl
            size="xs"
            aria-label="Status"
            value={filter?.value ?? 'all'}
            data={filters.map(({ value, label }) => ({ value, label }))}
            onChange={(value) => goWithin({ status: value === 'all' ? undefined : value, page: undefined })}
          />
        }
        empty={
          filtered ? (
            <Empty
              title={`No processed event is “${filter?.label}”`}
              action={
                <Button variant="default" mt="xs" onClick={() => goWithin({ status: undefined, page: undefined })}>
                  Show all
                </Button>
              }
            >
              Others may have another status.
            </Empty>
          ) : (
            <Empty
              title="No event has been processed yet"
              action={
                <Button component="a" variant="light" mt="xs" {...linkTo('/events/one-off/schedule')}>
                  Schedule an event
                </Button>
              }
            >
              Events come here when they are delivered, when they fail for good, or when they are too late to be called.
            </Empty>
          )
        }
      >
        {(rows) => (
          <Rows
            label="Processed events"
            rows={rows}
            columns={columns}
            keyOf={({ id }) => id}
            onOpen={setOpened}
            sorting={sorting}
            onSort={onSort}
          />
        )}
      </ListFrame>
      <EventDetails event={opened} stillListed onClose={() => setOpened(undefined)} />
    </>
  );
}
