/** The overview: version, readiness, inconsistent metadata, endpoint. */
import { Anchor, Group, List, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { groupBySeverity, readInconsistencies } from '../../api/inconsistencies.ts';
import { adaptiveInterval } from '../../api/polling.ts';
import { linkTo } from '../../router/location.ts';
import { countEvents, waitingStatuses } from '../../shared/events/events-api.ts';
import { curlOf } from '../../shared/graphql/curl.ts';
import { InconsistentObjects, UnsupportedMembers } from '../../shared/inconsistencies/inconsistent-objects.tsx';
import { useSources } from '../../shared/sources/use-sources.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { counted } from '../../ui/format.ts';
import { CopyButton } from '../../ui/page/copy-button.tsx';
import { OpenIcon } from '../../ui/page/icons.tsx';
import { JsonView } from '../../ui/page/json-view.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
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

const first = { query: '{ __typename }', variables: '', operationName: undefined, headers: {} };

function Endpoint() {
  const { headerPrefix, secretRequired } = useClient();
  const { origin } = window.location;
  const url = `${origin}/v1/graphql`;
  return (
    <Paper withBorder p="md" bg="var(--joinery-surface)" component="section" aria-labelledby="endpoint">
      <Stack gap="xs">
        <Title order={2} id="endpoint">
          GraphQL endpoint
        </Title>
        <Group gap={4} wrap="nowrap">
          <Anchor
            href={`${url}?query={__typename}`}
            target="_blank"
            rel="noreferrer"
            style={{ overflowWrap: 'anywhere' }}
          >
            {url} <OpenIcon size={14} />
          </Anchor>
          <CopyButton text={url} what="address" />
        </Group>
        <Text size="sm" c="dimmed">
          Clients send requests there by POST. A first one, from a shell:
        </Text>
        <JsonView plain what="example request" text={curlOf({ ...first, origin, headerPrefix, secretRequired })} />
      </Stack>
    </Paper>
  );
}

function EventCounts() {
  const client = useClient();
  const { data, error, isPending } = useQuery({
    queryKey: ['events', 'count', waitingStatuses, {}],
    queryFn: ({ signal }) => countEvents(client, waitingStatuses, {}, signal),
    refetchInterval: adaptiveInterval,
  });
  const failure = error === null ? undefined : toFailure(error);
  return (
    <MetricCard title="One-off events" pending={isPending} failure={failure}>
      {data !== undefined && {
        value: `${data.value.estimated ? 'About ' : ''}${counted(data.value.count, 'pending event')}`,
        tone: 'plain',
        text: (
          <Anchor {...linkTo(data.value.count === 0 ? '/events/one-off/schedule' : '/events/one-off/pending')} inherit>
            {data.value.count === 0 ? 'Schedule one' : 'See them'}
          </Anchor>
        ),
      }}
    </MetricCard>
  );
}

/** Renders nothing once a table is tracked. */
function FirstSteps() {
  const { data: sources } = useSources();
  if (sources === undefined || sources.some(({ tables }) => tables.length > 0)) return null;
  const [first] = sources;
  return (
    <Paper withBorder p="md" bg="var(--joinery-surface)" component="section" aria-labelledby="first-steps">
      <Title order={2} id="first-steps" mb="xs">
        First steps
      </Title>
      <List type="ordered" size="sm" spacing={6}>
        <List.Item>
          {first === undefined ? (
            <Anchor inherit {...linkTo('/data')}>
              Add a source
            </Anchor>
          ) : (
            <Anchor inherit {...linkTo(`/data/${encodeURIComponent(first.name)}`)}>
              Track tables
            </Anchor>
          )}{' '}
          of your database, or{' '}
          <Anchor inherit {...linkTo('/sql')}>
            run SQL
          </Anchor>{' '}
          that makes some: the GraphQL schema has what is tracked.
        </List.Item>
        <List.Item>
          <Anchor inherit {...linkTo('/actions/new')}>
            Create an action
          </Anchor>{' '}
          that your REST endpoint implements, and join its output to a table.
        </List.Item>
        <List.Item>
          <Anchor inherit {...linkTo('/explore')}>
            Request both
          </Anchor>{' '}
          in one request, as any role.
        </List.Item>
        <List.Item>
          <Anchor inherit {...linkTo('/events/one-off/schedule')}>
            Schedule an event
          </Anchor>{' '}
          that calls a webhook once, at its time.
        </List.Item>
      </List>
    </Paper>
  );
}
