/** Settings of a source: connection, replicas and names. */
import type { RoleSchemaChanges } from '@joinery/metadata/api/metadata';
import { Paper, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Client } from '../../api/client.ts';
import { type Reading, useEditConflict } from '../../api/edit-conflict.ts';
import { toFailure } from '../../api/failure.ts';
import { exportMetadata } from '../../api/metadata.ts';
import { useCommand } from '../../api/use-command.ts';
import { navigate } from '../../router/location.ts';
import type { SourceEntry } from '../../shared/sources/sources-api.ts';
import { useSources, useSourcesVersion } from '../../shared/sources/use-sources.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { FormActions } from '../../ui/form/form-actions.tsx';
import { useDraftForm } from '../../ui/form/use-draft-form.ts';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { Section } from '../../ui/page/section.tsx';
import { NamesDialog } from './names-dialog.tsx';
import {
  type SourceChange,
  type SourceDraft,
  STARTED_SOURCE,
  sourceChange,
  sourceDraftOf,
  sourceErrors,
} from './source-draft.ts';
import { AddressFields, NameFields, PoolFields, ReplicaFields } from './source-fields.tsx';
import { otherSettings } from './source-text.ts';

export function SourcePage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { source: name = '' } = params;
  const { data, error, refetch } = useSources();
  const source = data?.find((one) => one.name === name);
  return (
    <>
      <PageHeader title={`Settings of ${name}`} back={{ to: '/data', label: 'Sources' }} />
      {error !== null && (
        <FailureNotice title="The source could not be read" failure={toFailure(error)} onRetry={refetch} />
      )}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && source === undefined && (
        <EmptyState title={`Source ${name} does not exist`}>It may have been removed or renamed.</EmptyState>
      )}
      {source !== undefined && <SettingsForm source={source} />}
    </>
  );
}

function SettingsForm({ source }: { readonly source: SourceEntry }) {
  const { basis, newer } = useEditConflict(settingsOf(source), useSourcesVersion());
  const form = useDraftForm({ initial: sourceDraftOf(source), validate: sourceErrors });
  const { command, save, confirm, keep, renames } = useSaving(source.name);
  const saveOn = (reading: Reading<SourceEntry>) => form.onSubmit((draft) => save(draft, reading));
  const others = otherSettings(basis.shown);
  return (
    <form onSubmit={saveOn(basis)} noValidate>
      <Paper withBorder p={{ base: 'md', xs: 'lg' }} mt="lg" maw={820} bg="var(--joinery-surface)">
        <Stack gap="xl">
          <Section title="Connection">
            <Stack gap="md">
              {source.name === STARTED_SOURCE ? (
                <Text size="sm" c="dimmed">
                  The address and the pool size of this source are the settings JOINERY_DATABASE_URL and
                  JOINERY_POOL_SIZE of the service.
                </Text>
              ) : (
                <>
                  <AddressFields
                    label="Database"
                    address={form.values.address}
                    problem={form.errors.address}
                    onChange={(address) => form.change({ address })}
                  />
                  <PoolFields form={form} />
                </>
              )}
              {others.length > 0 && (
                <Text size="sm" c="dimmed">
                  Not changed by this form: {others.join(', ')}.
                </Text>
              )}
            </Stack>
          </Section>
          <Section title="Read replicas">
            <ReplicaFields form={form} />
          </Section>
          <Section title="Names in GraphQL">
            <NameFields form={form} />
          </Section>
          <FormActions
            submit="Save the settings"
            command={command}
            failed="The source was not changed"
            onSaveOver={newer && saveOn(newer)}
            onBack={() => navigate('/data')}
          />
        </Stack>
      </Paper>
      <NamesDialog changes={renames} onConfirm={confirm} onClose={keep} />
    </form>
  );
}

/** The members that the form edits. Changes of the tables are no conflict. */
function settingsOf({ name, kind, configuration, customization }: SourceEntry): SourceEntry {
  return { name, kind, tables: [], ...(configuration && { configuration }), ...(customization && { customization }) };
}

interface Question {
  readonly changes: readonly RoleSchemaChanges[];
  readonly draft: SourceDraft;
  readonly reading: Reading<SourceEntry>;
}

interface Saved extends Pick<Question, 'draft' | 'reading'> {
  readonly confirmed: boolean;
}

/** Confirms changes of names that clients use, and lists them. */
function useSaving(name: string) {
  const [question, setQuestion] = useState<Question>();
  const command = useCommand(
    async (client, { draft, reading, confirmed }: Saved) => {
      const change = sourceChange(draft, reading.shown);
      if (!confirmed && change.customization !== undefined) {
        const changes = await previewNames(client, name, change.customization);
        if (changes.length > 0) return { changes, draft, reading };
      }
      if (Object.keys(change).length > 0) await updateSource(client, name, change, reading.version);
      return undefined;
    },
    {
      notice: (renames) => (renames === undefined ? { title: `Settings of ${name} saved` } : undefined),
      isUnsaved: (renames) => renames !== undefined,
      onDone: (renames) => {
        setQuestion(renames);
        if (renames === undefined) navigate('/data');
      },
    },
  );
  return {
    command,
    save: (draft: SourceDraft, reading: Reading<SourceEntry>) => command.run({ draft, reading, confirmed: false }),
    confirm: () => {
      setQuestion(undefined);
      if (question !== undefined) command.run({ ...question, confirmed: true });
    },
    keep: () => setQuestion(undefined),
    renames: question?.changes,
  };
}

/** Updates a source. `basedOn` as for `command`. Changes nothing when the database cannot be introspected. */
async function updateSource(
  client: Client,
  name: string,
  change: SourceChange,
  basedOn: number | undefined,
): Promise<void> {
  await client.command('pg_update_source', JSON.stringify({ name, ...change }), { basedOn });
}

/** Returns how other names would change the schema of each role. A dry run. */
async function previewNames(
  client: Client,
  name: string,
  customization: object | null,
): Promise<readonly RoleSchemaChanges[]> {
  const { metadata } = await exportMetadata(client);
  const sources = metadata.sources.map((one) => (one.name === name ? { ...one, customization } : one));
  const args = { metadata: { ...metadata, sources }, dry_run: true };
  return (await client.command('replace_metadata', args)).schema_changes ?? [];
}
