/** The runs of an asynchronous action, the latest first. A run has an address and opens in a drawer. */
import type { ActionRun } from '@joinery/metadata/api/action-runs';
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useClient } from '../../../api/context.ts';
import { toFailure } from '../../../api/failure.ts';
import { intervalAfter, timed } from '../../../api/polling.ts';
import { linkTo, navigate, pathWith, updateSearch, useLocation } from '../../../router/location.ts';
import { EmptyState } from '../../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { LastUpdated } from '../../../ui/feedback/last-updated.tsx';
import { Loading } from '../../../ui/feedback/loading.tsx';
import { StatusDot } from '../../../ui/feedback/status-dot.tsx';
import { type Column, DataTable } from '../../../ui/table/data-table.tsx';
import { Timestamp } from '../../../ui/time/timestamp.tsx';
import { actionPath } from '../action-paths.ts';
import type { Action } from '../actions-api.ts';
import { isRunStatus, runStatuses, shownRunStatus, statusLabel } from './action-run.ts';
import { RunDrawer } from './run-drawer.tsx';

/** Runs of one page. */
const PAGE = 20;

const columns: readonly [Column<ActionRun>, ...Column<ActionRun>[]] = [
  { key: 'created', header: 'Started', width: '13rem', cell: ({ created_at }) => <Timestamp at={created_at} /> },
  {
    key: 'status',
    header: 'Status',
    width: '8rem',
    cell: (run) => {
      const { label, tone } = shownRunStatus(run);
      return <StatusDot tone={tone}>{label}</StatusDot>;
    },
  },
  { key: 'tries', header: 'Attempts', width: '6rem', isNumber: true, cell: ({ tries }) => tries.toLocaleString('en') },
  {
    key: 'finished',
    header: 'Ended',
    width: '13rem',
    cell: ({ finished_at }) => (finished_at === null ? '–' : <Timestamp at={finished_at} />),
  },
  {
    key: 'error',
    header: 'Error',
    ownLine: true,
    onlyWide: ({ error }) => error === null,
    cell: ({ error }) => <span title={error ?? ''}>{error}</span>,
  },
];

function pathOf({ id }: ActionRun): string {
  return pathWith({ run: id, attempt: undefined });
}

export function RunsTab({ action: { name } }: { readonly action: Action }) {
  const client = useClient();
  const { search } = useLocation();
  const chosen = search.get('status');
  const status = isRunStatus(chosen) ? chosen : undefined;
  const { data, error, refetch, isFetching, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['action-state', name, 'runs', status ?? null],
    queryFn: ({ signal, pageParam }) => {
      const args = { name, limit: PAGE, before: pageParam, ...(status !== undefined && { status: [status] }) };
      return timed(client.command('get_action_runs', args, { signal }));
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ value }) => value.next,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => pauseAfter(state.data?.pages),
  });
  const runs = data?.pages.flatMap(({ value }) => value.runs);
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-end" gap="xs">
        <NativeSelect
          size="xs"
          label="Status"
          value={status ?? ''}
          onChange={(event) => updateSearch({ status: event.currentTarget.value || undefined })}
          data={[
            { value: '', label: 'Any status' },
            ...runStatuses.map((one) => ({ value: one, label: statusLabel(one) })),
          ]}
        />
        <LastUpdated pauseMs={pauseAfter(data?.pages)} reading={isFetching} onRefresh={() => void refetch()} />
      </Group>
      {error !== null && (
        <FailureNotice title="The runs could not be read" failure={toFailure(error)} onRetry={() => void refetch()} />
      )}
      {runs === undefined && error === null && <Loading />}
      {runs?.length === 0 && <NoRuns name={name} isFiltered={status !== undefined} />}
      {runs !== undefined && runs.length > 0 && (
        <DataTable
          isDense
          label="Runs"
          rows={runs}
          columns={columns}
          keyOf={({ id }) => id}
          pathOf={pathOf}
          onOpen={(run) => navigate(pathOf(run))}
        />
      )}
      {hasNextPage && (
        <Group justify="center">
          <Button variant="default" size="xs" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show earlier runs
          </Button>
        </Group>
      )}
      <RunDrawer />
    </Stack>
  );
}

/** All pages are read again, so that a run is in the list once. */
function pauseAfter(pages: readonly { readonly durationMs: number }[] = []): number {
  return intervalAfter(pages.reduce((sum, { durationMs }) => sum + durationMs, 0));
}

function NoRuns({ name, isFiltered }: { readonly name: string; readonly isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <EmptyState
        title="No run has this status"
        action={
          <Button size="xs" variant="default" onClick={() => updateSearch({ status: undefined })}>
            Show all runs
          </Button>
        }
      >
        Choose another status, or show all runs.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title="No runs yet"
      action={
        <Button component="a" size="xs" {...linkTo(actionPath(name, 'run'))}>
          Try the action
        </Button>
      }
    >
      <Text span inherit>
        Each call of the mutation is listed here, with what its handler was sent.
      </Text>
    </EmptyState>
  );
}
