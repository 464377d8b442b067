/** The latest delivery attempts of an event or a cron trigger, with requests and responses. */
import type { Invocation } from '@joinery/metadata/api/events/lists';
import { Accordion, Anchor, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { adaptiveInterval } from '../../api/polling.ts';
import { linkTo } from '../../router/location.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { localText, millisecondsOf } from '../../ui/time/times.ts';
import { listInvocations } from './events-api.ts';
import { InvocationDetails } from './invocation-details.tsx';
import type { LoggedCall } from './response.ts';
import { ResultStatus } from './result-status.tsx';

/** Maximum number of attempts. */
const SHOWN = 20;

export function Attempts({ of }: { readonly of: { readonly eventId: string } | { readonly trigger: string } }) {
  const client = useClient();
  const { data, error, refetch, isPending } = useQuery({
    queryKey: ['events', 'invocations', of, 'latest'],
    queryFn: ({ signal }) => listInvocations(client, of, { number: 1, size: SHOWN }, signal),
    refetchInterval: adaptiveInterval,
  });
  if (error !== null && data === undefined) {
    return <FailureNotice title="The attempts could not be read" failure={toFailure(error)} onRetry={refetch} />;
  }
  if (isPending) return <Loading />;
  const invocations = data.value.rows;
  if (invocations.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Not called yet.
      </Text>
    );
  }
  return <LinkedAttempts key={JSON.stringify(of)} invocations={invocations} of={of} />;
}

interface AttemptListProps {
  readonly of: { readonly eventId: string } | { readonly trigger: string };
  readonly invocations: readonly Invocation[];
}

function LinkedAttempts({ invocations, of }: AttemptListProps) {
  return (
    <>
      <AttemptList calls={invocations} />
      {invocations.length === SHOWN && 'eventId' in of && (
        <Anchor {...linkTo(`/events/one-off/logs?event=${of.eventId}`)} size="sm" mt="xs" display="inline-block">
          See all attempts
        </Anchor>
      )}
    </>
  );
}

/** Calls that open to their requests and responses; the first one is open. */
export function AttemptList({ calls }: { readonly calls: readonly LoggedCall[] }) {
  return (
    <Accordion multiple variant="contained" defaultValue={[calls[0]?.id ?? '']}>
      {calls.map((invocation) => (
        <Accordion.Item key={invocation.id} value={invocation.id}>
          <Accordion.Control>
            <Group gap="xs" justify="space-between" pe="xs">
              <Group gap="sm">
                <Text span size="sm" fw={600}>
                  Attempt {invocation.attempt}
                </Text>
                <ResultStatus invocation={invocation} />
              </Group>
              <Text span size="sm" c="dimmed">
                {localText(Date.parse(invocation.created_at))} · {millisecondsOf(invocation.duration_ms)}
              </Text>
            </Group>
          </Accordion.Control>
          <Accordion.Panel>
            <InvocationDetails invocation={invocation} />
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}
