/** Confirms that unsaved changes are discarded: when a dialog closes, another page opens or the tab closes. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useEffect, useSyncExternalStore } from 'react';
import { guardLeaving } from '../../router/location.ts';
import { useEscape } from '../dialog/use-escape.ts';
import { unsavedWork } from './unsaved-work.ts';

/** Mounted once, next to the pages. */
export function DiscardDialog() {
  const pending = useSyncExternalStore(unsavedWork.subscribe, unsavedWork.pending);
  const isUnsaved = useSyncExternalStore(unsavedWork.subscribe, hasWork);
  const opened = pending !== undefined;
  useEscape(opened, unsavedWork.keepEditing);
  useEffect(() => {
    if (!isUnsaved) return undefined;
    return guardLeaving({
      isClosing: (isSamePage) => (isSamePage ? unsavedWork.isInDialog() : hasWork()),
      decide: (leave) => unsavedWork.leave(undefined, leave),
    });
  }, [isUnsaved]);
  return (
    <Modal
      opened={opened}
      onClose={unsavedWork.keepEditing}
      closeOnEscape={false}
      title="Discard your changes?"
      centered
      zIndex={350}
    >
      <Stack gap="md">
        <Text size="sm">The form has changes that are not saved.</Text>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={unsavedWork.keepEditing} data-autofocus>
            Keep editing
          </Button>
          <Button color="red" onClick={unsavedWork.discard}>
            Discard the changes
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function hasWork(): boolean {
  return unsavedWork.isIn(undefined);
}
