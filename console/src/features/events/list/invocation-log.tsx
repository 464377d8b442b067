/** The invocation log with search, optionally of one event. */
import type { Invocation } from '@joinery/metadata/api/events/lists';
import { Button, Code, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useClient } from '../../../api/context.ts';
import { adaptiveInterval } from '../../../api/polling.ts';
import { updateSearch, useLocation } from '../../../router/location.ts';
import { countInvocations, listInvocations } from '../../../shared/events/events-api.ts';
import { InvocationDetails } from '../../../shared/events/invocation-details.tsx';
import {
  invocationInputs,
  isInvocationSearchSlow,
  readInvocationSearch,
} from '../../../shared/events/invocation-search.ts';
import { ListFrame } from '../../../shared/events/list-frame.tsx';
import { ResultStatus } from '../../../shared/events/result-status.tsx';
import { SearchFields } from '../../../shared/events/search-fields.tsx';
import { DetailDrawer } from '../../../ui/dialog/detail-drawer.tsx';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { shortId } from '../../../ui/format.ts';
import { DescriptionList } from '../../../ui/page/description-list.tsx';
import { type Column, DataTable } from '../../../ui/table/data-table.tsx';
import { readPage } from '../../../ui/table/paging.ts';
import { localText, millisecondsOf, utcText } from '../../../ui/time/times.ts';
import { Timestamp } from '../../../ui/time/timestamp.tsx';
import { refreshEvents } from '../refresh.ts';
import { usePages } from './use-pages.ts';

const columns: readonly [Column<Invocation>, ...Column<Invocation>[]] = [
  {
    key: 'time',
    header: 'Called',
    width: '13.5rem',
    cell: (invocation) => <Timestamp at={invocation.created_at} withDistance />,
  },
  { key: 'result', header: 'Result', width: '8.5rem', cell: (invocation) => <ResultStatus invocation={invocation} /> },
  { key: 'attempt', header: 'Attempt', width: '7rem', cell: (invocation) => invocation.attempt },
  { key: 'took', header: 'Took', width: '7rem', cell: (invocation) => millisecondsOf(invocation.duration_ms) },
  { key: 'event', header: 'Event', cell: (invocation) => <Code>{shortId(invocation.event_id)}</Code> },
];

export function InvocationLogs() {
  const client = useClient();
  const queries = useQueryClient();
  const { search } = useLocation();
  const page = useMemo(() => readPage(search), [search]);
  const eventId = search.get('event') ?? undefined;
  const calls = useMemo(() => readInvocationSearch(search), [search]);
  const pages = usePages(JSON.stringify([eventId, calls]));
  const query = useQuery({
    queryKey: ['events', 'invocations', eventId ?? null, calls, page],
    queryFn: async ({ signal }) => {
      const read = await listInvocations(client, { eventId }, page, signal, pages.startOf(page), calls);
      pages.seen(page, read.value.next);
      return read;
    },
    refetchInterval: adaptiveInterval,
    placeholderData: keepPreviousData,
    select: ({ value, durationMs }) => ({ value: value.rows, durationMs }),
  });
  const count = useQuery({
    queryKey: ['events', 'invocation-count', eventId ?? null, calls],
    queryFn: ({ signal }) => countInvocations(client, eventId, signal, calls),
    refetchInterval: adaptiveInterval,
    enabled: eventId !== undefined || !isInvocationSearchSlow(calls),
  });
  const searched = Object.keys(calls).length > 0;
  const [opened, setOpened] = useState<Invocation>();
  return (
    <>
      <ListFrame
        title="The invocation logs could not be read"
        query={query}
        page={page}
        count={count.data?.value.count}
        estimated={count.data?.value.estimated === true}
        onRefresh={() => refreshEvents(queries)}
        filters={
          <SearchFields
            inputs={invocationInputs}
            search={{ ...calls, ...(eventId !== undefined && { event: eventId }) }}
            confirm="Show matching calls"
          />
        }
        empty={
          searched ? (
            <EmptyState title="No call matches the search">Remove a search criterion to see more.</EmptyState>
          ) : (
            <EmptyState
              title={eventId === undefined ? 'No webhook has been called yet' : 'This event has not been called'}
            >
              All webhook requests are logged here with their responses.
            </EmptyState>
          )
        }
      >
        {(rows) => (
          <DataTable label="Invocation logs" rows={rows} columns={columns} keyOf={({ id }) => id} onOpen={setOpened} />
        )}
      </ListFrame>
      <LogEntry invocation={opened} onClose={() => setOpened(undefined)} />
    </>
  );
}

interface LogEntryProps {
  /** Undefined closes the drawer. */
  readonly invocation: Invocation | undefined;
  readonly onClose: () => void;
}

function LogEntry({ invocation, onClose }: LogEntryProps) {
  return (
    <DetailDrawer subject={invocation} title="Invocation log" size="details" onClose={onClose}>
      {(shown) => (
        <>
          <DescriptionList
            facts={[
              ['Result', <ResultStatus key="result" invocation={shown} />],
              [
                'Called',
                <time key="called" dateTime={shown.created_at}>
                  {localText(Date.parse(shown.created_at))}
                  <Text span size="sm" c="dimmed" display="block">
                    {utcText(Date.parse(shown.created_at))}
                  </Text>
                </time>,
              ],
              ['Took', millisecondsOf(shown.duration_ms)],
              ['Attempt', shown.attempt],
              [
                'Event',
                <Stack key="event" gap={6} align="flex-start">
                  <Code>{shown.event_id}</Code>
                  <Button
                    size="compact-xs"
                    variant="default"
                    onClick={() => {
                      onClose();
                      updateSearch({ event: shown.event_id, page: undefined });
                    }}
                  >
                    See all invocations of this event
                  </Button>
                </Stack>,
              ],
            ]}
          />
          <InvocationDetails invocation={shown} />
        </>
      )}
    </DetailDrawer>
  );
}
