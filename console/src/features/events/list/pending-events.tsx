/** Scheduled events, the next one first. */
import { Anchor, Button } from '@mantine/core';
import { linkTo } from '../../../router/location.ts';
import { inFlightStatuses, waitingStatuses } from '../../../shared/events/events-api.ts';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import type { Sorting } from '../../../ui/table/sorting.ts';
import { EventList } from './event-list.tsx';

const nextFirst: Sorting = { by: 'scheduled_time', direction: 'asc' };

export function PendingEvents() {
  return (
    <EventList
      label="Pending events"
      statuses={waitingStatuses}
      usual={nextFirst}
      kinds={['cancel', 'reschedule', 'run-now']}
      withAll="cancel"
      empty={
        <EmptyState
          title="No event is pending"
          action={
            <Button component="a" variant="light" mt="xs" {...linkTo('/events/one-off/schedule')}>
              Schedule an event
            </Button>
          }
        >
          Events wait here until they are due. Completed events are under{' '}
          <Anchor {...linkTo('/events/one-off/processed')} inherit>
            Processed events
          </Anchor>
          .
        </EmptyState>
      }
    />
  );
}

export function EventsInFlight() {
  return (
    <EventList
      label="Events in flight"
      statuses={inFlightStatuses}
      usual={nextFirst}
      kinds={['cancel']}
      empty={
        <EmptyState title="No event is in flight">
          An event is here from its time on, while its webhook is being called or its destination has no room.
        </EmptyState>
      }
    />
  );
}
