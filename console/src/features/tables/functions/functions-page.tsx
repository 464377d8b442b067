/** The functions of a source: search, tracking, and forms that create, change and drop them. */
import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { toFailure } from '../../../api/failure.ts';
import { updateSearch, useLocation } from '../../../router/location.ts';
import { sameTable, sourcePath, tableLabel } from '../../../shared/sources/table-paths.ts';
import { useSourceFunctions, useSources } from '../../../shared/sources/use-sources.ts';
import { DetailDrawer } from '../../../ui/dialog/detail-drawer.tsx';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../../ui/feedback/loading.tsx';
import { StatusDot } from '../../../ui/feedback/status-dot.tsx';
import { counted } from '../../../ui/format.ts';
import { PlusIcon } from '../../../ui/page/icons.tsx';
import { PageHeader } from '../../../ui/page/page-header.tsx';
import { type Column, DataTable } from '../../../ui/table/data-table.tsx';
import { Pager } from '../../../ui/table/pager.tsx';
import { pagesOf, readPage, writePage } from '../../../ui/table/paging.ts';
import { CreateFunctionForm } from '../structure/forms/function-forms.tsx';
import { newFunction } from '../structure/sql/function-sql.ts';
import { FunctionDetails, type FunctionView } from './function-details.tsx';
import {
  type FunctionState,
  functionKey,
  type ListedFunction,
  listFunctions,
  readFunctionSearch,
  searchFunctions,
} from './function-list.ts';
import { useDatabaseFunctions } from './functions-api.ts';

type Open = { readonly view: 'create' } | { readonly view: FunctionView; readonly key: string; readonly label: string };

export function FunctionsPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { source = '' } = params;
  const sources = useSources();
  const found = useDatabaseFunctions(source);
  const returningRows = useSourceFunctions(source);
  const entry = sources.data?.find((one) => one.name === source);
  const functions = useMemo(
    () =>
      found.data === undefined || returningRows.data === undefined
        ? undefined
        : listFunctions(found.data, returningRows.data, entry?.tables ?? []),
    [found.data, returningRows.data, entry],
  );
  const [open, setOpen] = useState<Open>();
  const close = (): void => setOpen(undefined);
  const error = found.error ?? returningRows.error;
  const rolesOf = ({ called }: ListedFunction): readonly string[] =>
    (entry?.functions?.find((one) => sameTable(one.function, called))?.permissions ?? []).map(({ role }) => role);
  return (
    <>
      <PageHeader
        title="Functions"
        about="Functions and procedures of the database. Those that return rows of a table can be tracked as root fields."
        back={{ to: sourcePath(source), label: 'Tables' }}
        actions={
          <Button leftSection={<PlusIcon size={16} />} onClick={() => setOpen({ view: 'create' })}>
            Create a function
          </Button>
        }
      />
      {error !== null && (
        <FailureNotice
          title="The functions could not be read"
          failure={toFailure(error)}
          onRetry={() => {
            void found.refetch();
            void returningRows.refetch();
          }}
        />
      )}
      {functions === undefined && error === null && <Loading />}
      {functions?.length === 0 && (
        <EmptyState title="The database has no functions yet">
          A function that returns setof a tracked table can be tracked as a query. A volatile function can also be a
          mutation.
        </EmptyState>
      )}
      {functions !== undefined && functions.length > 0 && (
        <FunctionTable
          functions={functions}
          onOpen={(one) => setOpen({ view: 'details', key: functionKey(one), label: tableLabel(one.called) })}
        />
      )}
      <DetailDrawer subject={open} title={titleOf} size="form" onClose={close}>
        {(shown) => {
          if (shown.view === 'create') {
            return <CreateFunctionForm source={source} initial={newFunction} onDone={close} onClose={close} />;
          }
          const one = functions?.find((each) => functionKey(each) === shown.key);
          if (one === undefined) return null;
          return (
            <FunctionDetails
              source={source}
              found={one}
              roles={rolesOf(one)}
              view={shown.view}
              onView={(view) => setOpen({ ...shown, view })}
              onClose={close}
            />
          );
        }}
      </DetailDrawer>
    </>
  );
}

function titleOf(open: Open): string {
  if (open.view === 'create') return 'Create a function';
  return `${{ details: 'Function', edit: 'Edit function', drop: 'Drop function' }[open.view]} ${open.label}`;
}

const states: Readonly<Record<FunctionState, string>> = {
  tracked: 'Tracked',
  trackable: 'Not tracked',
  field: 'Computed field',
  other: 'Only in the database',
};

const columns: readonly [Column<ListedFunction>, ...Column<ListedFunction>[]] = [
  { key: 'name', header: 'Function', cell: ({ called }) => tableLabel(called) },
  { key: 'arguments', header: 'Arguments', cell: ({ called }) => called.arguments || '–' },
  { key: 'result', header: 'Result', width: '14rem', cell: ({ called }) => called.result ?? 'procedure' },
  {
    key: 'state',
    header: 'In GraphQL',
    width: '13rem',
    cell: ({ state, problem }) => (
      <span title={problem}>
        <StatusDot tone={state === 'tracked' || state === 'field' ? 'good' : 'waiting'}>{states[state]}</StatusDot>
      </span>
    ),
  },
];

interface FunctionTableProps {
  readonly functions: readonly ListedFunction[];
  readonly onOpen: (one: ListedFunction) => void;
}

function FunctionTable({ functions, onOpen }: FunctionTableProps) {
  const { search: address } = useLocation();
  const search = readFunctionSearch(address);
  const matching = searchFunctions(functions, search);
  const page = readPage(address);
  const current = { ...page, number: Math.min(page.number, pagesOf(matching.length, page.size)) };
  const shown = matching.slice((current.number - 1) * current.size, current.number * current.size);
  const schemas = [...new Set(functions.map(({ called }) => called.schema))];
  return (
    <>
      <Group gap="sm">
        <TextInput
          size="xs"
          type="search"
          aria-label="Search functions"
          placeholder="Search functions"
          w={240}
          value={search.text}
          onChange={(event) => updateSearch({ search: event.currentTarget.value || undefined, page: undefined })}
        />
        <NativeSelect
          size="xs"
          aria-label="In GraphQL"
          value={search.state}
          data={[
            { value: 'all', label: 'All functions' },
            ...Object.entries(states).map(([value, label]) => ({ value, label })),
          ]}
          onChange={({ currentTarget: { value } }) =>
            updateSearch({ show: value === 'all' ? undefined : value, page: undefined })
          }
        />
        {schemas.length > 1 && (
          <NativeSelect
            size="xs"
            aria-label="Schema"
            value={search.schema ?? ''}
            data={[{ value: '', label: 'All schemas' }, ...schemas]}
            onChange={(event) => updateSearch({ schema: event.currentTarget.value || undefined, page: undefined })}
          />
        )}
      </Group>
      {matching.length === 0 ? (
        <EmptyState
          title="No function matches"
          action={
            <Button
              variant="default"
              mt="xs"
              onClick={() => updateSearch({ search: undefined, show: undefined, schema: undefined, page: undefined })}
            >
              Show all functions
            </Button>
          }
        >
          {counted(functions.length, 'function')} in all.
        </EmptyState>
      ) : (
        <>
          <DataTable label="Functions" rows={shown} columns={columns} keyOf={functionKey} onOpen={onOpen} />
          <Pager
            page={current}
            shown={shown.length}
            count={matching.length}
            onChange={(to) => updateSearch(writePage(to))}
          />
        </>
      )}
    </>
  );
}
