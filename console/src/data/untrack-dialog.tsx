/** Asks before tables are untracked; what depends on them goes with them only when that is said. */
import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { useClient } from '../api/context.ts';
import { ConfirmDialog } from '../show/confirm-dialog.tsx';
import { useNotice } from '../show/notices.tsx';
import { counted } from '../show/words.ts';
import { untrackTables } from './data-api.ts';
import { type TableName, tableLabel } from './table-paths.ts';

interface UntrackDialogProps {
  readonly source: string;
  /** None: the dialog is closed. */
  readonly tables: readonly TableName[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function UntrackDialog({ source, tables, onClose, onDone }: UntrackDialogProps) {
  const client = useClient();
  const tell = useNotice();
  const [cascade, setCascade] = useState(false);
  const [first] = tables;
  const named = tables.length === 1 && first !== undefined ? tableLabel(first) : counted(tables.length, 'table');
  const close = (): void => {
    setCascade(false);
    onClose();
  };
  return (
    <ConfirmDialog
      title={first === undefined ? undefined : `Untrack ${named}?`}
      about="The GraphQL schema loses it, with its relationships and permissions. The rows stay in the database."
      confirm="Untrack"
      failed="Nothing was untracked"
      perform={() => untrackTables(client, source, tables, cascade)}
      onClose={close}
      onDone={() => {
        tell({ title: `${named} no longer tracked` });
        setCascade(false);
        onDone();
      }}
    >
      <Checkbox
        size="sm"
        label="Also remove what depends on it: relationships and permissions of other tables"
        checked={cascade}
        onChange={(event) => setCascade(event.currentTarget.checked)}
      />
    </ConfirmDialog>
  );
}
