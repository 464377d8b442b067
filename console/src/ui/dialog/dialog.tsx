/** A dialog in the center of the window. With unsaved changes in it, closing requires a confirmation. */
import { Modal, type ModalProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { unsavedWork } from '../form/unsaved-work.ts';
import { useUnsavedWork, useWorkScope, WorkScopeContext } from '../form/use-unsaved-work.ts';
import { useEscape } from './use-escape.ts';

interface DialogProps {
  readonly opened: boolean;
  readonly title: ReactNode;
  readonly size?: NonNullable<ModalProps['size']>;
  /** Prevents closing by Escape, overlay and cross. */
  readonly isBusy?: boolean;
  /** Whether a form that is mounted outside of the dialog has unsaved changes. Forms inside need nothing. */
  readonly isUnsaved?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function Dialog(props: DialogProps) {
  const { opened, title, size = 'md', isBusy = false, isUnsaved = false, onClose, children } = props;
  const scope = useWorkScope();
  const close = (): void => unsavedWork.leave(scope, onClose);
  useEscape(opened && !isBusy, close);
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={title}
      size={size}
      centered
      zIndex={300}
      closeOnEscape={false}
      withCloseButton={!isBusy}
      closeOnClickOutside={!isBusy}
    >
      <WorkScopeContext value={scope}>
        <OutsideWork isUnsaved={isUnsaved} />
        {children}
      </WorkScopeContext>
    </Modal>
  );
}

function OutsideWork({ isUnsaved }: { readonly isUnsaved: boolean }) {
  useUnsavedWork(isUnsaved);
  return null;
}
