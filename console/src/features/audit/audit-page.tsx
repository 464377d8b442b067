/** The audit log: who changed what, when and from where. */

import type { AuditEntry } from '@joinery/metadata/api/audit';
import { Button, Code, Group, Menu, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { useCommand } from '../../api/use-command.ts';
import { updateSearch, useLocation } from '../../router/location.ts';
import { DetailDrawer } from '../../ui/dialog/detail-drawer.tsx';
import { download } from '../../ui/download.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { notify } from '../../ui/feedback/notifications.tsx';
import { StatusDot } from '../../ui/feedback/status-dot.tsx';
import { useDraftForm } from '../../ui/form/use-draft-form.ts';
import { counted, sentence } from '../../ui/format.ts';
import { DescriptionList } from '../../ui/page/description-list.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { type Column, DataTable } from '../../ui/table/data-table.tsx';
import { Timestamp } from '../../ui/time/timestamp.tsx';
import { type AuditFilter, MAX_EXPORTED, readAllEntries, readAuditLog, toCsv } from './audit-api.ts';

const PAGE = 50;

const columns: readonly [Column<AuditEntry>, ...Column<AuditEntry>[]] = [
  { key: 'at', header: 'Time', width: '12.5rem', cell: ({ at }) => <Timestamp at={at} /> },
  { key: 'author', header: 'Author', width: '13rem', cell: ({ author }) => author },
  { key: 'command', header: 'Command', width: '17rem', cell: ({ command }) => <Code>{command}</Code> },
  {
    key: 'outcome',
    header: 'Outcome',
    width: '11rem',
    cell: ({ code }) => <StatusDot tone={code === null ? 'good' : 'bad'}>{code ?? 'Success'}</StatusDot>,
  },
  {
    key: 'arguments',
    header: 'Arguments',
    ownLine: true,
    cell: (entry) => (
      <Text size="sm" truncate title={entry.arguments}>
        {entry.arguments}
      </Text>
    ),
  },
];

const DAY_MS = 86_400_000;
/** The presets of the time, in days. */
const presets: readonly (readonly [value: string, label: string])[] = [
  ['', 'Any time'],
  ['1', 'Last 24 hours'],
  ['7', 'Last 7 days'],
  ['30', 'Last 30 days'],
];

/** `days` is rounded to the hour, so that pages of one list have the same filter. */
function filterOf(search: URLSearchParams): AuditFilter {
  const days = Number(search.get('days') ?? 0);
  const since = Math.floor(Date.now() / 3_600_000) * 3_600_000 - days * DAY_MS;
  const outcome = search.get('outcome');
  return {
    search: search.get('search') ?? undefined,
    outcome: outcome === 'success' || outcome === 'error' ? outcome : undefined,
    author: search.get('author') ?? undefined,
    command: search.get('command') ?? undefined,
    from: days > 0 ? new Date(since).toISOString() : undefined,
  };
}

export function AuditPage() {
  const client = useClient();
  const { search } = useLocation();
  const filter = filterOf(search);
  const [opened, setOpened] = useState<AuditEntry>();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['audit', filter],
    queryFn: ({ signal, pageParam }) => readAuditLog(client, filter, { before: pageParam, limit: PAGE, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  });
  const entries = data?.pages.flatMap((page) => page.entries) ?? [];
  const days = data?.pages[0]?.retention_days;
  return (
    <>
      <PageHeader
        title="Audit log"
        about={`Commands that changed something, or tried to, with their author. ${days === undefined || days === 0 ? '' : `Entries are retained ${counted(days, 'day')}.`}`}
        actions={<ExportMenu filter={filter} />}
      />
      <Stack gap="sm">
        <Filters filter={filter} days={search.get('days') ?? ''} />
        {error !== null && (
          <FailureNotice
            title="The audit log could not be read"
            failure={toFailure(error)}
            onRetry={() => void refetch()}
          />
        )}
        {data === undefined && error === null && <Loading />}
        {data !== undefined && entries.length === 0 && <NoEntries isDisabled={days === 0} />}
        {entries.length > 0 && (
          <DataTable label="Audit log" rows={entries} columns={columns} keyOf={({ id }) => id} onOpen={setOpened} />
        )}
        {hasNextPage && (
          <Group justify="center">
            <Button variant="default" size="xs" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Show older entries
            </Button>
          </Group>
        )}
      </Stack>
      <EntryDrawer entry={opened} onClose={() => setOpened(undefined)} />
    </>
  );
}

function NoEntries({ isDisabled }: { readonly isDisabled: boolean }) {
  return isDisabled ? (
    <EmptyState title="The audit log is disabled">
      Set JOINERY_AUDIT_LOG_RETENTION_DAYS to the number of days that entries are retained.
    </EmptyState>
  ) : (
    <EmptyState title="No entries">Commands that change something are listed here, the latest first.</EmptyState>
  );
}

function Search({ text }: { readonly text: string }) {
  const form = useDraftForm({ initial: { text }, isTransient: true });
  return (
    <form onSubmit={form.onSubmit((typed) => updateSearch({ search: typed.text === '' ? undefined : typed.text }))}>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          size="xs"
          label="Search"
          description="In author, address, request id, command, arguments and error"
          {...form.getInputProps('text')}
        />
        <Button type="submit" size="xs" variant="default">
          Search
        </Button>
      </Group>
    </form>
  );
}

function Filters({ filter, days }: { readonly filter: AuditFilter; readonly days: string }) {
  const chosen = (['author', 'command'] as const).filter((field) => filter[field] !== undefined);
  return (
    <Group gap="sm" align="flex-end">
      <Search key={filter.search ?? ''} text={filter.search ?? ''} />
      <NativeSelect
        size="xs"
        label="Outcome"
        value={filter.outcome ?? ''}
        onChange={(event) => updateSearch({ outcome: event.currentTarget.value || undefined })}
        data={[
          { value: '', label: 'Any outcome' },
          { value: 'success', label: 'Success' },
          { value: 'error', label: 'Error' },
        ]}
      />
      <NativeSelect
        size="xs"
        label="Time"
        value={days}
        onChange={(event) => updateSearch({ days: event.currentTarget.value || undefined })}
        data={presets.map(([value, label]) => ({ value, label }))}
      />
      {chosen.map((field) => (
        <Button key={field} size="xs" variant="light" onClick={() => updateSearch({ [field]: undefined })}>
          Show every {field}: remove {filter[field]}
        </Button>
      ))}
    </Group>
  );
}

function ExportMenu({ filter }: { readonly filter: AuditFilter }) {
  const { run, isPending } = useCommand(
    async (client, format: 'json' | 'csv') => {
      const entries = await readAllEntries(client, filter);
      if (format === 'json') download('audit-log.json', `${JSON.stringify(entries, null, 2)}\n`);
      else download('audit-log.csv', toCsv(entries), 'text/csv');
      return entries.length;
    },
    {
      notice: (count) => ({
        title: `Exported ${counted(count, 'row')}`,
        ...(count >= MAX_EXPORTED && { text: 'The log has older ones: limit the time to export these.' }),
      }),
      onFailure: ({ message }) => notify({ title: 'The audit log was not exported', text: sentence(message) }),
      changes: [],
    },
  );
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" loading={isPending}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => run('csv')}>CSV of this search</Menu.Item>
        <Menu.Item onClick={() => run('json')}>JSON of this search</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface EntryDrawerProps {
  /** Undefined closes the drawer. */
  readonly entry: AuditEntry | undefined;
  readonly onClose: () => void;
}

function EntryDrawer({ entry, onClose }: EntryDrawerProps) {
  const only = (field: 'author' | 'command', value: string): void => {
    updateSearch({ [field]: value });
    onClose();
  };
  return (
    <DetailDrawer subject={entry} title={({ command }) => command} size="details" onClose={onClose}>
      {(shown) => (
        <>
          <DescriptionList
            facts={[
              ['Author', shown.author],
              ['Time', <Timestamp key="at" at={shown.at} withDistance />],
              ['Address', shown.address ?? 'Unknown'],
              ['Request id', <Code key="id">{shown.request_id}</Code>],
              ['Outcome', shown.code === null ? 'Success' : sentence(shown.error ?? shown.code)],
              ...(shown.code === null ? [] : [['Code', <Code key="code">{shown.code}</Code>] as const]),
              ['Duration', `${shown.duration_ms.toLocaleString('en')} ms`],
            ]}
          />
          <Code block>{pretty(shown.arguments)}</Code>
          <Group gap="sm">
            <Button size="xs" variant="default" onClick={() => only('author', shown.author)}>
              Show this author only
            </Button>
            <Button size="xs" variant="default" onClick={() => only('command', shown.command)}>
              Show this command only
            </Button>
          </Group>
        </>
      )}
    </DetailDrawer>
  );
}

/** Long arguments are cut, and no JSON. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
