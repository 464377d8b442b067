/** Commands that list cron triggers and preview schedules. */
import { z } from 'zod';
import type { EventDelivery } from '../../schema/events/delivery.ts';
import type { RetryConf } from '../../schema/events/retry.ts';
import type { CallTarget } from '../../schema/events/targets.ts';
import type { EventStatus, ListedHeader } from './events.ts';

export const PreviewCronSchedule = z.strictObject({
  schedule: z.string(),
  timezone: z.string().nullish(),
  /** Number of times to return. */
  limit: z.int().min(1).max(100).default(10),
});
export type PreviewCronSchedule = z.infer<typeof PreviewCronSchedule>;

export interface CronSchedulePreview {
  /** The next times, ISO 8601 in UTC, in order. */
  readonly times: readonly string[];
}

/** A cron trigger with its defaults filled in. */
export interface ListedCronTrigger extends EventDelivery {
  readonly name: string;
  /** Undefined for a trigger with a target. */
  readonly webhook?: string;
  readonly target?: CallTarget;
  readonly schedule: string;
  readonly timezone: string;
  readonly payload: unknown;
  readonly headers: readonly ListedHeader[];
  readonly retry_conf: RetryConf;
  readonly comment?: string;
  readonly include_in_metadata: boolean;
  readonly catch_up: boolean;
  /** Absent: not paused. */
  readonly paused?: true;
}

export interface CronTriggers {
  readonly cron_triggers: readonly ListedCronTrigger[];
}

export const RunCronTrigger = z.strictObject({ name: z.string() });
export type RunCronTrigger = z.infer<typeof RunCronTrigger>;

/** A run whose time has come. */
export interface CronRun {
  readonly event_id: string;
  readonly scheduled_time: string;
  /** `scheduled` and `locked` are runs that wait for a call or a retry, or that are being called. */
  readonly status: EventStatus;
  /** The number of calls. */
  readonly tries: number;
  /** When the outcome was written; null before. */
  readonly processed_at: string | null;
}

export interface CronTriggerStats {
  readonly name: string;
  readonly paused: boolean;
  /** Null for a paused trigger, and while no run is planned. */
  readonly next_run_at: string | null;
  /** The latest runs, the newest first. */
  readonly runs: readonly CronRun[];
}

export interface CronTriggerStatistics {
  readonly triggers: readonly CronTriggerStats[];
}
