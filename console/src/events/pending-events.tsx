/** The events that wait for their time, the next one first, each to be looked at or cancelled. */
import { Anchor, Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { linkTo } from '../router/place.ts';
import { Empty } from '../show/empty.tsx';
import { type Column, Rows } from '../show/rows.tsx';
import type { Sorting } from '../show/sorting.ts';
import { CancelDialog } from './cancel-dialog.tsx';
import { pendingStatuses, type ScheduledEvent } from './event-api.ts';
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

const nextFirst: Sorting = { by: 'scheduled_time', direction: 'asc' };

export function PendingEvents({ count }: { readonly count: number | undefined }) {
  const queries = useQueryClient();
  const { query, page, sorting, onSort } = useEventList(pendingStatuses, nextFirst);
  const [opened, setOpened] = useState<ScheduledEvent>();
  const [cancelling, setCancelling] = useState<ScheduledEvent>();
  const current = query.data?.value.find(({ id }) => id === opened?.id) ?? opened;
  return (
    <>
      <ListFrame
        title="The pending events could not be read"
        query={query}
        page={page}
        count={count}
        onRefresh={() => refreshEvents(queries)}
        empty={
          <Empty
            title="No event is pending"
            action={
              <Button component="a" variant="light" mt="xs" {...linkTo('/events/one-off/schedule')}>
                Schedule an event
              </Button>
            }
          >
            An event waits here until its time comes. What has been called is under{' '}
            <Anchor {...linkTo('/events/one-off/processed')} inherit>
              Processed events
            </Anchor>
            .
          </Empty>
        }
      >
        {(rows) => (
          <Rows
            label="Pending events"
            rows={rows}
            columns={columns}
            keyOf={({ id }) => id}
            onOpen={setOpened}
            sorting={sorting}
            onSort={onSort}
            actions={(event) => (
              <Button
                size="compact-sm"
                variant="subtle"
                color="gray"
                fw={400}
                mt={-2}
                onClick={() => setCancelling(event)}
              >
                Cancel
              </Button>
            )}
          />
        )}
      </ListFrame>
      <EventDetails
        event={current}
        stillListed={query.data?.value.some(({ id }) => id === opened?.id) ?? true}
        onClose={() => setOpened(undefined)}
        onCancel={setCancelling}
      />
      <CancelDialog
        event={cancelling}
        onClose={() => setCancelling(undefined)}
        onCancelled={() => {
          setCancelling(undefined);
          setOpened(undefined);
        }}
      />
    </>
  );
}
