/** A plan of PostgreSQL as an indented table: rows, time or cost of each node, and what is likely wrong. */
import { Group, Stack, Text } from '@mantine/core';
import { CopyButton } from '../../ui/page/copy-button.tsx';
import { AlertIcon } from '../../ui/page/icons.tsx';
import cells from '../../ui/table/cells.module.css';
import { PlainTable } from '../../ui/table/plain-table.tsx';
import { millisecondsOf } from '../../ui/time/times.ts';
import type { PlanNode, PostgresPlan } from './postgres-plan.ts';
import classes from './sql.module.css';

export function PlanTable({ plan, text }: { readonly plan: PostgresPlan; readonly text: string }) {
  const { nodes, planningMs, executionMs } = plan;
  const isMeasured = executionMs !== undefined;
  return (
    <Stack gap={6}>
      <Group gap="sm">
        <Text size="xs" c="dimmed">
          {isMeasured
            ? `Planning took ${shortMs(planningMs ?? 0)}, execution ${shortMs(executionMs)}.`
            : 'The statement was not run: rows and shares are estimates of PostgreSQL.'}
        </Text>
        <CopyButton text={text} what="the plan as JSON" />
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={`${cells.scroll} ${cells.result}`} aria-label="Plan" tabIndex={0}>
        <PlainTable
          className={cells.grid ?? ''}
          horizontalSpacing="sm"
          verticalSpacing={5}
          stickyHeader
          rows={nodes}
          keyOf={({ key }) => key}
          columns={[
            { key: 'node', header: 'Node', isRowHeader: true, cell: (node) => <NodeCell node={node} /> },
            {
              key: 'share',
              header: isMeasured ? 'Share of time' : 'Share of cost',
              headProps: { ta: 'right' },
              cellProps: { ta: 'right' },
              cell: (node) => <Share node={node} />,
            },
            {
              key: 'estimated',
              header: 'Rows estimated',
              headProps: { ta: 'right' },
              cellProps: { ta: 'right' },
              cell: ({ estimatedRows }) => estimatedRows.toLocaleString('en'),
            },
            ...(isMeasured
              ? [
                  {
                    key: 'actual',
                    header: 'Rows read',
                    headProps: { ta: 'right' as const },
                    cellProps: { ta: 'right' as const },
                    cell: ({ actualRows }: PlanNode) => actualRows?.toLocaleString('en'),
                  },
                ]
              : []),
          ]}
        />
      </section>
    </Stack>
  );
}

function NodeCell({ node: { depth, title, details, warnings } }: { readonly node: PlanNode }) {
  return (
    <div style={{ paddingInlineStart: `${depth * 1.25}rem` }}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      {details.map((detail) => (
        <Text key={detail} size="xs" c="dimmed" className={classes.detail ?? ''}>
          {detail}
        </Text>
      ))}
      {warnings.map((warning) => (
        <Text key={warning} size="xs" c="var(--mantine-color-error)">
          <AlertIcon size={12} /> {warning}
        </Text>
      ))}
    </div>
  );
}

function Share({ node: { share, ownMs } }: { readonly node: PlanNode }) {
  const percent = Math.round(share * 100);
  return (
    <>
      <span className={classes.bar} aria-hidden="true">
        <span style={{ inlineSize: `${percent}%` }} />
      </span>
      {percent} %{ownMs === undefined ? '' : ` (${shortMs(ownMs)})`}
    </>
  );
}

/** PostgreSQL measures in microseconds. */
function shortMs(ms: number): string {
  return millisecondsOf(ms < 10 ? Math.round(ms * 100) / 100 : Math.round(ms));
}
