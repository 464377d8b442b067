/** Confirms changes of names that clients use, and lists them. */
import type { RoleSchemaChanges } from '@joinery/metadata/api/metadata';
import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { ChangeTable, countOf } from '../../shared/schema-changes.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { useLast } from '../../ui/dialog/use-last.ts';
import { counted } from '../../ui/format.ts';
import { Disclosure } from '../../ui/page/disclosure.tsx';
import { changedRoots, nameChanges } from './name-changes.ts';

interface NamesDialogProps {
  /** Changes of each role whose schema would change. Undefined closes the dialog. */
  readonly changes: readonly RoleSchemaChanges[] | undefined;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Maximum number of root fields that are listed. */
const SHOWN = 12;

export function NamesDialog({ changes, onConfirm, onClose }: NamesDialogProps) {
  const shown = useLast(changes) ?? [];
  const removed = changedRoots(shown, 'removed');
  const added = changedRoots(shown, 'added');
  return (
    <Dialog opened={changes !== undefined} onClose={onClose} title="Change names that clients use?" size="xl">
      <Stack gap="md">
        <Text size="sm">After saving, requests that use a removed name fail until clients use the new one.</Text>
        <Names title={counted(removed.length, 'root field')} hint="removed" names={removed} />
        <Names title={counted(added.length, 'root field')} hint="added" names={added} />
        <div>
          {nameChanges(shown).map((one) => (
            <Disclosure key={one.role} title={countOf(one)}>
              <ChangeTable {...one} />
            </Disclosure>
          ))}
        </div>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color="red" onClick={onConfirm}>
            Change the names
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

interface NamesProps {
  readonly title: string;
  readonly hint: string;
  readonly names: readonly string[];
}

function Names({ title, hint, names }: NamesProps) {
  if (names.length === 0) return null;
  const rest = names.length - SHOWN;
  return (
    <div>
      <Text size="sm" fw={600} mb={4}>
        {title} {hint}
      </Text>
      <Group gap={4}>
        {names.slice(0, SHOWN).map((name) => (
          <Code key={name}>{name}</Code>
        ))}
        {rest > 0 && <Text size="sm">and {rest.toLocaleString('en')} more</Text>}
      </Group>
    </div>
  );
}
