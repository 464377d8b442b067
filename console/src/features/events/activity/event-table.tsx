/** The dense list of events of all kinds. */
import type { EventKind, EventOfSearch } from '@joinery/metadata/api/events/search';
import { Text } from '@mantine/core';
import { navigate } from '../../../router/location.ts';
import type { EventName } from '../../../shared/events/event-paths.ts';
import { shownStatus } from '../../../shared/events/status.ts';
import { StatusDot } from '../../../ui/feedback/status-dot.tsx';
import { type Column, DataTable } from '../../../ui/table/data-table.tsx';
import { lineText, millisecondsOf, relative, utcText } from '../../../ui/time/times.ts';
import { useNow } from '../../../ui/time/use-now.ts';
import classes from './activity.module.css';
import { eventKey } from './activity-api.ts';

export const kindLabels: Readonly<Record<EventKind, string>> = {
  one_off: 'One-off',
  cron: 'Cron',
  trigger: 'Trigger',
};

const columns: readonly [Column<EventOfSearch>, ...Column<EventOfSearch>[]] = [
  { key: 'time', header: 'Time', width: '10.5rem', cell: ({ time }) => <EventTime at={time} /> },
  { key: 'kind', header: 'Kind', width: '4.75rem', cell: ({ kind }) => kindLabels[kind] },
  { key: 'what', header: 'Calls', ownLine: true, cell: (event) => <Called event={event} /> },
  {
    key: 'status',
    header: 'Status',
    width: '7.5rem',
    cell: (event) => {
      const { label, tone } = shownStatus(event);
      return <StatusDot tone={tone}>{label}</StatusDot>;
    },
  },
  { key: 'tries', header: 'Attempts', width: '5rem', isNumber: true, cell: ({ tries }) => tries },
  {
    key: 'latency',
    header: 'Latency',
    width: '5.5rem',
    isNumber: true,
    onlyWide: (event) => event.last_call === null,
    cell: ({ last_call: call }) => (call === null ? '–' : millisecondsOf(call.duration_ms)),
  },
  {
    key: 'error',
    header: 'Last error',
    ownLine: true,
    onlyWide: (event) => errorOf(event) === '',
    cell: (event) => <span title={errorOf(event)}>{errorOf(event)}</span>,
  },
];

function EventTime({ at }: { readonly at: string }) {
  const ms = Date.parse(at);
  const now = useNow();
  return (
    <time dateTime={at} title={`${relative(ms, now)}, ${utcText(ms)}`} className={classes.number}>
      {lineText(ms)}
    </time>
  );
}

/** The name of the trigger, or the URL with the comment. */
function Called({ event }: { readonly event: EventOfSearch }) {
  const { trigger_name: name, webhook, comment, operation } = event;
  const [what, more] =
    name === undefined ? [webhook ?? '', comment] : [name, joined(operation?.toLowerCase(), webhook)];
  return (
    <span title={more === null || more === '' ? what : `${what} · ${more}`}>
      {what}
      {more !== null && more !== '' && (
        <Text span inherit c="dimmed">
          {' '}
          · {more}
        </Text>
      )}
    </span>
  );
}

function joined(...parts: readonly (string | null | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== null && part !== '').join(' · ');
}

/** Returns `503 out of order` for an event whose last call was not successful. */
function errorOf({ last_call: call }: Pick<EventOfSearch, 'last_call'>): string {
  if (call === null || (call.error === null && call.status !== null && call.status >= 200 && call.status < 300))
    return '';
  return [call.status, call.error].filter((part) => part !== null).join(' ');
}

interface EventTableProps {
  readonly rows: readonly EventOfSearch[];
  readonly chosen: ReadonlyMap<string, EventOfSearch>;
  readonly onChoose: (rows: readonly EventOfSearch[]) => void;
  /** The path of the drawer of an event. */
  readonly pathOf: (event: EventName) => string;
}

export function EventTable({ rows, chosen, onChoose, pathOf }: EventTableProps) {
  return (
    <DataTable
      isDense
      label="Events"
      rows={rows}
      columns={columns}
      keyOf={eventKey}
      pathOf={pathOf}
      onOpen={(event) => navigate(pathOf(event))}
      chosen={{
        keys: new Set(chosen.keys()),
        nameOf: ({ trigger_name: name, webhook, id }) => `${name ?? webhook ?? ''} ${id}`,
        onChange: onChoose,
      }}
    />
  );
}
