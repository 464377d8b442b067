/** The requests that the responding node rejected recently. */
import type { RecentError } from '@joinery/metadata/api/recent-errors';
import { Code, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { adaptiveInterval, intervalAfter } from '../../api/polling.ts';
import { updateSearch, useLocation } from '../../router/location.ts';
import { DetailDrawer } from '../../ui/dialog/detail-drawer.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { LastUpdated } from '../../ui/feedback/last-updated.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { sentence } from '../../ui/format.ts';
import { DescriptionList } from '../../ui/page/description-list.tsx';
import { type Column, DataTable } from '../../ui/table/data-table.tsx';
import { Timestamp } from '../../ui/time/timestamp.tsx';
import { readRecentErrors } from './operations-api.ts';

const columns: readonly [Column<RecentError>, ...Column<RecentError>[]] = [
  { key: 'time', header: 'Rejected', width: '9rem', cell: ({ time }) => <Timestamp at={time} /> },
  { key: 'code', header: 'Code', width: '12rem', cell: ({ code }) => <Code>{code}</Code> },
  { key: 'role', header: 'Role', width: '8rem', cell: ({ role }) => role ?? '–' },
  {
    key: 'message',
    header: 'Reason',
    ownLine: true,
    cell: ({ message }) => (
      <Text size="sm" truncate title={message}>
        {message}
      </Text>
    ),
  },
];

export function RecentErrorsSection() {
  const client = useClient();
  const queries = useQueryClient();
  const { search } = useLocation();
  const code = search.get('code') ?? undefined;
  const [opened, setOpened] = useState<RecentError>();
  const { data, error, isFetching } = useQuery({
    queryKey: ['recent-errors', code ?? null],
    queryFn: ({ signal }) => readRecentErrors(client, code, signal),
    refetchInterval: adaptiveInterval,
    placeholderData: keepPreviousData,
  });
  const refresh = (): void => void queries.invalidateQueries({ queryKey: ['recent-errors'] });
  const counts = Object.entries(data?.value.counts ?? {});
  const codes = code === undefined || counts.some(([one]) => one === code) ? counts : [...counts, [code, 0] as const];
  const rows = data?.value.requests ?? [];
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="sm">
        {codes.length > 0 ? (
          <NativeSelect
            size="xs"
            aria-label="Code"
            value={code ?? ''}
            onChange={(event) => updateSearch({ code: event.currentTarget.value || undefined })}
            data={[
              { value: '', label: 'Every code' },
              ...codes.map(([one, count]) => ({ value: one, label: `${one} (${count.toLocaleString('en')})` })),
            ]}
          />
        ) : (
          <span />
        )}
        <LastUpdated pauseMs={intervalAfter(data?.durationMs)} reading={isFetching} onRefresh={refresh} />
      </Group>
      {error !== null && (
        <FailureNotice title="The rejected requests could not be read" failure={toFailure(error)} onRetry={refresh} />
      )}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && rows.length === 0 && (
        <EmptyState title="No rejected requests">
          Requests that this node rejects are listed here with code and reason, the latest first.
        </EmptyState>
      )}
      {rows.length > 0 && (
        <DataTable
          label="Rejected requests"
          rows={rows}
          columns={columns}
          keyOf={({ time, request_id }) => `${time} ${request_id}`}
          onOpen={setOpened}
        />
      )}
      {rows.length > 0 && (
        <Text size="sm" c="dimmed">
          The latest 100 of the responding node. Counts are since its start.
        </Text>
      )}
      <RecentErrorList request={opened} onClose={() => setOpened(undefined)} />
    </Stack>
  );
}

interface RecentErrorListProps {
  /** Undefined closes the drawer. */
  readonly request: RecentError | undefined;
  readonly onClose: () => void;
}

function RecentErrorList({ request, onClose }: RecentErrorListProps) {
  return (
    <DetailDrawer subject={request} title="Rejected request" size="form" onClose={onClose}>
      {(shown) => (
        <DescriptionList
          facts={[
            ['Reason', sentence(shown.message)],
            ['Code', <Code key="code">{shown.code}</Code>],
            ['Path', <Code key="path">{shown.path}</Code>],
            ['Role', shown.role ?? 'Unknown: not authenticated'],
            ['Rejected', <Timestamp key="time" at={shown.time} withDistance />],
            ['Request id', <Code key="id">{shown.request_id}</Code>],
          ]}
        />
      )}
    </DetailDrawer>
  );
}
