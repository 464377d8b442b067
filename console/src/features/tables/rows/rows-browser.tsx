/** The row browser: filters, role, selection, pages and drawers. */
import type { TableInfo } from '@joinery/metadata/api/catalog';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useIsFetching, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toFailure } from '../../../api/failure.ts';
import { updateSearch } from '../../../router/location.ts';
import type { TableEntry } from '../../../shared/sources/sources-api.ts';
import { tableLabel } from '../../../shared/sources/table-paths.ts';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../../ui/feedback/loading.tsx';
import { counted } from '../../../ui/format.ts';
import { PlusIcon, RefreshIcon } from '../../../ui/page/icons.tsx';
import { Pager } from '../../../ui/table/pager.tsx';
import { writePage } from '../../../ui/table/paging.ts';
import { isReadable } from '../row-model/column-family.ts';
import { linkOfValue, nameOfRow, whyReadOnly } from '../row-model/row-keys.ts';
import type { Row } from '../row-model/row-values.ts';
import type { Session, Target } from '../row-model/rows-api.ts';
import { FilterBar } from './filter-bar.tsx';
import { describeSession, RoleDialog, rolesOf } from './role-view.tsx';
import { type Doing, RowDialogs } from './row-dialogs.tsx';
import { RowsGrid } from './rows-grid.tsx';
import { useCount, useRows } from './use-rows.ts';

interface RowsBrowserProps {
  readonly target: Target;
  readonly info: TableInfo;
  readonly entry: TableEntry | undefined;
}

export function RowsBrowser({ target, info: table, entry }: RowsBrowserProps) {
  // An unreadable key cannot identify rows.
  const info =
    table.primary_key?.every((name) => isReadable({ name })) === false ? { ...table, primary_key: null } : table;
  const queries = useQueryClient();
  const [session, setSession] = useState<Session>();
  const [choosingRole, setChoosingRole] = useState(false);
  const [doing, setDoing] = useState<Doing>();
  const [chosen, setChosen] = useState<ReadonlySet<Row>>(new Set());
  const { query, columns, page, filters, where, sorting, sortable, onSort, onFilter } = useRows(target, info, session);
  const rows = query.data?.value;
  const counting = useCount(target, info, where, page, rows?.length);
  const reading = useIsFetching({ queryKey: ['rows'] }) > 0;
  const keyed = info.primary_key !== null && session === undefined;
  const picked = (rows ?? []).filter((row) => chosen.has(row));
  const shownColumns = session === undefined ? columns.map(({ name }) => name) : Object.keys(rows?.[0] ?? {});
  const nameOf = (row: Row): string => nameOfRow(row, info);
  const linkOf = (row: Row, column: string): string | undefined => linkOfValue(target.source, info, row, column);
  const refresh = (): void => void queries.invalidateQueries({ queryKey: ['rows'] });
  const unread = info.columns.filter((column) => !isReadable(column)).map(({ name }) => name);
  return (
    <Stack gap="sm">
      <FilterBar
        columns={info.columns}
        filters={filters}
        onChange={onFilter}
        actions={
          <>
            <Button
              size="xs"
              variant="subtle"
              color="gray"
              leftSection={<RefreshIcon size={14} />}
              aria-busy={reading}
              onClick={refresh}
            >
              Refresh
            </Button>
            <Button size="xs" variant="default" onClick={() => setChoosingRole(true)}>
              See as a role
            </Button>
            {info.insertable && session === undefined && (
              <Button
                size="xs"
                leftSection={<PlusIcon size={14} />}
                onClick={() => setDoing({ kind: 'edit', row: undefined })}
              >
                Insert a row
              </Button>
            )}
          </>
        }
      />
      {session !== undefined && (
        <Group gap="xs">
          <Text size="sm">
            As <strong>{describeSession(session)}</strong> sees them; writing is off meanwhile.
          </Text>
          <Button size="compact-sm" variant="default" onClick={() => setSession(undefined)}>
            Back to admin
          </Button>
        </Group>
      )}
      {session === undefined && <Hint text={whyReadOnly(table)} />}
      {unread.length > 0 && (
        <Hint text={`Not shown, because GraphQL cannot write their names: ${unread.join(', ')}. SQL shows them.`} />
      )}
      {picked.length > 0 && (
        <Group gap="xs" role="group" aria-label="Chosen rows">
          <Text size="sm" fw={600}>
            {counted(picked.length, 'row')} chosen
          </Text>
          <Button size="compact-sm" variant="default" onClick={() => setDoing({ kind: 'delete', rows: picked })}>
            Delete
          </Button>
          <Button size="compact-sm" variant="subtle" color="gray" onClick={() => setChosen(new Set())}>
            Choose none
          </Button>
        </Group>
      )}
      {query.error !== null && (
        <FailureNotice
          title="The rows could not be read"
          failure={toFailure(query.error)}
          shownFrom={rows === undefined ? undefined : query.dataUpdatedAt}
          onRetry={refresh}
        />
      )}
      {rows === undefined && query.error === null && <Loading />}
      {rows?.length === 0 && <NoRows filtered={filters.length > 0} session={session} onClear={() => onFilter([])} />}
      {rows !== undefined && rows.length > 0 && (
        <RowsGrid
          label={`Rows of ${tableLabel(info.table)}`}
          columns={shownColumns}
          rows={rows}
          nameOf={nameOf}
          onOpen={(row) => setDoing({ kind: 'open', row })}
          chosen={keyed && info.deletable ? { rows: chosen, onChange: setChosen } : undefined}
          sortable={sortable}
          sorting={sorting}
          onSort={onSort}
          linkOf={linkOf}
        />
      )}
      {rows !== undefined && (rows.length > 0 || page.number > 1) && (
        <Pager
          page={page}
          shown={rows.length}
          count={session === undefined ? counting.count?.count : undefined}
          estimated={counting.count?.estimated === true}
          onChange={(next) => updateSearch(writePage(next))}
        />
      )}
      {session === undefined && counting.more && (
        <Group gap="xs">
          <Text size="sm" c="dimmed">
            {counting.count === undefined ? 'There are more than 10,000 rows.' : 'The number of rows is an estimate.'}
          </Text>
          <Button size="compact-xs" variant="default" loading={counting.counting} onClick={counting.countAll}>
            Count exactly
          </Button>
        </Group>
      )}
      <RowDialogs
        target={target}
        info={info}
        columns={shownColumns}
        changeable={keyed}
        doing={doing}
        onDoing={setDoing}
        onDeleted={() => setChosen(new Set())}
      />
      <RoleDialog
        opened={choosingRole}
        roles={rolesOf(entry)}
        onChoose={(next) => {
          setSession(next);
          setChosen(new Set());
          setChoosingRole(false);
          updateSearch({ page: undefined, sort: undefined });
        }}
        onClose={() => setChoosingRole(false)}
      />
    </Stack>
  );
}

function Hint({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <Text size="sm" c="dimmed">
      {text}
    </Text>
  );
}

interface NoRowsProps {
  readonly filtered: boolean;
  readonly session: Session | undefined;
  readonly onClear: () => void;
}

function NoRows({ filtered, session, onClear }: NoRowsProps) {
  if (filtered) {
    return (
      <EmptyState
        title="No row matches"
        action={
          <Button variant="default" mt="xs" onClick={onClear}>
            Clear the filters
          </Button>
        }
      >
        A row must match all filters.
      </EmptyState>
    );
  }
  if (session !== undefined)
    return <EmptyState title="The role sees no row">Its permission lets none through.</EmptyState>;
  return <EmptyState title="There is no row">Insert one, or have your application write it.</EmptyState>;
}
