/** Delivery attempts with their requests and responses. */
import { Accordion, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { adaptiveInterval } from '../../api/polling.ts';
import { linkTo } from '../../router/location.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { CopyButton } from '../../ui/page/copy-button.tsx';
import { localText, millisecondsOf } from '../../ui/time/times.ts';
import { listCallsOfCron } from './events-api.ts';
import { InvocationDetails } from './invocation-details.tsx';
import type { LoggedCall } from './response.ts';
import { ResultStatus } from './result-status.tsx';

/** Maximum number of attempts. */
const SHOWN = 20;

/** The latest attempts of the runs of a cron trigger. */
export function Attempts({ of }: { readonly of: { readonly trigger: string } }) {
  const client = useClient();
  const { data, error, refetch, isPending } = useQuery({
    queryKey: ['events', 'invocations', of, 'latest'],
    queryFn: ({ signal }) => listCallsOfCron(client, of.trigger, SHOWN, signal),
    refetchInterval: adaptiveInterval,
  });
  if (error !== null && data === undefined) {
    return <FailureNotice title="The attempts could not be read" failure={toFailure(error)} onRetry={refetch} />;
  }
  if (isPending) return <Loading />;
  return <AttemptList key={JSON.stringify(of)} calls={data.value} />;
}

interface AttemptListProps {
  readonly calls: readonly LoggedCall[];
  /** The id of the call that is open. Default: the first. */
  readonly opened?: string | undefined;
  /** Called with the id of a call that is opened. */
  readonly onOpen?: (id: string) => void;
  /** Returns the path of an attempt, which a button copies as a link. */
  readonly pathOf?: (id: string) => string;
}

/** Calls that open to their requests and responses. */
export function AttemptList({ calls, opened, onOpen, pathOf }: AttemptListProps) {
  const [open, setOpen] = useState<readonly string[]>([]);
  const shown = [...open, opened ?? (open.length === 0 ? (calls[0]?.id ?? '') : '')];
  if (calls.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Not called yet.
      </Text>
    );
  }
  return (
    <Accordion
      multiple
      variant="contained"
      value={shown}
      onChange={(next) => {
        const added = next.find((id) => !shown.includes(id));
        setOpen(next.length === 0 ? ['none'] : next);
        if (added !== undefined) onOpen?.(added);
        else if (opened !== undefined && !next.includes(opened)) onOpen?.('');
      }}
    >
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
            {pathOf !== undefined && (
              <Group gap={4} mb="xs">
                <CopyButton
                  text={`${window.location.origin}${linkTo(pathOf(invocation.id)).href}`}
                  what={`link to attempt ${invocation.attempt}`}
                />
                <Text span size="sm" c="dimmed">
                  Link to this attempt
                </Text>
              </Group>
            )}
            <InvocationDetails invocation={invocation} />
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}
