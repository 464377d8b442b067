/** Columns of the event lists. */
import type { ScheduledEvent } from '@joinery/metadata/api/events';
import { Text } from '@mantine/core';
import type { Column } from '../../../ui/table/data-table.tsx';
import { Timestamp } from '../../../ui/time/timestamp.tsx';
import { StatusBadge } from './status-badge.tsx';

export const timeColumn: Column<ScheduledEvent> = {
  key: 'time',
  header: 'Scheduled for',
  width: '13.5rem',
  sortBy: 'scheduled_time',
  cell: (event) => <Timestamp at={event.scheduled_time} withDistance />,
};

export const webhookColumn: Column<ScheduledEvent> = {
  key: 'webhook',
  header: 'Webhook',
  ownLine: true,
  cell: (event) => (
    <Text size="sm" truncate title={event.webhook_conf}>
      {event.webhook_conf}
    </Text>
  ),
};

export const commentColumn: Column<ScheduledEvent> = {
  key: 'comment',
  header: 'Comment',
  ownLine: true,
  onlyWide: (event) => event.comment === null,
  cell: (event) => (
    <Text size="sm" c="dimmed" truncate title={event.comment ?? undefined}>
      {event.comment ?? '–'}
    </Text>
  ),
};

export const statusColumn: Column<ScheduledEvent> = {
  key: 'status',
  header: 'Status',
  width: '8.5rem',
  sortBy: 'status',
  cell: (event) => <StatusBadge event={event} />,
};

export const triesColumn: Column<ScheduledEvent> = {
  key: 'tries',
  header: 'Attempts',
  width: '7rem',
  sortBy: 'tries',
  onlyWide: (event) => event.tries === 0,
  cell: (event) => event.tries,
};

/** Columns that `order_by` accepts. */
export const sortable = ['scheduled_time', 'status', 'tries'] as const;
