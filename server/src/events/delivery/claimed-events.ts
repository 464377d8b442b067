/** The events in the hands of this node, each at most once. */
import type { PendingEvent } from '../types/pending-event.ts';

export interface ClaimedEvent {
  readonly event: PendingEvent;
  /** The lease under which it was claimed. */
  readonly lease: string;
  /** When the database last said that it is ours; milliseconds since 1970 by the database's clock. */
  confirmedAt: number;
  /** No longer to be called: it is not ours any more, or was read anew. */
  dropped: boolean;
  /** Its webhook is being called, or what came of the call is being written down. */
  calling: boolean;
}

export interface ClaimedEvents {
  /** Undefined while an earlier reading of the same event is being called: what comes of that decides. */
  take(event: PendingEvent, lease: string, confirmedAt: number): ClaimedEvent | undefined;
  /** Forgets the event. */
  drop(claimed: ClaimedEvent): void;
  /** Forgets everything but what is being called. */
  removeWaiting(): void;
  /** Of everything claimed. */
  ids(): string[];
  /** Whether a call of an event that was claimed under the lease has no written outcome yet. */
  callsUnder(lease: string): boolean;
}

export function createClaimedEvents(): ClaimedEvents {
  const byId = new Map<string, ClaimedEvent>();

  function drop(claimed: ClaimedEvent): void {
    claimed.dropped = true;
    if (byId.get(claimed.event.id) === claimed) byId.delete(claimed.event.id);
  }

  return {
    take(event, lease, confirmedAt) {
      const known = byId.get(event.id);
      if (known?.calling) return undefined;
      // Somebody changed the row and freed it; the earlier reading is out of date.
      if (known !== undefined) known.dropped = true;
      const claimed = { event, lease, confirmedAt, dropped: false, calling: false };
      byId.set(event.id, claimed);
      return claimed;
    },
    drop,
    removeWaiting() {
      for (const claimed of byId.values()) if (!claimed.calling) drop(claimed);
    },
    ids: () => [...byId.keys()],
    callsUnder(lease) {
      for (const claimed of byId.values()) if (claimed.calling && claimed.lease === lease) return true;
      return false;
    },
  };
}
