/** The events that this node has claimed, by id. */
import type { DeliverableEvent } from '../types/deliverable-event.ts';

export interface ClaimedEvent<Event extends DeliverableEvent> {
  readonly event: Event;
  /** The lease under which it was claimed. */
  readonly lease: string;
  /** When it was claimed; milliseconds since 1970 by the database's clock. */
  readonly claimedAt: number;
  /** When the database last confirmed the claim; milliseconds since 1970 by the database's clock. */
  confirmedAt: number;
  /** Not to be called: the claim was lost, or a newer claim of the event replaced it. */
  dropped: boolean;
  /** The webhook is being called, or the outcome of the call is not yet written. */
  calling: boolean;
}

/** `confirmedAt` is negative infinity for a claim that must be confirmed before the call. */
export type ClaimTimes = Pick<ClaimedEvent<DeliverableEvent>, 'claimedAt' | 'confirmedAt'>;

export interface ClaimedEvents<Event extends DeliverableEvent> {
  /** Adds a claim. Undefined while an earlier claim of the same event is being called: its outcome decides. */
  add(event: Event, lease: string, times: ClaimTimes): ClaimedEvent<Event> | undefined;
  remove(claimed: ClaimedEvent<Event>): void;
  /** Removes all events that are not being called. */
  removeWaiting(): void;
  /** Returns all events. */
  events(): Event[];
  /** Whether an event claimed under the lease is being called or has an unwritten outcome. */
  callsUnder(lease: string): boolean;
}

export function createClaimedEvents<Event extends DeliverableEvent>(): ClaimedEvents<Event> {
  const byId = new Map<string, ClaimedEvent<Event>>();

  function remove(claimed: ClaimedEvent<Event>): void {
    claimed.dropped = true;
    if (byId.get(claimed.event.id) === claimed) byId.delete(claimed.event.id);
  }

  return {
    add(event, lease, times) {
      const known = byId.get(event.id);
      if (known?.calling) return undefined;
      // The row was changed and released since: the earlier claim is outdated.
      if (known !== undefined) known.dropped = true;
      const claimed = { event, lease, ...times, dropped: false, calling: false };
      byId.set(event.id, claimed);
      return claimed;
    },
    remove,
    removeWaiting() {
      for (const claimed of byId.values()) if (!claimed.calling) remove(claimed);
    },
    events: () => Array.from(byId.values(), ({ event }) => event),
    callsUnder(lease) {
      for (const claimed of byId.values()) if (claimed.calling && claimed.lease === lease) return true;
      return false;
    },
  };
}
