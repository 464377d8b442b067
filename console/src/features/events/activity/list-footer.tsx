/** Pages of the list, its size, and the live tail with pause. */

import type { FoundEvents } from '@joinery/metadata/api/events/search';
import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { intervalAfter } from '../../../api/polling.ts';
import { LastUpdated } from '../../../ui/feedback/last-updated.tsx';
import { ReasonButton } from '../../../ui/form/reason-button.tsx';
import { counted } from '../../../ui/format.ts';
import { changeSearch } from './filter-bar.tsx';
import { pageSizes } from './search-state.ts';
import type { Cursors } from './use-events.ts';

interface ListFooterProps {
  readonly found: FoundEvents;
  readonly pages: Cursors;
  readonly size: number;
  readonly live: {
    readonly isLive: boolean;
    readonly isPaused: boolean;
    readonly setPaused: (isPaused: boolean) => void;
    readonly isReading: boolean;
    readonly durationMs: number | undefined;
  };
  readonly onRefresh: () => void;
}

export function ListFooter({ found, pages, size, live, onRefresh }: ListFooterProps) {
  const { events, next, searched_until: stopped } = found;
  return (
    <Group gap="sm" justify="space-between">
      <Group gap="xs">
        <Button size="compact-sm" variant="default" disabled={pages.number === 1} onClick={pages.back}>
          Previous page
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          disabled={next === undefined}
          onClick={() => next !== undefined && pages.open(next)}
        >
          {stopped === undefined ? 'Next page' : 'Continue the search'}
        </Button>
        <Text size="sm" c="dimmed">
          Page {pages.number}, {counted(events.length, 'event')}
        </Text>
      </Group>
      <Group gap="xs">
        <NativeSelect
          size="xs"
          aria-label="Events on a page"
          value={String(size)}
          onChange={(event) => changeSearch({ size: Number(event.currentTarget.value) })}
          data={pageSizes.map((one) => ({ value: String(one), label: `${one} on a page` }))}
        />
        <ReasonButton
          size="compact-sm"
          variant="default"
          aria-pressed={!live.isPaused}
          reason={pages.number > 1 ? 'Only the first page is live.' : undefined}
          onClick={() => live.setPaused(!live.isPaused)}
        >
          {live.isPaused ? 'Resume live' : 'Pause live'}
        </ReasonButton>
        {live.isLive ? (
          <LastUpdated pauseMs={intervalAfter(live.durationMs)} reading={live.isReading} onRefresh={onRefresh} />
        ) : (
          <Text size="xs" c="dimmed">
            {live.isPaused ? 'Paused' : 'Not live'}
          </Text>
        )}
      </Group>
    </Group>
  );
}
