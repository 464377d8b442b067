/** Asks before a source is removed; what depends on it goes with it only when that is said. */
import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { useClient } from '../api/context.ts';
import { ConfirmDialog } from '../show/confirm-dialog.tsx';
import { useNotice } from '../show/notices.tsx';
import { counted } from '../show/words.ts';
import { dropSource, type SourceEntry } from './data-api.ts';

interface DropSourceDialogProps {
  /** Undefined: the dialog is closed. */
  readonly source: SourceEntry | undefined;
  readonly onClose: () => void;
}

export function DropSourceDialog({ source, onClose }: DropSourceDialogProps) {
  const client = useClient();
  const tell = useNotice();
  const [cascade, setCascade] = useState(false);
  const close = (): void => {
    setCascade(false);
    onClose();
  };
  return (
    <ConfirmDialog
      title={source && `Remove the source ${source.name}?`}
      about={`Its tables (${counted(source?.tables.length ?? 0, 'table')} tracked), their relationships and permissions leave the metadata. The database stays as it is.`}
      confirm="Remove the source"
      failed="The source was not removed"
      perform={() => dropSource(client, source?.name ?? '', cascade)}
      onClose={close}
      onDone={() => {
        tell({ title: `${source?.name ?? 'The source'} was removed` });
        close();
      }}
    >
      <Checkbox
        size="sm"
        label="Also remove what leads to it from other sources, actions and remote schemas"
        checked={cascade}
        onChange={(event) => setCascade(event.currentTarget.checked)}
      />
    </ConfirmDialog>
  );
}
