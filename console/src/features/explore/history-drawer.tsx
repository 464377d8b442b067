/** Drawer with the history of operations. */
import { Button, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { DetailDrawer } from '../../ui/dialog/detail-drawer.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { Timestamp } from '../../ui/time/timestamp.tsx';
import classes from './explore.module.css';
import { type PastOperation, titleOf } from './history.ts';

interface HistoryDrawerProps {
  readonly opened: boolean;
  readonly operations: readonly PastOperation[];
  readonly onClose: () => void;
  readonly onOpen: (operation: PastOperation) => void;
  readonly onClear: () => void;
}

export function HistoryDrawer({ opened, operations, onClose, onOpen, onClear }: HistoryDrawerProps) {
  return (
    <DetailDrawer subject={opened} title="History" size="form" onClose={onClose}>
      {() =>
        operations.length === 0 ? (
          <EmptyState title="Nothing has been run yet">Operations that you run are stored in this browser.</EmptyState>
        ) : (
          <Stack gap="md">
            <Group justify="space-between">
              <Text size="sm" c="dimmed">
                Kept in this browser.
              </Text>
              <Button size="xs" variant="default" onClick={onClear}>
                Clear
              </Button>
            </Group>
            <ul className={classes.history} aria-label="Operations that were run">
              {operations.map((operation) => (
                <li key={`${operation.at} ${operation.query}`}>
                  <UnstyledButton className={classes.past} onClick={() => onOpen(operation)}>
                    <Text size="sm" fw={600} truncate>
                      {titleOf(operation.query)}
                    </Text>
                    <Group justify="space-between" gap="xs">
                      <Text size="sm" c="dimmed">
                        as {operation.role === '' ? 'admin' : operation.role}
                      </Text>
                      <Text size="xs" c="dimmed" component="div">
                        <Timestamp at={new Date(operation.at).toISOString()} />
                      </Text>
                    </Group>
                  </UnstyledButton>
                </li>
              ))}
            </ul>
          </Stack>
        )
      }
    </DetailDrawer>
  );
}
