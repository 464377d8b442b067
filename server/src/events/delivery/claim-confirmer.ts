/** Confirms shortly before a call that the event exists and is still claimed by this node, in batches. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createFailureLog } from '../../base/failure-log.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { DeliverableEvent } from '../types/deliverable-event.ts';
import { createBatches } from './batches.ts';
import type { ClaimedEvent } from './claimed-events.ts';
import type { EventStore } from './event-store.ts';

export interface ClaimConfirmer<Event extends DeliverableEvent> {
  /**
   * Resolves to false if the event was deleted, changed or claimed by another node, or if the lease expires or the node
   * stops before the database responds.
   */
  confirm(claimed: ClaimedEvent<Event>): Promise<boolean>;
  stop(): void;
}

interface Confirmation<Event extends DeliverableEvent> {
  readonly claimed: ClaimedEvent<Event>;
  readonly resolve: (valid: boolean) => void;
}

const PAUSE_MS = 250;

export interface ClaimConfirmerSettings<Event extends DeliverableEvent> {
  readonly store: Pick<EventStore<Event>, 'confirm'>;
  /** The database's clock, milliseconds since 1970. */
  readonly now: () => number;
  /** Whether events claimed under the lease may be called. */
  readonly holds: (lease: string) => boolean;
  readonly observe: Observe;
}

export function createClaimConfirmer<Event extends DeliverableEvent>({
  store,
  now,
  holds,
  observe,
}: ClaimConfirmerSettings<Event>): ClaimConfirmer<Event> {
  const failureLog = createFailureLog(observe, 'confirming events');
  const stopping = new AbortController();
  const batches = createBatches<Confirmation<Event>>({ most: 500, parallel: 2, run: confirmBatch });

  async function confirmBatch(batch: readonly Confirmation<Event>[]): Promise<void> {
    // There are two leases only shortly after one was lost.
    for (const lease of new Set(batch.map(({ claimed }) => claimed.lease))) {
      await confirmLease(
        lease,
        batch.filter(({ claimed }) => claimed.lease === lease),
      );
    }
  }

  async function confirmLease(lease: string, batch: readonly Confirmation<Event>[]): Promise<void> {
    while (!stopping.signal.aborted && holds(lease)) {
      const sentAt = now();
      try {
        const events = batch.map(({ claimed }) => claimed.event);
        const valid = await store.confirm(lease, events);
        failureLog.recovered();
        for (const { claimed, resolve } of batch) {
          claimed.confirmedAt = sentAt;
          resolve(valid.has(claimed.event.id));
        }
        return;
      } catch (error) {
        // Until the claim is confirmed or the lease ends, the event must be neither called nor removed.
        failureLog.failed(error);
        await sleep(PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
    for (const { resolve } of batch) resolve(false);
  }

  return {
    confirm: (claimed) => new Promise((resolve) => batches.add({ claimed, resolve })),
    stop: () => stopping.abort(),
  };
}
