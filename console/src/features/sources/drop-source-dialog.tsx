/** Confirms the removal of a source. */
import { useClient } from '../../api/context.ts';
import { dropSource, type SourceEntry } from '../../shared/sources/sources-api.ts';
import { CascadeDialog } from '../../ui/dialog/cascade-dialog.tsx';
import { counted } from '../../ui/format.ts';

interface DropSourceDialogProps {
  /** Undefined closes the dialog. */
  readonly source: SourceEntry | undefined;
  readonly onClose: () => void;
}

export function DropSourceDialog({ source, onClose }: DropSourceDialogProps) {
  const client = useClient();
  const tables = counted(source?.tables.length ?? 0, 'tracked table');
  return (
    <CascadeDialog
      title={source && `Remove the source ${source.name}?`}
      about={`Its ${tables}, their relationships and permissions leave the metadata. The database stays as it is.`}
      dependents="relationships from other sources, actions and remote schemas"
      confirm="Remove the source"
      failed="The source was not removed"
      done={`${source?.name ?? 'The source'} was removed`}
      perform={(cascade) => dropSource(client, source?.name ?? '', cascade)}
      onClose={onClose}
      onDone={onClose}
    />
  );
}
