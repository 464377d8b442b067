/** A cell of the grid of rows: the value, and the link of a foreign key. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { tableLabel } from '../../../shared/sources/table-paths.ts';
import { CellValue, FollowLink } from '../grid/cell-value.tsx';
import type { FieldDraft } from '../row-model/row-values.ts';

interface RowCellProps {
  readonly value: unknown;
  readonly column: string;
  readonly info: TableInfo;
  /** The row that a foreign key references. */
  readonly to: string | undefined;
}

export function RowCell({ value, column, info, to }: RowCellProps) {
  const table = info.foreign_keys.find(({ columns }) => Object.hasOwn(columns, column))?.table;
  return (
    <>
      <CellValue value={value} />
      {to !== undefined && table !== undefined && <FollowLink to={to} table={tableLabel(table)} />}
    </>
  );
}

/** A change that is not saved. */
export function DraftValue({ draft }: { readonly draft: FieldDraft }) {
  return <CellValue value={draft.mode === 'value' ? draft.text : null} absent={draft.mode} />;
}
