/** Shows, hides and orders the columns of the grid. */
import { ActionIcon, Button, Checkbox, Group, Popover, ScrollArea, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ColumnsIcon, SortedDownIcon, SortedUpIcon } from '../../../ui/page/icons.tsx';

export interface Arrangement {
  /** All columns in their order. */
  readonly names: readonly string[];
  readonly pinned: readonly string[];
  readonly hidden: readonly string[];
  readonly onShow: (names: readonly string[], isShown: boolean) => void;
  readonly onMove: (name: string, step: 1 | -1) => void;
  readonly onReset: () => void;
}

export function ColumnsMenu({ names, pinned, hidden, onShow, onMove, onReset }: Arrangement) {
  const [search, setSearch] = useState('');
  const matching = names.filter((name) => name.toLowerCase().includes(search.trim().toLowerCase()));
  const optional = matching.filter((name) => !pinned.includes(name));
  return (
    <Popover position="bottom-end" shadow="md" width={300} trapFocus returnFocus withRoles>
      <Popover.Target>
        <Button size="xs" variant="default" leftSection={<ColumnsIcon size={14} />}>
          {hidden.length === 0 ? 'Columns' : `Columns (${hidden.length} hidden)`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns">
        <Stack gap="xs">
          <TextInput
            size="xs"
            type="search"
            aria-label="Search columns"
            placeholder="Search columns"
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
            data-autofocus
          />
          <ScrollArea.Autosize mah={300} type="auto" offsetScrollbars>
            <Stack gap={2}>
              {matching.map((name) => (
                <Group key={name} gap={2} wrap="nowrap" justify="space-between">
                  <Checkbox
                    size="xs"
                    label={name}
                    checked={!hidden.includes(name)}
                    disabled={pinned.includes(name)}
                    title={pinned.includes(name) ? 'The columns of the key are always shown' : undefined}
                    onChange={(event) => onShow([name], event.currentTarget.checked)}
                  />
                  <Group gap={0} wrap="nowrap">
                    <Move label={`Move ${name} up`} onClick={() => onMove(name, -1)} isUp />
                    <Move label={`Move ${name} down`} onClick={() => onMove(name, 1)} />
                  </Group>
                </Group>
              ))}
            </Stack>
          </ScrollArea.Autosize>
          <Group gap="xs">
            <Button size="compact-xs" variant="default" onClick={() => onShow(optional, true)}>
              Show all
            </Button>
            <Button size="compact-xs" variant="default" onClick={() => onShow(optional, false)}>
              Hide all
            </Button>
            <Button size="compact-xs" variant="subtle" color="gray" onClick={onReset}>
              Reset
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

interface MoveProps {
  readonly label: string;
  readonly onClick: () => void;
  readonly isUp?: boolean;
}

function Move({ label, onClick, isUp = false }: MoveProps) {
  return (
    <ActionIcon variant="subtle" color="gray" size={22} aria-label={label} onClick={onClick}>
      {isUp ? <SortedUpIcon size={13} /> : <SortedDownIcon size={13} />}
    </ActionIcon>
  );
}
