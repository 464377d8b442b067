/** Processed events, the latest first. */
import type { EventStatus } from '@joinery/metadata/api/events/events';
import { Button } from '@mantine/core';
import { linkTo, updateSearch, useLocation } from '../../../router/location.ts';
import { processedStatuses } from '../../../shared/events/events-api.ts';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import type { Sorting } from '../../../ui/table/sorting.ts';
import { EventList } from './event-list.tsx';

const latestFirst: Sorting = { by: 'scheduled_time', direction: 'desc' };

interface StatusFilter {
  readonly value: string;
  readonly label: string;
  readonly statuses: readonly EventStatus[];
}

const everything: StatusFilter = { value: 'all', label: 'All', statuses: processedStatuses };
const filters: readonly StatusFilter[] = [
  everything,
  { value: 'delivered', label: 'Delivered', statuses: ['delivered'] },
  { value: 'error', label: 'Failed', statuses: ['error'] },
  { value: 'dead', label: 'Dead', statuses: ['dead'] },
  { value: 'cancelled', label: 'Cancelled', statuses: ['cancelled'] },
];

export function ProcessedEvents() {
  const { search } = useLocation();
  const filter = filters.find(({ value }) => value === search.get('status')) ?? everything;
  return (
    <EventList
      label="Processed events"
      statuses={filter.statuses}
      usual={latestFirst}
      kinds={['redeliver']}
      withAll="redeliver"
      choices={{ value: filter.value, data: filters.map(({ value, label }) => ({ value, label })) }}
      empty={
        filter === everything ? (
          <EmptyState
            title="No event has been processed yet"
            action={
              <Button component="a" variant="light" mt="xs" {...linkTo('/events/one-off/schedule')}>
                Schedule an event
              </Button>
            }
          >
            Events appear here when they are delivered, have failed finally, were too late, or are cancelled.
          </EmptyState>
        ) : (
          <EmptyState
            title={`No processed event is “${filter.label}”`}
            action={
              <Button variant="default" mt="xs" onClick={() => updateSearch({ status: undefined, page: undefined })}>
                Show all
              </Button>
            }
          >
            Others may have another status.
          </EmptyState>
        )
      }
    />
  );
}
