/** The drawer of an event: status, change of the row, calls with requests and responses, redelivery. */
import type { FoundTriggerEvent, TriggerEvent } from '@joinery/metadata/api/events/triggers';
import { Anchor, Button, Code, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useClient } from '../../../api/context.ts';
import { printPretty } from '../../../api/exact-json.ts';
import { toFailure } from '../../../api/failure.ts';
import { adaptiveInterval } from '../../../api/polling.ts';
import { linkTo, updateSearch } from '../../../router/location.ts';
import { AttemptList } from '../../../shared/events/attempts.tsx';
import { rowsPath } from '../../../shared/sources/table-paths.ts';
import { useTableInfo } from '../../../shared/sources/use-sources.ts';
import { DetailDrawer } from '../../../ui/dialog/detail-drawer.tsx';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../../ui/feedback/loading.tsx';
import { StatusDot } from '../../../ui/feedback/status-dot.tsx';
import { CopyButton } from '../../../ui/page/copy-button.tsx';
import { DescriptionList } from '../../../ui/page/description-list.tsx';
import { JsonView } from '../../../ui/page/json-view.tsx';
import { Section } from '../../../ui/page/section.tsx';
import { Timestamp } from '../../../ui/time/timestamp.tsx';
import { useNow } from '../../../ui/time/use-now.ts';
import { readEvent, SHOWN_CALLS, type TriggerStats } from '../triggers-api.ts';
import { differenceOf } from './difference.ts';
import { DifferenceTable } from './difference-table.tsx';
import { explainStatus, loggedCall, rowOfEvent, shownStatus } from './event-state.ts';
import { isRedeliverable, type Redelivery } from './redelivery.ts';

interface EventDrawerProps {
  readonly trigger: TriggerStats;
  /** Undefined closes the drawer. */
  readonly id: string | undefined;
  readonly onRedeliver: (redelivery: Redelivery) => void;
}

/** While an event is pending, its delivery is followed closely. */
const FOLLOWED_MS = 1_000;

export function EventDrawer({ trigger, id, onRedeliver }: EventDrawerProps) {
  return (
    <DetailDrawer subject={id} title="Event" size="details" onClose={() => updateSearch({ event: undefined })}>
      {(shown) => <EventOfId key={shown} trigger={trigger} id={shown} onRedeliver={onRedeliver} />}
    </DetailDrawer>
  );
}

interface EventOfIdProps extends EventDrawerProps {
  readonly id: string;
}

function EventOfId({ trigger, id, onRedeliver }: EventOfIdProps) {
  const client = useClient();
  const { source } = trigger;
  const { data, error, refetch } = useQuery({
    queryKey: ['triggers', 'event', source, id],
    queryFn: ({ signal }) => readEvent(client, source, id, signal),
    refetchInterval: (query) =>
      query.state.data?.value.event.status === 'pending' && !trigger.paused ? FOLLOWED_MS : adaptiveInterval(query),
  });
  if (error !== null && data === undefined) {
    return <FailureNotice title="The event could not be read" failure={toFailure(error)} onRetry={refetch} />;
  }
  if (data === undefined) return <Loading />;
  return <EventDetails trigger={trigger} found={data.value} onRedeliver={onRedeliver} />;
}

interface EventDetailsProps extends Pick<EventDrawerProps, 'trigger' | 'onRedeliver'> {
  readonly found: FoundTriggerEvent;
}

function EventDetails({ trigger, found: { event, invocations }, onRedeliver }: EventDetailsProps) {
  const { payload } = event;
  const calls = invocations.map(loggedCall);
  return (
    <>
      <Summary trigger={trigger} event={event} />
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          disabled={!isRedeliverable(event.status)}
          onClick={() => onRedeliver({ event: event.id })}
        >
          Redeliver
        </Button>
      </Group>
      <Change event={event} />
      <Section title="Calls">
        {calls.length === 0 ? (
          <Text size="sm" c="dimmed">
            Not called yet.
          </Text>
        ) : (
          <AttemptList key={calls[0]?.id} calls={calls} />
        )}
        {calls.length === SHOWN_CALLS && (
          <Text size="sm" c="dimmed" mt="xs">
            The last {SHOWN_CALLS} calls are shown.
          </Text>
        )}
      </Section>
      <Section title="Session variables">
        {payload.session_variables === null ? (
          <Text size="sm" c="dimmed">
            None: the change was not made by the service.
          </Text>
        ) : (
          <JsonView what="session variables" text={printPretty(payload.session_variables)} />
        )}
      </Section>
      {payload.trace_context !== null && (
        <Section title="Trace context">
          <JsonView what="trace context" text={printPretty(payload.trace_context)} />
        </Section>
      )}
    </>
  );
}

function Summary({ trigger, event }: { readonly trigger: TriggerStats; readonly event: TriggerEvent }) {
  const now = useNow();
  const { data: info } = useTableInfo(trigger.source, trigger.table);
  const row = rowOfEvent(event.payload, info?.primary_key ?? null);
  const { label, tone } = shownStatus(event);
  return (
    <DescriptionList
      facts={[
        [
          'Status',
          <div key="status" aria-live="polite">
            <StatusDot tone={tone}>{label}</StatusDot>
            <Text size="sm" c="dimmed">
              {explainStatus(event, now, trigger.paused)}
            </Text>
          </div>,
        ],
        ['Operation', event.payload.op],
        [
          'Row',
          row.key === undefined ? undefined : (
            <Anchor key="row" inherit {...linkTo(rowsPath(trigger.source, trigger.table, row.key))}>
              {row.text}
            </Anchor>
          ),
        ],
        ['Created', <Timestamp key="created" at={event.created_at} withDistance />],
        [
          'Next call',
          event.next_retry_at === null ? undefined : <Timestamp key="next" at={event.next_retry_at} withDistance />,
        ],
        [
          'Id',
          <Group key="id" gap={4} wrap="nowrap">
            <Code>{event.id}</Code>
            <CopyButton text={event.id} what="id" />
          </Group>,
        ],
      ]}
    />
  );
}

/** The difference of an update, or the one row that there is. */
function Change({ event: { payload } }: { readonly event: TriggerEvent }) {
  const { data, op } = payload;
  const columns = differenceOf(data.old, data.new);
  if (columns !== undefined) {
    return (
      <Section title="Change">
        <DifferenceTable columns={columns} />
      </Section>
    );
  }
  return (
    <Section title={op === 'DELETE' ? 'Deleted row' : op === 'MANUAL' ? 'Payload' : 'New row'}>
      <JsonView what="row" text={printPretty(data.new ?? data.old)} />
    </Section>
  );
}
