/** How the connections of a pool are shared: between roles, and between the callers that wait for one. */

import { type Cancellation, cancellationError } from '../../base/cancellation.ts';
import type { Connection } from './connection.ts';
import type { Watchdog, Watched } from './watchdog.ts';

/** What the requests of one role, or the service itself, use of a pool. */
export interface Share {
  /** Connections in use. */
  active: number;
  /** Most connections in use. */
  readonly limit: number;
  /** Whether it counts towards the limit of all roles together. */
  readonly isRole: boolean;
  /** In the order of their arrival. */
  readonly waiters: Waiter[];
}

export class Waiter implements Watched {
  /** Seconds of the pool's clock. */
  readonly since: number;
  readonly resolve: (connection: Connection) => void;
  readonly reject: (error: unknown) => void;
  private readonly signal: Cancellation | undefined;
  /** True when the caller has given up; it has been told. */
  gone = false;

  constructor(since: number, signal: Cancellation | undefined, resolve: Waiter['resolve'], reject: Waiter['reject']) {
    this.since = since;
    this.signal = signal;
    this.resolve = resolve;
    this.reject = reject;
  }

  look(): void {
    if (this.gone || !this.signal?.aborted) return;
    this.gone = true;
    this.reject(cancellationError(this.signal));
  }
}

export interface Shares {
  /** That of a role; undefined: that of the service itself. */
  of(role: string | undefined): Share;
  /** Whether `share` may use one connection more. */
  admits(share: Share): boolean;
  begin(share: Share): void;
  end(share: Share): void;
  wait(share: Share, waiter: Waiter): void;
  /** The next caller to get a connection, with its share; undefined when nobody waits who may use one more. */
  next(): readonly [Waiter, Share] | undefined;
  /** Callers that wait. */
  waiting(): number;
  /** Removes those that wait since before `since`, or have given up, and returns the former. */
  expire(since: number): readonly Waiter[];
}

/**
 * A role uses at most `percent` of the `size` connections and leaves at least one for other roles; all roles together leave
 * one for the service itself. 100 for no limits. Of those that wait, the share that uses the fewest connections is served first.
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

  /** The first that has not given up. */
  function shift(share: Share): Waiter | undefined {
    for (;;) {
      const waiter = share.waiters.shift();
      if (waiter === undefined) return undefined;
      waiting -= 1;
      watchdog.forget(waiter);
      if (!waiter.gone) return waiter;
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
    waiting: () => waiting,
    expire(since) {
      const expired: Waiter[] = [];
      for (const { waiters } of [own, ...roles.values()]) {
        while (waiters[0] !== undefined && (waiters[0].gone || waiters[0].since < since)) {
          const [waiter] = waiters.splice(0, 1);
          waiting -= 1;
          if (waiter === undefined) break;
          watchdog.forget(waiter);
          if (!waiter.gone) expired.push(waiter);
        }
      }
      return expired;
    },
  };
}
