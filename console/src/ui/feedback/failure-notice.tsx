/** An error with its message, code, path and hint. */
import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useContext, useSyncExternalStore } from 'react';
import { connection } from '../../api/connection.ts';
import { type Failure, hintOf } from '../../api/failure.ts';
import { sentence } from '../format.ts';
import { AlertIcon } from '../page/icons.tsx';
import { BannerInset } from './banner.ts';

interface FailureNoticeProps {
  readonly failure: Failure;
  /** What failed, such as `The events could not be read`. */
  readonly title: string;
  /** When the data that is still shown was read, in milliseconds since 1970. */
  readonly shownFrom?: number | undefined;
  readonly onRetry?: (() => void) | undefined;
  /** Actions that resolve the error. */
  readonly children?: ReactNode;
}

export function FailureNotice({ failure, title, shownFrom, onRetry, children }: FailureNoticeProps) {
  const underBanner = useContext(BannerInset);
  const isLost = useSyncExternalStore(connection.subscribe, connection.lostSince) !== undefined;
  // The banner covers reads that failed while the service is unreachable or stopping: they are all repeated.
  const isCovered = failure.code === 'unreachable' || failure.status === 503;
  if (underBanner && isLost && isCovered && onRetry !== undefined) return null;
  const hint = hintOf(failure);
  return (
    <Alert role="alert" color="red" variant="outline" icon={<AlertIcon />} title={title}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{sentence(failure.message)}</Text>
        {hint !== undefined && <Text size="sm">{hint}</Text>}
        {shownFrom !== undefined && (
          <Text size="sm">The data below is from {new Date(shownFrom).toLocaleTimeString()}.</Text>
        )}
        <Group gap="xs">
          <Code>{failure.code}</Code>
          {failure.path !== '$' && <Code>{failure.path}</Code>}
        </Group>
        {onRetry !== undefined && (
          <Button size="xs" variant="default" onClick={onRetry}>
            Try again
          </Button>
        )}
        {children}
      </Stack>
    </Alert>
  );
}
