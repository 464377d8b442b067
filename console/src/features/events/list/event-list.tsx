/** A list of events of some statuses with search, selection and actions. */
import type { EventStatus, ScheduledEvent } from '@joinery/metadata/api/events/events';
import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { useClient } from '../../../api/context.ts';
import { adaptiveInterval, type Timed } from '../../../api/polling.ts';
import { updateSearch, useLocation } from '../../../router/location.ts';
import {
  eventInputs,
  isSearchedByText,
  isSearching,
  nothingSearched,
  readSearch,
} from '../../../shared/events/event-search.ts';
import { countEvents, type EventPage, listEvents } from '../../../shared/events/events-api.ts';
import { ListFrame } from '../../../shared/events/list-frame.tsx';
import { NoMatch } from '../../../shared/events/no-match.tsx';
import { SearchFields } from '../../../shared/events/search-fields.tsx';
import { counted } from '../../../ui/format.ts';
import { type Column, DataTable } from '../../../ui/table/data-table.tsx';
import { readPage } from '../../../ui/table/paging.ts';
import { readSorting, type Sorting, turned, writeSorting } from '../../../ui/table/sorting.ts';
import { Timestamp } from '../../../ui/time/timestamp.tsx';
import { refreshEvents } from '../refresh.ts';
import { ActionDialog } from './event-action-dialog.tsx';
import { type ActionKind, actionLabels, type EventAction } from './event-actions.ts';
import { EventDetails } from './event-details.tsx';
import { StatusBadge } from './status-badge.tsx';
import { usePages } from './use-pages.ts';

const timeColumn: Column<ScheduledEvent> = {
  key: 'time',
  header: 'Scheduled for',
  width: '13.5rem',
  sortBy: 'scheduled_time',
  cell: (event) => <Timestamp at={event.scheduled_time} withDistance />,
};

const webhookColumn: Column<ScheduledEvent> = {
  key: 'webhook',
  header: 'Webhook',
  ownLine: true,
  cell: (event) => (
    <Text size="sm" truncate title={event.webhook_conf}>
      {event.webhook_conf}
    </Text>
  ),
};

