/** The events of a redelivery, and their description in the dialog. Pure. */
import type { TriggerEventStatus } from '@joinery/metadata/api/events/triggers';
import { type EventSearch, isSearching } from './event-search.ts';

/** Statuses that many events are redelivered by. */
export type Processed = Exclude<TriggerEventStatus, 'pending' | 'superseded'>;

/** Whether an event with this status can be redelivered. */
export function isRedeliverable(status: TriggerEventStatus): boolean {
  return status !== 'pending';
}

/** One event, or all that match when the command runs. */
export type Redelivery =
  | { readonly event: string }
  | { readonly statuses: readonly Processed[]; readonly search: EventSearch };

export const retryFailed: Redelivery = { statuses: ['error', 'dead'], search: {} };

/** The events of a tab of the page. Undefined where none of them can be redelivered. */
export function statusesOf(tab: string): readonly Processed[] | undefined {
  switch (tab) {
    case 'delivered':
      return ['delivered'];
    case 'failed':
      return ['error'];
    case 'dead':
      return ['dead'];
    case 'all':
      return ['error', 'dead'];
    default:
      return undefined;
  }
}

const statusNames: Readonly<Record<Processed, string>> = { delivered: 'delivered', error: 'failed', dead: 'dead' };

/** Returns `this event`, or `all failed and dead events that match the search`. */
export function describeRedelivery(redelivery: Redelivery): string {
  if ('event' in redelivery) return 'this event';
  const which = redelivery.statuses.map((status) => statusNames[status]).join(' and ');
  return `all ${which} events${isSearching(redelivery.search) ? ' that match the search' : ''}`;
}
