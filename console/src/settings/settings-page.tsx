/** The service as a whole: what of its metadata it cannot use, their export and import, versions. */
import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useClient } from '../api/context.ts';
import { printPretty } from '../api/exact-json.ts';
import { toFailure } from '../api/failure.ts';
import { readInconsistencies } from '../overview/inconsistencies.ts';
import { InconsistentObjects } from '../overview/inconsistent-objects.tsx';
import { Facts } from '../show/facts.tsx';
import { FailureNotice } from '../show/failure-notice.tsx';
import { RefreshIcon } from '../show/icons.tsx';
import { useNotice } from '../show/notices.tsx';
import { PageHeader } from '../show/page-header.tsx';
import { ImportPart } from './import-part.tsx';
import { exportMetadata, reloadMetadata } from './settings-api.ts';

export function SettingsPage() {
  return (
    <>
      <PageHeader title="Settings" about="The metadata as a whole, and what runs here." actions={<ReloadButton />} />
      <Inconsistencies />
      <ExportPart />
      <ImportPart />
      <Versions />
    </>
  );
}

function ReloadButton() {
  const client = useClient();
  const queries = useQueryClient();
  const tell = useNotice();
  const { mutate, isPending } = useMutation({
    mutationFn: () => reloadMetadata(client),
    onSuccess: (objects) =>
      tell({
        title: 'Metadata reloaded',
        text: objects.length === 0 ? 'Every object of it is in use.' : `${objects.length} cannot be used.`,
      }),
    onError: (error) => tell({ title: 'The metadata were not reloaded', text: toFailure(error).message }),
    onSettled: () => queries.invalidateQueries(),
  });
  return (
    <Button variant="default" leftSection={<RefreshIcon size={16} />} loading={isPending} onClick={() => mutate()}>
      Reload the metadata
    </Button>
  );
}

function Inconsistencies() {
  const client = useClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['inconsistencies'],
    queryFn: ({ signal }) => readInconsistencies(client, signal),
  });
  if (error !== null) {
    const title = 'The inconsistent objects could not be read';
    return <FailureNotice title={title} failure={toFailure(error)} onRetry={refetch} />;
  }
  if (data === undefined) return null;
  if (data.length > 0) return <InconsistentObjects objects={data} />;
  return <Text size="sm">The metadata are consistent: every object of them is in use.</Text>;
}

function ExportPart() {
  const client = useClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => exportMetadata(client),
    onSuccess: ({ metadata, resource_version }) => download(`metadata-${resource_version}.json`, printPretty(metadata)),
  });
  return (
    <Paper withBorder p="md" bg="var(--joinery-surface)" component="section" aria-labelledby="export">
      <Stack gap="sm" align="flex-start">
        <Title order={2} id="export">
          Export
        </Title>
        <Text size="sm" c="dimmed" maw={640}>
          All metadata as one JSON file, which can be imported here and applied by the command line. Secrets that were
          written into it are in it.
        </Text>
        {error !== null && <FailureNotice title="The metadata were not exported" failure={toFailure(error)} />}
        <Button variant="default" loading={isPending} onClick={() => mutate()}>
          Download the metadata
        </Button>
      </Stack>
    </Paper>
  );
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([`${text}\n`], { type: 'application/json' }));
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function Versions() {
  const client = useClient();
  const version = useQuery({ queryKey: ['version'], queryFn: ({ signal }) => client.version(signal) });
  const metadata = useQuery({
    queryKey: ['metadata', 'version'],
    queryFn: async ({ signal }) => (await exportMetadata(client, signal)).resource_version,
  });
  const error = version.error ?? metadata.error;
  return (
    <Paper withBorder p="md" bg="var(--joinery-surface)" component="section" aria-labelledby="versions">
      <Title order={2} id="versions" mb="sm">
        Versions
      </Title>
      {error !== null && <FailureNotice title="Not every version could be read" failure={toFailure(error)} />}
      <Group>
        <Facts
          facts={[
            ['Service', version.data?.version],
            ['Metadata', metadata.data === undefined ? undefined : `change ${metadata.data.toLocaleString('en')}`],
            ['Header prefix', client.headerPrefix],
          ]}
        />
      </Group>
    </Paper>
  );
}
