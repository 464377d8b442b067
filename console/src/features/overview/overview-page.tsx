/** The overview: whether the service is well, its figures, and the endpoint. */
import { Anchor, Group, List, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useClient } from '../../api/context.ts';
import { type Failure, toFailure } from '../../api/failure.ts';
import { groupBySeverity, readInconsistencies } from '../../api/inconsistencies.ts';
import { readNodes } from '../../api/metadata.ts';
import { adaptiveInterval } from '../../api/polling.ts';
import { linkTo } from '../../router/location.ts';
import { curlOf } from '../../shared/graphql/curl.ts';
import { InconsistentObjects, UnsupportedMembers } from '../../shared/inconsistencies/inconsistent-objects.tsx';
import { useSources } from '../../shared/sources/use-sources.ts';
import { useDestinationSettings, useRecentCalls } from '../../shared/traffic/delivery-state.ts';
import { useTraffic } from '../../shared/traffic/traffic.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { CopyButton } from '../../ui/page/copy-button.tsx';
import { OpenIcon } from '../../ui/page/icons.tsx';
import { JsonView } from '../../ui/page/json-view.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { findingsOf } from './health.ts';
import { HealthSummary } from './health-summary.tsx';
import { MetricCard } from './metric-card.tsx';
import { backlogMetric, callMetric, circuitMetric, metadataMetric, nodeMetric, operationMetric } from './metrics.tsx';

const POLL_MS = 5_000;

export function OverviewPage() {
  const client = useClient();
  const queries = useQueryClient();
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
  const nodes = useQuery({
    queryKey: ['nodes'],
    queryFn: ({ signal }) => readNodes(client, signal),
    refetchInterval: adaptiveInterval,
  });
  const calls = useTraffic({ range: '1h' });
  const operations = useTraffic({ range: '1h', kinds: ['graphql'] });
  const recent = useRecentCalls();
  const destinations = useDestinationSettings();
  const objects = broken.data && groupBySeverity(broken.data);
  const read: readonly UseQueryResult<unknown>[] = [readiness, broken, nodes, calls, operations, recent, destinations];
  const error = read.find((one) => one.error !== null)?.error ?? null;
  const backlog = recent.data?.value.backlog;
  const findings = findingsOf({
    readiness: readiness.data,
    broken: objects?.broken.length,
    unsupported: objects?.unsupported.length,
    calls: calls.data?.value,
    operations: operations.data?.value,
    backlog,
    destinations: destinations.data?.value,
    nodes: nodes.data?.value.nodes,
  });
  return (
    <>
      <PageHeader title="Overview" about="Whether this service is well, and what it did in the last hour." />
      {error !== null && (
        <FailureNotice
          title="Not everything could be read"
          failure={toFailure(error)}
          onRetry={() => void queries.invalidateQueries()}
        />
      )}
      <HealthSummary
        findings={findings}
        isComplete={read.every(({ data }) => data !== undefined)}
        hasFailed={error !== null}
      />
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="md">
        <MetricCard
          title="GraphQL operations"
          to="/operations/rejected"
          failure={failureOf(operations)}
          metric={operations.data && operationMetric(operations.data.value)}
        />
        <MetricCard
          title="Calls of events"
          to="/events/delivery"
          failure={failureOf(calls)}
          metric={calls.data && callMetric(calls.data.value)}
        />
        <MetricCard
          title="Backlog"
          to="/events/delivery"
          failure={failureOf(recent)}
          metric={backlog && backlogMetric(backlog)}
        />
        <MetricCard
          title="Circuits"
          to="/events/delivery"
          failure={failureOf(destinations)}
          metric={destinations.data && circuitMetric(destinations.data.value)}
        />
        <MetricCard
          title="Metadata"
          to={objects !== undefined && objects.broken.length > 0 ? '#inconsistent' : '/settings'}
          failure={failureOf(broken)}
          metric={objects && metadataMetric(objects.broken.length, objects.unsupported.length)}
        />
        <MetricCard
          title="Nodes"
          to="/settings/nodes"
          failure={failureOf(nodes)}
          metric={nodes.data && nodeMetric(nodes.data.value.nodes, readiness.data)}
        />
      </SimpleGrid>
      <FirstSteps />
      {objects !== undefined && objects.broken.length > 0 && <InconsistentObjects objects={objects.broken} />}
      {objects !== undefined && objects.unsupported.length > 0 && <UnsupportedMembers objects={objects.unsupported} />}
      <Endpoint />
      <Text size="xs" c="dimmed">
        Metrics for Prometheus are at <Anchor href="/metrics">/metrics</Anchor>, liveness at{' '}
        <Anchor href="/healthz">/healthz</Anchor>.
      </Text>
    </>
  );
}

function failureOf({ error }: UseQueryResult<unknown>): Failure | undefined {
  return error === null ? undefined : toFailure(error);
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
