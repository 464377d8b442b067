/** What the list of attempts lacks: a button that reads earlier ones, or the number of those that are shown. */
import { Button, Text } from '@mantine/core';
import { MOST_CALLS } from '../../../shared/events/use-opened-attempt.ts';

interface EarlierAttemptsProps {
  readonly shown: number;
  /** Undefined where all attempts are read. */
  readonly onMore: (() => void) | undefined;
}

export function EarlierAttempts({ shown, onMore }: EarlierAttemptsProps) {
  if (onMore === undefined) return null;
  if (shown >= MOST_CALLS) {
    return (
      <Text size="sm" c="dimmed" mt="xs">
        The last {MOST_CALLS.toLocaleString('en')} attempts are shown.
      </Text>
    );
  }
  return (
    <Button size="compact-sm" variant="default" mt="xs" onClick={onMore}>
      Show earlier attempts
    </Button>
  );
}
