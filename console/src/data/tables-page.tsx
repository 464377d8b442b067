/** The tables and views of a source: searched, tracked and untracked, one or many. */
import { Anchor, Button, Group, NativeSelect, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useClient } from '../api/context.ts';
import { toFailure } from '../api/failure.ts';
import { go, goWithin, linkTo, usePlace } from '../router/place.ts';
import { Empty } from '../show/empty.tsx';
import { FailureNotice } from '../show/failure-notice.tsx';
import { PlusIcon } from '../show/icons.tsx';
import { Light } from '../show/light.tsx';
import { Loading } from '../show/loading.tsx';
import { PageHeader } from '../show/page-header.tsx';
import { Pager } from '../show/pager.tsx';
import { type Page, pagesOf, readPage, writePage } from '../show/paging.ts';
import { type Column, Rows } from '../show/rows.tsx';
import { counted } from '../show/words.ts';
import { readSourceTables } from './data-api.ts';
import { Suggestions } from './suggestions.tsx';
import {
  type ListedTable,
  listTables,
  readTableSearch,
  schemasOf,
  searchTables,
  summaryOf,
  type TableSearch,
  type TableState,
} from './table-list.ts';
import { sourcePath, tableKey, tableLabel, tablePath } from './table-paths.ts';
import { TrackDialog } from './track-dialog.tsx';
import { UntrackDialog } from './untrack-dialog.tsx';
import { useSources } from './use-data.ts';

const states: Readonly<Record<TableState, readonly [tone: 'good' | 'waiting' | 'bad', label: string]>> = {
  tracked: ['good', 'Tracked'],
  untracked: ['waiting', 'Not tracked'],
  missing: ['bad', 'Not in the database'],
};

export function TablesPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const client = useClient();
  const { source = '' } = params;
  const sources = useSources();
  const found = useQuery({
    queryKey: ['metadata', 'source-tables', source],
    queryFn: ({ signal }) => readSourceTables(client, source, signal),
  });
  const entries = sources.data?.find((one) => one.name === source)?.tables;
  const tables = useMemo(
    () => (found.data === undefined || sources.data === undefined ? undefined : listTables(found.data, entries ?? [])),
    [found.data, sources.data, entries],
  );
  const error = found.error ?? sources.error;
  return (
    <>
      <PageHeader
        title={source === 'default' ? 'Tables' : `Tables of ${source}`}
        about="Tables and views of the database. Those that are tracked are part of the GraphQL schema."
        back={{ to: '/data', label: 'Sources' }}
        actions={
          <Group gap="xs">
            <Button variant="default" component="a" {...linkTo(`${sourcePath(source)}/diagram`)}>
              Diagram
            </Button>
            <Button variant="default" component="a" {...linkTo(`${sourcePath(source)}/functions`)}>
              Functions
            </Button>
            <Button component="a" leftSection={<PlusIcon size={16} />} {...linkTo(`${sourcePath(source)}/new-table`)}>
              Create a table
            </Button>
          </Group>
        }
      />
      {error !== null && (
        <FailureNotice
          title="The tables could not be read"
          failure={toFailure(error)}
          onRetry={() => {
            void found.refetch();
            void sources.refetch();
          }}
        />
      )}
      {tables === undefined ? error === null && <Loading /> : <TableList source={source} tables={tables} />}
    </>
  );
}

interface TableListProps {
  readonly source: string;
  readonly tables: readonly ListedTable[];
}

function TableList({ source, tables }: TableListProps) {
  const { search: address } = usePlace();
  const search = readTableSearch(address);
  const page = readPage(address);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [tracking, setTracking] = useState<readonly ListedTable[]>([]);
  const [untracking, setUntracking] = useState<readonly ListedTable[]>([]);
  if (tables.length === 0) {
    return (
      <Empty
        title="The database has no tables yet"
        action={
          <Button variant="light" mt="xs" component="a" {...linkTo(`${sourcePath(source)}/new-table`)}>
            Create a table
          </Button>
        }
      >
        Create one here, by SQL or by a migration.
      </Empty>
    );
  }
  const matching = searchTables(tables, search);
  const current = { ...page, number: Math.min(page.number, pagesOf(matching.length, page.size)) };
  const shown = matching.slice((current.number - 1) * current.size, current.number * current.size);
  const picked = matching.filter(({ table }) => chosen.has(tableKey(table)));
  const done = (): void => {
    setTracking([]);
    setUntracking([]);
    setChosen(new Set());
  };
  return (
    <Stack gap="sm">
      <Suggestions source={source} />
      <Filters tables={tables} search={search} />
      <ChosenBar
        picked={picked}
        matching={matching}
        onChoose={(some) => setChosen(new Set(some.map(({ table }) => tableKey(table))))}
        onTrack={setTracking}
        onUntrack={setUntracking}
      />
      {matching.length === 0 ? (
        <Empty
          title="No table matches"
          action={
            <Button
              variant="default"
              mt="xs"
              onClick={() => goWithin({ search: undefined, show: undefined, schema: undefined, page: undefined })}
            >
              Show all tables
            </Button>
          }
        >
          {counted(tables.length, 'table')} in all.
        </Empty>
      ) : (
        <>
          <Rows
            label="Tables"
            rows={shown}
            columns={columns}
            keyOf={({ table }) => tableKey(table)}
            onOpen={({ table }) => go(tablePath(source, table))}
            chosen={{
              keys: new Set(picked.map(({ table }) => tableKey(table))),
              nameOf: ({ table }) => tableLabel(table),
              onChange: (rows) => setChosen(changedOnPage(chosen, shown, rows)),
            }}
            actions={(row) => (
              <Button
                size="compact-sm"
                variant="subtle"
                color="gray"
                fw={400}
                mt={-2}
                aria-label={`${row.state === 'untracked' ? 'Track' : 'Untrack'} ${tableLabel(row.table)}`}
                onClick={() => (row.state === 'untracked' ? setTracking([row]) : setUntracking([row]))}
              >
                {row.state === 'untracked' ? 'Track' : 'Untrack'}
              </Button>
            )}
          />
          <Pager page={current} shown={shown.length} count={matching.length} onChange={changePage} />
        </>
      )}
      <TrackDialog
        source={source}
        tables={tracking.map(({ table }) => table)}
        onClose={() => setTracking([])}
        onDone={done}
      />
      <UntrackDialog
        source={source}
        tables={untracking.map(({ table }) => table)}
        onClose={() => setUntracking([])}
        onDone={done}
      />
    </Stack>
  );
}

