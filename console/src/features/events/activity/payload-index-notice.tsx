/** Reports that searches by payload have no index, and creates it. */
import { Alert, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useClient } from '../../../api/context.ts';
import { timed } from '../../../api/polling.ts';
import { useCommand } from '../../../api/use-command.ts';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';

const POLL_MS = 2_000;

/** `payload`: the searched JSON; empty where the search has none. */
export function PayloadIndexNotice({ payload }: { readonly payload: string }) {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['events', 'payload-index'],
    queryFn: ({ signal }) => timed(client.command('index_event_payloads', {}, { signal })),
    refetchInterval: (query) => (query.state.data?.value.state === 'building' ? POLL_MS : false),
    enabled: payload !== '',
  });
  const { run, isPending, failure } = useCommand(
    (commands) => commands.command('index_event_payloads', { create: true }),
    { changes: [['events', 'payload-index']] },
  );
  const state = data?.value.state;
  if (payload === '' || state === undefined || state === 'present') return null;
  return (
    <Alert color="blue" variant="outline" title="Payloads have no index" p="xs">
      <Group gap="sm" justify="space-between">
        <Text size="sm" maw={640}>
          {state === 'building'
            ? 'The index is being created. Writes continue; the search uses it when it is complete.'
            : 'The search compares the payloads of a part of the events at a time. An index finds them in all events at once; it takes space, and a part of the time of each insert.'}
        </Text>
        <Button size="xs" variant="default" loading={isPending || state === 'building'} onClick={() => run()}>
          Create the index
        </Button>
      </Group>
      {failure !== undefined && <FailureNotice title="The index was not created" failure={failure} />}
    </Alert>
  );
}
