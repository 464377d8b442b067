/** Drawer with an event: request, time, settings and attempts. */
import type { ScheduledEvent } from '@joinery/metadata/api/events/events';
import { Alert, Anchor, Button, Code, Group, Text } from '@mantine/core';
import { printPretty } from '../../../api/exact-json.ts';
import { linkTo } from '../../../router/location.ts';
import { Attempts } from '../../../shared/events/attempts.tsx';
import { isPending } from '../../../shared/events/events-api.ts';
import { explainRetries, explainStatus } from '../../../shared/events/status.ts';
import { HeaderTable } from '../../../shared/headers/header-table.tsx';
import { DetailDrawer } from '../../../ui/dialog/detail-drawer.tsx';
import { CopyButton } from '../../../ui/page/copy-button.tsx';
import { DescriptionList } from '../../../ui/page/description-list.tsx';
import { JsonView } from '../../../ui/page/json-view.tsx';
import { Section } from '../../../ui/page/section.tsx';
import { localText, utcText } from '../../../ui/time/times.ts';
import { useNow } from '../../../ui/time/use-now.ts';
import { type ActionKind, actionLabels } from './event-actions.ts';
import { StatusBadge } from './status-badge.tsx';

interface EventDetailsProps {
  /** Undefined closes the drawer. */
  readonly event: ScheduledEvent | undefined;
  /** False when the event left the list. */
  readonly stillListed: boolean;
  readonly onClose: () => void;
  /** Actions on the event. */
  readonly kinds: readonly ActionKind[];
  readonly onAction: (kind: ActionKind, event: ScheduledEvent) => void;
}

export function EventDetails({ event, stillListed, onClose, kinds, onAction }: EventDetailsProps) {
  return (
    <DetailDrawer subject={event} title="Scheduled event" size="details" onClose={onClose}>
      {(shown) => (
        <>
          {!stillListed && <LeftList event={shown} />}
          <Summary event={shown} />
          <Group gap="xs">
            {stillListed &&
              kinds.map((kind) => (
                <Button key={kind} size="xs" variant="default" onClick={() => onAction(kind, shown)}>
                  {actionLabels[kind].label}
                </Button>
              ))}
            {stillListed && shown.status === 'scheduled' && (
              <Button
                component="a"
                size="xs"
                variant="default"
                {...linkTo(`/events/one-off/schedule?edit=${shown.id}`)}
              >
                Edit
              </Button>
            )}
            <Button component="a" size="xs" variant="default" {...linkTo(`/events/one-off/schedule?clone=${shown.id}`)}>
              Clone
            </Button>
          </Group>
          {wasCalled(shown) && <AttemptsSection event={shown} />}
          <Section title="Payload">
            <JsonView what="payload" text={printPretty(shown.payload)} />
          </Section>
          <Section title="Headers">
            <HeaderTable headers={shown.header_conf} />
          </Section>
          {shown.request_transform != null && (
            <Section title="Request transform">
              <JsonView what="request transform" text={printPretty(shown.request_transform)} />
            </Section>
          )}
          {!wasCalled(shown) && <AttemptsSection event={shown} />}
        </>
      )}
    </DetailDrawer>
  );
}

/** Attempts come first once there are any. */
function wasCalled(event: ScheduledEvent): boolean {
  return event.tries > 0 || !isPending(event);
}

function AttemptsSection({ event }: { readonly event: ScheduledEvent }) {
  return (
    <Section title="Attempts">
      <Attempts of={{ eventId: event.id }} />
    </Section>
  );
}

/** Explains why the event left the list. */
function LeftList({ event }: { readonly event: ScheduledEvent }) {
  return (
    <Alert color="blue" variant="outline" title="This event has moved on">
      <Text size="sm">
        It is no longer in this list. The values below can be outdated. Its attempts are below, its outcome is under{' '}
        <Anchor {...linkTo('/events/one-off/processed')}>Processed events</Anchor> or in{' '}
        <Anchor {...linkTo(`/events/one-off/logs?event=${event.id}`)}>its log</Anchor>.
      </Text>
    </Alert>
  );
}

function Summary({ event }: { readonly event: ScheduledEvent }) {
  const now = useNow();
  return (
    <DescriptionList
      facts={[
        [
          'Status',
          <>
            <StatusBadge event={event} />
            <Text size="sm" c="dimmed">
              {explainStatus(event, now)}
            </Text>
          </>,
        ],
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
