/** Shares of roles in the connections of a pool, and their queues of waiting callers. */

import { type Cancellation, cancellationError } from '../../base/cancellation.ts';
import type { Connection } from './connection.ts';
import type { Watchdog, Watched } from './watchdog.ts';

/** The use of a pool by one role, or by the service itself. */
export interface Share {
  /** Connections in use. */
  active: number;
  /** Maximum connections in use. */
  readonly limit: number;
  /** Whether it counts towards the limit of all roles together. */
  readonly isRole: boolean;
  /** In order of arrival. */
  readonly waiters: Waiter[];
}

export class Waiter implements Watched {
  /** Seconds of the pool's clock. */
  readonly since: number;
  readonly resolve: (connection: Connection) => void;
  readonly reject: (error: unknown) => void;
  private readonly signal: Cancellation | undefined;
  /** Whether it may share a connection. */
  readonly shares: boolean;
  /** Whether the caller has canceled and was rejected. */
  canceled = false;

  constructor(
    since: number,
    signal: Cancellation | undefined,
    shares: boolean,
    resolve: Waiter['resolve'],
    reject: Waiter['reject'],
  ) {
    this.since = since;
    this.signal = signal;
    this.shares = shares;
    this.resolve = resolve;
    this.reject = reject;
  }

  check(): void {
    if (this.canceled || !this.signal?.aborted) return;
    this.canceled = true;
    this.reject(cancellationError(this.signal));
  }
}

export interface Shares {
  /** Returns the share of a role; undefined for the service itself. */
  of(role: string | undefined): Share;
  /** Whether `share` may use another connection. */
  admits(share: Share): boolean;
  begin(share: Share): void;
  end(share: Share): void;
  wait(share: Share, waiter: Waiter): void;
  /** Removes and returns the next caller that may use a connection, with its share. */
  next(): readonly [Waiter, Share] | undefined;
  /** Removes and returns the first caller of `share` if it may share a connection. */
  nextSharing(share: Share): Waiter | undefined;
  /** Returns the number of waiting callers. */
  waiting(): number;
  /** Removes callers that have canceled or have waited since before `since`, and returns the latter. */
  expire(since: number): readonly Waiter[];
}

/**
 * A role uses at most `percent` of the `size` connections and leaves at least one for other roles. All roles together leave
 * one for the service itself. 100 disables the limits. The share with the fewest connections in use is served first.
 */
export function createShares(size: number, percent: number, watchdog: Watchdog): Shares {
  const isLimited = percent < 100;
  const most = isLimited ? Math.max(1, size - 1) : size;
  const limit = isLimited ? Math.max(1, Math.min(Math.floor((size * percent) / 100), most - 1)) : size;
  const own: Share = { active: 0, limit: size, isRole: false, waiters: [] };
  const roles = new Map<string, Share>();
  let ofRoles = 0;
  let waiting = 0;

  function admits({ active, limit: own, isRole }: Share): boolean {
    return active < own && (!isRole || ofRoles < most);
  }

  /** Removes and returns the first caller that has not canceled. */
  function shift(share: Share): Waiter | undefined {
    for (;;) {
      const waiter = share.waiters.shift();
      if (waiter === undefined) return undefined;
      waiting -= 1;
      watchdog.forget(waiter);
      if (!waiter.canceled) return waiter;
    }
  }

  function next(): readonly [Waiter, Share] | undefined {
    while (waiting > 0) {
      let chosen = own.waiters.length > 0 ? own : undefined;
      for (const share of roles.values()) {
        if (share.waiters.length === 0 || !admits(share)) continue;
        if (chosen === undefined || share.active < chosen.active) chosen = share;
      }
      if (chosen === undefined) return undefined;
      const waiter = shift(chosen);
      if (waiter !== undefined) return [waiter, chosen];
    }
    return undefined;
  }

  return {
    of(role) {
      if (role === undefined || !isLimited) return own;
      const known = roles.get(role);
      if (known !== undefined) return known;
      const share: Share = { active: 0, limit, isRole: true, waiters: [] };
      roles.set(role, share);
      return share;
    },
    admits,
    begin(share) {
      share.active += 1;
      if (share.isRole) ofRoles += 1;
    },
    end(share) {
      share.active -= 1;
      if (share.isRole) ofRoles -= 1;
    },
    wait(share, waiter) {
      share.waiters.push(waiter);
      waiting += 1;
    },
    next,
    nextSharing(share) {
      for (let first = share.waiters[0]; first?.shares || first?.canceled; first = share.waiters[0]) {
        share.waiters.shift();
        waiting -= 1;
        watchdog.forget(first);
        if (!first.canceled) return first;
      }
      return undefined;
    },
    waiting: () => waiting,
    expire(since) {
      const expired: Waiter[] = [];
      for (const { waiters } of [own, ...roles.values()]) {
        while (waiters[0] !== undefined && (waiters[0].canceled || waiters[0].since < since)) {
          const [waiter] = waiters.splice(0, 1);
          waiting -= 1;
          if (waiter === undefined) break;
          watchdog.forget(waiter);
          if (!waiter.canceled) expired.push(waiter);
        }
      }
      return expired;
    },
  };
}
