/**
 * Keeps this node's lease alive, replaces it when it may have expired, and takes over from nodes that are dead.
 *
 * What is claimed under a lease may be called only while the lease is certainly valid. The node measures this by its own
 * monotonic clock from the moment before it sent the last renewal, and therefore stops before any other node may take
 * over, whether the database, the network or the node itself was away. A lease that may have expired is never used for
 * claims or calls again: it drains. The node renews a draining lease until the outcomes of the calls under it are
 * written, so that no other node repeats them, and then ends it.
 */

import { createFailureLog } from '../../base/failure-log.ts';
import { createPeriodicTask } from '../../base/periodic-task.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { Query } from '../../postgres/client/pool.ts';
import { endLease, type FreeLease, type LeaseTimes, leaseDefaults, renewLeases, takeLease } from './leases.ts';

export interface LeaseKeeper {
  /** The lease to claim under. Undefined until the first is taken, and while the lease may have expired. */
  current(): string | undefined;
  /** Whether what was claimed under the lease may be called now. Once false, it stays false. */
  holds(lease: string): boolean;
  /** Replaces the lease with the next renewal: a statement under it may still take effect although it failed. */
  suspect(): void;
  start(): Promise<void>;
  /** Ends the leases; what is under them is free for others. */
  stop(): Promise<void>;
}

export interface LeaseKeeperSettings {
  readonly query: Query;
  readonly node: string;
  readonly observe: Observe;
  readonly times?: LeaseTimes | undefined;
  /** Frees what is under the lease. */
  readonly free: FreeLease;
  /** Frees what dead nodes held and returns its number. */
  readonly sweep: (query: Query) => Promise<number>;
  /** Whether a call under the lease has no written outcome yet. */
  readonly inUse: (lease: string) => boolean;
  /** There is a lease, or something that a dead node held is free. */
  readonly onWork: () => void;
  /** The lease was replaced or taken over. Nothing under it may be called any more. */
  readonly onLost: (lease: string) => void;
}

/** The part of a lease's duration that a node leaves unused at the end. */
const MARGIN = 1 / 8;

export function createLeaseKeeper(settings: LeaseKeeperSettings): LeaseKeeper {
  const { query, node, observe } = settings;
  const { lastsMs, renewEveryMs } = settings.times ?? leaseDefaults;
  const failureLog = createFailureLog(observe, 'lease for delivering events');
  let lease: string | undefined;
  /** By the monotonic clock. */
  let validUntil = Number.NEGATIVE_INFINITY;
  let suspected = false;
  const draining = new Set<string>();
  /** Since when renewals have succeeded without a gap. */
  let steadySince = Number.POSITIVE_INFINITY;
  let renewedAt = Number.NEGATIVE_INFINITY;

  const isValid = (): boolean => lease !== undefined && performance.now() < validUntil;

  function lose(): void {
    const lost = lease;
    lease = undefined;
    if (lost !== undefined) settings.onLost(lost);
  }

  function drain(): void {
    if (lease !== undefined) draining.add(lease);
    suspected = false;
    lose();
  }

  async function renew(): Promise<void> {
    const sentAt = performance.now();
    const renewed = [...draining, ...(lease === undefined ? [] : [lease])];
    if (renewed.length === 0) return;
    const alive = await renewLeases(query, renewed, [...draining], lastsMs);
    for (const one of draining) if (!alive.has(one)) draining.delete(one);
    if (lease === undefined) return;
    if (alive.has(lease)) {
      // A lease that was invalid once stays invalid: what was under it has been dropped.
      if (isValid()) validUntil = sentAt + lastsMs * (1 - MARGIN);
      else drain();
    } else {
      lose();
      const message = 'lease lost: this node did not renew it in time, and others took over its events';
      observe({ kind: 'note', level: 'warn', where: 'events', message });
    }
  }

  async function take(): Promise<void> {
    const sentAt = performance.now();
    lease = await takeLease(query, node, lastsMs);
    validUntil = sentAt + lastsMs * (1 - MARGIN);
    settings.onWork();
  }

  async function endDrained(): Promise<void> {
    for (const one of [...draining]) {
      if (settings.inUse(one)) continue;
      await endLease(query, one, settings.free);
      draining.delete(one);
    }
  }

  /**
   * Leases that expired because the database was away belong to nodes that live. Their nodes need time to renew them, so
   * a node takes over only after it has itself renewed without a gap for longer than a lease lasts.
   */
  function isSteady(): boolean {
    const now = performance.now();
    if (now - renewedAt > 2 * renewEveryMs) steadySince = now;
    renewedAt = now;
    return now - steadySince > lastsMs;
  }

  async function beat(): Promise<void> {
    try {
      if (lease !== undefined && (suspected || !isValid())) drain();
      await renew();
      if (lease === undefined) await take();
      await endDrained();
      if (isSteady() && (await settings.sweep(query)) > 0) settings.onWork();
      failureLog.recovered();
    } catch (error) {
      renewedAt = Number.NEGATIVE_INFINITY;
      failureLog.failed(error);
    }
  }

  const beats = createPeriodicTask(beat, renewEveryMs);
  return {
    current: () => (isValid() ? lease : undefined),
    holds: (one) => one === lease && isValid(),
    suspect() {
      suspected = true;
    },
    start: beats.start,
    async stop() {
      await beats.stop();
      const ending = [...draining, ...(lease === undefined ? [] : [lease])];
      lease = undefined;
      for (const one of ending) await endLease(query, one, settings.free).catch((error) => failureLog.failed(error));
    },
  };
}
