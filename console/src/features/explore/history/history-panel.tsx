/** The operations that were run, with status and time. */
import { Button, Group, Text, TextInput, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { StatusDot, type StatusDotProps } from '../../../ui/feedback/status-dot.tsx';
import { Timestamp } from '../../../ui/time/timestamp.tsx';
import { millisecondsText } from '../response/texts.ts';
import type { RunStatus } from '../run/runs.ts';
import classes from './history.module.css';
import { type PastOperation, titleOf } from './history.ts';

interface HistoryPanelProps {
  readonly operations: readonly PastOperation[];
  readonly onOpen: (operation: PastOperation) => void;
  readonly onClear: () => void;
}

const shown: Readonly<Record<RunStatus, { readonly tone: StatusDotProps['tone']; readonly text: string }>> = {
  ok: { tone: 'good', text: 'OK' },
  errors: { tone: 'bad', text: 'Errors' },
  failed: { tone: 'bad', text: 'Failed' },
  canceled: { tone: 'waiting', text: 'Stopped' },
};

export function HistoryPanel({ operations, onOpen, onClear }: HistoryPanelProps) {
  const [sought, setSought] = useState('');
  if (operations.length === 0) {
    return (
      <EmptyState title="Nothing has been run yet">Operations that you run are stored in this browser.</EmptyState>
    );
  }
  const text = sought.trim().toLowerCase();
  const found = operations.filter(({ query, role }) => `${query} ${role}`.toLowerCase().includes(text));
  return (
    <div className={classes.panel}>
      <Group gap="xs" wrap="nowrap">
        <TextInput
          size="xs"
          flex={1}
          aria-label="Search the history"
          placeholder="Search"
          value={sought}
          onChange={(event) => setSought(event.currentTarget.value)}
        />
        <Button size="xs" variant="default" onClick={onClear}>
          Clear
        </Button>
      </Group>
      <ul className={classes.list} aria-label="Operations that were run">
        {found.map((operation) => (
          <li key={`${operation.at} ${operation.query}`}>
            <UnstyledButton className={classes.entry} onClick={() => onOpen(operation)}>
              <Text size="sm" fw={600} truncate>
                {titleOf(operation.query)}
              </Text>
              <div className={classes.facts}>
                {operation.status !== undefined && (
                  <StatusDot tone={shown[operation.status].tone}>{shown[operation.status].text}</StatusDot>
                )}
                {operation.durationMs !== undefined && <span>{millisecondsText(operation.durationMs)}</span>}
                <span>as {operation.role === '' ? 'admin' : operation.role}</span>
                <span className={classes.time}>
                  <Timestamp at={new Date(operation.at).toISOString()} />
                </span>
              </div>
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {found.length === 0 && <Text size="sm">No operation matches.</Text>}
    </div>
  );
}
