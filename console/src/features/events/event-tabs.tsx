/** Tabs for pending, in-flight and processed events and the invocation log, with counts. */
import type { EventStatus } from '@joinery/metadata/api/events/events';
import { Button, Tabs } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useClient } from '../../api/context.ts';
import { adaptiveInterval } from '../../api/polling.ts';
import { linkTo, navigate } from '../../router/location.ts';
import {
  type Count,
  countEvents,
  countInvocations,
  inFlightStatuses,
  processedStatuses,
  waitingStatuses,
} from '../../shared/events/events-api.ts';
import { PlusIcon } from '../../ui/page/icons.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import classes from '../../ui/page/tabs.module.css';
import { InvocationLogs } from './list/invocation-log.tsx';
import { EventsInFlight, PendingEvents } from './list/pending-events.tsx';
import { ProcessedEvents } from './list/processed-events.tsx';
import { refreshEvents } from './refresh.ts';

const tabs = ['pending', 'in-flight', 'processed', 'logs'] as const;
type Tab = (typeof tabs)[number];

const names: Readonly<Record<Tab, string>> = {
  pending: 'Pending events',
  'in-flight': 'In flight',
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
          // Refetches lists that were not polled for a while.
          refreshEvents(queries);
          navigate(`/events/one-off/${chosen ?? 'pending'}`);
        }}
        keepMounted={false}
      >
        <Tabs.List className={classes.list} aria-label="One-off events">
          {tabs.map((one) => (
            <Tabs.Tab key={one} value={one} className={classes.tab ?? ''}>
              {names[one]} <span className={classes.count}>{shownCount(counts[one])}</span>
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="pending" pt="md">
          <PendingEvents />
        </Tabs.Panel>
        <Tabs.Panel value="in-flight" pt="md">
          <EventsInFlight />
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

/** Formats a count and marks estimates. */
function shownCount(count: Count | undefined): string {
  if (count === undefined) return ' ';
  return `${count.estimated ? '≈ ' : ''}${count.count.toLocaleString('en')}`;
}

const nothing = {};

function useCount(statuses: readonly EventStatus[]): Count | undefined {
  const client = useClient();
  const { data } = useQuery({
    queryKey: ['events', 'count', statuses, nothing],
    queryFn: ({ signal }) => countEvents(client, statuses, nothing, signal),
    refetchInterval: adaptiveInterval,
  });
  return data?.value;
}

function useCounts(): Readonly<Record<Tab, Count | undefined>> {
  const client = useClient();
  const logs = useQuery({
    queryKey: ['events', 'invocation-count', null, nothing],
    queryFn: ({ signal }) => countInvocations(client, undefined, signal),
    refetchInterval: adaptiveInterval,
  });
  return {
    pending: useCount(waitingStatuses),
    'in-flight': useCount(inFlightStatuses),
    processed: useCount(processedStatuses),
    logs: logs.data?.value,
  };
}
