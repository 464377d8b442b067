/** The requests that the node which answers has refused lately, and why. */
import { Code, Drawer, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { pauseAfter, politely } from '../../api/polling.ts';
import { goWithin, usePlace } from '../../router/location.ts';
import { useLast } from '../../ui/dialog/use-last.ts';
import { Empty } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Freshness } from '../../ui/feedback/last-updated.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { sentence } from '../../ui/format.ts';
import { Facts } from '../../ui/page/description-list.tsx';
import { type Column, Rows } from '../../ui/table/data-table.tsx';
import { Moment } from '../../ui/time/timestamp.tsx';
import { type RefusedRequest, readRefusals } from './operations-api.ts';

const columns: readonly [Column<RefusedRequest>, ...Column<RefusedRequest>[]] = [
  { key: 'time', header: 'Refused', width: '13.5rem', cell: ({ time }) => <Moment at={time} withDistance /> },
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

export function RefusedPart() {
  const client = useClient();
  const queries = useQueryClient();
  const { search } = usePlace();
  const code = search.get('code') ?? undefined;
  const [opened, setOpened] = useState<RefusedRequest>();
  const { data, error, isFetching } = useQuery({
    queryKey: ['refused', code ?? null],
    queryFn: ({ signal }) => readRefusals(client, code, signal),
    refetchInterval: politely,
    placeholderData: keepPreviousData,
  });
  const refresh = (): void => void queries.invalidateQueries({ queryKey: ['refused'] });
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
            onChange={(event) => goWithin({ code: event.currentTarget.value || undefined })}
            data={[
              { value: '', label: 'Every code' },
              ...codes.map(([one, count]) => ({ value: one, label: `${one} (${count.toLocaleString('en')})` })),
            ]}
          />
        ) : (
          <span />
        )}
        <Freshness pauseMs={pauseAfter(data?.tookMs)} reading={isFetching} onRefresh={refresh} />
      </Group>
      {error !== null && (
        <FailureNotice title="The refused requests could not be read" failure={toFailure(error)} onRetry={refresh} />
      )}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && rows.length === 0 && (
        <Empty title="No request has been refused">
          Requests that this node refuses are listed here with the code and the reason, the latest first.
        </Empty>
      )}
      {rows.length > 0 && (
        <Rows
          label="Refused requests"
          rows={rows}
          columns={columns}
          keyOf={({ time, request_id }) => `${time} ${request_id}`}
          onOpen={setOpened}
        />
      )}
      {rows.length > 0 && (
        <Text size="sm" c="dimmed">
          The latest 100 of the node that answers. Counts are since its start.
        </Text>
      )}
      <Refused request={opened} onClose={() => setOpened(undefined)} />
    </Stack>
  );
}

interface RefusedProps {
  /** Undefined: nothing is shown. */
  readonly request: RefusedRequest | undefined;
  readonly onClose: () => void;
}

function Refused({ request, onClose }: RefusedProps) {
  const shown = useLast(request);
  return (
    <Drawer
      opened={request !== undefined}
      onClose={onClose}
      position="right"
      size="min(36rem, 100%)"
      title="Refused request"
    >
      {shown !== undefined && (
        <Facts
          facts={[
            ['Reason', sentence(shown.message)],
            ['Code', <Code key="code">{shown.code}</Code>],
            ['Path', <Code key="path">{shown.path}</Code>],
            ['Role', shown.role ?? 'Not known: nobody was let in'],
            ['Refused', <Moment key="time" at={shown.time} withDistance />],
            ['Request id', <Code key="id">{shown.request_id}</Code>],
          ]}
        />
      )}
    </Drawer>
  );
}
