/** The changes that are not saved: their number, errors and conflicts, and the buttons to save and discard them. */

import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { ReasonButton } from '../../../ui/form/reason-button.tsx';
import { SaveFailure } from '../../../ui/form/save-failure.tsx';
import { useUnsavedWork } from '../../../ui/form/use-unsaved-work.ts';
import { counted, sentence } from '../../../ui/format.ts';
import { nameOfRow } from '../row-model/row-keys.ts';
import { ConflictTable } from './conflict-table.tsx';
import type { RowEditing, RowProblem } from './use-row-editing.ts';

interface PendingBarProps {
  readonly info: TableInfo;
  readonly editing: RowEditing;
}

export function PendingBar({ info, editing }: PendingBarProps) {
  const { pending, changes, problems, failure, conflict, isSaving, save, discard } = editing;
  useUnsavedWork(changes > 0);
  useHotkeys([['mod+S', () => changes > 0 && save()]], []);
  if (changes === 0) return null;
  const nameOf = ({ key }: RowProblem): string => {
    const row = pending.get(key)?.row;
    return row === undefined ? 'New row' : nameOfRow(row, info);
  };
  return (
    <Paper
      withBorder
      shadow="sm"
      p="xs"
      bg="var(--joinery-surface)"
      pos="sticky"
      bottom={8}
      style={{ zIndex: 4 }}
      role="group"
      aria-label="Unsaved changes"
    >
      <Stack gap="xs">
        <Group gap="xs" justify="space-between">
          <Text size="sm" fw={600}>
            {counted(changes, 'change')} in {counted(pending.size, 'row')} not saved
          </Text>
          <Group gap="xs">
            <ReasonButton
              size="xs"
              variant="default"
              reason={isSaving ? 'The changes are being saved.' : undefined}
              onClick={discard}
            >
              Discard
            </ReasonButton>
            <Button size="xs" loading={isSaving} title="Ctrl+S or Cmd+S" onClick={() => save()}>
              Save {counted(changes, 'change')}
            </Button>
          </Group>
        </Group>
        {problems.length > 0 && (
          <ul style={{ margin: 0, paddingInlineStart: '1.25rem' }} aria-label="Errors">
            {problems.slice(0, 5).map((problem) => (
              <Text key={`${problem.key} ${problem.column}`} component="li" size="sm" c="var(--mantine-color-error)">
                {[nameOf(problem), problem.column, sentence(problem.message)].filter(Boolean).join(': ')}
              </Text>
            ))}
          </ul>
        )}
        {conflict !== undefined && (
          <ConflictTable info={info} differences={conflict.differences} drafts={(key) => pending.get(key)?.drafts} />
        )}
        {failure !== undefined && (
          <SaveFailure
            title="No change was saved"
            failure={failure}
            onSaveOver={conflict === undefined ? undefined : () => save(true)}
          />
        )}
      </Stack>
    </Paper>
  );
}
