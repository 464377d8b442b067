/** Confirms untracking. */
import { useClient } from '../../api/context.ts';
import { untrackTables } from '../../shared/sources/sources-api.ts';
import { type TableName, tableLabel } from '../../shared/sources/table-paths.ts';
import { CascadeDialog } from '../../ui/dialog/cascade-dialog.tsx';
import { counted } from '../../ui/format.ts';

interface UntrackDialogProps {
  readonly source: string;
  /** Empty closes the dialog. */
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
