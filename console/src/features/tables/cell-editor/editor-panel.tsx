/** The cell that is edited, and the panel below it: null, default, hints and what the control needs. */
import { Button, Group, Popover, Stack, Text } from '@mantine/core';
import { type FocusEvent, type ReactNode, useEffect, useRef } from 'react';
import classes from './cell-editor.module.css';
import type { EditorProps } from './editor-props.ts';

interface EditorPanelProps extends Pick<EditorProps, 'column' | 'onCommit'> {
  /** The control in the cell. */
  readonly children: ReactNode;
  /** The content of the panel. */
  readonly panel?: ReactNode;
  readonly keys: string;
  /** Pixels. */
  readonly width?: number;
  /** The focus has left the cell and the panel. */
  readonly onLeave: () => void;
}

export function EditorPanel({ column, onCommit, children, panel, keys, width = 300, onLeave }: EditorPanelProps) {
  const cell = useRef<HTMLDivElement>(null);
  const dropdown = useRef<HTMLDivElement>(null);
  useEffect(() => {
    cell.current?.querySelector<HTMLElement>('input, textarea')?.focus();
  }, []);
  const choose = (mode: 'null' | 'default'): void => onCommit({ [column.name]: { mode, text: '' } }, 'stay');
  const onBlur = ({ relatedTarget }: FocusEvent): void => {
    const isInside =
      relatedTarget instanceof Node &&
      (cell.current?.contains(relatedTarget) === true || dropdown.current?.contains(relatedTarget) === true);
    if (!isInside) onLeave();
  };
  return (
    <Popover
      opened
      position="bottom-start"
      width={width}
      shadow="md"
      closeOnClickOutside={false}
      closeOnEscape={false}
      returnFocus={false}
      transitionProps={{ duration: 0 }}
    >
      <Popover.Target>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the focus leaves the control inside of it */}
        <div ref={cell} className={classes.cell} onBlur={onBlur}>
          {children}
        </div>
      </Popover.Target>
      <Popover.Dropdown ref={dropdown} p="xs" onBlur={onBlur} aria-label={`Edit ${column.name}`}>
        <Stack gap={6}>
          {panel}
          <Group gap={6} justify="space-between" wrap="nowrap">
            <Group gap={6} wrap="nowrap">
              {column.nullable && <Mode label="Set null" onChoose={() => choose('null')} />}
              {(column.has_default || column.identity !== null) && (
                <Mode label="Set default" onChoose={() => choose('default')} />
              )}
            </Group>
            <Text size="xs" c="dimmed" ta="end">
              {keys}
            </Text>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function Mode({ label, onChoose }: { readonly label: string; readonly onChoose: () => void }) {
  return (
    <Button size="compact-xs" variant="default" onClick={onChoose}>
      {label}
    </Button>
  );
}
