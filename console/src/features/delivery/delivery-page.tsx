/** The delivery page: the backlog, charts of past traffic, and destinations with limits, pause and circuit. */
import type { ScheduledEventStats } from '@joinery/metadata/api/events/lists';
import type { TrafficKind } from '@joinery/metadata/api/events/traffic';
import { Group, Paper, SegmentedControl, Select, Stack, Text, Title } from '@mantine/core';
import { toFailure } from '../../api/failure.ts';
import { updateSearch, useLocation } from '../../router/location.ts';
import { useDestinationSettings, useRecentCalls } from '../../shared/traffic/delivery-state.ts';
import { type TrafficRange, trafficRanges, useTraffic } from '../../shared/traffic/traffic.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { onDemand } from '../../ui/page/on-demand.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { durationOf } from '../../ui/time/times.ts';
import { AlertsSection } from './alerts/alerts-section.tsx';
import classes from './delivery.module.css';
import { DestinationList } from './destination-list.tsx';
import { destinationsOf } from './destinations.ts';

// The library of charts is larger than the page.
const HistoryCharts = onDemand(async () => (await import('./history-charts.tsx')).HistoryCharts, Loading);

const kinds: readonly { readonly value: TrafficKind | ''; readonly label: string }[] = [
  { value: '', label: 'All calls' },
  { value: 'one_off', label: 'One-off events' },
  { value: 'cron', label: 'Cron triggers' },
  { value: 'event_trigger', label: 'Event triggers' },
  { value: 'async_action', label: 'Asynchronous actions' },
];

const isRange = (text: string | null): text is TrafficRange => trafficRanges.some(({ value }) => value === text);

/** The selection in the address: a link shows the same charts. */
function useSelection() {
  const { search } = useLocation();
  const range = search.get('range');
  return {
    range: isRange(range) ? range : '1h',
    kind: kinds.find(({ value }) => value === search.get('kind'))?.value || undefined,
    destination: search.get('destination') ?? undefined,
  } as const;
}

export function DeliveryPage() {
  const { range, kind, destination } = useSelection();
  const selected = kind && [kind];
  const all = useTraffic({ range, kinds: selected });
  const one = useTraffic({ range, kinds: selected, destination });
  const stats = useRecentCalls();
  const settings = useDestinationSettings();
  const error = stats.error ?? settings.error ?? all.error ?? one.error;
  const names = all.data?.value.destinations.map((traffic) => traffic.destination) ?? [];
  return (
    <>
      <PageHeader title="Delivery" about="How calls of events succeed, and the destinations that they go to." />
      <Stack gap="lg">
        {error !== null && <FailureNotice title="Not everything could be read" failure={toFailure(error)} />}
        {stats.data !== undefined && <Backlog backlog={stats.data.value.backlog} />}
        <Group gap="sm" align="flex-end">
          <SegmentedControl
            aria-label="Range of time"
            data={trafficRanges.map(({ value, label }) => ({ value, label }))}
            value={range}
            onChange={(value) => updateSearch({ range: value })}
            className={classes.ranges ?? ''}
          />
          <Select
            aria-label="Cause of calls"
            data={kinds}
            value={kind ?? ''}
            allowDeselect={false}
            onChange={(value) => updateSearch({ kind: value === '' || value === null ? undefined : value })}
          />
          <Select
            aria-label="Destination"
            placeholder="All destinations"
            searchable
            clearable
            w="20rem"
            maw="100%"
            data={destination === undefined || names.includes(destination) ? names : [destination, ...names]}
            value={destination ?? null}
            onChange={(value) => updateSearch({ destination: value ?? undefined })}
            clearButtonProps={{ 'aria-label': 'Show all destinations' }}
          />
        </Group>
        {one.data === undefined ? one.error === null && <Loading /> : <HistoryCharts history={one.data.value} />}
        <div>
          <Title order={2} mb="xs">
            Destinations
          </Title>
          {settings.data === undefined || stats.data === undefined || all.data === undefined ? (
            error === null && <Loading />
          ) : (
            <DestinationList
              destinations={destinationsOf(
                all.data.value.destinations,
                settings.data.value,
                kind === undefined ? stats.data.value.destinations.map((recent) => recent.destination) : [],
              )}
            />
          )}
        </div>
        <AlertsSection />
      </Stack>
    </>
  );
}

function Backlog({ backlog }: Pick<ScheduledEventStats, 'backlog'>) {
  const tiles: readonly (readonly [name: string, value: string])[] = [
    ['Pending', backlog.pending.toLocaleString('en')],
    ['Due, not yet called', backlog.due.toLocaleString('en')],
    ['In flight', backlog.in_flight.toLocaleString('en')],
    ['Longest due', backlog.oldest_due_seconds === 0 ? 'None' : durationOf(backlog.oldest_due_seconds)],
  ];
  return (
    <section className={classes.tiles} aria-label="One-off and cron events now">
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
    </section>
  );
}
