/** The drawer of the event that the query string names. It stays open, and follows the event until it is finished. */
import { Group, Text } from '@mantine/core';
import { useMemo } from 'react';
import { updateSearch, useLocation } from '../../../router/location.ts';
import type { EventName } from '../../../shared/events/event-paths.ts';
import { DetailDrawer } from '../../../ui/dialog/detail-drawer.tsx';
import { CopyButton } from '../../../ui/page/copy-button.tsx';
import type { ActionKind } from '../change/actions.ts';
import { ScheduledEventOfId } from './scheduled-event.tsx';
import { TriggerEventOfId } from './trigger-event.tsx';

interface EventDrawerProps {
  readonly onAction: (kind: ActionKind, event: EventName) => void;
}

export function EventDrawer({ onAction }: EventDrawerProps) {
  const { search } = useLocation();
  const id = search.get('event');
  const source = search.get('in') ?? undefined;
  const named = useMemo((): EventName | undefined => (id === null ? undefined : { id, source }), [id, source]);
  return (
    <DetailDrawer
      subject={named}
      title="Event"
      size="details"
      onClose={() => updateSearch({ event: undefined, in: undefined, attempt: undefined })}
    >
      {({ id: shown, source: shownSource }) => (
        <>
          <Group gap={4} mb={-16}>
            <CopyButton text={window.location.href} what="link to this event" />
            <Text span size="sm" c="dimmed">
              Link to this event
            </Text>
          </Group>
          {shownSource === undefined ? (
            <ScheduledEventOfId key={shown} id={shown} onAction={(kind) => onAction(kind, { id: shown })} />
          ) : (
            <TriggerEventOfId
              key={shown}
              source={shownSource}
              id={shown}
              onAction={(kind) => onAction(kind, { id: shown, source: shownSource })}
            />
          )}
        </>
      )}
    </DetailDrawer>
  );
}
