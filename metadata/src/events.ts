/** The arguments of the commands for one-off scheduled events. */
import { z } from 'zod';
import { Header } from './headers.ts';
import { Timestamp } from './timestamps.ts';

/** Both PostgreSQL's largest integer and more than 68 years. */
const LARGEST = 2_147_483_647;

const count = z.int().min(0).max(LARGEST);

/** Missing members take the defaults; an absent or null `retry_conf` is all defaults. */
export const RetryConf = z.strictObject({
  /** Calls beyond the first. */
  num_retries: count.default(0),
  retry_interval_seconds: count.default(10),
  timeout_seconds: count.min(1).default(60),
  /** An event that is later than this is no longer called. */
  tolerance_seconds: count.default(21_600),
});
export type RetryConf = z.infer<typeof RetryConf>;

/** They describe the connection or the body, which are the service's own to describe. */
const ownHeaders = /^(content-length|transfer-encoding|connection|keep-alive|upgrade|expect|te|trailer)$/i;

const EventHeader = Header.refine((header) => !ownHeaders.test(header.name), {
  message: 'is a header that the service sets itself; leave it out',
  path: ['name'],
});

/** A PostgreSQL text cannot hold NUL. */
const text = z.string().refine((value) => !value.includes('\0'), { message: 'must not contain a NUL character' });

export const CreateScheduledEvent = z.strictObject({
  /** An http or https URL; may contain `{{NAME}}` templates, filled from the environment when the call is made. */
  webhook: text.min(1).max(8_000),
  schedule_at: Timestamp,
  /** Any JSON value, null among them. */
  payload: z.unknown().refine((value) => value !== undefined, { message: 'is required; null is a payload too' }),
  headers: z
    .array(EventHeader)
    .max(100)
    .nullish()
    .transform((list) => list ?? []),
  retry_conf: RetryConf.nullish().transform((conf) => conf ?? RetryConf.parse({})),
  comment: text.max(10_000).nullish(),
});
export type CreateScheduledEvent = z.infer<typeof CreateScheduledEvent>;

const type = z.literal('one_off');
const page = { limit: count.nullish(), offset: count.nullish(), get_rows_count: z.boolean().default(false) };

export const EventStatus = z.enum(['scheduled', 'locked', 'delivered', 'error', 'dead']);
export type EventStatus = z.infer<typeof EventStatus>;

export const EventOrder = z.strictObject({
  column: z.enum(['id', 'scheduled_time', 'created_at', 'next_retry_at', 'status', 'tries', 'comment']),
  type: z.enum(['asc', 'desc']).nullish(),
  nulls: z.enum(['first', 'last']).nullish(),
});
export type EventOrder = z.infer<typeof EventOrder>;

export const GetScheduledEvents = z.strictObject({
  type,
  /** Absent, null and empty all mean every status. */
  status: z.array(EventStatus).nullish(),
  order_by: z
    .union([z.array(EventOrder), EventOrder.transform((one) => [one])])
    .nullish()
    .transform((list) => list ?? []),
  ...page,
});
export type GetScheduledEvents = z.infer<typeof GetScheduledEvents>;

export const GetScheduledEventInvocations = z.strictObject({
  type,
  /** Absent or null: the calls of all events. */
  event_id: z.string().nullish(),
  ...page,
});
export type GetScheduledEventInvocations = z.infer<typeof GetScheduledEventInvocations>;

export const DeleteScheduledEvent = z.strictObject({ type, event_id: z.string() });
export type DeleteScheduledEvent = z.infer<typeof DeleteScheduledEvent>;
