/**
 * Renews this node's lease, replaces it when it may have expired, and takes over the work of dead nodes.
 *
 * Work claimed under a lease may start only while the lease is certainly valid. The node measures this by its monotonic
 * clock from before it sent the last renewal. It therefore stops before another node may take over, even if the database,
 * the network or the node itself was suspended. A lease that may have expired is never used again: it drains. The node
 * renews a draining lease until the outcomes of the work under it are written, so that no other node repeats the work,
 * and then ends it. A lease of a server that has restarted, or that another has replaced, drains as well: the database may have lost the
 * outcomes of work that it has as claimed under the lease.
 */

import { createFailureLog } from '../../base/failure-log.ts';
import { createPeriodicTask } from '../../base/periodic-task.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import { type LeaseStore, type LeaseTimes, leaseDefaults } from './leases.ts';

export interface LeaseKeeper {
  /**
   * The lease to claim under. Undefined before the first is acquired, while the lease may have expired, and after `suspect` until the
   * lease is replaced.
   */
  current(): string | undefined;
  /** Whether work claimed under the lease may run now. Once false, it stays false. */
  holds(lease: string): boolean;
  /**
   * Replaces the lease, if it is the present one: a failed statement under it may still take effect. A late claim ends with the lease,
   * and a late release must not release what was claimed after it.
   */
  suspect(lease: string): void;
  start(): Promise<void>;
  /** Ends the leases and releases their claims. */
  stop(): Promise<void>;
}

export interface LeaseKeeperSettings {
  readonly leases: LeaseStore;
  readonly node: string;
  readonly observe: Observe;
  readonly times?: LeaseTimes | undefined;
  /** Releases the claims under a lease. */
  readonly free: (lease: string) => Promise<void>;
  /** Releases the claims of dead nodes and returns their number. */
  readonly sweep: () => Promise<number>;
  /** Whether work under the lease has no written outcome yet. */
  readonly inUse: (lease: string) => boolean;
  /** Called when a lease was acquired or claims of a dead node were released. */
  readonly onWork: () => void;
  /** Called when the lease was replaced or taken over. Work under it must not start. */
  readonly onLost: (lease: string) => void;
}

/** Fraction of a lease's duration that is not used, at its end. */
const MARGIN = 1 / 8;

export function createLeaseKeeper(settings: LeaseKeeperSettings): LeaseKeeper {
  const { leases, node, observe } = settings;
  const { lastsMs, renewEveryMs } = settings.times ?? leaseDefaults;
  const failureLog = createFailureLog(observe, 'lease for delivering events');
  let lease: string | undefined;
  /** The server of the database that took the lease. */
  let server: string | undefined;
  /** End of the lease's usable time by the monotonic clock. */
  let validUntil = Number.NEGATIVE_INFINITY;
  let suspected = false;
  const draining = new Set<string>();
  /** Start of the current series of renewals without a gap. */
  let steadySince = Number.POSITIVE_INFINITY;
  let renewedAt = Number.NEGATIVE_INFINITY;

  const isValid = (): boolean => performance.now() < validUntil;

  function lose(lost: string): void {
    lease = undefined;
    suspected = false;
    settings.onLost(lost);
  }

  function drain(lost: string): void {
    draining.add(lost);
    lose(lost);
  }

  async function renew(): Promise<void> {
    const sentAt = performance.now();
    const renewed = [...draining, ...(lease === undefined ? [] : [lease])];
    if (renewed.length === 0) return;
    const { alive, server: present } = await leases.renew(renewed, [...draining], lastsMs);
    for (const one of draining) if (!alive.has(one)) draining.delete(one);
    if (lease === undefined) return;
    if (alive.has(lease)) {
      // A lease that was invalid once stays invalid: its claims were removed. After a restart or a failover, outcomes may be lost whose
      // events are claimed under the lease again.
      if (isValid() && present === server) validUntil = sentAt + lastsMs * (1 - MARGIN);
      else drain(lease);
    } else {
      lose(lease);
      const message = 'lease lost: this node did not renew it in time, and others took over its events';
      observe({ kind: 'note', level: 'warn', where: 'events', message });
    }
  }

  async function acquire(): Promise<void> {
    const sentAt = performance.now();
    const taken = await leases.take(node, lastsMs);
    lease = taken.id;
    server = taken.server;
    validUntil = sentAt + lastsMs * (1 - MARGIN);
    settings.onWork();
  }

  /** Deletes the lease, then releases its claims. */
  async function end(ended: string): Promise<void> {
    await leases.remove(ended);
    await settings.free(ended);
  }

  async function endDrained(): Promise<void> {
    for (const one of [...draining]) {
      if (settings.inUse(one)) continue;
      await end(one);
      draining.delete(one);
    }
  }

  /**
   * Returns whether this node may take over expired leases. Leases that expired during an outage of the database belong
   * to live nodes, which need time to renew them: a node takes over only after it has renewed its own lease without a gap
   * for longer than a lease lasts.
   */
  function isSteady(): boolean {
    const now = performance.now();
    if (now - renewedAt > 2 * renewEveryMs) steadySince = now;
    renewedAt = now;
    return now - steadySince > lastsMs;
  }

  async function beat(): Promise<void> {
    try {
      if (lease !== undefined && (suspected || !isValid())) drain(lease);
      await renew();
      if (lease === undefined) await acquire();
      await endDrained();
      if (isSteady() && (await settings.sweep()) > 0) settings.onWork();
      failureLog.recovered();
    } catch (error) {
      renewedAt = Number.NEGATIVE_INFINITY;
      failureLog.failed(error);
    }
  }

  const beats = createPeriodicTask(beat, renewEveryMs);
  return {
    current: () => (isValid() && !suspected ? lease : undefined),
    holds: (one) => one === lease && isValid(),
    suspect(one) {
      if (one !== lease || suspected) return;
      suspected = true;
      beats.runNow();
    },
    start: beats.start,
    async stop() {
      await beats.stop();
      const ending = [...draining, ...(lease === undefined ? [] : [lease])];
      lease = undefined;
      for (const one of ending) await end(one).catch((error) => failureLog.failed(error));
    },
  };
}
