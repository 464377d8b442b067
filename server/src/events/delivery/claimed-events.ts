/** The events in the hands of this node, each at most once. */
import type { PendingEvent } from '../types/pending-event.ts';

export interface HeldEvent {
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

export interface Holdings {
  /** Undefined while an earlier reading of the same event is being called: what comes of that decides. */
  take(event: PendingEvent, lease: string, confirmedAt: number): HeldEvent | undefined;
  /** Forgets the event. */
  drop(held: HeldEvent): void;
  /** Forgets everything but what is being called. */
  dropWaiting(): void;
  /** Of everything held. */
  ids(): string[];
  /** Whether a call of an event that was claimed under the lease has no written outcome yet. */
  callsUnder(lease: string): boolean;
}

export function createHoldings(): Holdings {
  const byId = new Map<string, HeldEvent>();

  function drop(held: HeldEvent): void {
    held.dropped = true;
    if (byId.get(held.event.id) === held) byId.delete(held.event.id);
  }

  return {
    take(event, lease, confirmedAt) {
      const known = byId.get(event.id);
      if (known?.calling) return undefined;
      // Somebody changed the row and freed it; the earlier reading is out of date.
      if (known !== undefined) known.dropped = true;
      const held = { event, lease, confirmedAt, dropped: false, calling: false };
      byId.set(event.id, held);
      return held;
    },
    drop,
    dropWaiting() {
      for (const held of byId.values()) if (!held.calling) drop(held);
    },
    ids: () => [...byId.keys()],
    callsUnder(lease) {
      for (const held of byId.values()) if (held.calling && held.lease === lease) return true;
      return false;
    },
  };
}
