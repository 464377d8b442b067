/** How far a search has compared events that no index finds, and a button that continues it. */
import type { FoundEvents } from '@joinery/metadata/api/events/search';
import { Button, Group, Text } from '@mantine/core';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { localText } from '../../../ui/time/times.ts';
import type { ActivitySearch } from './search-state.ts';
import type { Cursors } from './use-events.ts';
import { useSearchFurther } from './use-search-further.ts';

interface SearchedNoticeProps {
  readonly search: ActivitySearch;
  readonly found: FoundEvents;
  readonly pages: Cursors;
}

export function SearchedNotice({ search, found, pages }: SearchedNoticeProps) {
  const { until, failure, start, stop } = useSearchFurther(search, pages);
  const { events, searched_until: searched } = found;
  const isBack = search.order === 'desc';
  const compared = until ?? searched;
  if (compared === undefined) return null;
  const time = localText(Date.parse(compared));
  const direction = isBack ? 'back to' : 'up to';
  const others = `${isBack ? 'Earlier' : 'Later'} events are not searched yet.`;
  const state =
    until !== undefined
      ? `Searching: compared ${direction} ${time}.`
      : events.length === 0
        ? `No event matches in the part that was compared, ${direction} ${time}. ${others}`
        : `Searched ${direction} ${time}. ${others}`;
  return (
    <>
      <Group gap="sm">
        <Text size="sm" c="dimmed" role="status">
          {state}
        </Text>
        {until === undefined ? (
          <Button size="compact-sm" variant="default" onClick={() => start(found)}>
            {isBack ? 'Search further back' : 'Search further'}
          </Button>
        ) : (
          <Button size="compact-sm" variant="default" onClick={stop}>
            Stop
          </Button>
        )}
      </Group>
      {failure !== undefined && <FailureNotice title="The search was not continued" failure={failure} />}
    </>
  );
}
