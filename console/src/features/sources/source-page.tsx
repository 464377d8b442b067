/** Settings of a source: connection, replicas and names. */

import type { RoleSchemaChanges } from '@joinery/metadata/api/metadata';
import { Paper, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useClient } from '../../api/context.ts';
import { type Reading, useEditConflict } from '../../api/edit-conflict.ts';
import { toFailure } from '../../api/failure.ts';
import { navigate } from '../../router/location.ts';
import type { SourceEntry } from '../../shared/sources/sources-api.ts';
import { useSources, useSourcesVersion } from '../../shared/sources/use-sources.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { useNotify } from '../../ui/feedback/notifications.tsx';
import { FormActions } from '../../ui/form/form-actions.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { Section } from '../../ui/page/section.tsx';
import { NamesDialog } from './names-dialog.tsx';
import { previewNames, updateSource } from './source-api.ts';
import { type SourceDraft, STARTED_SOURCE, sourceChange, sourceDraftOf, sourceProblems } from './source-draft.ts';
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
        <EmptyState title={`There is no source “${name}”`}>It may have been removed or renamed.</EmptyState>
      )}
      {source !== undefined && <SettingsForm source={source} />}
    </>
  );
}

function SettingsForm({ source }: { readonly source: SourceEntry }) {
  const { basis, newer } = useEditConflict(settingsOf(source), useSourcesVersion());
  const [draft, setDraft] = useState<SourceDraft>(() => sourceDraftOf(source));
  const [submitted, setSubmitted] = useState(false);
  const { save, confirm, keep, renames, error, isPending } = useSaving(source.name, draft);
  const problems = submitted ? sourceProblems(draft) : {};
  const saveOn = (reading: Reading<SourceEntry>): void => {
    setSubmitted(true);
    if (Object.keys(sourceProblems(draft)).length === 0) save(reading);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    saveOn(basis);
  };
  const change = (part: Partial<SourceDraft>): void => setDraft({ ...draft, ...part });
  const fields = { draft, problems, onChange: change };
  const others = otherSettings(basis.shown);
  return (
    <form onSubmit={submit} noValidate>
      <Paper withBorder p={{ base: 'md', xs: 'lg' }} mt="lg" maw={820} bg="var(--joinery-surface)">
        <Stack gap="xl">
          <Section title="Connection">
            <Stack gap="md">
              {source.name === STARTED_SOURCE ? (
                <Text size="sm" c="dimmed">
                  Its address and its pool are those that the service was started with: JOINERY_DATABASE_URL and
                  JOINERY_POOL_SIZE.
                </Text>
              ) : (
                <>
                  <AddressFields
                    label="Database"
                    address={draft.address}
                    problem={problems.address}
                    onChange={(address) => change({ address })}
                  />
                  <PoolFields {...fields} />
                </>
              )}
              {others.length > 0 && (
                <Text size="sm" c="dimmed">
                  Kept as they are: {others.join(', ')}.
                </Text>
              )}
            </Stack>
          </Section>
          <Section title="Read replicas">
            <ReplicaFields {...fields} />
          </Section>
          <Section title="Names in GraphQL">
            <NameFields {...fields} />
          </Section>
          <FormActions
            submit="Save the settings"
            busy={isPending}
            error={error}
            failed="The source was not changed"
            onSaveOver={newer && (() => saveOn(newer))}
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
  readonly reading: Reading<SourceEntry>;
}

/** Confirms changes of names that clients use, and lists them. */
function useSaving(name: string, draft: SourceDraft) {
  const client = useClient();
  const queries = useQueryClient();
  const notify = useNotify();
  const [question, setQuestion] = useState<Question>();
  const { mutate, error, isPending } = useMutation({
    mutationFn: async ({ reading, confirmed }: { reading: Reading<SourceEntry>; confirmed: boolean }) => {
      const change = sourceChange(draft, reading.shown);
      if (!confirmed && change.customization !== undefined) {
        const changes = await previewNames(client, name, change.customization);
        if (changes.length > 0) return { changes, reading };
      }
      if (Object.keys(change).length > 0) await updateSource(client, name, change, reading.version);
      return undefined;
    },
    onSuccess: (renames) => {
      setQuestion(renames);
      if (renames !== undefined) return;
      notify({ title: `The settings of ${name} are saved` });
      navigate('/data');
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['metadata'] }),
  });
  return {
    save: (reading: Reading<SourceEntry>) => mutate({ reading, confirmed: false }),
    confirm: () => {
      setQuestion(undefined);
      if (question !== undefined) mutate({ reading: question.reading, confirmed: true });
    },
    keep: () => setQuestion(undefined),
    renames: question?.changes,
    error,
    isPending,
  };
}
