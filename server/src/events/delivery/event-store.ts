/** The storage of events: the statements that the delivery engine runs, so that the engine does not depend on their tables. */
import type { ClockReading, LeaseStore } from '../leases/leases.ts';
import type { TargetEvent } from '../targets/target.ts';
import type { DeliverableEvent } from '../types/deliverable-event.ts';
import type { Attempt } from '../webhook/attempt.ts';
import type { EventRequest, RequestTools } from '../webhook/request.ts';
import type { Outcome } from './retry-policy.ts';

export interface EventStore<Event extends DeliverableEvent> {
  readonly leases: LeaseStore;
  /** The channels of its notifications. */
  readonly channels: readonly string[];
  /** Returns what a notification announces. */
  announced(payload: string): Announcement;
  readClock(): Promise<ClockReading>;
  /**
   * Claims events and returns them in no particular order. Returns none if the lease is not valid. Fewer than
   * `wanted.most` events of a claim without `wanted.mostEach` mean that there are no more at present, unless
   * `claimAgainMs` returns a number.
   */
  claim(lease: string, wanted: Claim): Promise<readonly Event[]>;
  /** Returns the milliseconds after which to claim again without a notification; undefined without such a time. */
  claimAgainMs?(claimed: readonly Event[], wanted: Claim): number | undefined;
  /**
   * Returns the ids of those events that are still claimed under the lease: the lease is valid, the event was not deleted,
   * changed or claimed by another node, and no other event with its ordering key is claimed.
   */
  confirm(lease: string, events: readonly Event[]): Promise<ReadonlySet<string>>;
  /** Releases the events so that any node can claim them. */
  release(lease: string, events: readonly Event[]): Promise<void>;
  /** Releases events under the lease that are not in `known`: a claim whose result was lost left them there. */
  releaseOthers(lease: string, known: readonly Event[]): Promise<void>;
  /** Deletes expired leases, releases events of missing leases and returns the number of released events. */
  sweep(): Promise<number>;
  /** Returns the payload as JSON text; undefined if the event is no longer claimed. */
  loadPayload(lease: string, event: Event): Promise<string | undefined>;
  /**
   * Whether the event may be called as it was claimed. False where the definition that it was claimed with has changed so that the call
   * would fail: the event is released and claimed again.
   */
  mayCall?(event: Event): boolean;
  /**
   * Returns how to read what is called in place of a webhook; undefined for an event with a webhook. The function throws ServiceError
   * `invalid-configuration` and TemplateError for a target that cannot be read.
   */
  targetOf(event: Event, payload: string): (() => TargetEvent) | undefined;
  /** Builds the request of a call. Throws ServiceError and TemplateError as `buildRequest` does. */
  buildRequest(event: Event, payload: string, tools: RequestTools): EventRequest;
  /** Prints the outcome for `settle`. */
  printOutcome(outcome: OutcomeRecord<Event>, form: OutcomeForm): string;
  /**
   * Writes printed outcomes and their log entries in one transaction. Returns the ids of events whose claim was lost,
   * whose outcomes are not written.
   *
   * @param agent the User-Agent that was sent
   */
  settle(outcomes: readonly string[], agent: string): Promise<ReadonlySet<string>>;
}

/** Which events a node claims. */
export interface Claim {
  /** Claims events that are due within this many milliseconds. */
  readonly aheadMs: number;
  readonly most: number;
  /** Destination queues whose events are not claimed. */
  readonly exceptQueues: readonly string[];
  /** If set, claims at most this many events of each lane, lane by lane, so that one backlog does not block another. */
  readonly mostEach?: number;
}

/** `events`: there may be due events. `limits`: limits of destinations have changed. `clock`: the clock was advanced. */
export type Announcement = 'events' | 'limits' | 'clock';

/** How much of an outcome is written. If PostgreSQL rejects one form, the next is tried. */
export const outcomeForms = ['whole', 'without response', 'without log'] as const;
export type OutcomeForm = (typeof outcomeForms)[number];

/** The outcome of a call and the log entry to write. */
export interface OutcomeRecord<Event extends DeliverableEvent> {
  readonly event: Event;
  /** The lease under which the event was called. */
  readonly lease: string;
  readonly outcome: Outcome;
  /** When the event was claimed; milliseconds since 1970 by the database's clock. */
  readonly claimedAt: number;
  /** Whether this node keeps its claim for the retry. */
  readonly keep: boolean;
  readonly attempt: LoggedCall;
  /** Called with true when the outcome is written, and with false if the claim was lost or writing was abandoned. */
  readonly done: (written: boolean) => void;
}

/** The part of a call that is logged. */
export type LoggedCall = Pick<Attempt, 'startedAt' | 'durationMs' | 'status' | 'request' | 'response'>;

/** Returns the log of the request with the time between the claim and the call; undefined without a request. */
export function loggedRequest({
  attempt,
  claimedAt,
}: Pick<OutcomeRecord<DeliverableEvent>, 'attempt' | 'claimedAt'>): string | undefined {
  const waitedMs = Math.max(0, Math.round(attempt.startedAt - claimedAt));
  return attempt.request?.replace('{', `{"waited_ms":${waitedMs},`);
}
