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
  readonly store: Pick<EventStore<Event>, 'loadPayload' | 'mayCall' | 'targetOf' | 'buildRequest'>;
  readonly claimedEvents: ClaimedEvents<Event>;
  readonly confirmer: ClaimConfirmer<Event>;
  readonly outcomeWriter: OutcomeWriter<Event>;
  readonly counters: DeliveryCounters;
  /** Counts the call for the history. */
  readonly record: (event: Event, outcome: Outcome['kind'], call: RecordedCall) => void;
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

/** The times of a call in milliseconds. */
export interface RecordedCall {
  readonly durationMs: number;
  readonly latenessMs: number;
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

  /** Whether the claim was confirmed recently. */
  function isConfirmed({ event, confirmedAt }: ClaimedEvent<Event>): boolean {
    return caller.now() - confirmedAt <= (confirmedAt >= event.dueAt ? confirmationAge.due : confirmationAge.early);
  }

  /** False where the clock of the database was set back while the event waited for its destination. */
  const isDue = (event: Event): boolean => event.dueAt <= caller.now();

  /** Resolves to undefined if the event was not called. */
  function call({ event, lease }: ClaimedEvent<Event>, payload: string): Promise<Attempt | undefined> {
    counters.called(caller.now() - event.dueAt);
    const mayStart = (): boolean => work.mayStart(lease) && isDue(event) && store.mayCall?.(event) !== false;
    const callLimits = { cutOff: work.cutOff, mayStart };
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
      else {
        const { durationMs, startedAt } = result;
        settings.record(event, outcome.kind, { durationMs, latenessMs: startedAt - event.dueAt });
      }
      // The next event with its ordering key can be claimed.
      if (event.orderingKey !== undefined) settings.wake();
      if (written && keep) settings.retry({ ...event, dueAt: outcome.at, tries: event.tries + 1 }, lease);
    };
    outcomeWriter.add({ event, lease, outcome, claimedAt: claimed.claimedAt, keep, attempt: result, done });
  }

  /**
   * Removes an event that must not be called. The database may still have the claim, unless a later claim replaced it: if the
   * lease is no longer valid, also if only the clock of the database says so, or if another event with the same ordering key
   * was claimed at the same time.
   */
  function discard(claimed: ClaimedEvent<Event>): void {
    const { event, lease, dropped } = claimed;
    claimedEvents.remove(claimed);
    if (!dropped || event.orderingKey !== undefined || !work.mayStart(lease)) work.suspect(lease);
  }

  async function deliver(claimed: ClaimedEvent<Event>): Promise<void> {
    const { event, lease } = claimed;
    if (claimed.dropped) return discard(claimed);
    // Only what has to wait is awaited: most events are confirmed by their claim, which contains their payload.
    if (!isConfirmed(claimed) && !(await settings.confirmer.confirm(claimed))) return discard(claimed);
    if (claimed.dropped || !work.mayStart(lease) || !isDue(event)) return discard(claimed);
    claimed.calling = true;
    const now = caller.now();
    if (isTooLate(event, now)) return writeOutcome(claimed, { kind: 'dead' }, skippedCall(event, now));
    const payload = event.payload ?? (await store.loadPayload(lease, event));
    const result = payload === undefined || !work.mayStart(lease) ? undefined : await call(claimed, payload);
    if (result === undefined) {
      work.suspect(lease);
      return claimedEvents.remove(claimed);
    }
    if (result.health !== undefined) settings.report(event.lane, result.health);
    return writeOutcome(claimed, outcomeOf(event, result, caller.now()), result);
  }

  return {
    async deliver(claimed) {
      try {
        await deliver(claimed);
      } catch (error) {
        settings.observe({ kind: 'failure', where: 'delivering an event', error });
        claimedEvents.remove(claimed);
        work.suspect(claimed.lease);
      }
    },
  };
}

function skippedCall(event: DeliverableEvent, now: number): LoggedCall {
  const late = Math.floor((now - event.scheduledAt) / 1_000);
  const message = `not called: ${late} s after its time, which is more than the tolerance of ${maxLatenessSeconds(event)} s`;
  return { startedAt: now, durationMs: 0, status: undefined, response: clientError(message) };
}
