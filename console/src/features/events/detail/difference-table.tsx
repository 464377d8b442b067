/** The columns of a changed row before and after the change. */
import { Badge, Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { counted } from '../../../ui/format.ts';
import { PlainTable } from '../../../ui/table/plain-table.tsx';
import type { ColumnDifference } from './difference.ts';

export function DifferenceTable({ columns }: { readonly columns: readonly ColumnDifference[] }) {
  const [isWhole, setWhole] = useState(false);
  const changed = columns.filter(({ isChanged }) => isChanged);
  const same = columns.length - changed.length;
  return (
    <Stack gap="xs" align="flex-start">
      {changed.length === 0 && (
        <Text size="sm" c="dimmed">
          No delivered column has changed.
        </Text>
      )}
      {(changed.length > 0 || isWhole) && (
        <PlainTable
          aria-label="Changes of the row"
          layout="fixed"
          fz="sm"
          rows={isWhole ? columns : changed}
          keyOf={({ column }) => column}
          columns={[
            {
              key: 'column',
              header: 'Column',
              isRowHeader: true,
              cell: ({ column, isChanged }) => (
                <>
                  {column}{' '}
                  {isWhole && isChanged && (
                    <Badge size="xs" variant="light">
                      changed
                    </Badge>
                  )}
                </>
              ),
            },
            { key: 'before', header: 'Before', cell: ({ before }) => <Value text={before} /> },
            { key: 'after', header: 'After', cell: ({ after }) => <Value text={after} /> },
          ]}
        />
      )}
      {same > 0 && (
        <Button size="compact-xs" variant="subtle" onClick={() => setWhole(!isWhole)} aria-expanded={isWhole}>
          {isWhole ? 'Hide unchanged columns' : `Show ${counted(same, 'unchanged column')}`}
        </Button>
      )}
    </Stack>
  );
}

function Value({ text }: { readonly text: string | undefined }) {
  if (text === undefined) {
    return (
      <Text span size="sm" c="dimmed">
        absent
      </Text>
    );
  }
  return <code style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>{text}</code>;
}