function changePage(page: Page): void {
  goWithin(writePage(page));
}

/** Rows of other pages stay chosen. */
function changedOnPage(
  chosen: ReadonlySet<string>,
  shown: readonly ListedTable[],
  rows: readonly ListedTable[],
): ReadonlySet<string> {
  const here = new Set(shown.map(({ table }) => tableKey(table)));
  return new Set([...[...chosen].filter((key) => !here.has(key)), ...rows.map(({ table }) => tableKey(table))]);
}

const columns: readonly [Column<ListedTable>, ...Column<ListedTable>[]] = [
  { key: 'name', header: 'Table', cell: ({ table }) => table.name },
  { key: 'schema', header: 'Schema', width: '10rem', cell: ({ table }) => table.schema },
  {
    key: 'state',
    header: 'State',
    width: '12rem',
    cell: ({ state }) => <Light tone={states[state][0]}>{states[state][1]}</Light>,
  },
  {
    key: 'summary',
    header: 'Relationships and roles',
    width: '16rem',
    onlyWide: ({ entry }) => summaryOf(entry) === '',
    cell: ({ entry }) => (
      <Text size="sm" c="dimmed">
        {summaryOf(entry) === '' ? '–' : summaryOf(entry)}
      </Text>
    ),
  },
];

function Filters({ tables, search }: { readonly tables: readonly ListedTable[]; readonly search: TableSearch }) {
  const schemas = schemasOf(tables);
  const tracked = tables.filter(({ state }) => state !== 'untracked').length;
  return (
    <Group gap="sm" align="end">
      <TextInput
        size="xs"
        type="search"
        aria-label="Search tables"
        placeholder="Search tables"
        w={240}
        value={search.text}
        onChange={(event) => goWithin({ search: event.currentTarget.value || undefined, page: undefined })}
      />
      <SegmentedControl
        size="xs"
        aria-label="State"
        value={search.state}
        data={[
          { value: 'all', label: `All ${tables.length.toLocaleString('en')}` },
          { value: 'tracked', label: `Tracked ${tracked.toLocaleString('en')}` },
          { value: 'untracked', label: `Not tracked ${(tables.length - tracked).toLocaleString('en')}` },
        ]}
        onChange={(value) => goWithin({ show: value === 'all' ? undefined : value, page: undefined })}
      />
      {schemas.size > 1 && (
        <NativeSelect
          size="xs"
          aria-label="Schema"
          value={search.schema ?? ''}
          data={[
            { value: '', label: 'All schemas' },
            ...[...schemas].map(([value, count]) => ({ value, label: `${value} (${count.toLocaleString('en')})` })),
          ]}
          onChange={(event) => goWithin({ schema: event.currentTarget.value || undefined, page: undefined })}
        />
      )}
    </Group>
  );
}

interface ChosenBarProps {
  readonly picked: readonly ListedTable[];
  readonly matching: readonly ListedTable[];
  readonly onChoose: (tables: readonly ListedTable[]) => void;
  readonly onTrack: (tables: readonly ListedTable[]) => void;
  readonly onUntrack: (tables: readonly ListedTable[]) => void;
}

function ChosenBar({ picked, matching, onChoose, onTrack, onUntrack }: ChosenBarProps) {
  const untracked = picked.filter(({ state }) => state === 'untracked');
  const others = picked.filter(({ state }) => state !== 'untracked');
  if (picked.length === 0) return null;
  return (
    <Group gap="xs" role="group" aria-label="Chosen tables">
      <Text size="sm" fw={600}>
        {counted(picked.length, 'table')} chosen
      </Text>
      {untracked.length > 0 && (
        <Button size="compact-sm" onClick={() => onTrack(untracked)}>
          Track {untracked.length.toLocaleString('en')}
        </Button>
      )}
      {others.length > 0 && (
        <Button size="compact-sm" variant="default" onClick={() => onUntrack(others)}>
          Untrack {others.length.toLocaleString('en')}
        </Button>
      )}
      {picked.length < matching.length && (
        <Anchor component="button" type="button" size="sm" onClick={() => onChoose(matching)}>
          Choose all {matching.length.toLocaleString('en')} that are listed
        </Anchor>
      )}
      <Button size="compact-sm" variant="subtle" color="gray" onClick={() => onChoose([])}>
        Choose none
      </Button>
    </Group>
  );
}
