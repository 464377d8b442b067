/** Commands that list, count, cancel, redeliver and delete scheduled events. */
import { z } from 'zod';
import { isStorable, StorableText } from '../../sql/storable.ts';
import { Timestamp } from '../../time/timestamps.ts';
import type { Success } from '../success.ts';
import { EventKey, EventStatus, type ListedHeader, type ScheduledEvent } from './events.ts';

const LARGEST = 2_147_483_647;
const count = z.int().min(0).max(LARGEST);

export const EventType = z.enum(['one_off', 'cron']);
export type EventType = z.infer<typeof EventType>;

const page = {
  limit: count.nullish(),
  offset: count.nullish(),
  /** `estimated`: fast for any number of rows, exact up to some thousands. */
  get_rows_count: z.union([z.boolean(), z.literal('estimated')]).default(false),
  /** `next` of the previous page. */
  after: z.string().nullish(),
};

const status = z
  .union([EventStatus, z.literal('in_flight').transform((): EventStatus => 'locked')])
  .array()
  .nullish();

/** Conditions of a search; absent and null members do not restrict it. */
const search = {
  /** Of cron events only. */
  trigger_name: StorableText.nullish(),
  /** Absent, null and empty mean every status; `in_flight` is an alias of `locked`. */
  status,
  key: EventKey.nullish(),
  /** Inclusive lower bound of `schedule_at`. */
  from: Timestamp.nullish(),
  /** Exclusive upper bound of `schedule_at`. */
  until: Timestamp.nullish(),
  /** The origin as written in the webhook: `https://api.example.com`, or `{{API_URL}}`. */
  destination: StorableText.nullish(),
  /** Substring of the comment, case-insensitive. */
  comment: StorableText.nullish(),
  /** JSON that the payload contains, by the jsonb operator `@>`. */
  payload_contains: z
    .unknown()
    .refine(isStorable, { message: 'must not contain a NUL character or half of a surrogate pair' })
    .optional(),
};

export const EventOrder = z.strictObject({
  column: z.enum(['id', 'scheduled_time', 'created_at', 'next_retry_at', 'status', 'tries', 'comment']),
  type: z.enum(['asc', 'desc']).nullish(),
  nulls: z.enum(['first', 'last']).nullish(),
});
export type EventOrder = z.infer<typeof EventOrder>;

export const GetScheduledEvents = z.strictObject({
  type: EventType,
  ...search,
  order_by: z
    .union([z.array(EventOrder), EventOrder.transform((one) => [one])])
    .nullish()
    .transform((list) => list ?? []),
  ...page,
});
export type GetScheduledEvents = z.infer<typeof GetScheduledEvents>;
export type EventSearch = Pick<GetScheduledEvents, 'type' | keyof typeof search>;

/** Events that one call cancels, at most. */
const MOST_CANCELED = 100_000;

export const CancelScheduledEvents = z
  .strictObject({
    type: EventType.default('one_off'),
    ...search,
    status: z.null().optional(),
    limit: z.int().min(1).max(MOST_CANCELED).default(MOST_CANCELED),
    /** Required where there is no filter. */
    all: z.boolean().default(false),
  })
  .refine(
    ({ all, trigger_name, key, from, until, destination, comment, payload_contains }) =>
      all ||
      payload_contains !== undefined ||
      [trigger_name, key, from, until, destination, comment].some((one) => typeof one === 'string'),
    { message: 'needs a filter, or "all": true for every pending event' },
  );
export type CancelScheduledEvents = z.infer<typeof CancelScheduledEvents>;

/** Events that one call redelivers, at most. */
const MOST_REDELIVERED = 10_000;

const { status: _pendingOnly, ...redeliverySearch } = search;

export const RedeliverScheduledEvents = z.strictObject({
  type: EventType.default('one_off'),
  ...redeliverySearch,
  /** Default: failed and dead events. */
  status: z
    .array(z.enum(['delivered', 'error', 'dead', 'cancelled']))
    .min(1)
    .default(['error', 'dead']),
  limit: z.int().min(1).max(MOST_REDELIVERED).default(MOST_REDELIVERED),
});
export type RedeliverScheduledEvents = z.infer<typeof RedeliverScheduledEvents>;

/** An HTTP status, a class of statuses, or `none` for calls without a response. */
export const InvocationStatus = z.union([
  z.int().min(100).max(599),
  z.enum(['1xx', '2xx', '3xx', '4xx', '5xx', 'none']),
]);
export type InvocationStatus = z.infer<typeof InvocationStatus>;

