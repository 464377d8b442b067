/** The number of scheduled one-off events. */
import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { adaptiveInterval } from '../../api/polling.ts';
import { linkTo } from '../../router/location.ts';
import { countEvents, waitingStatuses } from '../../shared/events/events-api.ts';
import { counted } from '../../ui/format.ts';
import { MetricCard } from './metric-card.tsx';

export function EventCounts() {
  const client = useClient();
  const { data, error, isPending } = useQuery({
    queryKey: ['events', 'count', waitingStatuses, {}],
    queryFn: ({ signal }) => countEvents(client, waitingStatuses, {}, signal),
    refetchInterval: adaptiveInterval,
  });
  const failure = error === null ? undefined : toFailure(error);
  return (
    <MetricCard title="One-off events" pending={isPending} failure={failure}>
      {data !== undefined && {
        value: `${data.value.estimated ? 'About ' : ''}${counted(data.value.count, 'pending event')}`,
        tone: 'plain',
        text: (
          <Anchor {...linkTo(data.value.count === 0 ? '/events/one-off/schedule' : '/events/one-off/pending')} inherit>
            {data.value.count === 0 ? 'Schedule one' : 'See them'}
          </Anchor>
        ),
      }}
    </MetricCard>
  );
}
