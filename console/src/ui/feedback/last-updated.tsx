/** Says that a list keeps itself up to date, and reads it again at once when asked. */
import { ActionIcon, Group, Text, Tooltip } from '@mantine/core';
import { RefreshIcon } from '../page/icons.tsx';

interface LastUpdatedProps {
  /** Milliseconds from one reading to the next. */
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
