/** Commands that create and change scheduled events, and the events that they return. */
import { z } from 'zod';
import { type EventDelivery, EventHeader, eventDelivery } from '../../schema/events/delivery.ts';
import { RetryConf } from '../../schema/events/retry.ts';
import { addIssues, CallTarget, targetRules, webhookOrTargetRules } from '../../schema/events/targets.ts';
import { StorableText } from '../../sql/storable.ts';
import { withInstant } from '../../time/timestamps.ts';
import type { Success } from '../success.ts';

const webhook = StorableText.min(1).max(8_000);
const headers = z.array(EventHeader).max(100);
const comment = StorableText.max(10_000);

/** A unique key of an event. Creating an event under an existing key returns the existing event. */
export const EventKey = StorableText.min(1).max(255);

/** Any JSON value, null among them. */
const payload = z.unknown().refine((value) => value !== undefined, { message: 'is required; null is a payload too' });

/** The scheduled time of an event; `readScheduleTime` converts it to an instant. */
const moment = {
  /** ISO 8601, with an offset or in UTC, or a local time of `timezone`. */
  schedule_at: z.string(),
  /** Of the IANA database: `Europe/Berlin`. */
  timezone: z.string().nullish(),
  /** Selects the instant where a clock change makes the local time ambiguous or nonexistent. */
  dst: z.enum(['earlier', 'later']).nullish(),
};

export const CreateScheduledEvent = z
  .strictObject({
    /** An http or https URL; may contain `{{NAME}}` templates, filled from the environment when the call is made. */
    webhook: webhook.optional(),
    /** What is called in place of a webhook. */
    target: CallTarget.nullish(),
    ...moment,
    payload,
    headers: headers.nullish().transform((list) => list ?? []),
    retry_conf: RetryConf.nullish().transform((conf) => conf ?? RetryConf.parse({})),
    comment: comment.nullish(),
    key: EventKey.nullish(),
    /** Events with the same ordering key are delivered one after the other. */
    ordering_key: EventKey.nullish(),
    ...eventDelivery,
  })
  .superRefine((event, context) => addIssues(webhookOrTargetRules(event), context))
  .transform(withInstant);
export type CreateScheduledEvent = z.infer<typeof CreateScheduledEvent>;

/** Events that one call creates, at most. */
export const MOST_EVENTS = 10_000;

export const CreateScheduledEvents = z.strictObject({
  events: z.array(CreateScheduledEvent).min(1).max(MOST_EVENTS),
});
export type CreateScheduledEvents = z.infer<typeof CreateScheduledEvents>;

/** An event by its id or by its key. */
const target = { event_id: z.string().nullish(), key: EventKey.nullish() };

function namesOne({
  event_id,
  key,
}: {
  event_id?: string | null | undefined;
  key?: string | null | undefined;
}): boolean {
  return (typeof event_id === 'string') !== (typeof key === 'string');
}
const oneName = { message: 'needs either event_id or key' };

export const EventTarget = z.strictObject(target).refine(namesOne, oneName);
export type EventTarget = z.infer<typeof EventTarget>;

/** Absent members keep their values. */
export const UpdateScheduledEvent = z
  .strictObject({
    ...target,
    /** Replaces a target as well. */
    webhook: webhook.optional(),
    /** Replaces a webhook as well, with the members of its request. */
    target: CallTarget.optional(),
    ...moment,
    schedule_at: moment.schedule_at.optional(),
    payload: z.unknown().optional(),
    headers: headers.optional(),
    /** Replaced as a whole: absent members take their defaults. */
    retry_conf: RetryConf.optional(),
    /** Null removes the comment. */
    comment: comment.nullish(),
    /** Null restores the default. */
    ...eventDelivery,
  })
  .refine(namesOne, oneName)
  .superRefine((event, context) => addIssues(targetRules(event), context))
  .transform(withInstant);
export type UpdateScheduledEvent = z.infer<typeof UpdateScheduledEvent>;

export const EventStatus = z.enum(['scheduled', 'locked', 'delivered', 'error', 'dead', 'cancelled']);
export type EventStatus = z.infer<typeof EventStatus>;

/** A literal value, or the name of the environment variable that holds it. */
export interface ListedHeader {
  readonly name: string;
  readonly value?: string;
  readonly value_from_env?: string;
}

export interface ScheduledEvent extends EventDelivery {
  readonly id: string;
  /** Of cron events. */
  readonly trigger_name?: string;
  /** The URL with its templates; the name of the destination of a target. */
  readonly webhook_conf: string;
  /** What is called in place of a webhook. */
  readonly target?: CallTarget;
  /** ISO 8601 in UTC, as are all times. */
  readonly scheduled_time: string;
  readonly retry_conf: RetryConf;
  readonly payload: unknown;
  readonly header_conf: readonly ListedHeader[];
  readonly status: EventStatus;
  /** Number of calls so far. */
  readonly tries: number;
  readonly created_at: string;
  readonly next_retry_at: string | null;
  readonly comment: string | null;
  readonly key?: string;
  readonly ordering_key?: string;
  readonly response_transform: null;
}

export interface CreatedEvent {
  readonly event_id: string;
  readonly scheduled_time: string;
  /** Present where an event with this key existed; nothing was created. */
  readonly existing?: true;
}

export interface CreatedEvents extends Success {
  /** In the order of the request. */
  readonly events: readonly CreatedEvent[];
}

/** The response of a command that changed one event. */
export interface ChangedEvent extends Success {
  readonly event_id: string;
}
