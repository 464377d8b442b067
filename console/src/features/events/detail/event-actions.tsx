/** The buttons of the actions on one event. Those that the event does not allow are disabled with the reason. */
import type { EventOfSearch } from '@joinery/metadata/api/events/search';
import { Button, Group, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { type ActionKind, actionKinds, actionLabels, reasonAgainst } from '../change/actions.ts';

interface EventActionsProps {
  readonly event: Pick<EventOfSearch, 'kind' | 'status'>;
  readonly onAction: (kind: ActionKind) => void;
  /** Further buttons. */
  readonly children?: ReactNode;
}

export function EventActions({ event, onAction, children }: EventActionsProps) {
  const kinds = event.kind === 'trigger' ? actionKinds.filter((kind) => kind === 'redeliver') : actionKinds;
  return (
    <Group gap="xs" role="group" aria-label="Actions">
      {kinds.map((kind) => {
        const reason = reasonAgainst(kind, event);
        return (
          <Tooltip key={kind} label={reason} disabled={reason === undefined}>
            <Button
              size="xs"
              variant="default"
              aria-disabled={reason !== undefined}
              {...(reason !== undefined && { 'data-disabled': true, title: reason })}
              onClick={(pressed) => {
                if (reason === undefined) onAction(kind);
                else pressed.preventDefault();
              }}
            >
              {actionLabels[kind].label}
            </Button>
          </Tooltip>
        );
      })}
      {children}
    </Group>
  );
}
