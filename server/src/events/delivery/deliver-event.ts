/** Takes one due event through its call: confirm, call, outcomeOf, write down. */
import type { Cancellation } from '../../base/cancellation.ts';
import type { Observe } from '../../base/telemetry/observe.ts';
import type { Query } from '../../postgres/client/pool.ts';
import type { DestinationHealth } from '../destinations/circuit-breakers.ts';
import type { PendingEvent } from '../types/pending-event.ts';
import { type Attempt, attempt, type Caller, clientError } from '../webhook/attempt.ts';
import { fetchPayload } from './claim.ts';
import type { ClaimConfirmer } from './claim-confirmer.ts';
import type { ClaimedEvent, ClaimedEvents } from './claimed-events.ts';
import type { DeliveryCounters } from './delivery-stats.ts';
import type { OutcomeWriter } from './outcome-writer.ts';
import { isTooLate, latestSeconds, type Outcome, outcomeOf } from './retry-policy.ts';

export interface EventDelivererSettings {
  readonly caller: Caller;
  readonly query: Query;
  readonly claimedEvents: ClaimedEvents;
  readonly confirmer: ClaimConfirmer;
  readonly outcomeWriter: OutcomeWriter;
  readonly counters: DeliveryCounters;
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
  readonly report: (lane: string, health: DestinationHealth) => void;
  /** There may be something to claim. */
  readonly wake: () => void;
}

/** What the log shows of a call. */
type Logged = Pick<Attempt, 'startedAt' | 'durationMs' | 'status' | 'response'>;

export interface EventDeliverer {
  /** Resolves when the call has ended; its outcome may not be written down yet. Never rejects. */
  deliver(claimed: ClaimedEvent): Promise<void>;
}

/** How old the database's word that an event is ours may be: for one that was due then, and for one that was not. */
const fresh = { due: 1_000, early: 100 };

export function createEventDeliverer(settings: EventDelivererSettings): EventDeliverer {
  const { caller, claimedEvents, outcomeWriter, counters } = settings;

  async function isOurs(claimed: ClaimedEvent): Promise<boolean> {
    const limit = claimed.confirmedAt >= claimed.event.dueAt ? fresh.due : fresh.early;
    return caller.now() - claimed.confirmedAt <= limit || settings.confirmer.confirm(claimed);
  }

  async function call(claimed: ClaimedEvent): Promise<Attempt | undefined> {
    const { event, lease } = claimed;
    const payload = event.payload ?? (await fetchPayload(settings.query, lease, event.id));
    if (payload === undefined || !settings.mayCall(lease)) return undefined;
    counters.called(caller.now() - event.dueAt);
    return attempt(event, payload, caller, { cutOff: settings.cutOff, mayStart: () => settings.mayCall(lease) });
  }

  function writeDown(claimed: ClaimedEvent, outcome: Outcome, result: Logged): void {
    const { event, lease } = claimed;
    const keep = outcome.kind === 'retry' && settings.keeps(outcome.at);
    const done = (ours: boolean): void => {
      counters.settled(outcome.kind, ours);
      claimedEvents.drop(claimed);
      if (!ours) settings.doubt(lease);
      // The next of its key is free.
      if (event.orderingKey !== undefined) settings.wake();
      if (ours && keep) settings.again({ ...event, dueAt: outcome.at, tries: event.tries + 1 }, lease);
    };
    outcomeWriter.add({ event, lease, outcome, keep, attempt: result, done });
  }

  /**
   * Of two events of one key that were claimed at the same moment, both may still be under their leases; so may one
   * whose lease is not valid any more.
   */
  function letGo(claimed: ClaimedEvent): void {
    claimedEvents.drop(claimed);
    if (claimed.event.orderingKey !== undefined || !settings.mayCall(claimed.lease)) settings.doubt(claimed.lease);
  }

  async function deliver(claimed: ClaimedEvent): Promise<void> {
    if (claimed.dropped || !(await isOurs(claimed)) || claimed.dropped || !settings.mayCall(claimed.lease))
      return letGo(claimed);
    claimed.calling = true;
    const now = caller.now();
    if (isTooLate(claimed.event, now)) return writeDown(claimed, { kind: 'dead' }, neverCalled(claimed.event, now));
    const result = await call(claimed);
    if (result === undefined) {
      settings.doubt(claimed.lease);
      return claimedEvents.drop(claimed);
    }
    if (result.health !== undefined) settings.report(claimed.event.lane, result.health);
    return writeDown(claimed, outcomeOf(claimed.event, result, caller.now()), result);
  }

  return {
    deliver: (claimed) =>
      deliver(claimed).catch((error) => {
        settings.observe({ kind: 'failure', where: 'delivering an event', error });
        claimedEvents.drop(claimed);
        settings.doubt(claimed.lease);
      }),
  };
}

function neverCalled(event: PendingEvent, now: number): Logged {
  const late = Math.floor((now - event.scheduledAt) / 1_000);
  const message = `not called: ${late} s after its time, which is more than the tolerance of ${latestSeconds(event)} s`;
  return { startedAt: now, durationMs: 0, status: undefined, response: clientError(message) };
}
