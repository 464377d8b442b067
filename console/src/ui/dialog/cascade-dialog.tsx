/** Confirms that an object is removed from the metadata, optionally with its dependents. */
import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { notify } from '../feedback/notifications.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';

interface CascadeDialogProps {
  /** Undefined closes the dialog. */
  readonly title: string | undefined;
  readonly about: string;
  /** What `cascade` removes too, such as `relationships of other tables`. */
  readonly dependents: string;
  readonly confirm: string;
  readonly failed: string;
  /** Title of the notification after success. */
  readonly done: string;
  readonly perform: (cascade: boolean) => Promise<void>;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function CascadeDialog({ dependents, done, perform, onClose, onDone, ...props }: CascadeDialogProps) {
  const [cascade, setCascade] = useState(false);
  return (
    <ConfirmDialog
      {...props}
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
