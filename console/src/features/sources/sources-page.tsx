/** The list of sources. */
import type { InconsistentObject } from '@joinery/metadata/api/metadata';
import { Anchor, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { groupBySeverity, readInconsistencies, reasonOf } from '../../api/inconsistencies.ts';
import { useCommand } from '../../api/use-command.ts';
import { linkTo } from '../../router/location.ts';
import { dropSource, reloadSource, type SourceEntry } from '../../shared/sources/sources-api.ts';
import { sourcePath } from '../../shared/sources/table-paths.ts';
import { useSources } from '../../shared/sources/use-sources.ts';
import { CascadeDialog } from '../../ui/dialog/cascade-dialog.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { StatusDot } from '../../ui/feedback/status-dot.tsx';
import { counted, sentence } from '../../ui/format.ts';
import { PlusIcon } from '../../ui/page/icons.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { SourceDrawer } from './source-form.tsx';
import { describeAddress, describeSource } from './source-text.ts';

export function SourcesPage() {
  const client = useClient();
  const { data, error, refetch } = useSources();
  const inconsistent = useQuery({
    queryKey: ['metadata', 'source-inconsistencies'],
    queryFn: ({ signal }) => readInconsistencies(client, signal),
  });
  const [adding, setAdding] = useState(false);
  const [dropping, setDropping] = useState<SourceEntry>();
  return (
    <>
      <PageHeader
        title="Sources"
        about="The databases whose tables are part of the GraphQL schema."
        actions={
          <Button leftSection={<PlusIcon size={16} />} onClick={() => setAdding(true)}>
            Add a source
          </Button>
        }
      />
      <Stack>
        {error !== null && (
          <FailureNotice title="The sources could not be read" failure={toFailure(error)} onRetry={refetch} />
        )}
        {data === undefined && error === null && <Loading />}
        {data?.length === 0 && (
          <EmptyState title="No sources">Add a PostgreSQL database to track its tables.</EmptyState>
        )}
        {data?.map((source, index) => (
          <SourceCard
            key={source.name}
            source={source}
            problems={groupBySeverity(inconsistent.data ?? []).broken.filter(({ path }) => belongsTo(path, index))}
            onDrop={() => setDropping(source)}
          />
        ))}
      </Stack>
      <SourceDrawer opened={adding} onClose={() => setAdding(false)} />
      <DropSourceDialog source={dropping} onClose={() => setDropping(undefined)} />
    </>
  );
}

function belongsTo(path: string, index: number): boolean {
  return path === `$.sources[${index}]` || path.startsWith(`$.sources[${index}].`);
}

interface SourceCardProps {
  readonly source: SourceEntry;
  readonly problems: readonly InconsistentObject[];
  readonly onDrop: () => void;
}

function SourceCard({ source, problems, onDrop }: SourceCardProps) {
  const { run, failure, isPending } = useCommand((client) => reloadSource(client, source.name), {
    notice: () => ({ title: `Source ${source.name} reloaded` }),
  });
  const own = problems.find(({ type }) => type === 'source');
  return (
    <Paper withBorder p="md" bg="var(--joinery-surface)" component="section" aria-label={source.name}>
      <Group justify="space-between" align="flex-start" gap="sm" mb="xs">
        <div>
          <Anchor {...linkTo(sourcePath(source.name))} fw={600} underline="hover">
            {source.name}
          </Anchor>
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {describeAddress(source.configuration?.connection_info?.database_url)}
          </Text>
        </div>
        <StatusDot tone={own !== undefined ? 'bad' : problems.length > 0 ? 'waiting' : 'good'}>
          {own !== undefined
            ? 'Cannot be used'
            : problems.length > 0
              ? counted(problems.length, 'inconsistent object')
              : 'In use'}
        </StatusDot>
      </Group>
      <Text size="sm" mb="sm">
        {describeSource(source).join(' · ')}
      </Text>
      {own !== undefined && (
        <Text size="sm" c="var(--mantine-color-error)" mb="sm">
          {sentence(reasonOf(own))}
        </Text>
      )}
      <Group gap="xs">
        <Button size="xs" variant="default" component="a" {...linkTo(sourcePath(source.name))}>
          Tables
        </Button>
        <Button size="xs" variant="default" component="a" {...linkTo(`${sourcePath(source.name)}/settings`)}>
          Settings
        </Button>
        <Button size="xs" variant="default" loading={isPending} onClick={() => run()}>
          Reload
        </Button>
        <Button size="xs" variant="default" onClick={onDrop}>
          Remove
        </Button>
        {problems.length > 0 && (
          <Anchor size="sm" {...linkTo('/settings')}>
            Show inconsistent objects
          </Anchor>
        )}
      </Group>
      {failure !== undefined && <FailureNotice title="The source was not reloaded" failure={failure} />}
    </Paper>
  );
}

interface DropSourceDialogProps {
  /** Undefined closes the dialog. */
  readonly source: SourceEntry | undefined;
  readonly onClose: () => void;
}

function DropSourceDialog({ source, onClose }: DropSourceDialogProps) {
  const client = useClient();
  const tables = counted(source?.tables.length ?? 0, 'tracked table');
  return (
    <CascadeDialog
      title={source && `Remove the source ${source.name}?`}
      about={`Removes its ${tables} from the metadata, with their relationships and permissions. The database does not change.`}
      dependents="relationships from other sources, actions and remote schemas"
      confirm="Remove the source"
      failed="The source was not removed"
      done={`Source ${source?.name ?? ''} removed`}
      perform={(cascade) => dropSource(client, source?.name ?? '', cascade)}
      onClose={onClose}
      onDone={onClose}
    />
  );
}
