/** The latest runs of a cron trigger: as a strip of results, and as a list. */
import type { CronRun } from '@joinery/metadata/api/events/cron';
import { Group, Text, Tooltip } from '@mantine/core';
import { shownStatus } from '../../shared/events/status.ts';
import { StatusDot } from '../../ui/feedback/status-dot.tsx';
import { counted } from '../../ui/format.ts';
import { PlainTable } from '../../ui/table/plain-table.tsx';
import { localText, relative, utcText } from '../../ui/time/times.ts';
import { Timestamp } from '../../ui/time/timestamp.tsx';
import { useNow } from '../../ui/time/use-now.ts';
import classes from './cron.module.css';

/** Results that a strip shows. */
const SHOWN = 12;

/** A bar for each run, the newest at the right. */
export function RunStrip({ runs }: { readonly runs: readonly CronRun[] }) {
  const shown = runs.slice(0, SHOWN).reverse();
  if (shown.length === 0) return null;
  const failed = shown.filter(({ status }) => status === 'error' || status === 'dead').length;
  const text = `${counted(shown.length, 'run')}, ${failed === 0 ? 'none failed' : `${failed} failed`}`;
  return (
    <Tooltip label={`The last ${text}`}>
      <span className={classes.strip} role="img" aria-label={`Last ${text}`}>
        {shown.map((run) => (
          <span key={run.event_id} className={`${classes.bar} ${classes[shownStatus(run).tone]}`} />
        ))}
      </span>
    </Tooltip>
  );
}

/** The result and the distance of the last run on one line. */
export function LastRun({ runs }: { readonly runs: readonly CronRun[] }) {
  const now = useNow();
  const [last] = runs;
  if (last === undefined) return <Text size="sm">–</Text>;
  const ms = Date.parse(last.scheduled_time);
  return (
    <Group gap={6} wrap="nowrap" title={utcText(ms)}>
      <RunStatus run={last} />
      <Text size="xs" c="dimmed" truncate>
        {relative(ms, now)}
      </Text>
    </Group>
  );
}

export function NextRun({ at, paused }: { readonly at: string | null; readonly paused: boolean }) {
  const now = useNow();
  if (at === null) return <Text size="sm">{paused ? 'Paused' : '–'}</Text>;
  const ms = Date.parse(at);
  return (
    <Text size="sm" truncate title={`${localText(ms)}, ${utcText(ms)}`}>
      {relative(ms, now)}
    </Text>
  );
}

function RunStatus({ run }: { readonly run: CronRun }) {
  const { label, tone } = shownStatus(run);
  return <StatusDot tone={tone}>{label === 'Scheduled' ? 'Due' : label}</StatusDot>;
}

export function RunTable({ runs }: { readonly runs: readonly CronRun[] }) {
  if (runs.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No run yet.
      </Text>
    );
  }
  return (
    <PlainTable
      aria-label="Latest runs"
      rows={runs}
      keyOf={({ event_id }) => event_id}
      columns={[
        { key: 'status', header: 'Result', cell: (run) => <RunStatus run={run} /> },
        { key: 'time', header: 'Scheduled for', cell: ({ scheduled_time }) => <Timestamp at={scheduled_time} /> },
        { key: 'tries', header: 'Calls', cell: ({ tries }) => tries.toLocaleString('en') },
        {
          key: 'ended',
          header: 'Ended',
          cell: ({ processed_at }) => (processed_at === null ? '–' : <Timestamp at={processed_at} />),
        },
      ]}
    />
  );
}
