/** The form of one-off events, and addresses of former lists. */
import { EventStatus, type ScheduledEvent } from '@joinery/metadata/api/events/events';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { navigate, useLocation } from '../../router/location.ts';
import { type Draft, draftOf, emptyDraft } from '../../shared/event-form/event-draft.ts';
import { eventPath } from '../../shared/events/event-paths.ts';
import { readEvent } from '../../shared/events/events-api.ts';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { type ActivitySearch, activityPath, callResults } from './activity/search-state.ts';
import { SchedulePage } from './schedule/schedule-page.tsx';

/** The searches of the former lists of one-off events. */
const formerLists: Readonly<Record<string, Partial<ActivitySearch>>> = {
  pending: { kinds: ['one_off'], statuses: ['scheduled', 'locked'], time: 'any', order: 'asc' },
  'in-flight': { kinds: ['one_off'], statuses: ['locked'], time: 'any', order: 'asc' },
  logs: { kinds: ['one_off'] },
  processed: { kinds: ['one_off'], statuses: ['delivered', 'error', 'dead', 'cancelled'], time: 'any' },
};

/** Returns the path of the list of events that has taken the place of a former list, with its conditions. */
function pathOfFormer(view: string, address: URLSearchParams): string {
  const former = formerLists[view] ?? {};
  const [status, comment] = [address.get('status'), address.get('comment')];
  const event = address.get('event');
  if (event !== null) return eventPath({ id: event });
  const [result, response] = [address.get('result'), address.get('text')];
  const known = EventStatus.safeParse(status);
  const search = {
    ...former,
    ...(known.success && { statuses: [known.data] }),
    ...(comment !== null && { q: comment }),
    ...(result !== null && callResults[result] !== undefined && { call: result }),
    ...(response !== null && { response }),
    ...Object.fromEntries(
      (['destination', 'key', 'payload', 'from', 'until'] as const).flatMap((name) => {
        const text = address.get(name);
        return text === null ? [] : [[name, text]];
      }),
    ),
  };
  return activityPath(search);
}

interface OneOffPageProps {
  readonly params: Readonly<Record<string, string>>;
}

export function OneOffPage({ params }: OneOffPageProps) {
  const { search } = useLocation();
  const view = params.view ?? '';
  const isFormer = view !== 'schedule';
  useEffect(() => {
    if (isFormer) navigate(pathOfFormer(view, search), { replace: true });
  }, [isFormer, view, search]);
  if (!isFormer) {
    const [edited, cloned] = [search.get('edit'), search.get('clone')];
    const from = edited ?? cloned;
    if (from === null) return <SchedulePage initial={emptyDraft()} />;
    return <FromEvent key={`${from} ${edited !== null}`} id={from} edited={edited !== null} />;
  }
  return null;
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
        back={{ to: '/events/activity', label: 'Events' }}
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
  const [draft] = useState<Draft>(() => {
    const read = draftOf(event);
    return edited ? read : { ...read, when: { kind: 'now' } };
  });
  // The event that the draft is compared with.
  const [editing] = useState(edited ? event : undefined);
  return <SchedulePage initial={draft} editing={editing} />;
}
