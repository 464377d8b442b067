/** The row browser: filters, role, selection, grid and drawers. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { toFailure } from '../../../api/failure.ts';
import { updateSearch } from '../../../router/location.ts';
import type { TableEntry } from '../../../shared/sources/sources-api.ts';
import { tableKey } from '../../../shared/sources/table-paths.ts';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../../ui/feedback/loading.tsx';
import { counted } from '../../../ui/format.ts';
import { useNarrow } from '../../../ui/page/use-narrow.ts';
import { useColumnLayout } from '../grid/use-column-layout.ts';
import { useGridColumns } from '../grid/use-grid-columns.ts';
import { PendingBar } from '../row-edits/pending-bar.tsx';
import { useRowEditing } from '../row-edits/use-row-editing.ts';
import { isReadable } from '../row-model/column-family.ts';
import { whyReadOnly } from '../row-model/row-keys.ts';
import type { Session, Target } from '../row-model/rows-api.ts';
import type { RowsScope } from '../row-model/rows-scope.ts';
import { CopyMenu } from './copy-menu.tsx';
import { FilterBar } from './filter-bar.tsx';
import { describeSession, RoleDialog, rolesOf } from './role-view.tsx';
import { type Doing, RowDialogs } from './row-dialogs.tsx';
import { type ChosenRows, RowsGrid } from './rows-grid.tsx';
import { Hint, NoRows, RowCount } from './rows-status.tsx';
import { RowsToolbar } from './rows-toolbar.tsx';
import { useRows } from './use-rows.ts';

interface RowsBrowserProps {
  readonly target: Target;
  readonly info: TableInfo;
  readonly entry: TableEntry | undefined;
}

const none: ChosenRows = new Map();

export function RowsBrowser({ target, info: table, entry }: RowsBrowserProps) {
  const info = useMemo(() => withReadableKey(table), [table]);
  const queries = useQueryClient();
  const narrow = useNarrow();
  const [session, setSession] = useState<Session>();
  const [choosingRole, setChoosingRole] = useState(false);
  const [doing, setDoing] = useState<Doing>();
  const [chosen, setChosen] = useState(none);
  const list = useRows(target, info, session);
  const { pages, columns, filters, sortable, onFilter } = list;
  const { loaded, extent } = pages;
  const editing = useRowEditing(target, info);
  const [example] = loaded;
  const names = session === undefined ? columns.map(({ name }) => name) : Object.keys(example ?? {});
  const stored = useColumnLayout(`${target.source} ${tableKey(target.table)}`);
  const grid = useGridColumns({ info, names, sortable, isPinning: !narrow, stored });
  const isKeyed = info.primary_key !== null && session === undefined;
  const refresh = (): void => void queries.invalidateQueries({ queryKey: ['rows'] });
  const unread = info.columns.filter((column) => !isReadable(column)).map(({ name }) => name);
  const isEmpty = extent?.isEnd === true && extent.rows === 0 && editing.newRows.length === 0;
  const picked = [...chosen.values()];
  const scope: RowsScope = {
    target,
    info,
    columns: grid.columns.flatMap(({ name }) => info.columns.find((one) => one.name === name) ?? []),
    where: list.where,
    order: list.order,
    session,
    chosen: picked,
    refresh,
  };
  return (
    <Stack gap="sm">
      <FilterBar
        columns={info.columns}
        filters={filters}
        onChange={onFilter}
        actions={
          <RowsToolbar
            scope={scope}
            total={list.total.accuracy === 'minimum' ? undefined : list.total.rows}
            hasChanges={editing.changes > 0}
            isLoading={pages.isLoading}
            arrangement={grid.arrangement}
            onRole={() => setChoosingRole(true)}
            onInsert={() => editing.add()}
            onInsertByForm={() => setDoing({ kind: 'edit', row: undefined })}
          />
        }
      />
      {session !== undefined && (
        <Group gap="xs">
          <Text size="sm">
            Rows that <strong>{describeSession(session)}</strong> can see. Editing is off in this view.
          </Text>
          <Button size="compact-sm" variant="default" onClick={() => setSession(undefined)}>
            Back to admin
          </Button>
        </Group>
      )}
      {session === undefined && <Hint text={whyReadOnly(table)} />}
      {unread.length > 0 && (
        <Hint
          text={`Not shown, because their names are not valid in GraphQL: ${unread.join(', ')}. Use SQL to read them.`}
        />
      )}
      {picked.length > 0 && (
        <Group gap="xs" role="group" aria-label="Chosen rows">
          <Text size="sm" fw={600}>
            {counted(picked.length, 'row')} chosen
          </Text>
          <CopyMenu scope={scope} info={info} />
          {isKeyed && info.insertable && (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => {
                for (const row of picked) editing.add(row);
                setChosen(none);
              }}
            >
              Duplicate
            </Button>
          )}
          {isKeyed && info.deletable && (
            <Button size="compact-sm" variant="default" onClick={() => setDoing({ kind: 'delete', rows: picked })}>
              Delete
            </Button>
          )}
          <Button size="compact-sm" variant="subtle" color="gray" onClick={() => setChosen(none)}>
            Choose none
          </Button>
        </Group>
      )}
      {pages.error !== null && (
        <FailureNotice
          title="The rows could not be read"
          failure={toFailure(pages.error)}
          shownFrom={loaded.length === 0 ? undefined : pages.readAt}
          onRetry={refresh}
        />
      )}
      {names.length === 0 && pages.error === null && !isEmpty && <Loading />}
      {isEmpty && <NoRows filtered={filters.length > 0} session={session} onClear={() => onFilter([])} />}
      {names.length > 0 && !isEmpty && (extent !== undefined || pages.error === null) && (
        <>
          <RowsGrid
            target={target}
            info={info}
            list={list}
            grid={grid}
            editing={editing}
            isKeyed={isKeyed}
            chosen={chosen}
            onChoose={setChosen}
            onOpen={(row) => setDoing({ kind: 'open', row })}
          />
          <PendingBar info={info} editing={editing} />
          {extent !== undefined && <RowCount total={list.total} counting={list.counting} />}
        </>
      )}
      <RowDialogs
        target={target}
        info={info}
        columns={names}
        entry={entry}
        changeable={isKeyed}
        doing={doing}
        onDoing={setDoing}
        onDeleted={() => setChosen(none)}
      />
      <RoleDialog
        opened={choosingRole}
        roles={rolesOf(entry)}
        onChoose={(next) => {
          setSession(next);
          setChosen(none);
          setChoosingRole(false);
          updateSearch({ sort: undefined });
        }}
        onClose={() => setChoosingRole(false)}
      />
    </Stack>
  );
}

/** An unreadable key cannot identify rows. */
function withReadableKey(info: TableInfo): TableInfo {
  return info.primary_key?.every((name) => isReadable({ name })) === false ? { ...info, primary_key: null } : info;
}
