/** What a drop removes: dependent objects of the database and of the metadata, listed before it runs. */
import { List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Client } from '../../../../api/client.ts';
import { useClient } from '../../../../api/context.ts';
import { type Failure, toFailure } from '../../../../api/failure.ts';
import { readRows } from '../../../../shared/sql/read-rows.ts';
import { FailureNotice } from '../../../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../../../ui/feedback/loading.tsx';
import { sentence } from '../../../../ui/format.ts';
import { type DatabaseDependent, type DatabaseObject, dependentsSql } from '../sql/dependents-sql.ts';

export interface Drop {
  readonly object: DatabaseObject;
  /** Whether the SQL also drops what depends on the object in the database. */
  readonly cascade: boolean;
}

interface Dependents {
  readonly database: readonly DatabaseDependent[];
  /** Names of the objects that are removed from the metadata. */
  readonly removed: readonly string[];
  /** Whether the SQL fails unless metadata objects are removed with it. */
  readonly needsCascade: boolean;
}

interface DependentsState {
  readonly data: Dependents | undefined;
  readonly failure: Failure | undefined;
}

/** Reads what depends on the object of a drop. Undefined without a drop. */
export function useDependents(source: string, drop: Drop | undefined): DependentsState | undefined {
  const client = useClient();
  const { data, error } = useQuery({
    queryKey: ['metadata', 'dependents', source, drop],
    queryFn: ({ signal }) => (drop === undefined ? null : readDependents(client, source, drop, signal)),
    staleTime: 0,
    placeholderData: (before) => before,
  });
  if (drop === undefined) return undefined;
  return { data: data ?? undefined, failure: error === null ? undefined : toFailure(error) };
}

async function readDependents(client: Client, source: string, drop: Drop, signal: AbortSignal): Promise<Dependents> {
  const { object, cascade } = drop;
  const [row] = await readRows(client, source, dependentsSql(object), signal);
  const database = JSON.parse(row?.[0] ?? '[]') as readonly DatabaseDependent[];
  const lost = database.filter(({ blocks }) => cascade || !blocks);
  const args = {
    source,
    tables: [
      ...(object.kind === 'table' ? [object.table] : []),
      ...lost.flatMap(({ table, column }) => (table === null || column !== null ? [] : [table])),
    ],
    columns: [
      ...(object.kind === 'column' ? [{ table: object.table, column: object.column }] : []),
      ...lost.flatMap(({ table, column }) => (table === null || column === null ? [] : [{ table, column }])),
    ],
    functions: [
      ...(object.kind === 'function' ? [object.called] : []),
      ...lost.flatMap(({ called }) => (called === null ? [] : [called])),
    ],
  };
  const { dependents, removed } = await client.command('pg_get_dependents', args, { signal });
  return {
    database,
    removed: removed.map(({ type, name }) => name.replace(type, type.replaceAll('_', ' '))),
    needsCascade: dependents.length > 0,
  };
}

export function DependentList({ state: { data, failure } }: { readonly state: DependentsState }) {
  if (failure !== undefined) return <FailureNotice title="The dependents could not be read" failure={failure} />;
  if (data === undefined) return <Loading />;
  const { database, removed } = data;
  const blocking = database.filter(({ blocks }) => blocks).map(({ description }) => description);
  const included = database.filter(({ blocks }) => !blocks).map(({ description }) => description);
  return (
    <Stack gap="xs">
      {database.length === 0 && removed.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing in the database and in the metadata depends on it.
        </Text>
      )}
      <Named title="These depend on it in the database and prevent the drop:" names={blocking} />
      <Named title="PostgreSQL drops these with it:" names={included} />
      <Named title="These are removed from the metadata:" names={removed} />
    </Stack>
  );
}

function Named({ title, names }: { readonly title: string; readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <div>
      <Text size="sm">{title}</Text>
      <List size="sm">
        {names.slice(0, 30).map((name) => (
          <List.Item key={name}>{name}</List.Item>
        ))}
      </List>
      {names.length > 30 && (
        <Text size="sm" c="dimmed">
          {sentence(`and ${names.length - 30} more`)}
        </Text>
      )}
    </div>
  );
}
