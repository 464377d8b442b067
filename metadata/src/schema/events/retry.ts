/** Retries of failed calls. */
import { z } from 'zod';

/** Both PostgreSQL's largest integer and more than 68 years. */
const LARGEST = 2_147_483_647;

const count = z.int().min(0).max(LARGEST);

/** Optional members of a retry configuration. Null has the same effect as an absent member. */
export const retryRules = {
  /** Whether the delay stays the same or doubles with each retry. Default `fixed`. */
  backoff: z.enum(['fixed', 'exponential']).nullish(),
  /** Maximum delay of `exponential`. Default 3,600. */
  max_retry_interval_seconds: count.min(1).nullish(),
  /** Each delay is reduced by a random fraction of at most this value, 0 to 1. Default 0. */
  jitter: z.number().min(0).max(1).nullish(),
  /**
   * Explicit delays instead of interval and backoff. There are as many retries as delays; if `num_retries` is larger, the
   * last delay repeats.
   */
  retry_delays_seconds: z.array(count).min(1).max(100).nullish(),
  /** A 4xx response ends the event, except 408, 425 and 429. Default false; 410 always ends it. */
  final_client_errors: z.boolean().nullish(),
};

export const RetryRules = z.strictObject(retryRules);
export type RetryRules = z.infer<typeof RetryRules>;

/** Absent members take the defaults; an absent or null `retry_conf` has all defaults. */
export const RetryConf = z.strictObject({
  /** Calls after the first. */
  num_retries: count.default(0),
  retry_interval_seconds: count.default(10),
  timeout_seconds: count.min(1).default(60),
  /** A later event is dead and its webhook is not called. */
  tolerance_seconds: count.default(21_600),
  ...retryRules,
});
export type RetryConf = z.infer<typeof RetryConf>;
