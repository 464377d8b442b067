/** The actions on the chosen events, or on all events that the search finds. */
import type { EventOfSearch, FoundStatus } from '@joinery/metadata/api/events/search';
import { Button, Group, Menu, Text } from '@mantine/core';
import { counted } from '../../../ui/format.ts';
import { type ActionKind, actionKinds, actionLabels, changeableStatuses, describeEvents } from '../change/actions.ts';

interface ActionBarProps {
  readonly picked: readonly EventOfSearch[];
  /** The statuses of the search. */
  readonly statuses: readonly FoundStatus[];
  readonly onPicked: (kind: ActionKind) => void;
  readonly onFound: (kind: ActionKind, statuses: readonly FoundStatus[]) => void;
  readonly onNone: () => void;
}

export function ActionBar({ picked, statuses, onPicked, onFound, onNone }: ActionBarProps) {
  return (
    <Group gap="xs" role="group" aria-label="Actions on events" mih={26}>
      {picked.length > 0 && (
        <>
          <Text size="sm" fw={600}>
            {counted(picked.length, 'event')} chosen
          </Text>
          {actionKinds.map((kind) => (
            <Button key={kind} size="compact-sm" variant="default" onClick={() => onPicked(kind)}>
              {actionLabels[kind].label}
            </Button>
          ))}
          <Button size="compact-sm" variant="subtle" color="gray" onClick={onNone}>
            Choose none
          </Button>
        </>
      )}
      <Menu position="bottom-start">
        <Menu.Target>
          <Button size="compact-sm" variant="default">
            Change all that match
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {actionKinds.map((kind) => {
            const changed = changeableStatuses(kind, statuses);
            return (
              <Menu.Item key={kind} disabled={changed.length === 0} onClick={() => onFound(kind, changed)}>
                {changed.length === 0
                  ? `${actionLabels[kind].label} (no event of the chosen statuses)`
                  : actionLabels[kind].labelOf(describeEvents({ statuses: changed }))}
              </Menu.Item>
            );
          })}
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}
