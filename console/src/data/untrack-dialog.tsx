/** Asks before tables are untracked. */
import { useClient } from '../api/context.ts';
import { counted } from '../show/words.ts';
import { CascadeDialog } from './cascade-dialog.tsx';
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
  const [first] = tables;
  const named = tables.length === 1 && first !== undefined ? tableLabel(first) : counted(tables.length, 'table');
  return (
    <CascadeDialog
      title={first === undefined ? undefined : `Untrack ${named}?`}
      about="The GraphQL schema loses it, with its relationships and permissions. The rows stay in the database."
      dependents="what depends on it: relationships and permissions of other tables"
      confirm="Untrack"
      failed="Nothing was untracked"
      done={`${named} no longer tracked`}
      perform={(cascade) => untrackTables(client, source, tables, cascade)}
      onClose={onClose}
      onDone={onDone}
    />
  );
}
