/** Pending events, processed events and invocation logs, each in a tab that says how many there are. */
import { Button, Tabs } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useClient } from '../api/context.ts';
import { politely } from '../api/polling.ts';
import { go, linkTo } from '../router/place.ts';
import { PlusIcon } from '../show/icons.tsx';
import { PageHeader } from '../show/page-header.tsx';
import { countEvents, countInvocations, pendingStatuses, processedStatuses } from './event-api.ts';
import classes from './event-tabs.module.css';
import { InvocationLogs } from './invocation-logs.tsx';
import { PendingEvents } from './pending-events.tsx';
import { ProcessedEvents } from './processed-events.tsx';
import { refreshEvents } from './refresh.ts';

const tabs = ['pending', 'processed', 'logs'] as const;
type Tab = (typeof tabs)[number];

const names: Readonly<Record<Tab, string>> = {
  pending: 'Pending events',
  processed: 'Processed events',
  logs: 'Invocation logs',
};

export function isTab(view: string): view is Tab {
  return (tabs as readonly string[]).includes(view);
}

export function EventTabs({ tab }: { readonly tab: Tab }) {
  const counts = useCounts();
  const queries = useQueryClient();
  return (
    <>
      <PageHeader
        title="One-off events"
        about="Webhooks that are called once, at a set time."
        actions={
          <Button component="a" leftSection={<PlusIcon size={16} />} {...linkTo('/events/one-off/schedule')}>
            Schedule an event
          </Button>
        }
      />
      <Tabs
        value={tab}
        onChange={(chosen) => {
          // A list that has not been looked at for a while is read again at once.
          refreshEvents(queries);
          go(`/events/one-off/${chosen ?? 'pending'}`);
        }}
        keepMounted={false}
      >
        <Tabs.List className={classes.list} aria-label="One-off events">
          {tabs.map((one) => (
            <Tabs.Tab key={one} value={one} className={classes.tab ?? ''}>
              {names[one]} <span className={classes.count}>{counts[one]?.toLocaleString('en') ?? ' '}</span>
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="pending" pt="md">
          <PendingEvents count={counts.pending} />
        </Tabs.Panel>
        <Tabs.Panel value="processed" pt="md">
          <ProcessedEvents />
        </Tabs.Panel>
        <Tabs.Panel value="logs" pt="md">
          <InvocationLogs />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function useCounts(): Readonly<Record<Tab, number | undefined>> {
  const client = useClient();
  const pending = useQuery({
    queryKey: ['events', 'count', pendingStatuses],
    queryFn: ({ signal }) => countEvents(client, pendingStatuses, signal),
    refetchInterval: politely,
  });
  const processed = useQuery({
    queryKey: ['events', 'count', processedStatuses],
    queryFn: ({ signal }) => countEvents(client, processedStatuses, signal),
    refetchInterval: politely,
  });
  const logs = useQuery({
    queryKey: ['events', 'invocation-count', null],
    queryFn: ({ signal }) => countInvocations(client, undefined, signal),
    refetchInterval: politely,
  });
  return { pending: pending.data?.value, processed: processed.data?.value, logs: logs.data?.value };
}
