/** Shows that a list is polled, with a button that refreshes it immediately. */
import { ActionIcon, Group, Text, Tooltip } from '@mantine/core';
import { RefreshIcon } from '../page/icons.tsx';

interface LastUpdatedProps {
  /** The polling interval in milliseconds. */
  readonly pauseMs: number;
  readonly reading: boolean;
  readonly onRefresh: () => void;
}

export function LastUpdated({ pauseMs, reading, onRefresh }: LastUpdatedProps) {
  return (
    <Group gap={6} wrap="nowrap">
      <Text size="xs" c="dimmed" visibleFrom="xs">
        Updates every {Math.round(pauseMs / 1_000)} s
      </Text>
      <Tooltip label="Refresh now">
        <ActionIcon variant="subtle" color="gray" aria-label="Refresh now" aria-busy={reading} onClick={onRefresh}>
          <RefreshIcon size={16} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}
