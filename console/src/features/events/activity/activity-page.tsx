/** What happens: one-off events, cron events and events of event triggers in one list, with search, views and actions. */
import type { EventOfSearch, FoundEvents, FoundStatus } from '@joinery/metadata/api/events/search';
import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { toFailure } from '../../../api/failure.ts';
import { linkTo, pathWith, updateSearch, useLocation } from '../../../router/location.ts';
import { type EventName, eventParameters } from '../../../shared/events/event-paths.ts';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../../ui/feedback/loading.tsx';
import { PlusIcon } from '../../../ui/page/icons.tsx';
import { PageHeader } from '../../../ui/page/page-header.tsx';
import type { ActionKind } from '../change/actions.ts';
import { ChangeDialog, type EventChange } from '../change/change-dialog.tsx';
import { EventDrawer } from '../detail/event-drawer.tsx';
import { refreshEvents } from '../refresh.ts';
import { ActionBar } from './action-bar.tsx';
import { eventKey } from './activity-api.ts';
import { EventTable } from './event-table.tsx';
import { changeSearch, FilterBar } from './filter-bar.tsx';
import { ListFooter } from './list-footer.tsx';
import { PayloadIndexNotice } from './payload-index-notice.tsx';
import { type ActivitySearch, isSearching, readSearch, searchParameters } from './search-state.ts';
import { SearchedNotice } from './searched-notice.tsx';
import { StatusFilter } from './status-filter.tsx';
import { useEvents } from './use-events.ts';
import { Views } from './views.tsx';

export function ActivityPage() {
  const queries = useQueryClient();
  const { search: address } = useLocation();
  const search = useMemo(() => readSearch(address), [address]);
  const { query, pages, isPaused, setPaused, isLive } = useEvents(search);
  const [chosen, setChosen] = useState<ReadonlyMap<string, EventOfSearch>>(new Map());
  const [change, setChange] = useState<EventChange>();
  const found = query.data?.value;
  const rows = found?.events;
  // Events that left the list are not chosen.
  const picked = rows?.filter((event) => chosen.has(eventKey(event))) ?? [];
  const pathOf = (event: EventName): string => pathWith(eventParameters(event));
  const actOn = (kind: ActionKind, events: readonly EventName[]): void =>
    setChange({ kind, on: { events }, expected: events.length });
  return (
    <>
      <PageHeader
        title="Events"
        actions={
          <Button component="a" leftSection={<PlusIcon size={16} />} {...linkTo('/events/one-off/schedule')}>
            Schedule an event
          </Button>
        }
      />
      <Stack mt="sm" gap="xs">
        <Views />
        <FilterBar search={search} />
        <PayloadIndexNotice payload={search.payload} />
        <Group gap="xs" justify="space-between" align="flex-start">
          <StatusFilter counts={found?.counts} chosen={search.statuses} />
          <ActionBar
            picked={picked}
            statuses={search.statuses}
            onPicked={(kind) => actOn(kind, picked)}
            onFound={(kind, statuses) =>
              setChange({ kind, on: { search, statuses }, expected: expectedCount(found, statuses) })
            }
            onNone={() => setChosen(new Map())}
          />
        </Group>
        {query.error !== null && (
          <FailureNotice
            title="The events could not be read"
            failure={toFailure(query.error)}
            shownFrom={rows === undefined ? undefined : query.dataUpdatedAt}
            onRetry={() => void query.refetch()}
          />
        )}
        {found?.unread_sources?.map(({ source, reason }) => (
          <Text key={source} size="sm" c="red" role="status">
            Events of the source {source} are not listed: {reason}
          </Text>
        ))}
        {rows === undefined ? (
          query.error === null && <Loading />
        ) : rows.length > 0 ? (
          <EventTable
            rows={rows}
            chosen={new Map(picked.map((event) => [eventKey(event), event]))}
            onChoose={(next) => setChosen(new Map(next.map((event) => [eventKey(event), event])))}
            pathOf={pathOf}
          />
        ) : (
          found?.searched_until === undefined && <NoEvent search={search} />
        )}
        {found !== undefined && <SearchedNotice search={search} found={found} pages={pages} />}
        {found !== undefined && (
          <ListFooter
            found={found}
            pages={pages}
            size={search.size}
            live={{ isLive, isPaused, setPaused, isReading: query.isFetching, durationMs: query.data?.durationMs }}
            onRefresh={() => refreshEvents(queries)}
          />
        )}
      </Stack>
      <EventDrawer onAction={(kind, event) => actOn(kind, [event])} />
      <ChangeDialog change={change} onClose={() => setChange(undefined)} onDone={() => setChosen(new Map())} />
    </>
  );
}

/** Returns the number of events with the statuses. Undefined where not all are counted. */
function expectedCount(found: FoundEvents | undefined, statuses: readonly FoundStatus[]): number | undefined {
  const counts = found?.counts?.filter(({ status }) => statuses.includes(status));
  if (counts === undefined || counts.some(({ at_least }) => at_least === true)) return undefined;
  return counts.reduce((sum, { count }) => sum + count, 0);
}

const nothing = Object.fromEntries(searchParameters.map((name) => [name, undefined]));

function NoEvent({ search }: { readonly search: ActivitySearch }) {
  const isLimited = search.time !== 'any';
  return (
    <EmptyState
      title={isSearching(search) ? 'No event matches the search' : 'There is no event yet'}
      action={
        <Group gap="xs" mt="xs" justify="center">
          {isLimited && (
            <Button variant="default" onClick={() => changeSearch({ time: 'any' })}>
              Search any time
            </Button>
          )}
          {isSearching(search) && (
            <Button variant="default" onClick={() => updateSearch(nothing)}>
              Clear the search
            </Button>
          )}
        </Group>
      }
    >
      {isLimited ? (
        'The list is limited to a range of time: it does not have events outside of it.'
      ) : (
        <>
          <Anchor inherit {...linkTo('/events/one-off/schedule')}>
            Schedule an event
          </Anchor>
          , create a cron trigger or an event trigger: their events are listed here.
        </>
      )}
    </EmptyState>
  );
}
