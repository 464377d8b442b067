/** The present state of the delivery: backlog and recent calls, and destinations with settings or an open circuit. */
import type { EventDestination } from '@joinery/metadata/api/events/destinations';
import type { ScheduledEventStats } from '@joinery/metadata/api/events/lists';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useClient } from '../../api/context.ts';
import { adaptiveInterval, type Timed, timed } from '../../api/polling.ts';

/** The backlog, and the calls of the last minute. */
export function useRecentCalls(): UseQueryResult<Timed<ScheduledEventStats>> {
  const client = useClient();
  return useQuery({
    queryKey: ['delivery', 'stats'],
    queryFn: ({ signal }) => timed(client.command('get_scheduled_event_stats', { window_seconds: 60 }, { signal })),
    refetchInterval: adaptiveInterval,
  });
}

export function useDestinationSettings(): UseQueryResult<Timed<readonly EventDestination[]>> {
  const client = useClient();
  return useQuery({
    queryKey: ['delivery', 'settings'],
    queryFn: ({ signal }) => {
      const response = client.command('get_event_destinations', {}, { signal });
      return timed(response.then(({ destinations }) => destinations));
    },
    refetchInterval: adaptiveInterval,
  });
}
