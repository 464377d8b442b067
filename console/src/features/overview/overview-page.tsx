/** The overview: version, readiness, inconsistent metadata, endpoint. */
import { Anchor, SimpleGrid, Text } from '@mantine/core';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { groupBySeverity, readInconsistencies } from '../../api/inconsistencies.ts';
import { InconsistentObjects, UnsupportedMembers } from '../../shared/inconsistencies/inconsistent-objects.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { Endpoint } from './endpoint.tsx';
import { EventCounts } from './event-counts.tsx';
import { FirstSteps } from './first-steps.tsx';
import { MetricCard } from './metric-card.tsx';

const POLL_MS = 5_000;

export function OverviewPage() {
  const client = useClient();
  const queries = useQueryClient();
  const version = useQuery({
    queryKey: ['version'],
    queryFn: ({ signal }) => client.version(signal),
    refetchInterval: POLL_MS,
  });
  const readiness = useQuery({
    queryKey: ['readiness'],
    queryFn: ({ signal }) => client.readiness(signal),
    refetchInterval: POLL_MS,
  });
  const broken = useQuery({
    queryKey: ['inconsistencies'],
    queryFn: ({ signal }) => readInconsistencies(client, signal),
    refetchInterval: POLL_MS,
  });
  const objects = groupBySeverity(broken.data ?? []);
  const error = version.error ?? readiness.error ?? broken.error;
  return (
    <>
      <PageHeader title="Overview" about="This service at a glance." />
      {error !== null && (
        <FailureNotice
          title="Not everything could be read"
          failure={toFailure(error)}
          onRetry={() => void queries.invalidateQueries()}
        />
      )}
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="md">
        <MetricCard title="Service" {...stateOf(version)}>
          {version.data !== undefined && {
            value: `Version ${version.data.version}`,
            tone: 'good' as const,
            text: `Listens at ${window.location.host}.`,
          }}
        </MetricCard>
        <MetricCard title="Readiness" {...stateOf(readiness)}>
          {readiness.data !== undefined &&
            (readiness.data.ready
              ? { value: 'Ready', tone: 'good' as const, text: 'The database responds.' }
              : { value: 'Not ready', tone: 'bad' as const, text: waiting(readiness.data.waiting_for) })}
        </MetricCard>
        <MetricCard title="Metadata" {...stateOf(broken)}>
          {broken.data !== undefined && consistencyOf(groupBySeverity(broken.data))}
        </MetricCard>
        <EventCounts />
      </SimpleGrid>
      <FirstSteps />
      <Endpoint />
      {objects.broken.length > 0 && <InconsistentObjects objects={objects.broken} />}
      {objects.unsupported.length > 0 && <UnsupportedMembers objects={objects.unsupported} />}
      <Text size="xs" c="dimmed">
        Metrics for Prometheus are at <Anchor href="/metrics">/metrics</Anchor>, liveness at{' '}
        <Anchor href="/healthz">/healthz</Anchor>.
      </Text>
    </>
  );
}

function stateOf({ error, isPending }: UseQueryResult<unknown>) {
  return { pending: isPending, failure: error === null ? undefined : toFailure(error) };
}

function waiting(names: readonly string[]): string {
  return `Waiting for: ${names.join(', ')}. See that PostgreSQL is up and that the service can reach it.`;
}

function consistencyOf({ broken, unsupported }: ReturnType<typeof groupBySeverity>) {
  if (broken.length > 0) {
    const text = (
      <Anchor href="#inconsistent" inherit>
        See the reasons
      </Anchor>
    );
    return { value: `${broken.length.toLocaleString('en')} inconsistent`, tone: 'bad' as const, text };
  }
  if (unsupported.length === 0) {
    return { value: 'Consistent', tone: 'good' as const, text: 'Every object of it is in use.' };
  }
  const text = (
    <Anchor href="#unsupported" inherit>
      See which members have no effect
    </Anchor>
  );
  return { value: `${unsupported.length.toLocaleString('en')} without effect`, tone: 'plain' as const, text };
}
