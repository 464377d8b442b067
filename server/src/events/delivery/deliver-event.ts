/** Delivers one due event: confirms the claim, calls the webhook or another target and writes the outcome. */
import type { Observe } from '../../base/telemetry/observe.ts';
import type { LeasedWork } from '../leases/leased-work.ts';
import { attemptTarget, type TargetCaller } from '../targets/attempt.ts';
import type { DeliverableEvent } from '../types/deliverable-event.ts';
import { type Attempt, attempt, type Caller, clientError, type DestinationHealth } from '../webhook/attempt.ts';
import type { EventRequest } from '../webhook/request.ts';
import type { ClaimConfirmer } from './claim-confirmer.ts';
import type { ClaimedEvent, ClaimedEvents } from './claimed-events.ts';
import type { DeliveryCounters } from './delivery-stats.ts';
import type { EventStore, LoggedCall } from './event-store.ts';
import type { OutcomeWriter } from './outcome-writer.ts';
import { isTooLate, maxLatenessSeconds, type Outcome, outcomeOf } from './retry-policy.ts';

export interface EventDelivererSettings<Event extends DeliverableEvent> {
  readonly caller: Caller & TargetCaller;
  readonly store: Pick<EventStore<Event>, 'loadPayload' | 'targetOf' | 'buildRequest'>;
  readonly claimedEvents: ClaimedEvents<Event>;
  readonly confirmer: ClaimConfirmer<Event>;
  readonly outcomeWriter: OutcomeWriter<Event>;
  readonly counters: DeliveryCounters;
  readonly observe: Observe;
  readonly work: Pick<LeasedWork, 'cutOff' | 'mayStart' | 'suspect'>;
  /** Whether this node keeps its claim for a retry at that time. */
  readonly keeps: (retryAt: number) => boolean;
  /** Schedules a retry that stays claimed by this node. */
  readonly retry: (event: Event, lease: string) => void;
  /** Reports the health of the destination of a lane after a call. */
  readonly report: (lane: string, health: DestinationHealth) => void;
  /** Requests a claim. */
  readonly wake: () => void;
}

export interface EventDeliverer<Event extends DeliverableEvent> {
  /** Resolves when the call has ended; its outcome may still be unwritten. Never rejects. */
  deliver(claimed: ClaimedEvent<Event>): Promise<void>;
}

/** Largest age of a confirmation in milliseconds: for an event that was due when it was confirmed, and for others. */
const confirmationAge = { due: 1_000, early: 100 };

export function createEventDeliverer<Event extends DeliverableEvent>(
  settings: EventDelivererSettings<Event>,
): EventDeliverer<Event> {
  const { caller, store, claimedEvents, outcomeWriter, counters, work } = settings;

  async function isConfirmed(claimed: ClaimedEvent<Event>): Promise<boolean> {
    const limit = claimed.confirmedAt >= claimed.event.dueAt ? confirmationAge.due : confirmationAge.early;
    return caller.now() - claimed.confirmedAt <= limit || settings.confirmer.confirm(claimed);
  }

  async function call(claimed: ClaimedEvent<Event>): Promise<Attempt | undefined> {
    const { event, lease } = claimed;
    const payload = event.payload ?? (await store.loadPayload(lease, event));
    if (payload === undefined || !work.mayStart(lease)) return undefined;
    counters.called(caller.now() - event.dueAt);
    const callLimits = { cutOff: work.cutOff, mayStart: () => work.mayStart(lease) };
    const target = store.targetOf(event, payload);
    if (target !== undefined) return attemptTarget(event, target, caller, callLimits);
    const build = (): EventRequest => store.buildRequest(event, payload, caller);
    return attempt(event, build, caller, callLimits);
  }

  function writeOutcome(claimed: ClaimedEvent<Event>, outcome: Outcome, result: LoggedCall): void {
    const { event, lease } = claimed;
    const keep = outcome.kind === 'retry' && settings.keeps(outcome.at);
    const done = (written: boolean): void => {
      counters.settled(outcome.kind, written);
      claimedEvents.remove(claimed);
      if (!written) work.suspect(lease);
      // The next event with its ordering key can be claimed.
      if (event.orderingKey !== undefined) settings.wake();
      if (written && keep) settings.retry({ ...event, dueAt: outcome.at, tries: event.tries + 1 }, lease);
    };
    outcomeWriter.add({ event, lease, outcome, keep, attempt: result, done });
  }

  /**
   * Removes an event that must not be called. The database may still have the claim if the lease is no longer valid, or
   * if another event with the same ordering key was claimed at the same time.
   */
  function discard(claimed: ClaimedEvent<Event>): void {
    claimedEvents.remove(claimed);
    if (claimed.event.orderingKey !== undefined || !work.mayStart(claimed.lease)) work.suspect(claimed.lease);
  }

  async function deliver(claimed: ClaimedEvent<Event>): Promise<void> {
    if (claimed.dropped || !(await isConfirmed(claimed)) || claimed.dropped || !work.mayStart(claimed.lease))
      return discard(claimed);
    claimed.calling = true;
    const now = caller.now();
    if (isTooLate(claimed.event, now)) return writeOutcome(claimed, { kind: 'dead' }, skippedCall(claimed.event, now));
    const result = await call(claimed);
    if (result === undefined) {
      work.suspect(claimed.lease);
      return claimedEvents.remove(claimed);
    }
    if (result.health !== undefined) settings.report(claimed.event.lane, result.health);
    return writeOutcome(claimed, outcomeOf(claimed.event, result, caller.now()), result);
  }

  return {
    deliver: (claimed) =>
      deliver(claimed).catch((error) => {
        settings.observe({ kind: 'failure', where: 'delivering an event', error });
        claimedEvents.remove(claimed);
        work.suspect(claimed.lease);
      }),
  };
}

function skippedCall(event: DeliverableEvent, now: number): LoggedCall {
  const late = Math.floor((now - event.scheduledAt) / 1_000);
  const message = `not called: ${late} s after its time, which is more than the tolerance of ${maxLatenessSeconds(event)} s`;
  return { startedAt: now, durationMs: 0, status: undefined, response: clientError(message) };
}
