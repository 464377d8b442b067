/** A one-off or cron event: status, timeline, attempts, request and settings, read until it is finished. */
import type { ScheduledEvent } from '@joinery/metadata/api/events/events';
import type { Invocation } from '@joinery/metadata/api/events/lists';
import { Button, Code, Group, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Client } from '../../../api/client.ts';
import { useClient } from '../../../api/context.ts';
import { printPretty } from '../../../api/exact-json.ts';
import { toFailure } from '../../../api/failure.ts';
import { timed } from '../../../api/polling.ts';
import { linkTo } from '../../../router/location.ts';
import { AttemptList } from '../../../shared/events/attempts.tsx';
import { isPending, readEvent } from '../../../shared/events/events-api.ts';
import { followingInterval } from '../../../shared/events/following.ts';
import { explainRetries, explainStatus } from '../../../shared/events/status.ts';
import { Timeline } from '../../../shared/events/timeline.tsx';
import { MOST_CALLS, SHOWN_CALLS, useOpenedAttempt } from '../../../shared/events/use-opened-attempt.ts';
import { HeaderTable } from '../../../shared/headers/header-table.tsx';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../../ui/feedback/loading.tsx';
import { CopyButton } from '../../../ui/page/copy-button.tsx';
import { DescriptionList } from '../../../ui/page/description-list.tsx';
import { JsonView } from '../../../ui/page/json-view.tsx';
import { Section } from '../../../ui/page/section.tsx';
import { localText, utcText } from '../../../ui/time/times.ts';
import { useNow } from '../../../ui/time/use-now.ts';
import type { ActionKind } from '../change/actions.ts';
import { EarlierAttempts } from './earlier-attempts.tsx';
import { EventActions } from './event-actions.tsx';
import { StatusBadge } from './status-badge.tsx';

interface ScheduledEventProps {
  readonly id: string;
  readonly onAction: (kind: ActionKind, event: ScheduledEvent) => void;
}

export function ScheduledEventOfId({ id, onAction }: ScheduledEventProps) {
  const client = useClient();
  const [limit, setLimit] = useState(SHOWN_CALLS);
  const { data, error, refetch } = useQuery({
    queryKey: ['events', 'scheduled', id, limit],
    queryFn: ({ signal }) => timed(readEventWithCalls(client, id, limit, signal)),
    placeholderData: keepPreviousData,
    refetchInterval: followingInterval(({ event }: EventWithCalls) =>
      isPending(event) ? Date.parse(event.next_retry_at ?? event.scheduled_time) : undefined,
    ),
  });
  if (error !== null && data === undefined) {
    return <FailureNotice title="The event could not be read" failure={toFailure(error)} onRetry={refetch} />;
  }
  if (data === undefined) return <Loading />;
  const { event } = data.value;
  const onMore = data.value.calls.length < limit ? undefined : () => setLimit(MOST_CALLS);
  return <Details {...data.value} onMore={onMore} onAction={(kind) => onAction(kind, event)} />;
}

interface EventWithCalls {
  readonly event: ScheduledEvent;
  readonly calls: readonly Invocation[];
}

/** The calls are read after the event, so that those of a finished event are complete. */
async function readEventWithCalls(
  client: Client,
  id: string,
  limit: number,
  signal: AbortSignal,
): Promise<EventWithCalls> {
  const event = await readEvent(client, id, signal);
  const type = event.trigger_name === undefined ? 'one_off' : 'cron';
  const args = { type, event_id: id, limit } as const;
  const { invocations } = await client.command('get_scheduled_event_invocations', args, { signal });
  return { event, calls: invocations };
}

interface DetailsProps extends EventWithCalls {
  /** Reads earlier attempts. Undefined where all are read. */
  readonly onMore: (() => void) | undefined;
  readonly onAction: (kind: ActionKind) => void;
}

function Details({ event, calls, onMore, onAction }: DetailsProps) {
  const attempts = useOpenedAttempt(calls, onMore);
  const { id, status } = event;
  const kind = event.trigger_name === undefined ? 'one_off' : 'cron';
  const next = event.next_retry_at === null ? undefined : Date.parse(event.next_retry_at);
  // An event that is scheduled in the past waits from its creation.
  const time = Math.max(Date.parse(event.scheduled_time), Date.parse(event.created_at));
  const state = status === 'locked' ? 'locked' : status === 'scheduled' ? 'waiting' : 'finished';
  return (
    <>
      <Summary event={event} />
      <EventActions event={{ kind, status }} onAction={onAction}>
        {kind === 'one_off' && status === 'scheduled' && (
          <Button component="a" size="xs" variant="default" {...linkTo(`/events/one-off/schedule?edit=${id}`)}>
            Edit
          </Button>
        )}
        {kind === 'one_off' && (
          <Button component="a" size="xs" variant="default" {...linkTo(`/events/one-off/schedule?clone=${id}`)}>
            Clone
          </Button>
        )}
      </EventActions>
      <Section title="Timeline">
        <Timeline event={{ time, next, state, calls }} />
      </Section>
      <Section title="Attempts">
        <AttemptList calls={calls} {...attempts} />
        <EarlierAttempts shown={calls.length} onMore={onMore} />
      </Section>
      <Section title="Payload">
        <JsonView what="payload" text={printPretty(event.payload)} />
      </Section>
      <Section title="Headers">
        <HeaderTable headers={event.header_conf} />
      </Section>
      {event.request_transform != null && (
        <Section title="Request transform">
          <JsonView what="request transform" text={printPretty(event.request_transform)} />
        </Section>
      )}
    </>
  );
}

function Summary({ event }: { readonly event: ScheduledEvent }) {
  const now = useNow();
  return (
    <DescriptionList
      facts={[
        [
          'Status',
          <div key="status" aria-live="polite">
            <StatusBadge event={event} />
            <Text size="sm" c="dimmed">
              {explainStatus(event, now)}
            </Text>
          </div>,
        ],
        ['Cron trigger', event.trigger_name],
        [
          'Webhook',
          <Group key="webhook" gap={4} wrap="nowrap" align="flex-start">
            <span>{event.webhook_conf}</span>
            <CopyButton text={event.webhook_conf} what="webhook" />
          </Group>,
        ],
        ['Scheduled for', <BothTimes key="scheduled" at={event.scheduled_time} />],
        ['Next call', event.next_retry_at === null ? undefined : <BothTimes key="next" at={event.next_retry_at} />],
        ['Comment', event.comment ?? undefined],
        ['Key', event.key],
        ['Ordering key', event.ordering_key],
        ['Retries', explainRetries(event)],
        ['Body', event.body === 'payload' ? 'The payload alone' : undefined],
        ['Signature', explainSigning(event.signing)],
        ['Created', <BothTimes key="created" at={event.created_at} />],
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

/** Describes the signature. Undefined for the default keys. */
function explainSigning(signing: ScheduledEvent['signing']): string | undefined {
  if (signing === false) return 'Not signed';
  return signing ? `By the keys in ${signing.key_from_env}` : undefined;
}

function BothTimes({ at }: { readonly at: string }) {
  const ms = Date.parse(at);
  return (
    <time dateTime={at}>
      {localText(ms)}
      <Text span size="sm" c="dimmed" display="block">
        {utcText(ms)}
      </Text>
    </time>
  );
}
