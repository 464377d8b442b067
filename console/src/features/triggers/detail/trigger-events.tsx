/** The events of a trigger in a tab, with search and redelivery. */
import type { TriggerEvent, TriggerEventStatus } from '@joinery/metadata/api/events/triggers';
import { Button, Group, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useClient } from '../../../api/context.ts';
import { adaptiveInterval } from '../../../api/polling.ts';
import { updateSearch, useLocation } from '../../../router/location.ts';
import { ListFrame } from '../../../shared/events/list-frame.tsx';
import { NoMatch } from '../../../shared/events/no-match.tsx';
import { SearchFields } from '../../../shared/events/search-fields.tsx';
import { useTableInfo } from '../../../shared/sources/use-sources.ts';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { StatusDot } from '../../../ui/feedback/status-dot.tsx';
import { type Column, DataTable } from '../../../ui/table/data-table.tsx';
import { readPage } from '../../../ui/table/paging.ts';
import { Timestamp } from '../../../ui/time/timestamp.tsx';
import type { TriggerTab } from '../trigger-state.ts';
import { listEvents, type TriggerStats } from '../triggers-api.ts';
import { eventInputs, isSearching, nothingSearched, readEventSearch } from './event-search.ts';
import { rowOfEvent, shownStatus } from './event-state.ts';
import { describeRedelivery, isRedeliverable, type Redelivery, statusesOf } from './redelivery.ts';

type EventTab = Exclude<TriggerTab, 'calls' | 'definition'>;

const statuses: Readonly<Record<EventTab, TriggerEventStatus | undefined>> = {
  pending: 'pending',
  delivered: 'delivered',
  failed: 'error',
  dead: 'dead',
  all: undefined,
};

const empty: Readonly<Record<EventTab, readonly [title: string, text: string]>> = {
  pending: ['No event is pending', 'Events wait here for their call, for a retry, or behind their ordering key.'],
  delivered: [
    'No event has been delivered',
    'Events are here once their webhook has returned a status from 200 to 299.',
  ],
  failed: ['No event has failed', 'Events are here when all their calls have failed. They can be redelivered.'],
  dead: ['No event is dead', 'Events are here that can never be called; the log has the reason.'],
  all: [
    'The trigger has no event yet',
    'Change a row of its table: the event is here as soon as the change is committed.',
  ],
};

interface TriggerEventsProps {
  readonly trigger: TriggerStats;
  readonly tab: EventTab;
  readonly label: string;
  readonly onRedeliver: (redelivery: Redelivery) => void;
}

export function TriggerEvents({ trigger, tab, label, onRedeliver }: TriggerEventsProps) {
  const client = useClient();
  const queries = useQueryClient();
  const { source, name } = trigger;
  const { search: address } = useLocation();
  const page = useMemo(() => readPage(address), [address]);
  const search = useMemo(() => readEventSearch(address), [address]);
  const status = statuses[tab];
  const query = useQuery({
    queryKey: ['triggers', 'events', source, name, status ?? null, search, page],
    queryFn: ({ signal }) => listEvents(client, { source, name }, status, search, page, signal),
    refetchInterval: adaptiveInterval,
    placeholderData: keepPreviousData,
  });
  const redelivered = statusesOf(tab);
  const redelivery: Redelivery | undefined = redelivered && { statuses: redelivered, search };
  const [title, text] = empty[tab];
  return (
    <ListFrame
      title="The events could not be read"
      query={query}
      page={page}
      count={undefined}
      onRefresh={() => void queries.invalidateQueries({ queryKey: ['triggers'] })}
      filters={<SearchFields inputs={eventInputs} search={search} confirm="Show matching events" />}
      empty={
        isSearching(search) ? <NoMatch nothing={nothingSearched} /> : <EmptyState title={title}>{text}</EmptyState>
      }
    >
      {(rows) => (
        <Stack gap="sm">
          {redelivery !== undefined && rows.some(({ status: one }) => redelivered?.some((each) => each === one)) && (
            <Group>
              <Button size="compact-sm" variant="default" onClick={() => onRedeliver(redelivery)}>
                Redeliver {describeRedelivery(redelivery)}
              </Button>
            </Group>
          )}
          <EventTable trigger={trigger} label={label} rows={rows} onRedeliver={onRedeliver} />
        </Stack>
      )}
    </ListFrame>
  );
}

interface EventTableProps extends Pick<TriggerEventsProps, 'trigger' | 'label' | 'onRedeliver'> {
  readonly rows: readonly TriggerEvent[];
}

function EventTable({ trigger: { source, table }, label, rows, onRedeliver }: EventTableProps) {
  const { data: info } = useTableInfo(source, table);
  const columns: readonly [Column<TriggerEvent>, ...Column<TriggerEvent>[]] = [
    {
      key: 'time',
      header: 'Created',
      width: '13.5rem',
      cell: (event) => <Timestamp at={event.created_at} withDistance />,
    },
    {
      key: 'operation',
      header: 'Operation',
      width: '7rem',
      cell: ({ payload }) => payload.op.charAt(0) + payload.op.slice(1).toLowerCase(),
    },
    {
      key: 'row',
      header: 'Row',
      ownLine: true,
      cell: ({ payload }) => {
        const { text } = rowOfEvent(payload, info?.primary_key ?? null);
        return (
          <Text size="sm" truncate title={text}>
            {text}
          </Text>
        );
      },
    },
    {
      key: 'status',
      header: 'Status',
      width: '8.5rem',
      cell: (event) => {
        const { label: status, tone } = shownStatus(event);
        return <StatusDot tone={tone}>{status}</StatusDot>;
      },
    },
    { key: 'tries', header: 'Calls', width: '5rem', cell: ({ tries }) => tries },
  ];
  return (
    <DataTable
      label={label}
      rows={rows}
      columns={columns}
      keyOf={({ id }) => id}
      onOpen={({ id }) => updateSearch({ event: id })}
      actions={(event) =>
        isRedeliverable(event.status) && (
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            fw={400}
            mt={-2}
            onClick={() => onRedeliver({ event: event.id })}
          >
            Redeliver
          </Button>
        )
      }
    />
  );
}
