/** The table of triggers with states and counts. */
import { Anchor, Stack, Text } from '@mantine/core';
import { linkTo, navigate } from '../../router/location.ts';
import { tableLabel, tablePath } from '../../shared/sources/table-paths.ts';
import { StatusDot } from '../../ui/feedback/status-dot.tsx';
import { sentence } from '../../ui/format.ts';
import { type Column, DataTable } from '../../ui/table/data-table.tsx';
import { Timestamp } from '../../ui/time/timestamp.tsx';
import { failedCount, operationsText, pendingText, stateOf, triggerPath } from './trigger-state.ts';
import type { TriggerStats } from './triggers-api.ts';
import { useCalled } from './use-triggers.ts';

interface TriggerTableProps {
  readonly label: string;
  readonly triggers: readonly TriggerStats[];
  readonly withSource: boolean;
  readonly withTable: boolean;
}

const nameColumn: Column<TriggerStats> = {
  key: 'name',
  header: 'Name',
  cell: ({ name }) => <span style={{ overflowWrap: 'anywhere' }}>{name}</span>,
};

const sourceColumn: Column<TriggerStats> = {
  key: 'source',
  header: 'Source',
  width: '9rem',
  cell: ({ source }) => source,
};

const tableColumn: Column<TriggerStats> = {
  key: 'table',
  header: 'Table',
  cell: ({ source, table }) => (
    <Anchor inherit {...linkTo(tablePath(source, table))}>
      {tableLabel(table)}
    </Anchor>
  ),
};

const otherColumns: readonly Column<TriggerStats>[] = [
  {
    key: 'operations',
    header: 'Operations',
    width: '8.5rem',
    cell: ({ operations }) => <Text size="sm">{operationsText(operations)}</Text>,
  },
  { key: 'state', header: 'State', ownLine: true, cell: (trigger) => <TriggerStatus trigger={trigger} /> },
  { key: 'pending', header: 'Pending', width: '6rem', cell: pendingText },
  {
    key: 'failed',
    header: 'Failed, last day',
    width: '9rem',
    cell: (trigger) => failedCount(trigger).toLocaleString('en'),
  },
  {
    key: 'last',
    header: 'Last call',
    width: '13.5rem',
    cell: ({ last_call_at: at }) => (at === null ? '–' : <Timestamp at={at} withDistance />),
  },
];

export function TriggerTable({ label, triggers, withSource, withTable }: TriggerTableProps) {
  const called = useCalled();
  const calledColumn: Column<TriggerStats> = {
    key: 'called',
    header: 'Calls',
    cell: (trigger) => (
      <Text size="sm" truncate title={called(trigger)}>
        {called(trigger)}
      </Text>
    ),
  };
  return (
    <DataTable
      label={label}
      rows={triggers}
      columns={[
        nameColumn,
        ...(withTable ? [tableColumn] : []),
        ...(withSource ? [sourceColumn] : []),
        calledColumn,
        ...otherColumns,
      ]}
      keyOf={({ source, name }) => JSON.stringify([source, name])}
      pathOf={(trigger) => triggerPath(trigger)}
      onOpen={(trigger) => navigate(triggerPath(trigger))}
    />
  );
}

/** The state, with its reason where the trigger is inconsistent. */
function TriggerStatus({ trigger }: { readonly trigger: TriggerStats }) {
  const { label, tone, about } = stateOf(trigger);
  const reason = trigger.consistent || about === undefined ? undefined : sentence(about);
  return (
    <Stack gap={2}>
      <StatusDot tone={tone}>{label}</StatusDot>
      {reason !== undefined && (
        <Text
          size="xs"
          c="dimmed"
          lineClamp={3}
          title={reason}
          style={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}
        >
          {reason}
        </Text>
      )}
    </Stack>
  );
}
