/** The list of tables: search, selection, tracking. */
import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { linkTo, navigate, updateSearch, useLocation } from '../../router/location.ts';
import { sourcePath, tableKey, tableLabel, tablePath } from '../../shared/sources/table-paths.ts';
import { TrackDialog } from '../../shared/sources/track-dialog.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { StatusDot } from '../../ui/feedback/status-dot.tsx';
import { counted } from '../../ui/format.ts';
import { type Column, DataTable } from '../../ui/table/data-table.tsx';
import { Pager } from '../../ui/table/pager.tsx';
import { type Page, pagesOf, readPage, writePage } from '../../ui/table/paging.ts';
import { Suggestions } from './suggestions.tsx';
import { ChosenTables, TableFilters } from './table-filters.tsx';
import { type ListedTable, readTableSearch, searchTables, summaryOf, type TableState } from './table-list.ts';
import { UntrackDialog } from './untrack-dialog.tsx';

const states: Readonly<Record<TableState, readonly [tone: 'good' | 'waiting' | 'bad', label: string]>> = {
  tracked: ['good', 'Tracked'],
  untracked: ['waiting', 'Not tracked'],
  missing: ['bad', 'Not in the database'],
  inconsistent: ['bad', 'Tracked, in no schema'],
};

interface TableRowsProps {
  readonly source: string;
  readonly tables: readonly ListedTable[];
}

export function TableRows({ source, tables }: TableRowsProps) {
  const { search: address } = useLocation();
  const search = readTableSearch(address);
  const page = readPage(address);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [tracking, setTracking] = useState<readonly ListedTable[]>([]);
  const [untracking, setUntracking] = useState<readonly ListedTable[]>([]);
  if (tables.length === 0) {
    return (
      <EmptyState
        title="The database has no tables yet"
        action={
          <Button variant="light" mt="xs" component="a" {...linkTo(`${sourcePath(source)}/new-table`)}>
            Create a table
          </Button>
        }
      >
        Create one here, by SQL or by a migration.
      </EmptyState>
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
      <TableFilters tables={tables} search={search} />
      <ChosenTables
        picked={picked}
        matching={matching}
        onChoose={(some) => setChosen(new Set(some.map(({ table }) => tableKey(table))))}
        onTrack={setTracking}
        onUntrack={setUntracking}
      />
      {matching.length === 0 ? (
        <EmptyState
          title="No table matches"
          action={
            <Button
              variant="default"
              mt="xs"
              onClick={() => updateSearch({ search: undefined, show: undefined, schema: undefined, page: undefined })}
            >
              Show all tables
            </Button>
          }
        >
          {counted(tables.length, 'table')} in all.
        </EmptyState>
      ) : (
        <>
          <DataTable
            label="Tables"
            rows={shown}
            columns={columns}
            keyOf={({ table }) => tableKey(table)}
            onOpen={({ table }) => navigate(tablePath(source, table))}
            pathOf={({ table }) => tablePath(source, table)}
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
  updateSearch(writePage(page));
}

/** Preserves the selection on other pages. */
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
    cell: ({ state, problem }) => (
      <span title={problem}>
        <StatusDot tone={states[state][0]}>{states[state][1]}</StatusDot>
      </span>
    ),
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
