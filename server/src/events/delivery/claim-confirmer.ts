/** Asks the database shortly before a call whether the event is still there and still ours; many at a time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createFailureLog } from '../../base/failure-log.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { Query } from '../../postgres/client/pool.ts';
import { createBatches } from './batches.ts';
import { stillClaimed } from './claim.ts';
import type { ClaimedEvent } from './claimed-events.ts';

export interface ClaimConfirmer {
  /**
   * False when the event was deleted, changed or taken over, and when the lease expires or the node stops before the
   * database answers.
   */
  confirm(claimed: ClaimedEvent): Promise<boolean>;
  stop(): void;
}

interface Asked {
  readonly claimed: ClaimedEvent;
  readonly answer: (ours: boolean) => void;
}

const PAUSE_MS = 250;

export interface ClaimConfirmerSettings {
  readonly query: Query;
  /** The database's clock. */
  readonly now: () => number;
  /** Whether events under the lease may be called. */
  readonly holds: (lease: string) => boolean;
  readonly observe: Observe;
}

export function createClaimConfirmer({ query, now, holds, observe }: ClaimConfirmerSettings): ClaimConfirmer {
  const failureLog = createFailureLog(observe, 'confirming events');
  const stopping = new AbortController();
  const batches = createBatches<Asked>({ most: 500, parallel: 2, run: ask });

  async function ask(batch: readonly Asked[]): Promise<void> {
    // Nearly always one; two for a moment after a lease was lost.
    for (const lease of new Set(batch.map(({ claimed }) => claimed.lease))) {
      await askFor(
        lease,
        batch.filter(({ claimed }) => claimed.lease === lease),
      );
    }
  }

  async function askFor(lease: string, asked: readonly Asked[]): Promise<void> {
    while (!stopping.signal.aborted && holds(lease)) {
      const askedAt = now();
      try {
        const ids = asked.map(({ claimed }) => claimed.event.id);
        const ours = await stillClaimed(query, lease, ids);
        failureLog.recovered();
        for (const { claimed, answer } of asked) {
          claimed.confirmedAt = askedAt;
          answer(ours.has(claimed.event.id));
        }
        return;
      } catch (error) {
        // Without an answer the event must neither be called nor forgotten.
        failureLog.failed(error);
        await sleep(PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
    for (const { answer } of asked) answer(false);
  }

  return {
    confirm: (claimed) => new Promise((answer) => batches.add({ claimed, answer })),
    stop: () => stopping.abort(),
  };
}
