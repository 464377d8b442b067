/** The values that another user has changed, beside the former and the new ones. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { PlainTable } from '../../../ui/table/plain-table.tsx';
import type { RowDifference } from '../row-model/row-conflict.ts';
import { nameOfRow } from '../row-model/row-keys.ts';
import { type Drafts, type FieldDraft, shortText } from '../row-model/row-values.ts';

interface ConflictTableProps {
  readonly info: TableInfo;
  readonly differences: readonly RowDifference[];
  /** The changes of a row. */
  readonly drafts: (key: string) => Drafts | undefined;
}

export function ConflictTable({ info, differences, drafts }: ConflictTableProps) {
  const cells = differences.flatMap(({ key, row, present }) =>
    Object.entries(present).map(([column, now]) => ({ key, row, column, now })),
  );
  return (
    <PlainTable
      withTableBorder
      aria-label="Changed by another user"
      rows={cells}
      keyOf={({ key, column }) => `${key} ${column}`}
      columns={[
        { key: 'row', header: 'Row', cell: ({ row }) => nameOfRow(row, info) },
        { key: 'column', header: 'Column', cell: ({ column }) => column },
        { key: 'before', header: 'Before', cell: ({ row, column }) => shortText(row[column]) },
        { key: 'now', header: 'Now', cell: ({ now }) => shortText(now) },
        {
          key: 'own',
          header: 'Your change',
          cell: ({ key, column }) => draftText(drafts(key)?.[column]),
        },
      ]}
    />
  );
}

function draftText(draft: FieldDraft | undefined): string {
  if (draft === undefined) return '';
  return draft.mode === 'value' ? draft.text : draft.mode;
}
