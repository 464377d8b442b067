/** The list of destinations with the figures of the chosen range, and their details. */
import type { HistoryPercentiles } from '@joinery/metadata/api/events/traffic';
import { Button, Group, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useCommand } from '../../api/use-command.ts';
import { linkTo, updateSearch } from '../../router/location.ts';
import { failureShare, failuresIn, latencyText, percentText } from '../../shared/traffic/traffic.ts';
import { DetailDrawer } from '../../ui/dialog/detail-drawer.tsx';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { StatusDot } from '../../ui/feedback/status-dot.tsx';
import { counted, sentence } from '../../ui/format.ts';
import { DescriptionList } from '../../ui/page/description-list.tsx';
import { type Column, DataTable } from '../../ui/table/data-table.tsx';
import { durationOf } from '../../ui/time/times.ts';
import { Timestamp } from '../../ui/time/timestamp.tsx';
import classes from './delivery.module.css';
import { setPaused } from './delivery-api.ts';
import { type Destination, hasLimits } from './destinations.ts';
import { LimitsDialog } from './limits-dialog.tsx';

function stateOf({ settings }: Destination): { readonly label: string; readonly tone: 'waiting' | 'good' | 'bad' } {
  if (settings?.paused === true) return { label: 'Paused', tone: 'waiting' };
  if (settings?.circuit.state === 'open') return { label: 'Circuit open', tone: 'bad' };
  return { label: 'Open to calls', tone: 'good' };
}

const p95 = (percentiles: HistoryPercentiles | null | undefined): string =>
  percentiles === null || percentiles === undefined ? '–' : latencyText(percentiles.p95);

const figure = (text: string, isFailing = false): ReactNode => (
  <span className={`${classes.numeric} ${isFailing ? classes.failing : ''}`}>{text}</span>
);

function failedText({ traffic }: Destination): string {
  if (traffic === undefined || failuresIn(traffic) === 0) return '0';
  return `${failuresIn(traffic).toLocaleString('en')} (${percentText(failureShare(traffic))})`;
}

const columns: readonly [Column<Destination>, ...Column<Destination>[]] = [
  { key: 'name', header: 'Destination', cell: ({ name }) => name },
  {
    key: 'state',
    header: 'State',
    width: '9.5rem',
    cell: (one) => <StatusDot tone={stateOf(one).tone}>{stateOf(one).label}</StatusDot>,
  },
  {
    key: 'calls',
    header: 'Calls',
    width: '6rem',
    cell: ({ traffic }) => figure(traffic?.count.toLocaleString('en') ?? '0'),
  },
  {
    key: 'failed',
    header: 'Failed',
    width: '8rem',
    cell: (one) => figure(failedText(one), one.traffic !== undefined && failuresIn(one.traffic) > 0),
  },
  { key: 'late', header: 'Late, p95', width: '6.5rem', cell: ({ traffic }) => figure(p95(traffic?.lateness_ms)) },
  { key: 'took', header: 'Took, p95', width: '6.5rem', cell: ({ traffic }) => figure(p95(traffic?.duration_ms)) },
  {
    key: 'backlog',
    header: 'Backlog',
    width: '6rem',
    cell: ({ traffic }) => figure(traffic?.backlog.toLocaleString('en') ?? '0'),
  },
];

export function DestinationList({ destinations }: { readonly destinations: readonly Destination[] }) {
  const [opened, setOpened] = useState<string>();
  const [limited, setLimited] = useState<Destination>();
  if (destinations.length === 0) {
    return (
      <EmptyState
        title="No call in this range"
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
      {(shown) => {
        const limitable = hasLimits(shown.name);
        return (
          <>
            <DescriptionList facts={factsOf(shown)} />
            {failure !== undefined && <FailureNotice title="Nothing was changed" failure={failure} />}
            <Group gap="xs">
              <Button
                size="xs"
                onClick={() => {
                  updateSearch({ destination: shown.name });
                  onClose();
                }}
              >
                Show its charts
              </Button>
              {limitable && (
                <>
                  <Button size="xs" variant="default" loading={isPending} onClick={() => run(shown)}>
                    {shown.settings?.paused === true ? 'Resume' : 'Pause'}
                  </Button>
                  <Button size="xs" variant="default" onClick={() => onLimits(shown)}>
                    Limits
                  </Button>
                </>
              )}
            </Group>
            <Text size="sm" c="dimmed">
              {limitable
                ? 'While a destination is paused its events wait. After it is resumed, events beyond their tolerance are dead.'
                : 'Only origins of webhooks and targets have limits and can be paused.'}
            </Text>
          </>
        );
      }}
    </DetailDrawer>
  );
}

const kindLabels = {
  one_off: 'one-off events',
  cron: 'cron triggers',
  event_trigger: 'event triggers',
  async_action: 'asynchronous actions',
  graphql: 'GraphQL',
} as const;

function factsOf(destination: Destination): readonly (readonly [string, ReactNode])[] {
  const { name, traffic, settings } = destination;
  const { label, tone } = stateOf(destination);
  const circuit = settings?.circuit;
  return [
    ['Destination', name],
    [
      'Called by',
      traffic === undefined ? undefined : sentence(traffic.kinds.map((kind) => kindLabels[kind]).join(', ')),
    ],
    [
      'State',
      <StatusDot key="state" tone={tone}>
        {label}
      </StatusDot>,
    ],
    ['At the same time', settings?.concurrency?.toLocaleString('en') ?? '100 calls by each node, the default'],
    ['Per second', settings?.rate_per_second?.toLocaleString('en') ?? 'No limit'],
    ['Circuit', circuit?.state === 'open' ? sentence(`Open: ${circuit.reason}`) : 'Closed: calls are made'],
    ['Opened', circuit?.state === 'open' ? <Timestamp key="opened" at={circuit.opened_at} withDistance /> : undefined],
    [
      'Next probe',
      circuit?.state === 'open' ? <Timestamp key="probe" at={circuit.probe_at} withDistance /> : undefined,
    ],
    ['Calls', traffic === undefined ? 'None in this range' : callsText(destination)],
    ['Lateness', percentilesText(traffic?.lateness_ms)],
    ['Duration', percentilesText(traffic?.duration_ms)],
    [
      'Backlog',
      traffic === undefined || traffic.backlog === 0
        ? undefined
        : `At most ${counted(traffic.backlog, 'event')}, for ${durationOf(traffic.backlog_seconds)}`,
    ],
  ];
}

function callsText({ traffic }: Destination): string {
  if (traffic === undefined) return '0';
  const { delivered, retried, failed, dead } = traffic;
  const parts = Object.entries({ delivered, retried, failed, 'too late': dead });
  return parts.flatMap(([name, count]) => (count === 0 ? [] : [`${count.toLocaleString('en')} ${name}`])).join(', ');
}

function percentilesText(percentiles: HistoryPercentiles | null | undefined): string | undefined {
  if (percentiles === null || percentiles === undefined) return undefined;
  const { p50, p95, p99 } = percentiles;
  return `p50 ${latencyText(p50)}, p95 ${latencyText(p95)}, p99 ${latencyText(p99)}`;
}
