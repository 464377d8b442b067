/** Keeps this node's lease alive, takes a new one when it was lost, and sweeps up after nodes that are gone. */

import { createBeats } from '../base/beats.ts';
import type { Observe } from '../base/observe.ts';
import type { Query } from '../postgres/pool.ts';
import { endLease, RENEW_EVERY_MS, renewLease, sweepLeases, takeLease } from './leases.ts';
import { createTrouble } from './trouble.ts';

export interface LeaseKeeper {
  /** Undefined until the first is taken, and between two. */
  current(): string | undefined;
  start(): Promise<void>;
  /** Ends the lease; what is held under it is free for others. */
  stop(): Promise<void>;
}

export interface LeaseKeeperSettings {
  readonly query: Query;
  readonly node: string;
  readonly observe: Observe;
  /** Frees what dead nodes held and gives its number; that of events unless given. */
  readonly sweep?: (query: Query) => Promise<number>;
  /** There is a lease, or there are events that a dead node held. */
  readonly onWork: () => void;
  /** What was held under the lease is others' now. */
  readonly onLost: () => void;
}

export function createLeaseKeeper(settings: LeaseKeeperSettings): LeaseKeeper {
  const { query, node, observe, sweep = sweepLeases } = settings;
  const trouble = createTrouble(observe, 'lease for delivering events');
  let lease: string | undefined;

  async function beat(): Promise<void> {
    try {
      if (lease !== undefined && !(await renewLease(query, lease))) {
        lease = undefined;
        observe({ kind: 'note', level: 'warn', where: 'events', message: 'lease lost: this node was silent too long' });
        settings.onLost();
      }
      if (lease === undefined) {
        lease = await takeLease(query, node);
        settings.onWork();
      }
      if ((await sweep(query)) > 0) settings.onWork();
      trouble.worked();
    } catch (error) {
      trouble.failed(error);
    }
  }

  const beats = createBeats(beat, RENEW_EVERY_MS);
  return {
    current: () => lease,
    start: beats.start,
    async stop() {
      await beats.stop();
      if (lease === undefined) return;
      const ending = lease;
      lease = undefined;
      await endLease(query, ending, sweep).catch((error) => trouble.failed(error));
    },
  };
}
