/** One-off events: lists in tabs and the form, whose draft survives navigation to the lists. */
import type { ScheduledEvent } from '@joinery/metadata/api/events/events';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { navigate, useLocation } from '../../router/location.ts';
import { type Draft, draftOf, emptyDraft } from '../../shared/event-form/event-draft.ts';
import { readEvent } from '../../shared/events/events-api.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { EventTabs, isTab } from './event-tabs.tsx';
import { SchedulePage } from './schedule/schedule-page.tsx';

interface OneOffPageProps {
  readonly params: Readonly<Record<string, string>>;
}

export function OneOffPage({ params }: OneOffPageProps) {
  const [draft, setDraft] = useState(emptyDraft);
  const { search } = useLocation();
  const view = params.view ?? '';
  const known = view === 'schedule' || isTab(view);
  useEffect(() => {
    if (!known) navigate('/events/one-off/pending', { replace: true });
  }, [known]);
  if (view === 'schedule') {
    const [edited, cloned] = [search.get('edit'), search.get('clone')];
    const from = edited ?? cloned;
    if (from === null) return <SchedulePage draft={draft} onChange={setDraft} />;
    return <FromEvent key={`${from} ${edited !== null}`} id={from} edited={edited !== null} />;
  }
  return isTab(view) ? <EventTabs tab={view} /> : null;
}

interface FromEventProps {
  readonly id: string;
  /** Whether to edit the event instead of scheduling a copy. */
  readonly edited: boolean;
}

function FromEvent({ id, edited }: FromEventProps) {
  const client = useClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['events', 'one', id],
    queryFn: ({ signal }) => readEvent(client, id, signal),
    // The draft must not change while typing.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (data !== undefined) return <FormOf event={data} edited={edited} />;
  return (
    <>
      <PageHeader
        title={edited ? 'Edit an event' : 'Schedule an event'}
        back={{ to: '/events/one-off/pending', label: 'One-off events' }}
      />
      {error === null ? (
        <Loading />
      ) : (
        <FailureNotice title="The event could not be read" failure={toFailure(error)} onRetry={refetch} />
      )}
    </>
  );
}

function FormOf({ event, edited }: { readonly event: ScheduledEvent; readonly edited: boolean }) {
  const [draft, setDraft] = useState<Draft>(() => {
    const read = draftOf(event);
    return edited ? read : { ...read, when: { kind: 'now' } };
  });
  // The event that the draft is compared with.
  const [editing] = useState(edited ? event : undefined);
  return <SchedulePage draft={draft} onChange={setDraft} editing={editing} />;
}
