/** The delivery page: backlog, throughput, lateness, and destinations with limits, pause and circuit. */
import type { ScheduledEventStats } from '@joinery/metadata/api/events/lists';
import { Button, Group, Paper, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { adaptiveInterval } from '../../api/polling.ts';
import { useCommand } from '../../api/use-command.ts';
import { linkTo } from '../../router/location.ts';
import { DetailDrawer } from '../../ui/dialog/detail-drawer.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { StatusDot } from '../../ui/feedback/status-dot.tsx';
import { sentence } from '../../ui/format.ts';
import { DescriptionList } from '../../ui/page/description-list.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { type Column, DataTable } from '../../ui/table/data-table.tsx';
import { durationOf, millisecondsOf } from '../../ui/time/times.ts';
import { Timestamp } from '../../ui/time/timestamp.tsx';
import classes from './delivery.module.css';
import { readSettings, readStats, setPaused } from './delivery-api.ts';
import { type Destination, destinationsOf, pointsOf, type Sample, withSample } from './destinations.ts';
import { LimitsDialog } from './limits-dialog.tsx';
import { LineChart } from './line-chart.tsx';

const windows = [
  { value: '60', label: '1 minute' },
  { value: '300', label: '5 minutes' },
  { value: '3600', label: '1 hour' },
];

/** Samples survive navigation to other pages. */
let retained: readonly Sample[] = [];

export function DeliveryPage() {
  const client = useClient();
  const [seconds, setSeconds] = useState('300');
  const stats = useQuery({
    queryKey: ['delivery', 'stats', seconds],
    queryFn: ({ signal }) => readStats(client, Number(seconds), signal),
    refetchInterval: adaptiveInterval,
    placeholderData: keepPreviousData,
  });
  const settings = useQuery({
    queryKey: ['delivery', 'settings'],
    queryFn: ({ signal }) => readSettings(client, signal),
    refetchInterval: adaptiveInterval,
  });
  const error = stats.error ?? settings.error;
  const samples = useSamples();
  return (
    <>
      <PageHeader title="Delivery" about="How calls of events go, and the destinations that they go to." />
      <Stack gap="lg">
        {error !== null && <FailureNotice title="Not everything could be read" failure={toFailure(error)} />}
        {stats.data !== undefined && <Backlog backlog={stats.data.value.backlog} />}
        <div className={classes.charts}>
          <LineChart
            title="Calls per second, over a minute"
            points={pointsOf(samples, ({ perSecond }) => perSecond)}
            print={(value) => `${rounded(value)}/s`}
          />
          <LineChart
            title="Lateness, 95 of 100 calls, over a minute"
            points={pointsOf(samples, ({ latenessMs }) => latenessMs)}
            print={(value) => millisecondsOf(rounded(value))}
          />
        </div>
        <div>
          <Group justify="space-between" mb="xs">
            <Title order={2}>Destinations</Title>
            <SegmentedControl size="xs" aria-label="Looked back" data={windows} value={seconds} onChange={setSeconds} />
          </Group>
          {settings.data === undefined || stats.data === undefined ? (
            error === null && <Loading />
          ) : (
            <DestinationList destinations={destinationsOf(stats.data.value, settings.data.value)} />
          )}
        </div>
      </Stack>
    </>
  );
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

function useSamples(): readonly Sample[] {
  const client = useClient();
  const { data, dataUpdatedAt } = useQuery({
    queryKey: ['delivery', 'stats', '60'],
    queryFn: ({ signal }) => readStats(client, 60, signal),
    refetchInterval: adaptiveInterval,
  });
  const [samples, setLooks] = useState(retained);
  useEffect(() => {
    if (data === undefined) return;
    const { calls } = data.value;
    retained = withSample(retained, {
      at: dataUpdatedAt,
      perSecond: calls.per_second,
      latenessMs: calls.lateness_ms?.p95,
    });
    setLooks(retained);
  }, [data, dataUpdatedAt]);
  return samples;
}

function Backlog({ backlog }: Pick<ScheduledEventStats, 'backlog'>) {
  const tiles: readonly (readonly [name: string, value: string])[] = [
    ['Pending', backlog.pending.toLocaleString('en')],
    ['Due, not yet called', backlog.due.toLocaleString('en')],
    ['In flight', backlog.in_flight.toLocaleString('en')],
    ['Longest due', backlog.oldest_due_seconds === 0 ? 'None' : durationOf(backlog.oldest_due_seconds)],
  ];
  return (
    <div className={classes.tiles}>
      {tiles.map(([name, value]) => (
        <Paper key={name} withBorder p="md" bg="var(--joinery-surface)">
          <Text size="sm" c="dimmed">
            {name}
          </Text>
          <Text fw={650} fz="lg">
            {value}
          </Text>
        </Paper>
      ))}
    </div>
  );
}

function stateOf({ settings }: Destination): { readonly label: string; readonly tone: 'waiting' | 'good' | 'bad' } {
  if (settings?.paused === true) return { label: 'Paused', tone: 'waiting' };
  if (settings?.circuit.state === 'open') return { label: 'Circuit open', tone: 'bad' };
  return { label: 'Open to calls', tone: 'good' };
}

const p95 = (spread: { readonly p95: number } | null | undefined): string =>
  spread === null || spread === undefined ? '–' : millisecondsOf(rounded(spread.p95));

const columns: readonly [Column<Destination>, ...Column<Destination>[]] = [
  { key: 'name', header: 'Destination', cell: ({ name }) => name },
  {
    key: 'state',
    header: 'State',
    width: '9.5rem',
    cell: (one) => <StatusDot tone={stateOf(one).tone}>{stateOf(one).label}</StatusDot>,
  },
  { key: 'calls', header: 'Calls', width: '6rem', cell: ({ calls }) => calls?.count.toLocaleString('en') ?? '0' },
  { key: 'failed', header: 'Failed', width: '6rem', cell: ({ calls }) => calls?.failed.toLocaleString('en') ?? '0' },
  { key: 'late', header: 'Late, p95', width: '7rem', cell: ({ calls }) => p95(calls?.lateness_ms) },
  { key: 'took', header: 'Took, p95', width: '7rem', cell: ({ calls }) => p95(calls?.duration_ms) },
];

function DestinationList({ destinations }: { readonly destinations: readonly Destination[] }) {
  const [opened, setOpened] = useState<string>();
  const [limited, setLimited] = useState<Destination>();
  if (destinations.length === 0) {
    return (
      <EmptyState
        title="Nothing has been called lately"
        action={
          <Button component="a" variant="light" mt="xs" {...linkTo('/events/one-off/schedule')}>
            Schedule an event
          </Button>
        }
      >
        The destinations of calls are listed here: scheme, host and port, each with a queue of its own.
      </EmptyState>
    );
  }
  return (
    <>
      <DataTable
        label="Destinations"
        rows={destinations}
        columns={columns}
        keyOf={({ name }) => name}
        onOpen={({ name }) => setOpened(name)}
      />
      <DestinationDetails
        destination={destinations.find(({ name }) => name === opened)}
        onClose={() => setOpened(undefined)}
        onLimits={setLimited}
      />
      <LimitsDialog destination={limited} onClose={() => setLimited(undefined)} />
    </>
  );
}

interface DestinationDetailsProps {
  readonly destination: Destination | undefined;
  readonly onClose: () => void;
  readonly onLimits: (destination: Destination) => void;
}

function DestinationDetails({ destination, onClose, onLimits }: DestinationDetailsProps) {
  const { run, failure, isPending } = useCommand(
    (client, { name, settings }: Destination) => setPaused(client, name, settings?.paused !== true),
    { changes: [['delivery']] },
  );
  return (
    <DetailDrawer subject={destination} title="Destination" size="form" onClose={onClose}>
      {(shown) => (
        <>
          <DescriptionList facts={factsOf(shown)} />
          {failure !== undefined && <FailureNotice title="Nothing was changed" failure={failure} />}
          <Group gap="xs">
            <Button size="xs" variant="default" loading={isPending} onClick={() => run(shown)}>
              {shown.settings?.paused === true ? 'Resume' : 'Pause'}
            </Button>
            <Button size="xs" variant="default" onClick={() => onLimits(shown)}>
              Limits
            </Button>
          </Group>
          <Text size="sm" c="dimmed">
            While a destination is paused its events wait. On resuming, those beyond their tolerance are dead.
          </Text>
        </>
      )}
    </DetailDrawer>
  );
}

function factsOf(destination: Destination): readonly (readonly [string, ReactNode])[] {
  const { name, calls, settings } = destination;
  const { label, tone } = stateOf(destination);
  const circuit = settings?.circuit;
  return [
    ['Destination', name],
    [
      'State',
      <StatusDot key="state" tone={tone}>
        {label}
      </StatusDot>,
    ],
    ['At the same time', settings?.concurrency?.toLocaleString('en') ?? '100 calls by each node, the default'],
    ['Per second', settings?.rate_per_second?.toLocaleString('en') ?? 'No limit'],
    ['Circuit', circuit?.state === 'open' ? sentence(`Open: ${circuit.reason}`) : 'Closed: calls go through'],
    ['Opened', circuit?.state === 'open' ? <Timestamp key="opened" at={circuit.opened_at} withDistance /> : undefined],
    [
      'Next probe',
      circuit?.state === 'open' ? <Timestamp key="probe" at={circuit.probe_at} withDistance /> : undefined,
    ],
    ['Calls', calls === undefined ? 'None lately' : `${calls.delivered} delivered, ${calls.failed} failed`],
    ['Lateness, p95', calls === undefined ? undefined : p95(calls.lateness_ms)],
    ['Duration, p95', calls === undefined ? undefined : p95(calls.duration_ms)],
  ];
}
