/** The arguments of the commands that list, count, cancel and delete scheduled events. */
import { z } from 'zod';
import { isStorable, StorableText } from '../sql/storable.ts';
import { Timestamp } from '../time/timestamps.ts';
import { EventKey, EventStatus } from './events.ts';

const LARGEST = 2_147_483_647;
const count = z.int().min(0).max(LARGEST);

export const EventType = z.enum(['one_off', 'cron']);
export type EventType = z.infer<typeof EventType>;

const page = {
  limit: count.nullish(),
  offset: count.nullish(),
  /** `estimated`: quick however many there are, and exact up to some thousands. */
  get_rows_count: z.union([z.boolean(), z.literal('estimated')]).default(false),
  /** What the page before said under `next`. */
  after: z.string().nullish(),
};

const status = z
  .union([EventStatus, z.literal('in_flight').transform((): EventStatus => 'locked')])
  .array()
  .nullish();

/** What is searched for; what is left out or null does not matter. */
const search = {
  /** Of cron events only. */
  trigger_name: StorableText.nullish(),
  /** Absent, null and empty all mean every status; `in_flight` is another word for `locked`. */
  status,
  key: EventKey.nullish(),
  /** `schedule_at` from then on. */
  from: Timestamp.nullish(),
  /** `schedule_at` before then. */
  until: Timestamp.nullish(),
  /** Scheme, host and port as they stand in the webhook: `https://api.example.com`, or `{{API_URL}}`. */
  destination: StorableText.nullish(),
  /** A part of the comment; upper and lower case are one. */
  comment: StorableText.nullish(),
  /** JSON that the payload contains, as the operator `@>` of jsonb has it. */
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
const MOST_CANCELLED = 100_000;

export const CancelScheduledEvents = z
  .strictObject({
    type: EventType.default('one_off'),
    ...search,
    status: z.null().optional(),
    limit: z.int().min(1).max(MOST_CANCELLED).default(MOST_CANCELLED),
    /** Has to be said where there is no filter. */
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
  /** Default: those that failed and those that died. */
  status: z
    .array(z.enum(['delivered', 'error', 'dead', 'cancelled']))
    .min(1)
    .default(['error', 'dead']),
  limit: z.int().min(1).max(MOST_REDELIVERED).default(MOST_REDELIVERED),
});
export type RedeliverScheduledEvents = z.infer<typeof RedeliverScheduledEvents>;

/** A status of HTTP, a class of them, or `none`: no answer came. */
const invocationStatus = z.union([z.int().min(100).max(599), z.enum(['1xx', '2xx', '3xx', '4xx', '5xx', 'none'])]);
export type InvocationStatus = z.infer<typeof invocationStatus>;

export const GetScheduledEventInvocations = z.strictObject({
  type: EventType,
  /** Absent or null: the calls of all events. */
  event_id: z.string().nullish(),
  /** Of cron events only. */
  trigger_name: StorableText.nullish(),
  key: EventKey.nullish(),
  /** Absent, null and empty all mean every one. */
  status: invocationStatus.array().nullish(),
  /** Made from then on. */
  from: Timestamp.nullish(),
  /** Made before then. */
  until: Timestamp.nullish(),
  /** Of events of this destination, as for `get_scheduled_events`. */
  destination: StorableText.nullish(),
  /** A part of the payload or of what came back; upper and lower case are one. */
  text: StorableText.min(1).nullish(),
  ...page,
});
export type GetScheduledEventInvocations = z.infer<typeof GetScheduledEventInvocations>;

export const DeleteScheduledEvent = z.strictObject({ type: EventType, event_id: z.string() });
export type DeleteScheduledEvent = z.infer<typeof DeleteScheduledEvent>;

export const GetScheduledEventStats = z
  .strictObject({
    /** How far back calls are looked at. */
    window_seconds: z.int().min(1).max(604_800).default(300),
  })
  .nullish()
  .transform((args) => args ?? { window_seconds: 300 });
export type GetScheduledEventStats = z.infer<typeof GetScheduledEventStats>;

/** A hundred years. */
const FURTHEST_SECONDS = 3_155_760_000;

export const AdvanceClock = z.strictObject({ seconds: z.number().min(0).max(FURTHEST_SECONDS) });
export type AdvanceClock = z.infer<typeof AdvanceClock>;
