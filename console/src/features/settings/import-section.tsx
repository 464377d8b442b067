/** Imports metadata from a file after a preview. */

import type { InconsistentObject, ReplacedMetadata, RoleSchemaChanges } from '@joinery/metadata/api/metadata';
import { Button, Code, FileButton, Group, List, Paper, Stack, Text, Textarea, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../api/context.ts';
import { groupBySeverity, reasonOf } from '../../api/inconsistencies.ts';
import { type ImportPlan, importMetadata, previewImport } from '../../api/metadata.ts';
import { useCommand } from '../../api/use-command.ts';
import { ChangeTable, countOf } from '../../shared/schema-changes.tsx';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { notify } from '../../ui/feedback/notifications.tsx';
import { StatusDot } from '../../ui/feedback/status-dot.tsx';
import { ReasonButton } from '../../ui/form/reason-button.tsx';
import { useUnsavedWork } from '../../ui/form/use-unsaved-work.ts';
import { counted, sentence } from '../../ui/format.ts';

export function ImportSection() {
  const client = useClient();
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const [confirming, setConfirming] = useState(false);
  const { run, reset, result, failure, isPending } = useCommand((client) => previewImport(client, text), {
    changes: [],
  });
  useUnsavedWork(text.trim() !== '');
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
          Replaces all metadata by an export, after a preview of the changes.
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
          <ReasonButton
            variant={result === undefined ? 'filled' : 'default'}
            loading={isPending}
            reason={text.trim() === '' ? 'Paste metadata, or choose a file.' : undefined}
            onClick={() => run()}
          >
            Preview the difference
          </ReasonButton>
        </Group>
        {failure !== undefined && <FailureNotice title="The metadata cannot be imported" failure={failure} />}
        {result !== undefined && (
          <>
            <ImportPreview preview={result} />
            <Group>
              <Button color={result.is_consistent ? 'pine' : 'red'} onClick={() => setConfirming(true)}>
                {result.is_consistent ? 'Import' : 'Import anyway'}
              </Button>
            </Group>
          </>
        )}
      </Stack>
      <ConfirmDialog
        title={confirming && result !== undefined ? 'Replace all metadata?' : undefined}
        about={result === undefined ? '' : consequence(result)}
        confirm="Replace the metadata"
        failed="The metadata was not replaced"
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

function ImportPreview({ preview }: { readonly preview: ReplacedMetadata }) {
  const { inconsistent_objects, schema_changes = [] } = preview;
  const { broken, unsupported } = groupBySeverity(inconsistent_objects);
  return (
    <Stack gap="md" component="section" aria-label="Preview of the import">
      {broken.length === 0 ? (
        <StatusDot tone="good">Every object could be used</StatusDot>
      ) : (
        <div>
          <StatusDot tone="bad">{`${broken.length} could not be used`}</StatusDot>
          <ObjectList objects={broken} />
        </div>
      )}
      {unsupported.length > 0 && (
        <div>
          <StatusDot tone="waiting">{`${counted(unsupported.length, 'member')} without effect`}</StatusDot>
          <ObjectList objects={unsupported} />
        </div>
      )}
      {schema_changes.length === 0 && <Text size="sm">The schema of every role would stay as it is.</Text>}
      {schema_changes.map((changes) => (
        <ChangesOfRole key={changes.role} {...changes} />
      ))}
    </Stack>
  );
}

function ObjectList({ objects }: { readonly objects: readonly InconsistentObject[] }) {
  return (
    <List size="sm" mt="xs">
      {objects.map((object) => (
        <List.Item key={`${object.path} ${object.name}`}>
          <b>{object.name}</b> at <Code>{object.path}</Code>: {sentence(reasonOf(object))}
        </List.Item>
      ))}
    </List>
  );
}

function ChangesOfRole(changes: RoleSchemaChanges) {
  return (
    <div>
      <Title order={3} size="h5" mb={4}>
        {countOf(changes)}
      </Title>
      <ChangeTable {...changes} />
    </div>
  );
}
