/** Takes one due event through its call: confirm, call, judge, write down. */
import type { Cancellation } from '../../base/cancellation.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { Query } from '../../postgres/client/pool.ts';
import type { Health } from '../destinations/circuit-breakers.ts';
import type { PendingEvent } from '../types/pending-event.ts';
import { type Attempt, attempt, type Caller, clientError } from '../webhook/attempt.ts';
import { fetchPayload } from './claim.ts';
import type { Confirmer } from './claim-confirmer.ts';
import type { HeldEvent, Holdings } from './claimed-events.ts';
import type { Tally } from './delivery-stats.ts';
import type { Settler } from './outcome-writer.ts';
import { isTooLate, judge, latestSeconds, type Verdict } from './retry-policy.ts';

export interface CourierSettings {
  readonly caller: Caller;
  readonly query: Query;
  readonly holdings: Holdings;
  readonly confirmer: Confirmer;
  readonly settler: Settler;
  readonly tally: Tally;
  readonly observe: Observe;
  /** Cuts calls off; nothing is written down about them. */
  readonly cutOff: Cancellation;
  /** True when a retry at that time should stay with this node. */
  readonly keeps: (retryAt: number) => boolean;
  /** The database may have events under the lease, or under the current one, that this node does not know of. */
  readonly doubt: (lease: string) => void;
  /** Whether events under the lease may be called now. */
  readonly mayCall: (lease: string) => boolean;
  /** A retry that stays. */
  readonly again: (event: PendingEvent, lease: string) => void;
  /** What a call said about the destination of that lane. */
  readonly report: (lane: string, health: Health) => void;
  /** There may be something to claim. */
  readonly wake: () => void;
}

/** What the log shows of a call. */
type Logged = Pick<Attempt, 'startedAt' | 'durationMs' | 'status' | 'response'>;

export interface Courier {
  /** Resolves when the call has ended; its outcome may not be written down yet. Never rejects. */
  deliver(held: HeldEvent): Promise<void>;
}

/** How old the database's word that an event is ours may be: for one that was due then, and for one that was not. */
const fresh = { due: 1_000, early: 100 };

export function createCourier(settings: CourierSettings): Courier {
  const { caller, holdings, settler, tally } = settings;

  async function isOurs(held: HeldEvent): Promise<boolean> {
    const limit = held.confirmedAt >= held.event.dueAt ? fresh.due : fresh.early;
    return caller.now() - held.confirmedAt <= limit || settings.confirmer.confirm(held);
  }

  async function call(held: HeldEvent): Promise<Attempt | undefined> {
    const { event, lease } = held;
    const payload = event.payload ?? (await fetchPayload(settings.query, lease, event.id));
    if (payload === undefined || !settings.mayCall(lease)) return undefined;
    tally.called(caller.now() - event.dueAt);
    return attempt(event, payload, caller, { cutOff: settings.cutOff, mayStart: () => settings.mayCall(lease) });
  }

  function writeDown(held: HeldEvent, verdict: Verdict, result: Logged): void {
    const { event, lease } = held;
    const keep = verdict.kind === 'retry' && settings.keeps(verdict.at);
    const done = (ours: boolean): void => {
      tally.settled(verdict.kind, ours);
      holdings.drop(held);
      if (!ours) settings.doubt(lease);
      // The next of its key is free.
      if (event.orderingKey !== undefined) settings.wake();
      if (ours && keep) settings.again({ ...event, dueAt: verdict.at, tries: event.tries + 1 }, lease);
    };
    settler.add({ event, lease, verdict, keep, attempt: result, done });
  }

  /**
   * Of two events of one key that were claimed at the same moment, both may still be under their leases; so may one
   * whose lease is not valid any more.
   */
  function letGo(held: HeldEvent): void {
    holdings.drop(held);
    if (held.event.orderingKey !== undefined || !settings.mayCall(held.lease)) settings.doubt(held.lease);
  }

  async function deliver(held: HeldEvent): Promise<void> {
    if (held.dropped || !(await isOurs(held)) || held.dropped || !settings.mayCall(held.lease)) return letGo(held);
    held.calling = true;
    const now = caller.now();
    if (isTooLate(held.event, now)) return writeDown(held, { kind: 'dead' }, neverCalled(held.event, now));
    const result = await call(held);
    if (result === undefined) {
      settings.doubt(held.lease);
      return holdings.drop(held);
    }
    if (result.health !== undefined) settings.report(held.event.lane, result.health);
    return writeDown(held, judge(held.event, result, caller.now()), result);
  }

  return {
    deliver: (held) =>
      deliver(held).catch((error) => {
        settings.observe({ kind: 'failure', where: 'delivering an event', error });
        holdings.drop(held);
        settings.doubt(held.lease);
      }),
  };
}

function neverCalled(event: PendingEvent, now: number): Logged {
  const late = Math.floor((now - event.scheduledAt) / 1_000);
  const message = `not called: ${late} s after its time, which is more than the tolerance of ${latestSeconds(event)} s`;
  return { startedAt: now, durationMs: 0, status: undefined, response: clientError(message) };
}
