/** Commands on events of all kinds: one search, and changes of many events. */
import { z } from 'zod';
import { SourceName } from '../../names.ts';
import { isStorable, StorableText } from '../../sql/storable.ts';
import { Timestamp } from '../../time/timestamps.ts';
import { EventKey } from './events.ts';
import { InvocationStatus } from './lists.ts';

export const EventKind = z.enum(['one_off', 'cron', 'trigger']);
export type EventKind = z.infer<typeof EventKind>;

/** The status of an event of any kind. Events of event triggers that are not finished are `scheduled` or `locked`. */
export const FoundStatus = z.enum(['scheduled', 'locked', 'delivered', 'error', 'dead', 'cancelled', 'superseded']);
export type FoundStatus = z.infer<typeof FoundStatus>;

/** Events of one page, at most. */
const MOST_FOUND = 500;

export const SearchEvents = z.strictObject({
  /** Absent, null and empty mean every kind. */
  kinds: EventKind.array().nullish(),
  /** Absent, null and empty mean every status. Not a condition of the counts. */
  status: FoundStatus.array().nullish(),
  /** The name of a cron trigger or of an event trigger. */
  trigger: StorableText.min(1).nullish(),
  /** The source of event triggers. */
  source: SourceName.nullish(),
  /** The origin as written in the webhook: `https://api.example.com`, or `{{API_URL}}`. */
  destination: StorableText.min(1).nullish(),
  key: EventKey.nullish(),
  /** Events with a call of one of these results: the HTTP status, a class of them, or `none`. */
  call_status: InvocationStatus.array().nullish(),
  /** A part of the response to one of the calls, or of the reason why there was none, in any case. */
  response_contains: StorableText.min(1).max(1_000).nullish(),
  /** The id, the key, or a part of the webhook, the comment, the name of the trigger or the error of a call, in any case. */
  text: StorableText.min(1).max(1_000).nullish(),
  /** JSON that the payload contains, by the jsonb operator `@>`; of event triggers, the data with `old` and `new`. */
  payload_contains: z
    .unknown()
    .refine(isStorable, { message: 'must not contain a NUL character or half of a surrogate pair' })
    .optional(),
  /** Inclusive lower bound of the time. */
  from: Timestamp.nullish(),
  /** Exclusive upper bound of the time. */
  until: Timestamp.nullish(),
  order: z.enum(['asc', 'desc']).default('desc'),
  limit: z.int().min(0).max(MOST_FOUND).default(50),
  /** `next` of the previous page. */
  after: StorableText.max(100_000).nullish(),
  /** Whether the response has the number of events by status. */
  counts: z.boolean().default(true),
});
export type SearchEvents = z.infer<typeof SearchEvents>;

/** The last call of an event. */
export interface LastCall {
  /** HTTP status; null where there was no response. */
  readonly status: number | null;
  readonly at: string;
  readonly duration_ms: number;
  /** The beginning of the response of an unsuccessful call, or why there was none; null for a successful call. */
  readonly error: string | null;
}

export interface EventOfSearch {
  readonly id: string;
  readonly kind: EventKind;
  /** The source of an event trigger. */
  readonly source?: string;
  /** The cron trigger or event trigger. */
  readonly trigger_name?: string;
  /** The URL with its templates, or the name of the target. That of an event trigger is from its present definition; null without one. */
  readonly webhook: string | null;
  /** The scheduled time, or the time of the change that an event trigger captured: ISO 8601 in UTC. */
  readonly time: string;
  readonly created_at: string;
  readonly status: FoundStatus;
  /** Number of calls so far. */
  readonly tries: number;
  readonly next_retry_at: string | null;
  readonly comment: string | null;
  /** The operation of an event trigger. */
  readonly operation?: string;
  readonly last_call: LastCall | null;
}

export interface StatusCount {
  readonly status: FoundStatus;
  readonly count: number;
  /** Set where there may be more: a bounded number of events is counted. */
  readonly at_least?: true;
}

export interface FoundEvents {
  readonly events: readonly EventOfSearch[];
  /** Cursor of the next page. */
  readonly next?: string;
  /** Set where the search has ended before the page was full: the time up to which it has compared events. `next` continues it. */
  readonly searched_until?: string;
  /** By status, of events that match all other conditions. */
  readonly counts?: readonly StatusCount[];
  /** Why the events of a source are absent. */
  readonly unread_sources?: readonly { readonly source: string; readonly reason: string }[];
}

/** Events that one call changes, at most. */
const MOST_CHANGED = 500;

const ChangedTarget = z.strictObject({
  event_id: z.string(),
  /** The source of an event of an event trigger. */
  source: SourceName.nullish(),
  /** The new time of this event, for `reschedule` and `restore`; its former time, for `undo_run_now`. */
  schedule_at: Timestamp.nullish(),
  /** Its former status, for `undo_redeliver`. */
  status: z.enum(['delivered', 'error', 'dead', 'cancelled']).nullish(),
});

export const ChangeEvents = z
  .strictObject({
    /**
     * `redeliver`: finished events, due now. `cancel` and `run_now`: pending events. `reschedule`: pending events, at `schedule_at`.
     * `restore`: canceled events become pending again, at their time, or now where it is over. `undo_redeliver` and `undo_run_now`:
     * events that have not been called since, to the status or time that the response of the change has.
     */
    action: z.enum(['redeliver', 'cancel', 'run_now', 'reschedule', 'restore', 'undo_redeliver', 'undo_run_now']),
    events: z.array(ChangedTarget).min(1).max(MOST_CHANGED),
    /** The new time of events without their own, for `reschedule`. */
    schedule_at: Timestamp.nullish(),
  })
  .superRefine(({ action, events, schedule_at }, context) => {
    const member = requiredMembers[action];
    if (member === undefined || (action === 'reschedule' && typeof schedule_at === 'string')) return;
    const index = events.findIndex((event) => typeof event[member] !== 'string');
    if (index < 0) return;
    const path = action === 'reschedule' ? ['schedule_at'] : ['events', index, member];
    context.addIssue({ code: 'custom', message: `is required to ${action}`, path });
  });

/** Members that each event needs for an action. */
const requiredMembers: Readonly<Record<string, 'schedule_at' | 'status' | undefined>> = {
  reschedule: 'schedule_at',
  undo_redeliver: 'status',
  undo_run_now: 'schedule_at',
};

export type ChangeEvents = z.infer<typeof ChangeEvents>;

/** An event that was changed, with the time or the status that it had, for undoing the change. */
export interface ChangedEventOfMany {
  readonly event_id: string;
  readonly source?: string;
  readonly former_time?: string;
  /** Of a redelivered one-off or cron event. */
  readonly former_status?: 'delivered' | 'error' | 'dead' | 'cancelled';
}

/** An event that was not changed. */
export interface UnchangedEvent {
  readonly event_id: string;
  readonly source?: string;
  readonly reason: string;
}

export interface ChangedEvents {
  readonly changed: readonly ChangedEventOfMany[];
  readonly unchanged: readonly UnchangedEvent[];
}

export const IndexEventPayloads = z.strictObject({
  /** Creates the index where it is absent. Default: the state is only read. */
  create: z.boolean().default(false),
});

export interface PayloadIndex {
  /** `building`: being created, which takes minutes for millions of events. */
  readonly state: 'absent' | 'building' | 'present';
}
