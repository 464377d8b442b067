/** An event of an event trigger: status, timeline, change of the row, calls with requests and responses. */
import type { FoundTriggerEvent, TriggerEvent } from '@joinery/metadata/api/events/triggers';
import { Anchor, Code, Group, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../../api/context.ts';
import { printPretty } from '../../../api/exact-json.ts';
import { toFailure } from '../../../api/failure.ts';
import { timed } from '../../../api/polling.ts';
import { linkTo } from '../../../router/location.ts';
import { AttemptList } from '../../../shared/events/attempts.tsx';
import { followingInterval } from '../../../shared/events/following.ts';
import { loggedCall } from '../../../shared/events/response.ts';
import { shownStatus } from '../../../shared/events/status.ts';
import { Timeline } from '../../../shared/events/timeline.tsx';
import { MOST_CALLS, SHOWN_CALLS, useOpenedAttempt } from '../../../shared/events/use-opened-attempt.ts';
import { rowsPath } from '../../../shared/sources/table-paths.ts';
import { useTableInfo } from '../../../shared/sources/use-sources.ts';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../../ui/feedback/loading.tsx';
import { StatusDot } from '../../../ui/feedback/status-dot.tsx';
import { CopyButton } from '../../../ui/page/copy-button.tsx';
import { DescriptionList } from '../../../ui/page/description-list.tsx';
import { JsonView } from '../../../ui/page/json-view.tsx';
import { Section } from '../../../ui/page/section.tsx';
import { Timestamp } from '../../../ui/time/timestamp.tsx';
import { useNow } from '../../../ui/time/use-now.ts';
import type { ActionKind } from '../change/actions.ts';
import { differenceOf } from './difference.ts';
import { DifferenceTable } from './difference-table.tsx';
import { EarlierAttempts } from './earlier-attempts.tsx';
import { EventActions } from './event-actions.tsx';
import { explainStatus, rowOfEvent } from './trigger-event-state.ts';

interface TriggerEventProps {
  readonly source: string;
  readonly id: string;
  readonly onAction: (kind: ActionKind) => void;
}

export function TriggerEventOfId({ source, id, onAction }: TriggerEventProps) {
  const client = useClient();
  const [limit, setLimit] = useState(SHOWN_CALLS);
  const { data, error, refetch } = useQuery({
    queryKey: ['events', 'of-trigger', source, id, limit],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const args = { source, event_id: id, invocation_log_limit: limit };
      return timed(client.command('pg_get_event_by_id', args, { signal }));
    },
    refetchInterval: followingInterval(({ event }: FoundTriggerEvent) =>
      event.status === 'pending' ? Date.parse(event.next_retry_at ?? event.created_at) : undefined,
    ),
  });
  if (error !== null && data === undefined) {
    return <FailureNotice title="The event could not be read" failure={toFailure(error)} onRetry={refetch} />;
  }
  if (data === undefined) return <Loading />;
  const onMore = data.value.invocations.length < limit ? undefined : () => setLimit(MOST_CALLS);
  return <Details source={source} found={data.value} onMore={onMore} onAction={onAction} />;
}

interface DetailsProps extends Pick<TriggerEventProps, 'source' | 'onAction'> {
  readonly found: FoundTriggerEvent;
  /** Reads earlier attempts. Undefined where all are read. */
  readonly onMore: (() => void) | undefined;
}

function Details({ source, found: { event, invocations }, onMore, onAction }: DetailsProps) {
  const { payload, status } = event;
  const calls = invocations.map(loggedCall);
  const attempts = useOpenedAttempt(calls, onMore);
  const next = event.next_retry_at === null ? undefined : Date.parse(event.next_retry_at);
  const state = status === 'pending' ? 'waiting' : 'finished';
  const known = status === 'pending' ? 'scheduled' : status;
  return (
    <>
      <Summary source={source} event={event} />
      <EventActions event={{ kind: 'trigger', status: known }} onAction={onAction} />
      <Section title="Timeline">
        <Timeline event={{ time: Date.parse(event.created_at), next, state, calls }} />
      </Section>
      <Change event={event} />
      <Section title="Attempts">
        <AttemptList calls={calls} {...attempts} />
        <EarlierAttempts shown={calls.length} onMore={onMore} />
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

function Summary({ source, event }: { readonly source: string; readonly event: TriggerEvent }) {
  const now = useNow();
  const client = useClient();
  const { trigger_name: name } = event;
  const table = { schema: event.schema_name, name: event.table_name };
  const { data: info } = useTableInfo(source, table);
  const { data: stats } = useQuery({
    queryKey: ['triggers', 'state', source, name],
    queryFn: ({ signal }) => client.command('get_event_trigger_stats', { source, name }, { signal }),
    enabled: event.status === 'pending',
  });
  const row = rowOfEvent(event.payload, info?.primary_key ?? null);
  const { label, tone } = shownStatus({ ...event, status: event.status === 'pending' ? 'scheduled' : event.status });
  return (
    <DescriptionList
      facts={[
        [
          'Status',
          <div key="status" aria-live="polite">
            <StatusDot tone={tone}>{label}</StatusDot>
            <Text size="sm" c="dimmed">
              {explainStatus(event, now, stats?.triggers[0]?.paused === true)}
            </Text>
          </div>,
        ],
        [
          'Trigger',
          <Anchor
            key="trigger"
            inherit
            {...linkTo(`/events/triggers/of/${encodeURIComponent(source)}/${encodeURIComponent(name)}/definition`)}
          >
            {name}
          </Anchor>,
        ],
        ['Operation', event.payload.op],
        [
          'Row',
          row.key === undefined ? undefined : (
            <Anchor key="row" inherit {...linkTo(rowsPath(source, table, row.key))}>
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
