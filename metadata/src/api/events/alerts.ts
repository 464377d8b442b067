/** Commands of alerts: webhooks that are called when the delivery of events fails, and when it works again. */
import { z } from 'zod';
import { EventHeader } from '../../schema/events/delivery.ts';
import { StorableText } from '../../sql/storable.ts';
import type { Success } from '../success.ts';
import type { ListedHeader } from './events.ts';

const AlertName = StorableText.min(1, 'must not be empty').max(255);

/** When an alert is active. */
export const AlertRule = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('failure_rate'),
    /** Active while more than this share of the calls failed. */
    percent: z.number().min(0).max(100),
    /** The minutes before now whose calls count. */
    window_minutes: z.int().min(1).max(1_440).default(5),
    /** Not active with fewer calls. */
    min_calls: z.int().min(1).max(1_000_000).default(10),
  }),
  /** Active while a circuit is open. */
  z.strictObject({ kind: z.literal('circuit_open') }),
  z.strictObject({
    kind: z.literal('backlog_age'),
    /** Active while a due event has waited for longer. */
    seconds: z.number().min(1).max(604_800),
  }),
]);
export type AlertRule = z.infer<typeof AlertRule>;

export const SetAlert = z.strictObject({
  name: AlertName,
  rule: AlertRule,
  /** Absent: all destinations together. */
  destination: StorableText.min(1).max(2_000).nullish(),
  /** An http or https URL; may contain `{{NAME}}` templates. */
  webhook: StorableText.min(1).max(8_000),
  headers: z
    .array(EventHeader)
    .max(100)
    .nullish()
    .transform((list) => list ?? []),
  enabled: z.boolean().default(true),
});
export type SetAlert = z.infer<typeof SetAlert>;

export const DeleteAlert = z.strictObject({ name: z.string() });
export type DeleteAlert = z.infer<typeof DeleteAlert>;

export interface Alert {
  readonly name: string;
  readonly rule: AlertRule;
  readonly destination: string | null;
  readonly webhook: string;
  readonly headers: readonly ListedHeader[];
  readonly enabled: boolean;
  /** Since when it is active; null while it is not. */
  readonly active_since: string | null;
  /** The percentage, the number of open circuits or the seconds at the last check; null before it, and without enough calls. */
  readonly value: number | null;
  /** Null before the first check. */
  readonly checked_at: string | null;
}

export interface Alerts {
  readonly alerts: readonly Alert[];
}

/** The body of the calls of its webhook. */
export interface AlertMessage {
  readonly alert: string;
  readonly state: 'started' | 'ended';
  /** A sentence. */
  readonly text: string;
  readonly rule: AlertRule;
  readonly destination: string | null;
  readonly value: number | null;
  readonly started_at: string;
  /** Null while it is active. */
  readonly ended_at: string | null;
}

export interface AlertResponses {
  readonly get_alerts: Alerts;
  readonly set_alert: Success;
  readonly delete_alert: Success;
}
