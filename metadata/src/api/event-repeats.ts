/** The arguments of the commands that deliver events again, or before their time. */
import { z } from 'zod';
import { CancelScheduledEvents } from './event-lists.ts';

/** Events of one call, at most. */
const MOST = 10_000;

const { type, trigger_name, key, from, until, destination, comment, payload_contains } = CancelScheduledEvents.shape;
const search = { trigger_name, key, from, until, destination, comment, payload_contains };

export const RedeliverScheduledEvents = z.strictObject({
  type,
  ...search,
  /** Default: those that failed and those that died. */
  status: z
    .array(z.enum(['delivered', 'error', 'dead', 'cancelled']))
    .min(1)
    .default(['error', 'dead']),
  limit: z.int().min(1).max(MOST).default(MOST),
});
export type RedeliverScheduledEvents = z.infer<typeof RedeliverScheduledEvents>;
