/** Results of a subscription: the latest, and the previous ones collapsed. */
import { Button, Group, Stack, Text } from '@mantine/core';
import { printPretty } from '../../api/exact-json.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { StatusDot } from '../../ui/feedback/status-dot.tsx';
import { counted } from '../../ui/format.ts';
import { Disclosure } from '../../ui/page/disclosure.tsx';
import { JsonView } from '../../ui/page/json-view.tsx';
import type { Received, Subscription } from './use-subscription.ts';

/** Maximum number of previous results. */
const SHOWN = 10;

interface SubscriptionViewProps {
  readonly subscription: Subscription;
  readonly onStop: () => void;
}

export function SubscriptionView({ subscription, onStop }: SubscriptionViewProps) {
  const { state, results, failure } = subscription;
  const [latest, ...earlier] = results;
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="sm" mih={30}>
        <Group gap="sm" role="status">
          <StatusDot tone={state === 'running' ? 'busy' : 'waiting'}>
            {state === 'running' ? 'Running' : 'Ended'}
          </StatusDot>
          <Text size="sm" c="dimmed">
            {latest === undefined
              ? 'No result yet'
              : `${counted(latest.number, 'result')}, the latest at ${clock(latest)}`}
          </Text>
        </Group>
        {state === 'running' && (
          <Button size="xs" variant="default" onClick={onStop}>
            Stop
          </Button>
        )}
      </Group>
      {failure !== undefined && <FailureNotice title="The subscription ended" failure={failure} />}
      {latest !== undefined && <JsonView what="response" text={printPretty(latest.response)} />}
      {earlier.slice(0, SHOWN).map((one) => (
        <Disclosure key={one.number} title={`Result ${one.number}, at ${clock(one)}`}>
          <JsonView what={`result ${one.number}`} text={printPretty(one.response)} />
        </Disclosure>
      ))}
    </Stack>
  );
}

function clock({ at }: Received): string {
  return new Date(at).toLocaleTimeString('en-GB', { hour12: false });
}
