/** Asks before something is taken out of the metadata; what depends on it goes with it only when that is said. */
import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { useNotify } from '../feedback/notifications.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';

interface CascadeDialogProps {
  /** Undefined: the dialog is closed. */
  readonly title: string | undefined;
  readonly about: string;
  /** What else goes, such as `relationships of other tables`. */
  readonly dependents: string;
  readonly confirm: string;
  readonly failed: string;
  /** What is told when it is done. */
  readonly done: string;
  readonly perform: (cascade: boolean) => Promise<void>;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function CascadeDialog({ dependents, done, perform, onClose, onDone, ...words }: CascadeDialogProps) {
  const notify = useNotify();
  const [cascade, setCascade] = useState(false);
  return (
    <ConfirmDialog
      {...words}
      perform={() => perform(cascade)}
      onClose={() => {
        setCascade(false);
        onClose();
      }}
      onDone={() => {
        setCascade(false);
        notify({ title: done });
        onDone();
      }}
    >
      <Checkbox
        size="sm"
        label={`Also remove ${dependents}`}
        checked={cascade}
        onChange={(event) => setCascade(event.currentTarget.checked)}
      />
    </ConfirmDialog>
  );
}
