/** The native queries and logical models of a source: SQL, arguments and errors, with forms to track and edit them. */
import { Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { readInconsistencies, reasonOf } from '../../api/inconsistencies.ts';
import { sourcePath } from '../../shared/sources/table-paths.ts';
import { useSources } from '../../shared/sources/use-sources.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { DetailDrawer } from '../../ui/dialog/detail-drawer.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { StatusDot } from '../../ui/feedback/status-dot.tsx';
import { sentence } from '../../ui/format.ts';
import { PlusIcon } from '../../ui/page/icons.tsx';
import { JsonView } from '../../ui/page/json-view.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { ModelForm } from './model-form.tsx';
import { type ModelEntry, type QueryEntry, signatureOf } from './native-draft.ts';
import { untrackModel, untrackQuery } from './native-queries-api.ts';
import { QueryForm } from './query-form.tsx';

/** A form: that of a new object where `before` is undefined. */
type Editing =
  | { readonly kind: 'query'; readonly before: QueryEntry | undefined }
  | { readonly kind: 'model'; readonly before: ModelEntry | undefined };

interface Removed {
  readonly kind: Editing['kind'];
  readonly name: string;
}

const titles = { query: 'native query', model: 'logical model' } as const;

export function NativeQueriesPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const client = useClient();
  const { source = '' } = params;
  const sources = useSources();
  const broken = useQuery({
    queryKey: ['metadata', 'inconsistencies'],
    queryFn: ({ signal }) => readInconsistencies(client, signal),
  });
  const [editing, setEditing] = useState<Editing>();
  const [removed, setRemoved] = useState<Removed>();
  const entry = sources.data?.find(({ name }) => name === source);
  const models = entry?.logical_models ?? [];
  const queries = entry?.native_queries ?? [];
  const error = sources.error ?? broken.error;
  /** The reason why the object cannot be used; undefined if it can. */
  const reasonFor = (type: 'native_query' | 'logical_model', name: string): string | undefined => {
    const found = broken.data?.find((one) => one.type === type && one.name === `${type} ${name} in source ${source}`);
    return found && reasonOf(found);
  };
  const add = (kind: Editing['kind']) => (
    <Button leftSection={<PlusIcon size={16} />} onClick={() => setEditing({ kind, before: undefined })}>
      Track a {titles[kind]}
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Native queries"
        about="SQL statements with arguments, as root fields of queries and subscriptions. A logical model declares the columns of the rows and has the permissions."
        back={{ to: sourcePath(source), label: 'Tables' }}
      />
      {error !== null && (
        <FailureNotice
          title="The native queries could not be read"
          failure={toFailure(error)}
          onRetry={sources.refetch}
        />
      )}
      {entry === undefined && error === null && sources.data === undefined && <Loading />}
      {entry !== undefined && (
        <Stack gap="xl">
          <Stack gap="md" component="section" aria-label="Native queries">
            {queries.length === 0 ? (
              <EmptyState title="No native queries" action={models.length > 0 && add('query')}>
                {models.length === 0 && 'Track a logical model first. It declares the columns of the rows.'}
              </EmptyState>
            ) : (
              <Group justify="flex-end">{add('query')}</Group>
            )}
            {queries.map((query) => (
              <EntryPaper
                key={query.root_field_name}
                label={`Native query ${query.root_field_name}`}
                title={query.root_field_name}
                summary={signatureOf(query)}
                description={query.description}
                reason={reasonFor('native_query', query.root_field_name)}
                onEdit={() => setEditing({ kind: 'query', before: query })}
                onUntrack={() => setRemoved({ kind: 'query', name: query.root_field_name })}
              >
                <JsonView plain what={`SQL of ${query.root_field_name}`} text={query.code} />
              </EntryPaper>
            ))}
          </Stack>
          <Stack gap="md" component="section" aria-label="Logical models">
            <Group justify="space-between">
              <Title order={2}>Logical models</Title>
              {add('model')}
            </Group>
            {models.map((model) => (
              <EntryPaper
                key={model.name}
                label={`Logical model ${model.name}`}
                title={model.name}
                summary={fieldsOf(model)}
                description={model.description}
                reason={reasonFor('logical_model', model.name)}
                onEdit={() => setEditing({ kind: 'model', before: model })}
                onUntrack={() => setRemoved({ kind: 'model', name: model.name })}
              >
                <Group gap="xs">
                  <Text size="sm">Roles with permission:</Text>
                  {['admin', ...(model.select_permissions ?? []).map(({ role }) => role)].map((role) => (
                    <Badge key={role} variant="default" radius="sm" tt="none">
                      {role}
                    </Badge>
                  ))}
                </Group>
              </EntryPaper>
            ))}
          </Stack>
        </Stack>
      )}
      <DetailDrawer
        subject={editing}
        title={({ kind, before }) => `${before === undefined ? 'Track' : 'Edit'} a ${titles[kind]}`}
        size="details"
        onClose={() => setEditing(undefined)}
      >
        {(subject) =>
          subject.kind === 'query' ? (
            <QueryForm
              source={source}
              models={models.map(({ name }) => name)}
              before={subject.before}
              onClose={() => setEditing(undefined)}
            />
          ) : (
            <ModelForm source={source} before={subject.before} onClose={() => setEditing(undefined)} />
          )
        }
      </DetailDrawer>
      <ConfirmDialog
        title={removed && `Untrack the ${titles[removed.kind]} ${removed.name}?`}
        about="Removes it from the metadata and the schema. The database does not change."
        confirm="Untrack"
        failed="The object was not untracked"
        perform={async () => {
          if (removed?.kind === 'query') await untrackQuery(client, source, removed.name);
          if (removed?.kind === 'model') await untrackModel(client, source, removed.name);
        }}
        onClose={() => setRemoved(undefined)}
        onDone={() => setRemoved(undefined)}
      />
    </>
  );
}

/** Formats `id: integer!, tags: {"array":{"scalar":"text"}}!`. */
function fieldsOf({ fields }: ModelEntry): string {
  return fields
    .map(({ name, type, nullable }) => {
      const shown = typeof type === 'string' ? type : JSON.stringify(type);
      const mayBeNull = typeof type === 'string' ? nullable : (type.nullable ?? nullable);
      return `${name}: ${shown}${mayBeNull ? '' : '!'}`;
    })
    .join(', ');
}

interface EntryPaperProps {
  /** The accessible name. */
  readonly label: string;
  readonly title: string;
  readonly summary: string;
  readonly description: string | null | undefined;
  /** Why it cannot be used; undefined if it can. */
  readonly reason: string | undefined;
  readonly onEdit: () => void;
  readonly onUntrack: () => void;
  readonly children: ReactNode;
}

function EntryPaper({ label, title, summary, description, reason, onEdit, onUntrack, children }: EntryPaperProps) {
  return (
    <Paper withBorder p="md" bg="var(--joinery-surface)" component="section" aria-label={label}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start" gap="sm">
          <div>
            <Text fw={600}>{title}</Text>
            <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
              {summary}
            </Text>
            {description && (
              <Text size="sm" c="dimmed">
                {description}
              </Text>
            )}
          </div>
          {reason !== undefined && <StatusDot tone="bad">Inconsistent</StatusDot>}
        </Group>
        {reason !== undefined && (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {sentence(reason)}
          </Text>
        )}
        {children}
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={onEdit}>
            Edit
          </Button>
          <Button size="xs" variant="default" onClick={onUntrack}>
            Untrack
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
