/** Asks the database shortly before a call whether the event is still there and still ours; many at a time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createTrouble } from '../../base/failure-log.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { Query } from '../../postgres/client/pool.ts';
import { createBatches } from './batches.ts';
import { stillHeld } from './claim.ts';
import type { HeldEvent } from './claimed-events.ts';

export interface Confirmer {
  /**
   * False when the event was deleted, changed or taken over, and when the lease expires or the node stops before the
   * database answers.
   */
  confirm(held: HeldEvent): Promise<boolean>;
  stop(): void;
}

interface Asked {
  readonly held: HeldEvent;
  readonly answer: (ours: boolean) => void;
}

const PAUSE_MS = 250;

export interface ConfirmerSettings {
  readonly query: Query;
  /** The database's clock. */
  readonly now: () => number;
  /** Whether events under the lease may be called. */
  readonly holds: (lease: string) => boolean;
  readonly observe: Observe;
}

export function createConfirmer({ query, now, holds, observe }: ConfirmerSettings): Confirmer {
  const trouble = createTrouble(observe, 'confirming events');
  const stopping = new AbortController();
  const batches = createBatches<Asked>({ most: 500, parallel: 2, run: ask });

  async function ask(batch: readonly Asked[]): Promise<void> {
    // Nearly always one; two for a moment after a lease was lost.
    for (const lease of new Set(batch.map(({ held }) => held.lease))) {
      await askFor(
        lease,
        batch.filter(({ held }) => held.lease === lease),
      );
    }
  }

  async function askFor(lease: string, asked: readonly Asked[]): Promise<void> {
    while (!stopping.signal.aborted && holds(lease)) {
      const askedAt = now();
      try {
        const ids = asked.map(({ held }) => held.event.id);
        const ours = await stillHeld(query, lease, ids);
        trouble.worked();
        for (const { held, answer } of asked) {
          held.confirmedAt = askedAt;
          answer(ours.has(held.event.id));
        }
        return;
      } catch (error) {
        // Without an answer the event must neither be called nor forgotten.
        trouble.failed(error);
        await sleep(PAUSE_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
    for (const { answer } of asked) answer(false);
  }

  return {
    confirm: (held) => new Promise((answer) => batches.add({ held, answer })),
    stop: () => stopping.abort(),
  };
}
