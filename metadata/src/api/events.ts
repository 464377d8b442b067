/** The arguments of the commands that create and change scheduled events. */
import { z } from 'zod';
import { EventHeader, eventDelivery } from '../schema/event-delivery.ts';
import { RetryConf } from '../schema/retry.ts';
import { StorableText } from '../sql/storable.ts';
import { withInstant } from '../time/timestamps.ts';

const webhook = StorableText.min(1).max(8_000);
const headers = z.array(EventHeader).max(100);
const comment = StorableText.max(10_000);

/** Names one event for good: whoever creates an event under a key that is there gets the event that is there. */
export const EventKey = StorableText.min(1).max(255);

/** Any JSON value, null among them. */
const payload = z.unknown().refine((value) => value !== undefined, { message: 'is required; null is a payload too' });

/** When an event is due; `readScheduleTime` makes an instant of it. */
const moment = {
  /** ISO 8601, with an offset or in UTC, or a local time of `timezone`. */
  schedule_at: z.string(),
  /** Of the IANA database: `Europe/Berlin`. */
  timezone: z.string().nullish(),
  /** Which one is meant where clocks that are changed show the time twice or never. */
  dst: z.enum(['earlier', 'later']).nullish(),
};

export const CreateScheduledEvent = z
  .strictObject({
    /** An http or https URL; may contain `{{NAME}}` templates, filled from the environment when the call is made. */
    webhook,
    ...moment,
    payload,
    headers: headers.nullish().transform((list) => list ?? []),
    retry_conf: RetryConf.nullish().transform((conf) => conf ?? RetryConf.parse({})),
    comment: comment.nullish(),
    key: EventKey.nullish(),
    /** Events of one are delivered one after the other. */
    ordering_key: EventKey.nullish(),
    ...eventDelivery,
  })
  .transform(withInstant);
export type CreateScheduledEvent = z.infer<typeof CreateScheduledEvent>;

/** Events of one call. */
const MOST_EVENTS = 10_000;

export const CreateScheduledEvents = z.strictObject({
  /** Each as `CreateScheduledEvent` reads it. */
  events: z.array(z.unknown()).min(1).max(MOST_EVENTS),
});
export type CreateScheduledEvents = z.infer<typeof CreateScheduledEvents>;

/** Which event is meant: by its id or by its key. */
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

/** Members that are left out stay as they are. */
export const UpdateScheduledEvent = z
  .strictObject({
    ...target,
    webhook: webhook.optional(),
    ...moment,
    schedule_at: moment.schedule_at.optional(),
    payload: z.unknown().optional(),
    headers: headers.optional(),
    /** As a whole: members that are left out take their defaults. */
    retry_conf: RetryConf.optional(),
    /** Null takes it away. */
    comment: comment.nullish(),
    /** Null goes back to the default. */
    ...eventDelivery,
  })
  .refine(namesOne, oneName)
  .transform(withInstant);
export type UpdateScheduledEvent = z.infer<typeof UpdateScheduledEvent>;

export const EventStatus = z.enum(['scheduled', 'locked', 'delivered', 'error', 'dead', 'cancelled']);
export type EventStatus = z.infer<typeof EventStatus>;
