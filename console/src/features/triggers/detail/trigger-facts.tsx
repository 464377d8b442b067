/** The figures of a trigger: backlog and calls of the last day. */
import { Anchor, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { linkTo } from '../../../router/location.ts';
import { tableLabel, tablePath } from '../../../shared/sources/table-paths.ts';
import { StatusDot } from '../../../ui/feedback/status-dot.tsx';
import { durationOf, millisecondsOf } from '../../../ui/time/times.ts';
import { Timestamp } from '../../../ui/time/timestamp.tsx';
import { calledBy, operationsText, pendingText, stateOf } from '../trigger-state.ts';
import type { TriggerEntry, TriggerStats } from '../triggers-api.ts';

/** Seconds that the figures cover, unless there were too many calls. */
const DAY = 86_400;

interface TriggerFactsProps {
  readonly stats: TriggerStats;
  readonly trigger: TriggerEntry;
}

export function TriggerFacts({ stats, trigger }: TriggerFactsProps) {
  const { label, tone } = stateOf(stats);
  const { last_day: day } = stats;
  const number = (count: number): string => count.toLocaleString('en');
  return (
    <Group gap="xl" align="flex-start" role="group" aria-label="State of the trigger">
      <Figure name="State">
        <StatusDot tone={tone}>{label}</StatusDot>
      </Figure>
      <Figure name="Table">
        <Anchor size="sm" {...linkTo(tablePath(stats.source, stats.table, 'triggers'))}>
          {tableLabel(stats.table)}
        </Anchor>
      </Figure>
      <Figure name="Calls">
        <span style={{ overflowWrap: 'anywhere' }}>{calledBy(trigger)}</span>
      </Figure>
      <Figure name="Operations">{operationsText(stats.operations)}</Figure>
      <Figure name="Pending">
        {pendingText(stats)}
        {stats.retrying > 0 && `, ${number(stats.retrying)} after a failure`}
        {stats.waiting_in_order > 0 && `, ${number(stats.waiting_in_order)} behind their ordering key`}
      </Figure>
      {stats.oldest_pending_at !== null && (
        <Figure name="Oldest pending">
          <Timestamp at={stats.oldest_pending_at} withDistance />
        </Figure>
      )}
      <Figure name="Last call">
        {stats.last_call_at === null ? 'None' : <Timestamp at={stats.last_call_at} withDistance />}
      </Figure>
      <Figure name={day.seconds === DAY ? 'Last day' : `Last ${durationOf(day.seconds)}`}>
        {number(day.delivered)} delivered, {number(day.error)} failed, {number(day.dead)} dead
      </Figure>
      {day.p50_ms !== null && (
        <Figure name="Duration of calls">
          {millisecondsOf(day.p50_ms)} median
          {day.p95_ms !== null && `, ${millisecondsOf(day.p95_ms)} for 95 %`}
        </Figure>
      )}
    </Group>
  );
}

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text size="sm" component="div">
        {children}
      </Text>
    </div>
  );
}