export const GetScheduledEventInvocations = z.strictObject({
  type: EventType,
  /** Absent or null: the calls of all events. */
  event_id: z.string().nullish(),
  /** Of cron events only. */
  trigger_name: StorableText.nullish(),
  key: EventKey.nullish(),
  /** Absent, null and empty mean every status. */
  status: InvocationStatus.array().nullish(),
  /** Inclusive lower bound of the time of the call. */
  from: Timestamp.nullish(),
  /** Exclusive upper bound of the time of the call. */
  until: Timestamp.nullish(),
  /** Destination of the event, as in `get_scheduled_events`. */
  destination: StorableText.nullish(),
  /** Substring of the payload or the response, case-insensitive. */
  text: StorableText.min(1).nullish(),
  ...page,
});
export type GetScheduledEventInvocations = z.infer<typeof GetScheduledEventInvocations>;

export const DeleteScheduledEvent = z.strictObject({ type: EventType, event_id: z.string() });
export type DeleteScheduledEvent = z.infer<typeof DeleteScheduledEvent>;

export const GetScheduledEventStats = z
  .strictObject({
    /** Length of the period that ends now. */
    window_seconds: z.int().min(1).max(604_800).default(300),
  })
  .nullish()
  .transform((args) => args ?? { window_seconds: 300 });
export type GetScheduledEventStats = z.infer<typeof GetScheduledEventStats>;

/** A hundred years. */
const FURTHEST_SECONDS = 3_155_760_000;

export const AdvanceClock = z.strictObject({ seconds: z.number().min(0).max(FURTHEST_SECONDS) });
export type AdvanceClock = z.infer<typeof AdvanceClock>;

export interface ScheduledEvents {
  readonly events: readonly ScheduledEvent[];
  /** Cursor of the next page, where the events are ordered by time. */
  readonly next?: string;
}

/** The number of matching rows of all pages, in responses to requests with `get_rows_count`. */
export interface RowCount {
  readonly count: number;
  readonly count_is_estimate?: true;
}

export interface FoundEvent {
  readonly event: ScheduledEvent;
}

/** The request of a call as it was sent. */
export interface SentRequest {
  readonly method: string;
  /** With templates in place of the values of environment variables. */
  readonly url: string;
  /** Those of the attempt are last. Signatures are `***`; values of environment variables are templates. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  /** Null: there was none, or its event has been removed. */
  readonly body: string | null;
}

/** One call of a webhook. */
export interface Invocation {
  readonly id: string;
  readonly event_id: string;
  /** HTTP status; null where there was no response. */
  readonly status: number | null;
  readonly created_at: string;
  /** 1 for the first call. */
  readonly attempt: number;
  readonly duration_ms: number;
  /** Between the claim of the event by a node and the start of the call. Hasura v2 does not have it. */
  readonly waited_ms?: number;
  readonly request: {
    readonly payload: unknown;
    readonly headers: readonly ListedHeader[];
    readonly version: string;
    /** Absent for operations and functions, and for calls of earlier versions. Hasura v2 does not have it. */
    readonly sent?: SentRequest;
  };
  readonly response: unknown;
}

export interface Invocations {
  /** The newest first. */
  readonly invocations: readonly Invocation[];
  /** Cursor of the next page. */
  readonly next?: string;
}

export interface CanceledEvents extends Success {
  readonly cancelled: number;
  /** Whether the limit was reached. */
  readonly more: boolean;
}

export interface RedeliveredEvents extends Success {
  readonly redelivered: number;
  /** Whether the limit was reached. */
  readonly more: boolean;
}

/** Percentiles in milliseconds. */
export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

export interface CallStats {
  readonly count: number;
  readonly per_second: number;
  readonly delivered: number;
  readonly failed: number;
  /** Of first calls; null where there were none. */
  readonly lateness_ms: Percentiles | null;
  readonly duration_ms: Percentiles | null;
}

export interface ScheduledEventStats {
  readonly backlog: {
    readonly pending: number;
    readonly due: number;
    readonly in_flight: number;
    readonly oldest_due_seconds: number;
  };
  readonly window_seconds: number;
  readonly calls: CallStats;
  /** The busiest first. */
  readonly destinations: readonly (CallStats & { readonly destination: string })[];
}

/** The clock of events, which can be advanced in development. */
export interface EventClock extends Success {
  readonly now: string;
  readonly ahead_seconds: number;
}
