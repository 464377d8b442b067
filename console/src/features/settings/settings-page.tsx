/** Settings: metadata, inconsistencies, nodes and configuration. */
import { Button, Group, Paper, Stack, Tabs, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../api/context.ts';
import { printPretty } from '../../api/exact-json.ts';
import { toFailure } from '../../api/failure.ts';
import { groupBySeverity, readInconsistencies } from '../../api/inconsistencies.ts';
import { dropInconsistent, exportMetadata, reloadMetadata, useMetadata, versionOf } from '../../api/metadata.ts';
import { useCommand } from '../../api/use-command.ts';
import { navigate } from '../../router/location.ts';
import { InconsistentObjects, UnsupportedMembers } from '../../shared/inconsistencies/inconsistent-objects.tsx';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { notify } from '../../ui/feedback/notifications.tsx';
import { counted } from '../../ui/format.ts';
import { DescriptionList } from '../../ui/page/description-list.tsx';
import { RefreshIcon } from '../../ui/page/icons.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import classes from '../../ui/page/tabs.module.css';
import { ConfigurationSection } from './configuration-section.tsx';
import { ImportSection } from './import-section.tsx';
import { NodesSection } from './nodes-section.tsx';

const tabs = ['metadata', 'nodes', 'configuration'] as const;
const names = { metadata: 'Metadata', nodes: 'Nodes', configuration: 'Configuration' } as const;

/** `view` is one of the tabs, by default the metadata. */
export function SettingsPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const tab = tabs.find((one) => one === params.view) ?? 'metadata';
  return (
    <>
      <PageHeader
        title="Settings"
        about="Metadata, nodes and configuration of the service."
        actions={<ReloadButton />}
      />
      <Tabs value={tab} onChange={(chosen) => navigate(`/settings/${chosen ?? 'metadata'}`)} keepMounted={false}>
        <Tabs.List className={classes.list} aria-label="Settings">
          {tabs.map((one) => (
            <Tabs.Tab key={one} value={one} className={classes.tab ?? ''}>
              {names[one]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="metadata" pt="md">
          <Stack gap="lg">
            <Inconsistencies />
            <ExportSection />
            <ImportSection />
            <Versions />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="nodes" pt="md">
          <NodesSection />
        </Tabs.Panel>
        <Tabs.Panel value="configuration" pt="md">
          <ConfigurationSection />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function ReloadButton() {
  const { run, isPending } = useCommand((client) => reloadMetadata(client), {
    notice: (objects) => ({
      title: 'Metadata reloaded',
      text: objects.length === 0 ? 'All objects are consistent.' : `${counted(objects.length, 'object')} inconsistent.`,
    }),
    onFailure: ({ message }) => notify({ title: 'The metadata was not reloaded', text: message }),
    changes: [[]],
  });
  return (
    <Button variant="default" leftSection={<RefreshIcon size={16} />} loading={isPending} onClick={() => run()}>
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
  const { broken, unsupported } = groupBySeverity(data);
  return (
    <>
      {broken.length > 0 ? (
        <InconsistentObjects objects={broken} actions={<DropButton count={broken.length} />} />
      ) : (
        <Text size="sm">The metadata is consistent: every object is in use.</Text>
      )}
      {unsupported.length > 0 && <UnsupportedMembers objects={unsupported} />}
    </>
  );
}

function DropButton({ count }: { readonly count: number }) {
  const client = useClient();
  const queries = useQueryClient();
  const [confirming, setConfirming] = useState(false);
  const objects = counted(count, 'object');
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setConfirming(true)}>
        Remove all inconsistent objects
      </Button>
      <ConfirmDialog
        title={confirming ? `Remove ${objects} from the metadata?` : undefined}
        about="Databases and remote schemas do not change. Export the metadata first to keep the definitions."
        confirm={`Remove ${objects}`}
        failed="Nothing was removed"
        perform={() => dropInconsistent(client)}
        onClose={() => setConfirming(false)}
        onDone={() => {
          setConfirming(false);
          notify({ title: `${objects} removed`, text: 'The metadata is consistent.' });
          void queries.invalidateQueries({ queryKey: ['inconsistencies'] });
        }}
      />
    </>
  );
}

function ExportSection() {
  const { run, failure, isPending } = useCommand((client) => exportMetadata(client), {
    onDone: ({ metadata, resource_version }) => download(`metadata-${resource_version}.json`, printPretty(metadata)),
    changes: [],
  });
  return (
    <Paper withBorder p="md" bg="var(--joinery-surface)" component="section" aria-labelledby="export">
      <Stack gap="sm" align="flex-start">
        <Title order={2} id="export">
          Export
        </Title>
        <Text size="sm" c="dimmed" maw={640}>
          Downloads all metadata as one JSON file, for the import here or for joinery metadata apply. The file contains
          the secrets that the metadata contains.
        </Text>
        {failure !== undefined && <FailureNotice title="The metadata was not exported" failure={failure} />}
        <Button variant="default" loading={isPending} onClick={() => run()}>
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
  // The browser has started the download by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function Versions() {
  const client = useClient();
  const version = useQuery({ queryKey: ['version'], queryFn: ({ signal }) => client.version(signal) });
  const metadata = useMetadata(versionOf);
  const error = version.error ?? metadata.error;
  return (
    <Paper withBorder p="md" bg="var(--joinery-surface)" component="section" aria-labelledby="versions">
      <Title order={2} id="versions" mb="sm">
        Versions
      </Title>
      {error !== null && <FailureNotice title="Not every version could be read" failure={toFailure(error)} />}
      <Group>
        <DescriptionList
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
