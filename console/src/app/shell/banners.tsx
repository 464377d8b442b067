/** Banners above all pages: the service is unreachable, or another user changed the metadata. */
import { Alert, Button, CloseButton, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { connection } from '../../api/connection.ts';
import { useClient } from '../../api/context.ts';
import { notify } from '../../ui/feedback/notifications.tsx';
import { AlertIcon, RefreshIcon } from '../../ui/page/icons.tsx';

const PROBE_MS = 2_000;
const WATCH_MS = 5_000;

function useLostSince(): number | undefined {
  return useSyncExternalStore(connection.subscribe, connection.lostSince);
}

export function Banners() {
  const lostSince = useLostSince();
  return lostSince === undefined ? <StaleBanner /> : <LostBanner since={lostSince} />;
}

/** Retries until the service responds, then refetches all queries. Mutations are never repeated. */
function LostBanner({ since }: { readonly since: number }) {
  const client = useClient();
  const queries = useQueryClient();
  useEffect(() => {
    const timer = setInterval(() => {
      client.version().then(
        () => queries.invalidateQueries(),
        () => undefined,
      );
    }, PROBE_MS);
    return () => clearInterval(timer);
  }, [client, queries]);
  return (
    <Alert color="red" variant="outline" icon={<AlertIcon />} title="The service is unreachable.">
      <Text size="sm">
        The data on this page is from before {new Date(since).toLocaleTimeString('en-GB')}. Forms keep your input. The
        console reconnects automatically. Check that the service is running and that this machine can connect to it.
      </Text>
    </Alert>
  );
}

function StaleBanner() {
  const client = useClient();
  const queries = useQueryClient();
  const [stale, setStale] = useState(false);
  const { data, dataUpdatedAt } = useQuery({
    queryKey: ['resource-version'],
    queryFn: ({ signal }) => client.command('get_resource_version', {}, { signal }),
    refetchInterval: WATCH_MS,
    retry: false,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each reading counts, also one of the same version
  useEffect(() => {
    if (data !== undefined && client.watch.saw(data.resource_version)) setStale(true);
  }, [client, data, dataUpdatedAt]);
  if (!stale) return null;
  const reload = (): void => {
    setStale(false);
    void queries.invalidateQueries();
    notify({ title: 'Data reloaded', text: 'Open forms keep their input.' });
  };
  return (
    <Alert color="yellow" variant="outline" icon={<AlertIcon />} title="The metadata has changed">
      <Group justify="space-between" align="flex-end" gap="sm" wrap="nowrap">
        <Stack gap="xs" align="flex-start">
          <Text size="sm">
            Another user changed it after this page was loaded. Reload the data to see the change. Open forms keep your
            input.
          </Text>
          <Button size="xs" variant="default" leftSection={<RefreshIcon size={14} />} onClick={reload}>
            Reload
          </Button>
        </Stack>
        <CloseButton aria-label="Dismiss: the metadata has changed" onClick={() => setStale(false)} />
      </Group>
    </Alert>
  );
}
