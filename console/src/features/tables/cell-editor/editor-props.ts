/** Props of the editors of a cell. */
import type { ColumnInfo } from '@joinery/metadata/api/sources/catalog';
import type { AfterEdit } from '../grid/grid-keys.ts';
import type { Drafts, FieldDraft } from '../row-model/row-values.ts';

export interface EditorProps {
  readonly column: ColumnInfo;
  readonly draft: FieldDraft;
  /** The key that began the edit, which replaces the value. */
  readonly typed: string | undefined;
  /** A foreign key sets all of its columns. */
  readonly onCommit: (drafts: Drafts, after: AfterEdit) => void;
  readonly onCancel: () => void;
}
