/** The tables of a source and their relationships as a diagram or as text. */

import type { SuggestedRelationship } from '@joinery/metadata/api/sources/catalog';
import { Autocomplete, Group, MultiSelect, SegmentedControl, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Client } from '../../api/client.ts';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { updateSearch, useLocation } from '../../router/location.ts';
import { sourcePath, tableLabel } from '../../shared/sources/table-paths.ts';
import { useSources } from '../../shared/sources/use-sources.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { counted } from '../../ui/format.ts';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { DiagramCanvas } from './diagram-canvas.tsx';
import { DiagramList } from './diagram-list.tsx';
import { type Diagram, diagramOf, type PrimaryKeys, primaryKeysOf, searchTables } from './diagram-model.ts';
import { neighborhoodOf, ofSchemas, readAround, schemasIn, withFewColumns } from './diagram-parts.ts';

export function DiagramPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { source = '' } = params;
  const { diagram, error, again } = useDiagram(source);
  return (
    <>
      <PageHeader
        title="Diagram"
        about="Tracked tables with their key columns, and the relationships between them."
        back={{ to: sourcePath(source), label: source === 'default' ? 'Tables' : `Tables of ${source}` }}
      />
      {error !== null && (
        <FailureNotice title="The diagram could not be loaded" failure={toFailure(error)} onRetry={again} />
      )}
      {diagram === undefined && error === null && <Loading />}
      {diagram?.tables.length === 0 && (
        <EmptyState title="No table is tracked">
          Track tables first, then add the relationships that their foreign keys suggest.
        </EmptyState>
      )}
      {diagram !== undefined && diagram.tables.length > 0 && <Views source={source} diagram={diagram} />}
    </>
  );
}

function useDiagram(source: string) {
  const client = useClient();
  const sources = useSources();
  const foreignKeys = useQuery({
    queryKey: ['metadata', 'foreign-keys', source],
    queryFn: ({ signal }) => readForeignKeys(client, source, signal),
  });
  const primaryKeys = useQuery({
    queryKey: ['metadata', 'primary-keys', source],
    queryFn: ({ signal }) => readPrimaryKeys(client, source, signal),
  });
  const entry = sources.data?.find((one) => one.name === source);
  const diagram = useMemo(
    () =>
      entry === undefined || foreignKeys.data === undefined || primaryKeys.data === undefined
        ? undefined
        : diagramOf(entry, foreignKeys.data, primaryKeys.data),
    [entry, foreignKeys.data, primaryKeys.data],
  );
  const all = [sources, foreignKeys, primaryKeys];
  return {
    diagram,
    error: all.map((one) => one.error).find((one) => one !== null) ?? null,
    again: () => {
      for (const one of all) if (one.error !== null) void one.refetch();
    },
  };
}

interface ViewsProps {
  readonly source: string;
  readonly diagram: Diagram;
}

/** The query string holds the search and the view. */
function Views({ source, diagram }: ViewsProps) {
  const { search } = useLocation();
  const asList = search.get('view') === 'list';
  const text = search.get('table') ?? '';
  const change = (typed: string): void => updateSearch({ table: typed === '' ? undefined : typed });
  const schemas = schemasIn(diagram);
  const chosen = (search.get('schemas') ?? '').split(',').filter((one) => schemas.includes(one));
  const part = ofSchemas(diagram, chosen);
  const found = searchTables(part.tables, text);
  const focused = found[0]?.key;
  const around = readAround(search.get('around'), part.tables.length);
  const shown = useMemo(
    () => withFewColumns(focused === undefined || around === 'all' ? part : neighborhoodOf(part, focused, around)),
    [part, focused, around],
  );
  return (
    <Stack gap="sm" mt="md">
      <Group gap="sm">
        <Autocomplete
          w={240}
          size="xs"
          aria-label="Search a table"
          placeholder="Search a table"
          limit={12}
          data={diagram.tables.map(({ table }) => tableLabel(table))}
          value={text}
          onChange={change}
        />
        {focused !== undefined && !asList && (
          <SegmentedControl
            size="xs"
            aria-label="Tables around"
            value={String(around)}
            onChange={(steps) => updateSearch({ around: steps })}
            data={[
              { value: '1', label: '1 join' },
              { value: '2', label: '2 joins' },
              { value: 'all', label: 'All tables' },
            ]}
          />
        )}
        {schemas.length > 1 && (
          <MultiSelect
            size="xs"
            miw={180}
            aria-label="Schemas"
            placeholder={chosen.length === 0 ? 'All schemas' : ''}
            data={schemas}
            value={chosen}
            onChange={(names) => updateSearch({ schemas: names.length === 0 ? undefined : names.join(',') })}
            searchable
            clearable
          />
        )}
        <SegmentedControl
          size="xs"
          aria-label="View"
          value={asList ? 'list' : 'diagram'}
          onChange={(view) => updateSearch({ view: view === 'list' ? 'list' : undefined })}
          data={[
            { value: 'diagram', label: 'Diagram' },
            { value: 'list', label: 'List' },
          ]}
        />
        <Text size="sm" c="dimmed" role="status">
          {text.trim() === ''
            ? `${counted(part.tables.length, 'table')}, ${counted(part.lines.length, 'join')}`
            : `${counted(found.length, 'table')} of that name${shown === part || asList ? '' : `, ${counted(shown.tables.length, 'table')} shown`}`}
        </Text>
      </Group>
      {asList ? (
        <DiagramList source={source} diagram={part} tables={text.trim() === '' ? part.tables : found} />
      ) : (
        <DiagramCanvas source={source} diagram={shown} focused={focused} />
      )}
    </Stack>
  );
}

/** Lists both directions of each foreign key between tracked tables, with or without a relationship. */
async function readForeignKeys(
  client: Client,
  source: string,
  signal: AbortSignal,
): Promise<readonly SuggestedRelationship[]> {
  const args = { source, omit_tracked: false };
  return (await client.command('pg_suggest_relationships', args, { signal })).relationships;
}

/** One statement for all tables instead of a request per table. */
const primaryKeysSql = `
select s.nspname, t.relname, c.attname
from pg_catalog.pg_constraint k
join pg_catalog.pg_class t on t.oid = k.conrelid
join pg_catalog.pg_namespace s on s.oid = t.relnamespace
cross join unnest(k.conkey) with ordinality as part (number, place)
join pg_catalog.pg_attribute c on c.attrelid = t.oid and c.attnum = part.number
where k.contype = 'p'
order by s.nspname, t.relname, part.place`;

async function readPrimaryKeys(client: Client, source: string, signal: AbortSignal): Promise<PrimaryKeys> {
  const args = { source, sql: primaryKeysSql, read_only: true };
  const { result } = await client.command('run_sql', args, { signal, api: '/v2/query' });
  return primaryKeysOf(result?.slice(1) ?? []);
}
