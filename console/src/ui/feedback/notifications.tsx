/** Notifications about completed commands, announced to screen readers. */
import { CloseButton, Group, Paper, Text } from '@mantine/core';
import { Notifications as NotificationContainer, notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { TickIcon } from '../page/icons.tsx';

export interface Notice {
  readonly title: string;
  readonly text?: ReactNode;
}

const SHOWN_MS = 8_000;

/** Shows a notification for some seconds in place of the previous one. */
export function notify({ title, text }: Notice): void {
  notifications.clean();
  notifications.show({
    message: text,
    // By default each is an alert, which interrupts a screen reader.
    role: 'status',
    renderNotification: ({ id }) => (
      <NoticePaper title={title} text={text} onClose={() => id && notifications.hide(id)} />
    ),
  });
}

/** The place of the notifications in the page. */
export function Notifications() {
  return <NotificationContainer position="bottom-right" autoClose={SHOWN_MS} containerWidth="26rem" zIndex={400} />;
}

function NoticePaper({ title, text, onClose }: Notice & { readonly onClose: () => void }) {
  return (
    <Paper withBorder shadow="md" p="sm">
      <Group wrap="nowrap" align="flex-start" gap="sm">
        <Text c="pine" lh={0} mt={2} aria-hidden="true">
          <TickIcon />
        </Text>
        <div style={{ flex: 1 }}>
          <Text size="sm" fw={600}>
            {title}
          </Text>
          {text !== undefined && (
            <Text size="sm" c="dimmed" component="div">
              {text}
            </Text>
          )}
        </div>
        <CloseButton size="sm" aria-label="Dismiss" onClick={onClose} />
      </Group>
    </Paper>
  );
}
