/** The nodes of the service with status, components and events in flight. */
import type { ServiceNode } from '@joinery/metadata/api/nodes';
import { Code, Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { readNodes } from '../../api/metadata.ts';
import { adaptiveInterval, intervalAfter } from '../../api/polling.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { LastUpdated } from '../../ui/feedback/last-updated.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { StatusDot } from '../../ui/feedback/status-dot.tsx';
import { counted } from '../../ui/format.ts';
import { DescriptionList } from '../../ui/page/description-list.tsx';
import { useNarrow } from '../../ui/page/use-narrow.ts';
import { PlainTable } from '../../ui/table/plain-table.tsx';
import { Timestamp } from '../../ui/time/timestamp.tsx';

const components: Readonly<Record<string, string>> = { api: 'API', console: 'Console', events: 'Events' };

export function NodesSection() {
  const client = useClient();
  const queries = useQueryClient();
  const narrow = useNarrow();
  const { data, error, isFetching } = useQuery({
    queryKey: ['nodes'],
    queryFn: ({ signal }) => readNodes(client, signal),
    refetchInterval: adaptiveInterval,
  });
  const refresh = (): void => void queries.invalidateQueries({ queryKey: ['nodes'] });
  const nodes = data?.value.nodes ?? [];
  const alive = nodes.filter((node) => node.alive).length;
  return (
    <Stack gap="sm">
      <Group justify="space-between" mih={28}>
        <Text size="sm">{data === undefined ? ' ' : `${counted(alive, 'node')} alive`}</Text>
        <LastUpdated pauseMs={intervalAfter(data?.durationMs)} reading={isFetching} onRefresh={refresh} />
      </Group>
      {error !== null && (
        <FailureNotice title="The nodes could not be read" failure={toFailure(error)} onRetry={refresh} />
      )}
      {data === undefined && error === null && <Loading />}
      {data !== undefined &&
        (narrow ? (
          nodes.map((node) => <NodeCard key={node.id} node={node} isResponding={node.id === data.value.answered_by} />)
        ) : (
          <NodeTable nodes={nodes} responding={data.value.answered_by} />
        ))}
      <Text size="sm" c="dimmed" maw={640}>
        Each node sends a heartbeat every 5 seconds. After 20 seconds without one, a node is down and other nodes
        deliver its events.
      </Text>
    </Stack>
  );
}

interface NodeTableProps {
  readonly nodes: readonly ServiceNode[];
  readonly responding: string | null;
}

function NodeTable({ nodes, responding }: NodeTableProps) {
  return (
    <Paper withBorder bg="var(--joinery-surface)">
      <PlainTable
        horizontalSpacing="md"
        verticalSpacing="sm"
        aria-label="Nodes"
        rows={nodes}
        keyOf={({ id }) => id}
        columns={[
          {
            key: 'node',
            header: 'Node',
            cell: (node) => <NodeName node={node} isResponding={node.id === responding} />,
          },
          { key: 'state', header: 'State', cell: (node) => <NodeState node={node} /> },
          { key: 'runs', header: 'Runs', cell: runs },
          { key: 'version', header: 'Version', cell: ({ version }) => version },
          {
            key: 'events',
            header: 'Claimed events',
            isNumber: true,
            cell: (node) => node.events_in_hand.toLocaleString('en'),
          },
          { key: 'started', header: 'Started', cell: (node) => <Timestamp at={node.started_at} /> },
        ]}
      />
    </Paper>
  );
}

function NodeCard({ node, isResponding }: { readonly node: ServiceNode; readonly isResponding: boolean }) {
  return (
    <Paper withBorder p="md" bg="var(--joinery-surface)">
      <DescriptionList
        facts={[
          ['Node', <NodeName key="name" node={node} isResponding={isResponding} />],
          ['State', <NodeState key="state" node={node} />],
          ['Runs', runs(node)],
          ['Version', node.version],
          ['Claimed events', node.events_in_hand.toLocaleString('en')],
          ['Started', <Timestamp key="started" at={node.started_at} withDistance />],
        ]}
      />
    </Paper>
  );
}

function NodeName({ node, isResponding }: { readonly node: ServiceNode; readonly isResponding: boolean }) {
  return (
    <>
      {node.host} <Code>pid {node.pid}</Code>
      {isResponding && (
        <Text size="sm" c="dimmed">
          Responds to this console
        </Text>
      )}
    </>
  );
}

function NodeState({ node }: { readonly node: ServiceNode }) {
  if (node.alive) return <StatusDot tone="good">Alive</StatusDot>;
  return (
    <>
      <StatusDot tone="bad">Down</StatusDot>
      <Text size="sm" c="dimmed" component="div">
        Last heartbeat <Timestamp at={node.seen_at} />
      </Text>
    </>
  );
}

function runs(node: ServiceNode): string {
  return node.components.map((one) => components[one] ?? one).join(', ');
}