const commentColumn: Column<ScheduledEvent> = {
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

const statusColumn: Column<ScheduledEvent> = {
  key: 'status',
  header: 'Status',
  width: '8.5rem',
  sortBy: 'status',
  cell: (event) => <StatusBadge event={event} />,
};

const triesColumn: Column<ScheduledEvent> = {
  key: 'tries',
  header: 'Attempts',
  width: '7rem',
  sortBy: 'tries',
  onlyWide: (event) => event.tries === 0,
  cell: (event) => event.tries,
};

/** Columns that `order_by` accepts. */
const sortable = ['scheduled_time', 'status', 'tries'] as const;

const columns: readonly [Column<ScheduledEvent>, ...Column<ScheduledEvent>[]] = [
  timeColumn,
  webhookColumn,
  commentColumn,
  statusColumn,
  triesColumn,
];

interface StatusChoice {
  readonly value: string;
  readonly label: string;
}

interface EventListProps {
  /** Accessible name, such as `Pending events`. */
  readonly label: string;
  readonly statuses: readonly EventStatus[];
  readonly usual: Sorting;
  /** Actions on the events. The first one is shown in each row. */
  readonly kinds: readonly [ActionKind, ...ActionKind[]];
  /** Action that also applies to all matches of a search. */
  readonly withAll?: 'cancel' | 'redeliver';
  readonly choices?: { readonly value: string; readonly data: readonly StatusChoice[] };
  readonly empty: ReactNode;
}

export function EventList({ label, statuses, usual, kinds, withAll, choices, empty }: EventListProps) {
  const queries = useQueryClient();
  const { query, page, search, sorting, onSort, count } = useEventList(statuses, usual);
  const [opened, setOpened] = useState<ScheduledEvent>();
  const [chosen, setChosen] = useState<ReadonlyMap<string, ScheduledEvent>>(new Map());
  const [action, setAction] = useState<EventAction>();
  const rows = query.data?.value;
  // Events that left the list are not selected.
  const picked = [...chosen.values()].filter(({ id }) => rows?.some((row) => row.id === id) === true);
  const current = rows?.find(({ id }) => id === opened?.id) ?? opened;
  const [rowKind] = kinds;
  return (
    <>
      <ListFrame
        title={`The ${label.toLowerCase()} could not be read`}
        query={query}
        page={page}
        count={count?.count}
        estimated={count?.estimated === true}
        onRefresh={() => refreshEvents(queries)}
        onEnd={sorting.by === 'scheduled_time' ? () => onSort(turned(sorting, sorting.by)) : undefined}
        filters={
          <Stack gap={8}>
            {choices !== undefined && (
              <SegmentedControl
                size="xs"
                aria-label="Status"
                value={choices.value}
                data={[...choices.data]}
                onChange={(value) => updateSearch({ status: value === 'all' ? undefined : value, page: undefined })}
              />
            )}
            <SearchFields inputs={eventInputs} search={search} confirm="Show matching events" />
          </Stack>
        }
        empty={isSearching(search) ? <NoMatch nothing={nothingSearched} /> : empty}
      >
        {(shown) => (
          <>
            <ChosenBar
              picked={picked}
              kinds={kinds}
              all={withAll !== undefined && isSearching(search) ? withAll : undefined}
              onAction={(kind, events) => setAction({ kind, on: { events } })}
              onAll={(kind) => setAction({ kind, on: { search, statuses } })}
              onNone={() => setChosen(new Map())}
            />
            <DataTable
              label={label}
              rows={shown}
              columns={columns}
              keyOf={({ id }) => id}
              onOpen={setOpened}
              sorting={sorting}
              onSort={onSort}
              chosen={{
                keys: new Set(picked.map(({ id }) => id)),
                nameOf: ({ webhook_conf }) => webhook_conf,
                onChange: (next) => setChosen(new Map(next.map((event) => [event.id, event]))),
              }}
              actions={(event) => (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="gray"
                  fw={400}
                  mt={-2}
                  onClick={() => setAction({ kind: rowKind, on: { events: [event] } })}
                >
                  {actionLabels[rowKind].label}
                </Button>
              )}
            />
          </>
        )}
      </ListFrame>
      <EventDetails
        event={current}
        stillListed={rows?.some(({ id }) => id === opened?.id) ?? true}
        onClose={() => setOpened(undefined)}
        kinds={kinds}
        onAction={(kind, event) => setAction({ kind, on: { events: [event] } })}
      />
      <ActionDialog
        action={action}
        onClose={() => setAction(undefined)}
        onDone={() => {
          setAction(undefined);
          setOpened(undefined);
          setChosen(new Map());
        }}
      />
    </>
  );
}

interface ChosenBarProps {
  readonly picked: readonly ScheduledEvent[];
  readonly kinds: readonly ActionKind[];
  readonly all: 'cancel' | 'redeliver' | undefined;
  readonly onAction: (kind: ActionKind, events: readonly [ScheduledEvent, ...ScheduledEvent[]]) => void;
  readonly onAll: (kind: 'cancel' | 'redeliver') => void;
  readonly onNone: () => void;
}

function ChosenBar({ picked, kinds, all, onAction, onAll, onNone }: ChosenBarProps) {
  const [first, ...others] = picked;
  if (first === undefined && all === undefined) return null;
  return (
    <Group gap="xs" role="group" aria-label="Chosen events">
      {first !== undefined && (
        <>
          <Text size="sm" fw={600}>
            {counted(picked.length, 'event')} chosen
          </Text>
          {kinds.map((kind) => (
            <Button key={kind} size="compact-sm" variant="default" onClick={() => onAction(kind, [first, ...others])}>
              {actionLabels[kind].label}
            </Button>
          ))}
          <Button size="compact-sm" variant="subtle" color="gray" onClick={onNone}>
            Choose none
          </Button>
        </>
      )}
      {first === undefined && all !== undefined && (
        <Button size="compact-sm" variant="default" onClick={() => onAll(all)}>
          {actionLabels[all].label} all that match
        </Button>
      )}
    </Group>
  );
}

function useEventList(statuses: readonly EventStatus[], usual: Sorting) {
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
