/** Drawers and dialogs of the rows: details, form and deletion. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { useQueryClient } from '@tanstack/react-query';
import { useClient } from '../../../api/context.ts';
import { Failure } from '../../../api/failure.ts';
import type { TableEntry } from '../../../shared/sources/sources-api.ts';
import { tableLabel } from '../../../shared/sources/table-paths.ts';
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx';
import { DetailDrawer } from '../../../ui/dialog/detail-drawer.tsx';
import { notify } from '../../../ui/feedback/notifications.tsx';
import { counted } from '../../../ui/format.ts';
import { RowForm } from '../row-edits/row-form.tsx';
import { keyOfRow, linkOfValue, nameOfRow } from '../row-model/row-keys.ts';
import type { Row } from '../row-model/row-values.ts';
import { deleteRows, type Target } from '../row-model/rows-api.ts';
import { RelatedLinks } from './related-links.tsx';
import { RowDetails } from './row-details.tsx';

export type Doing =
  | { readonly kind: 'open'; readonly row: Row }
  /** Without a row, inserts one. */
  | { readonly kind: 'edit'; readonly row: Row | undefined }
  | { readonly kind: 'delete'; readonly rows: readonly Row[] };

interface RowDialogsProps {
  readonly target: Target;
  readonly info: TableInfo;
  readonly columns: readonly string[];
  readonly entry: TableEntry | undefined;
  /** Whether rows have a key and are read as admin. */
  readonly changeable: boolean;
  /** Undefined closes all of them. */
  readonly doing: Doing | undefined;
  readonly onDoing: (doing: Doing | undefined) => void;
  readonly onDeleted: () => void;
}

export function RowDialogs({ target, info, columns, entry, changeable, doing, onDoing, onDeleted }: RowDialogsProps) {
  const client = useClient();
  const queries = useQueryClient();
  const nameOf = (row: Row): string => nameOfRow(row, info);
  const opened = doing?.kind === 'open' ? doing.row : undefined;
  const editing = doing?.kind === 'edit' ? doing : undefined;
  const deleting = doing?.kind === 'delete' ? doing.rows : [];
  const close = (): void => onDoing(undefined);
  return (
    <>
      <RowDetails
        row={opened}
        titleOf={nameOf}
        info={info}
        columns={columns}
        related={(row) => <RelatedLinks target={target} row={row} entry={entry} />}
        linkOf={(row, column) => linkOfValue(target.source, info, row, column)}
        onEdit={changeable && info.updatable ? (row) => onDoing({ kind: 'edit', row }) : undefined}
        onDelete={changeable && info.deletable ? (row) => onDoing({ kind: 'delete', rows: [row] }) : undefined}
        onClose={close}
      />
      <DetailDrawer
        subject={editing}
        title={({ row }) => (row === undefined ? `Insert into ${tableLabel(info.table)}` : `Edit ${nameOf(row)}`)}
        size="form"
        onClose={close}
      >
        {({ row }) => (
          <RowForm target={target} info={info} row={row} keyOf={(one) => keyOfRow(one, info)} onClose={close} />
        )}
      </DetailDrawer>
      <ConfirmDialog
        title={deleting.length === 0 ? undefined : `Delete ${counted(deleting.length, 'row')}?`}
        about={`${deleting.slice(0, 5).map(nameOf).join(', ')}${deleting.length > 5 ? ' and more' : ''}. This cannot be undone.`}
        confirm={`Delete ${counted(deleting.length, 'row')}`}
        failed="Nothing was deleted"
        perform={async () => {
          const keys = deleting.map((row) => keyOfRow(row, info));
          const deleted = await deleteRows(client, target, keys);
          if (deleted === 0) throw new Failure({ code: 'not-exists', message: 'the rows do not exist any more' });
          notify({ title: `${counted(deleted, 'row')} deleted` });
        }}
        onClose={close}
        onDone={() => {
          close();
          onDeleted();
          void queries.invalidateQueries({ queryKey: ['rows'] });
        }}
      />
    </>
  );
}
