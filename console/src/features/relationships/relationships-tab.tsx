/** Relationships of a table: what foreign keys suggest, what there is, and a form for more. */
import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { type ElsewhereLink, elsewhereLink, takenNames } from '../../shared/relationships/relationship-text.ts';
import { type EditedJoin, JoinDrawer } from '../../shared/remote-relationships/relationship-drawer.tsx';
import { JoinRows } from '../../shared/remote-relationships/relationship-list.tsx';
import type { TargetKind } from '../../shared/remote-relationships/templates.ts';
import type { SourceEntry, TableEntry, TableInfo } from '../../shared/sources/sources-api.ts';
import { sameTable, type TableTabProps, tableLabel } from '../../shared/sources/table-paths.ts';
import { useSources, useSourcesVersion, useTableInfo } from '../../shared/sources/use-sources.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { Empty } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { PlusIcon } from '../../ui/page/icons.tsx';
import { Part } from '../../ui/page/section.tsx';
import { LinkDrawer } from './relationship-form.tsx';
import { type Link, LinkList } from './relationship-list.tsx';
import { dropElsewhere, type LinkOwner, saveElsewhere } from './relationships-api.ts';
import { SuggestedLinks } from './suggested-relationships.tsx';

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
      <Empty title={`${tableLabel(table)} is not tracked`}>
        Track it first: only tracked tables are part of the API, and can be joined.
      </Empty>
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
  const owner: LinkOwner = { source, table: entry.table };
  const [adding, setAdding] = useState(false);
  const [edited, setEdited] = useState<EditedJoin>();
  const keys = info.columns.map(({ name }) => name);
  const exported = useExported();
  const version = useSourcesVersion();
  const edit = (before: ElsewhereLink | undefined): void => {
    const join = { owner: entry.table.name, keys, before, exported, targets: elsewhere };
    setEdited(join);
  };
  const links: readonly Link[] = [
    ...(entry.object_relationships ?? []).map((one) => ({ ...one, type: 'object' as const })),
    ...(entry.array_relationships ?? []).map((one) => ({ ...one, type: 'array' as const })),
  ];
  const others = (entry.remote_relationships ?? []).map(elsewhereLink);
  return (
    <Stack gap="xl">
      <Group justify="space-between" gap="sm">
        <Text size="sm" c="dimmed" maw={560}>
          Fields of {tableLabel(entry.table)} that lead to other rows, to remote schemas and to actions.
        </Text>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => edit(undefined)}>
            To elsewhere, as JSON
          </Button>
          <Button size="xs" leftSection={<PlusIcon size={14} />} onClick={() => setAdding(true)}>
            Add a relationship
          </Button>
        </Group>
      </Group>
      <SuggestedLinks owner={owner} />
      {links.length === 0 && others.length === 0 && (
        <Empty title={`${tableLabel(entry.table)} is not joined to anything yet`}>
          Add what foreign keys suggest, or choose the columns of a relationship yourself.
        </Empty>
      )}
      {links.length > 0 && (
        <Part title={`To tables of ${source}`}>
          <Paper withBorder px="md" bg="var(--joinery-surface)">
            <LinkList owner={owner} info={info} links={links} />
          </Paper>
        </Part>
      )}
      {others.length > 0 && <Elsewhere owner={owner} links={others} onEdit={edit} />}
      <LinkDrawer
        opened={adding}
        owner={owner}
        info={info}
        sources={sources}
        taken={takenNames(info, entry)}
        onClose={() => setAdding(false)}
      />
      <JoinDrawer
        edited={edited}
        now={others.find(({ name }) => name === edited?.before?.name)}
        version={version}
        save={(_edited, name, definition, before) => saveElsewhere(client, owner, name, definition, before)}
        onClose={() => setEdited(undefined)}
      />
    </Stack>
  );
}

/** The metadata as a whole; empty while they are being read. */
function useExported(): unknown {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['metadata', 'exported'],
    queryFn: ({ signal }) => client.command<unknown>('export_metadata', {}, signal),
  });
  return data ?? {};
}

interface ElsewhereProps {
  readonly owner: LinkOwner;
  readonly links: readonly ElsewhereLink[];
  readonly onEdit: (link: ElsewhereLink) => void;
}

/** To remote schemas, to actions, and to tables of other sources. */
function Elsewhere({ owner, links, onEdit }: ElsewhereProps) {
  const client = useClient();
  const [removed, setRemoved] = useState<ElsewhereLink>();
  return (
    <Part title="To elsewhere">
      <Paper withBorder px="md" bg="var(--joinery-surface)">
        <JoinRows owner={owner.table.name} rows={links} onEdit={onEdit} onRemove={setRemoved} />
      </Paper>
      <ConfirmDialog
        title={removed && `Remove the relationship ${removed.name}?`}
        about={`${tableLabel(owner.table)} has the field no more; requests that select it are refused.`}
        confirm="Remove the relationship"
        failed="The relationship was not removed"
        perform={() => dropElsewhere(client, owner, removed?.name ?? '')}
        onClose={() => setRemoved(undefined)}
        onDone={() => setRemoved(undefined)}
      />
    </Part>
  );
}
