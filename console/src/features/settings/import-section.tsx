/** Imports metadata from a file after a preview. */
import { Button, FileButton, Group, Paper, Stack, Text, Textarea, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../api/context.ts';
import { groupBySeverity } from '../../api/inconsistencies.ts';
import { type ImportPlan, importMetadata, previewImport } from '../../api/metadata.ts';
import { useCommand } from '../../api/use-command.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { notify } from '../../ui/feedback/notifications.tsx';
import { ImportPreview } from './import-preview.tsx';

export function ImportSection() {
  const client = useClient();
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const [confirming, setConfirming] = useState(false);
  const { run, reset, result, failure, isPending } = useCommand((client) => previewImport(client, text), {
    changes: [],
  });
  const change = (changed: string): void => {
    setText(changed);
    reset();
  };
  return (
    <Paper withBorder p="md" bg="var(--joinery-surface)" component="section" aria-labelledby="import">
      <Stack gap="sm">
        <Title order={2} id="import">
          Import
        </Title>
        <Text size="sm" c="dimmed" maw={640}>
          Replaces all metadata with an export. A preview shows the changes first.
        </Text>
        <Textarea
          label="Metadata"
          description="JSON, as the export writes it."
          spellCheck={false}
          rows={6}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8125rem' } }}
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
        />
        <Group gap="sm">
          <FileButton
            accept="application/json,.json"
            onChange={(file) => void file?.text().then(change)}
            inputProps={{ 'aria-label': 'File with metadata' }}
          >
            {(props) => (
              <Button variant="default" {...props}>
                Choose a file
              </Button>
            )}
          </FileButton>
          <Button
            variant={result === undefined ? 'filled' : 'default'}
            loading={isPending}
            disabled={text.trim() === ''}
            onClick={() => run()}
          >
            Preview the difference
          </Button>
        </Group>
        {failure !== undefined && <FailureNotice title="The metadata cannot be imported" failure={failure} />}
        {result !== undefined && (
          <>
            <ImportPreview preview={result} />
            <Group>
              <Button color={result.is_consistent ? 'pine' : 'red'} onClick={() => setConfirming(true)}>
                {result.is_consistent ? 'Import' : 'Import in spite of that'}
              </Button>
            </Group>
          </>
        )}
      </Stack>
      <ConfirmDialog
        title={confirming && result !== undefined ? 'Replace all metadata?' : undefined}
        about={result === undefined ? '' : consequence(result)}
        confirm="Replace the metadata"
        failed="The metadata were not replaced"
        perform={() => (result === undefined ? Promise.resolve() : importMetadata(client, result))}
        onClose={() => setConfirming(false)}
        onDone={() => {
          setConfirming(false);
          change('');
          void queries.invalidateQueries();
          notify({ title: 'Metadata imported' });
        }}
      />
    </Paper>
  );
}

function consequence({ schema_changes = [], inconsistent_objects }: ImportPlan): string {
  const breaking = schema_changes.flatMap(({ changes }) => changes).filter((one) => one.breaking).length;
  const lines = ['Replaces the current configuration. Import an export to restore it.'];
  if (breaking > 0) lines.push(`Breaking changes: ${breaking}. Requests that are valid now can fail.`);
  const { broken, unsupported } = groupBySeverity(inconsistent_objects);
  if (broken.length > 0) lines.push(`Objects that cannot be used: ${broken.length}.`);
  if (unsupported.length > 0) lines.push(`Members without effect: ${unsupported.length}.`);
  return lines.join(' ');
}
