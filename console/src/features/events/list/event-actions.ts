/** Actions on events: labels and commands. `perform` functions throw Failure. */
import type { EventStatus, ScheduledEvent } from '@joinery/metadata/api/events/events';
import type { Client } from '../../../api/client.ts';
import { type EventSearch, isSearching, searchArguments } from '../../../shared/events/event-search.ts';
import { isProcessed } from '../../../shared/events/events-api.ts';
import { counted } from '../../../ui/format.ts';

export type ActionKind = 'cancel' | 'run-now' | 'reschedule' | 'redeliver';

/** The selected events, or all events that match a search when the command runs. */
export type ActionOn =
  | { readonly events: readonly [ScheduledEvent, ...ScheduledEvent[]] }
  | { readonly search: EventSearch; readonly statuses: readonly EventStatus[] };

export interface EventAction {
  readonly kind: ActionKind;
  readonly on: ActionOn;
}

interface ActionLabels {
  /** Label of the button. */
  readonly label: string;
  readonly question: (what: string) => string;
  readonly about: string;
  readonly confirm: (what: string) => string;
  readonly keep: string;
  readonly done: (what: string) => string;
  readonly failed: string;
  readonly dangerous?: true;
}

export const actionLabels: Readonly<Record<ActionKind, ActionLabels>> = {
  cancel: {
    label: 'Cancel',
    question: (what) => `Cancel ${what}?`,
    about: 'The webhook will not be called. The event stays under Processed events as canceled, with its log.',
    confirm: (what) => `Cancel ${what}`,
    keep: 'Keep it',
    done: (what) => `${what} canceled`,
    failed: 'not canceled',
    dangerous: true,
  },
  'run-now': {
    label: 'Run now',
    question: (what) => `Run ${what} now?`,
    about: 'Due now. The body keeps the original time.',
    confirm: (what) => `Run ${what} now`,
    keep: 'Back',
    done: (what) => `${what} due now`,
    failed: 'not changed',
  },
  reschedule: {
    label: 'Reschedule',
    question: (what) => `Reschedule ${what}`,
    about: 'Called at the new time. Retries start again.',
    confirm: (what) => `Reschedule ${what}`,
    keep: 'Back',
    done: (what) => `${what} rescheduled`,
    failed: 'not changed',
  },
  redeliver: {
    label: 'Redeliver',
    question: (what) => `Redeliver ${what}?`,
    about: 'Pending again and due now, with the same ID: tolerance and retries start again, the log continues.',
    confirm: (what) => `Redeliver ${what}`,
    keep: 'Back',
    done: (what) => `${what} delivered again`,
    failed: 'not delivered again',
  },
};

export function namesOf(on: ActionOn): { readonly these: string; readonly the: string; readonly sentence: string } {
  if (!('events' in on)) {
    const what = isSearching(on.search) ? 'all that match the search' : 'all of them';
    return { these: what, the: what, sentence: 'Events' };
  }
  const count = on.events.length;
  if (count === 1) return { these: 'this event', the: 'the event', sentence: 'Event' };
  return { these: `${counted(count, 'event')}`, the: counted(count, 'event'), sentence: counted(count, 'event') };
}

/** Runs an action on one event. `at` in milliseconds since 1970, for `reschedule`. */
export async function performOn(client: Client, kind: ActionKind, event: ScheduledEvent, at: number): Promise<void> {
  const event_id = event.id;
  switch (kind) {
    case 'cancel':
      await client.command('cancel_scheduled_event', { event_id });
      return;
    case 'run-now':
      await client.command('run_scheduled_event_now', { event_id });
      return;
    case 'reschedule':
      await client.command('update_scheduled_event', { event_id, schedule_at: new Date(at).toISOString() });
      return;
    case 'redeliver':
      await client.command('redeliver_scheduled_event', { event_id });
      return;
    default:
      kind satisfies never;
  }
}

/** Runs an action on all matches. Returns how many changed, and whether there are more than one command changes. */
export async function performOnFound(
  client: Client,
  kind: 'cancel' | 'redeliver',
  search: EventSearch,
  statuses: readonly EventStatus[],
): Promise<{ readonly changed: number; readonly more: boolean }> {
  const filters = searchArguments(search);
  if (kind === 'cancel') {
    const args = { type: 'one_off' as const, ...filters, ...(!isSearching(search) && { all: true }) };
    const response = await client.command('cancel_scheduled_events', args);
    return { changed: response.cancelled, more: response.more === true };
  }
  const args = { type: 'one_off' as const, ...filters, status: statuses.filter(isProcessed) };
  const response = await client.command('redeliver_scheduled_events', args);
  return { changed: response.redelivered, more: response.more === true };
}
