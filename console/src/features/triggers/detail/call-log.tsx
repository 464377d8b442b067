/** The log of the calls of a trigger. */
import type { TriggerInvocation } from '@joinery/metadata/api/events/triggers';
import { Button, Code, Group } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useClient } from '../../../api/context.ts';
import { adaptiveInterval } from '../../../api/polling.ts';
import { linkTo, navigate, pathWith, updateSearch, useLocation } from '../../../router/location.ts';
import { eventPath } from '../../../shared/events/event-paths.ts';
import { InvocationDetails } from '../../../shared/events/invocation-details.tsx';
import { ListFrame } from '../../../shared/events/list-frame.tsx';
import { loggedCall } from '../../../shared/events/response.ts';
import { ResultStatus } from '../../../shared/events/result-status.tsx';
import { DetailDrawer } from '../../../ui/dialog/detail-drawer.tsx';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { DescriptionList } from '../../../ui/page/description-list.tsx';
import { type Column, DataTable } from '../../../ui/table/data-table.tsx';
import { readPage } from '../../../ui/table/paging.ts';
import { Timestamp } from '../../../ui/time/timestamp.tsx';
import { listCalls, type TriggerName } from '../triggers-api.ts';

const columns: readonly [Column<TriggerInvocation>, ...Column<TriggerInvocation>[]] = [
  { key: 'time', header: 'Called', width: '13.5rem', cell: (call) => <Timestamp at={call.created_at} withDistance /> },
  { key: 'result', header: 'Result', width: '8.5rem', cell: (call) => <ResultStatus invocation={loggedCall(call)} /> },
  { key: 'attempt', header: 'Attempt', width: '7rem', cell: ({ attempt }) => attempt },
  { key: 'event', header: 'Event', cell: ({ event_id }) => <Code>{event_id}</Code> },
];

export function CallLog({ trigger: { source, name } }: { readonly trigger: TriggerName }) {
  const client = useClient();
  const queries = useQueryClient();
  const { search } = useLocation();
  const page = useMemo(() => readPage(search), [search]);
  const query = useQuery({
    queryKey: ['triggers', 'calls', source, name, page],
    queryFn: ({ signal }) => listCalls(client, { source, name }, page, signal),
    refetchInterval: adaptiveInterval,
    placeholderData: keepPreviousData,
  });
  const opened = query.data?.value.find(({ id }) => id === search.get('call'));
  return (
    <>
      <ListFrame
        title="The calls could not be read"
        query={query}
        page={page}
        count={undefined}
        onRefresh={() => void queries.invalidateQueries({ queryKey: ['triggers'] })}
        empty={
          <EmptyState title="There is no call yet">
            All calls are logged here with their requests and responses.
          </EmptyState>
        }
      >
        {(rows) => (
          <DataTable
            label="Calls"
            rows={rows}
            columns={columns}
            keyOf={({ id }) => id}
            pathOf={({ id }) => pathWith({ call: id })}
            onOpen={({ id }) => navigate(pathWith({ call: id }))}
          />
        )}
      </ListFrame>
      <DetailDrawer subject={opened} title="Call" size="details" onClose={() => updateSearch({ call: undefined })}>
        {(call) => (
          <>
            <DescriptionList
              facts={[
                ['Result', <ResultStatus key="result" invocation={loggedCall(call)} />],
                ['Called', <Timestamp key="called" at={call.created_at} withDistance />],
                ['Attempt', call.attempt],
                ['Event', <Code key="event">{call.event_id}</Code>],
              ]}
            />
            <Group>
              <Button component="a" size="xs" variant="default" {...linkTo(eventPath({ id: call.event_id, source }))}>
                Open the event
              </Button>
            </Group>
            <InvocationDetails invocation={loggedCall(call)} />
          </>
        )}
      </DetailDrawer>
    </>
  );
}
