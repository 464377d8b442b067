/** Shows the files that a change would write, with the name and the SQL of a migration to edit. */

import type { MigrationDraft, ProjectPreview } from '@joinery/metadata/api/project';
import { Alert, Button, Checkbox, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import type { PendingReview, ReviewDesk } from '../../api/project-review.ts';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { useDraftForm } from '../../ui/form/use-draft-form.ts';
import { FileDiffs } from './file-diffs.tsx';
import { previewChange } from './project-api.ts';

export function ReviewDialog({ desk }: { readonly desk: ReviewDesk }) {
  const pending = useSyncExternalStore(desk.subscribe, desk.current);
  return (
    <Dialog
      opened={pending !== undefined}
      onClose={() => pending?.cancel()}
      title="Review the files of this change"
      size="xl"
    >
      {pending !== undefined && <ReviewContent pending={pending} />}
    </Dialog>
  );
}

function ReviewContent({ pending }: { readonly pending: PendingReview }) {
  const client = useClient();
  const { request } = pending;
  const { data, error } = useQuery({
    queryKey: ['project-preview', request],
    queryFn: ({ signal }) => previewChange(client, request, signal),
    staleTime: 0,
    gcTime: 0,
  });
  if (error !== null) {
    return (
      <Stack gap="md">
        <FailureNotice title="The files of this change could not be determined" failure={toFailure(error)} />
        <Group justify="flex-end">
          <Button variant="default" onClick={pending.cancel} data-autofocus>
            Cancel
          </Button>
        </Group>
      </Stack>
    );
  }
  if (data === undefined) return <Loading />;
  const [migration] = data.migrations;
  return migration === undefined ? (
    <MetadataReview pending={pending} preview={data} />
  ) : (
    <MigrationReview pending={pending} migration={migration} others={data.migrations.slice(1)} />
  );
}

function MetadataReview({ pending, preview }: { readonly pending: PendingReview; readonly preview: ProjectPreview }) {
  return (
    <Stack gap="md">
      <Text size="sm">
        <code>{pending.request.type}</code>
      </Text>
      {preview.files === undefined ? (
        <Text size="sm">
          Only the service can determine the files of this change. The page "Project" shows them after it.
        </Text>
      ) : (
        <FileDiffs files={preview.files} />
      )}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={pending.cancel}>
          Cancel
        </Button>
        <Button onClick={() => pending.accept(undefined)} data-autofocus>
          Change the metadata
        </Button>
      </Group>
    </Stack>
  );
}

interface MigrationReviewProps {
  readonly pending: PendingReview;
  readonly migration: MigrationDraft;
  /** Migrations of other sources, which get the same name. */
  readonly others: readonly MigrationDraft[];
}

function MigrationReview({ pending, migration, others }: MigrationReviewProps) {
  const { name, down, up, source, withoutUndo } = migration;
  const form = useDraftForm({
    initial: { write: true, name, down },
    isTransient: true,
    validate: (draft) =>
      draft.write && !/^[\w.-]+$/.test(draft.name) ? { name: 'Use letters, digits, "_", "-" and ".".' } : {},
  });
  const { write } = form.values;
  const submit = form.onSubmit((draft) => {
    // With several sources, each has a down.sql of its own.
    const own = others.length === 0 ? { down: draft.down } : {};
    pending.accept(draft.write ? { write: true, name: draft.name, ...own } : { write: false });
  });
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Checkbox
          label="Write a migration"
          description="Otherwise the SQL runs in this database only, and other databases of the project do not get the change."
          {...form.getInputProps('write', { type: 'checkbox' })}
        />
        {write && (
          <TextInput
            label="Name"
            description={`migrations/${source}/<time>_${form.values.name}`}
            data-autofocus
            {...form.getInputProps('name')}
          />
        )}
        <FileDiffs files={[{ path: others.length === 0 ? 'up.sql' : `${source}: up.sql`, after: up }]} />
        {others.map((other) => (
          <FileDiffs key={other.source} files={[{ path: `${other.source}: up.sql`, after: other.up }]} />
        ))}
        {write && others.length === 0 && (
          <Textarea
            label="down.sql"
            description="The SQL that undoes the change. Without it, the change cannot be undone."
            autosize
            minRows={2}
            maxRows={10}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8125rem' } }}
            {...form.getInputProps('down')}
          />
        )}
        {write && withoutUndo.length > 0 && form.values.down === down && (
          <Alert color="yellow" variant="outline" title="down.sql does not undo every statement">
            <Stack gap={4}>
              {withoutUndo.map((statement) => (
                <code key={statement}>{statement}</code>
              ))}
            </Stack>
          </Alert>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={pending.cancel}>
            Cancel
          </Button>
          <Button type="submit">{write ? 'Run and write the migration' : 'Run without a migration'}</Button>
        </Group>
      </Stack>
    </form>
  );
}
