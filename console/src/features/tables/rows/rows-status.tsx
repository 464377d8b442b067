/** The number of rows, hints, and why there are none. */
import { Button, Group, Text } from '@mantine/core';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { counted } from '../../../ui/format.ts';
import type { Session } from '../row-model/rows-api.ts';
import type { Total } from './use-rows.ts';

export function Hint({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <Text size="sm" c="dimmed">
      {text}
    </Text>
  );
}

interface RowCountProps {
  readonly total: Total;
  readonly counting: { readonly canCount: boolean; readonly countAll: () => void; readonly isCounting: boolean };
}

export function RowCount({ total, counting: { canCount, countAll, isCounting } }: RowCountProps) {
  return (
    <Group gap="xs" mih={22}>
      <Text size="sm" c="dimmed" role="status">
        {describeTotal(total)}
      </Text>
      {(canCount || isCounting) && (
        <Button size="compact-xs" variant="default" loading={isCounting} onClick={countAll}>
          Count exactly
        </Button>
      )}
    </Group>
  );
}

function describeTotal({ rows, accuracy }: Total): string {
  switch (accuracy) {
    case 'exact':
      return counted(rows, 'row');
    case 'estimate':
      return `About ${counted(rows, 'row')}`;
    case 'minimum':
      return 'More rows are loaded while you scroll';
    default:
      return accuracy satisfies never;
  }
}

interface NoRowsProps {
  readonly filtered: boolean;
  readonly session: Session | undefined;
  readonly onClear: () => void;
}

export function NoRows({ filtered, session, onClear }: NoRowsProps) {
  if (filtered) {
    return (
      <EmptyState
        title="No row matches"
        action={
          <Button variant="default" mt="xs" onClick={onClear}>
            Clear the filters
          </Button>
        }
      >
        A row must match all filters.
      </EmptyState>
    );
  }
  if (session !== undefined) {
    return <EmptyState title="The role sees no row">Its select permission permits none of the rows.</EmptyState>;
  }
  return <EmptyState title="There is no row">Insert one, or have your application write it.</EmptyState>;
}
