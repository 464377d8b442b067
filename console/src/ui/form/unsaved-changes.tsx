/** Confirms leaving a page with unsaved changes, by links, the back button or closing the tab. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { guardLeaving } from '../../router/location.ts';

/** `isDirty`: whether the form was changed. Pages leave after a save by `navigate` with `force`. */
export function UnsavedChanges({ isDirty }: { readonly isDirty: boolean }) {
  const [pending, setPending] = useState<{ readonly leave: () => void }>();
  useEffect(() => (isDirty ? guardLeaving((leave) => setPending({ leave })) : undefined), [isDirty]);
  return (
    <Modal
      opened={pending !== undefined}
      onClose={() => setPending(undefined)}
      title="Discard your changes?"
      centered
      zIndex={300}
    >
      <Stack gap="md">
        <Text size="sm">The form has changes that are not saved.</Text>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={() => setPending(undefined)} data-autofocus>
            Keep editing
          </Button>
          <Button color="red" onClick={() => pending?.leave()}>
            Discard the changes
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
