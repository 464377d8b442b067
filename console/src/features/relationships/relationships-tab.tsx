/** Relationships of a table, suggestions from foreign keys, and a form for new ones. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import {
  type RemoteRelationshipText,
  remoteRelationshipText,
  takenNames,
} from '../../shared/relationships/relationship-text.ts';
import { columnKey } from '../../shared/remote-fields/join-key.ts';
import type { TargetKind } from '../../shared/remote-relationships/definition-draft.ts';
import {
  type EditedRemoteRelationship,
  RemoteRelationshipDrawer,
  startOf,
} from '../../shared/remote-relationships/relationship-drawer.tsx';
import { RemoteRelationshipList } from '../../shared/remote-relationships/relationship-list.tsx';
import type { SourceEntry, TableEntry } from '../../shared/sources/sources-api.ts';
import { sameTable, type TableTabProps, tableLabel } from '../../shared/sources/table-paths.ts';
import { useSources, useSourcesVersion, useTableInfo } from '../../shared/sources/use-sources.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { PlusIcon } from '../../ui/page/icons.tsx';
import { Section } from '../../ui/page/section.tsx';
import { RelationshipDrawer } from './relationship-form.tsx';
import { type Link, RelationshipList } from './relationship-list.tsx';
import { dropRemoteRelationship, type RelationshipOwner, saveRemoteRelationship } from './relationships-api.ts';
import { SuggestedRelationships } from './suggested-relationships.tsx';
import { SuggestedRemotes } from './suggested-remotes.tsx';

export function RelationshipsTab({ source, table }: TableTabProps) {
  const { data, error, refetch } = useSources();
  const info = useTableInfo(source, table);
  const entry = data?.find((one) => one.name === source)?.tables.find((one) => sameTable(one.table, table));
  if (error !== null) {
    return <FailureNotice title="The relationships could not be read" failure={toFailure(error)} onRetry={refetch} />;
  }
  if (data === undefined || info.data === undefined) return <Loading />;
  if (entry === undefined) {
    return (
      <EmptyState title={`${tableLabel(table)} is not tracked`}>
        Track it first: only tracked tables are part of the API, and can be joined.
      </EmptyState>
    );
  }
  return <Relationships source={source} entry={entry} info={info.data} sources={data} />;
}

interface RelationshipsProps {
  readonly source: string;
  readonly entry: TableEntry;
  readonly info: TableInfo;
  readonly sources: readonly SourceEntry[];
}

const elsewhere: readonly TargetKind[] = ['remote schema', 'action', 'table', 'function'];

function Relationships({ source, entry, info, sources }: RelationshipsProps) {
  const client = useClient();
  const owner: RelationshipOwner = { source, table: entry.table };
  const [adding, setAdding] = useState(false);
  const [edited, setEdited] = useState<EditedRemoteRelationship>();
  const keys = [...info.columns, ...info.computed_keys].map(columnKey);
  const version = useSourcesVersion();
  const taken = takenNames(info, entry);
  const other = { owner: entry.table.name, noun: 'column', keys, before: undefined, targets: elsewhere } as const;
  const links: readonly Link[] = [
    ...(entry.object_relationships ?? []).map((one) => ({ ...one, type: 'object' as const })),
    ...(entry.array_relationships ?? []).map((one) => ({ ...one, type: 'array' as const })),
  ];
  const others = (entry.remote_relationships ?? []).map(remoteRelationshipText);
  return (
    <Stack gap="xl">
      <Group justify="space-between" gap="sm">
        <Text size="sm" c="dimmed" maw={560}>
          Fields of {tableLabel(entry.table)} that lead to other rows, remote schemas, actions and functions.
        </Text>
        <Button size="xs" leftSection={<PlusIcon size={14} />} onClick={() => setAdding(true)}>
          Add a relationship
        </Button>
      </Group>
      <SuggestedRelationships owner={owner} />
      <SuggestedRemotes
        source={source}
        owner={{ name: entry.table.name, noun: 'column', keys }}
        existing={others.map(({ definition }) => definition)}
        taken={taken}
        onChoose={(suggested) => setEdited({ ...other, suggested })}
      />
      {links.length === 0 && others.length === 0 && (
        <EmptyState title={`${tableLabel(entry.table)} is not joined to anything yet`}>
          Add a suggestion from a foreign key, or choose the columns.
        </EmptyState>
      )}
      {links.length > 0 && (
        <Section title={`To tables of ${source}`}>
          <Paper withBorder px="md" bg="var(--joinery-surface)">
            <RelationshipList owner={owner} info={info} links={links} />
          </Paper>
        </Section>
      )}
      {others.length > 0 && (
        <Elsewhere owner={owner} links={others} onEdit={(before) => setEdited({ ...other, before })} />
      )}
      <RelationshipDrawer
        opened={adding}
        owner={owner}
        info={info}
        sources={sources}
        taken={taken}
        onElsewhere={(kind, name) => {
          setAdding(false);
          setEdited({ ...other, suggested: startOf(kind, name) });
        }}
        onClose={() => setAdding(false)}
      />
      <RemoteRelationshipDrawer
        edited={edited}
        now={others.find(({ name }) => name === edited?.before?.name)}
        version={version}
        save={(_edited, name, definition, before) => saveRemoteRelationship(client, owner, name, definition, before)}
        onClose={() => setEdited(undefined)}
      />
    </Stack>
  );
}

interface ElsewhereProps {
  readonly owner: RelationshipOwner;
  readonly links: readonly RemoteRelationshipText[];
  readonly onEdit: (link: RemoteRelationshipText) => void;
}

/** Relationships to remote schemas, actions and tables of other sources. */
function Elsewhere({ owner, links, onEdit }: ElsewhereProps) {
  const client = useClient();
  const [removed, setRemoved] = useState<RemoteRelationshipText>();
  return (
    <Section title="To remote schemas, actions, functions and other sources">
      <Paper withBorder px="md" bg="var(--joinery-surface)">
        <RemoteRelationshipList owner={owner.table.name} rows={links} onEdit={onEdit} onRemove={setRemoved} />
      </Paper>
      <ConfirmDialog
        title={removed && `Remove the relationship ${removed.name}?`}
        about={`${tableLabel(owner.table)} loses the field, and requests that select it fail.`}
        confirm="Remove the relationship"
        failed="The relationship was not removed"
        perform={() => dropRemoteRelationship(client, owner, removed?.name ?? '')}
        onClose={() => setRemoved(undefined)}
        onDone={() => setRemoved(undefined)}
      />
    </Section>
  );
}
