/** How a failed call is retried: the four fields that every configuration has, and the rules beyond them. */
import { z } from 'zod';

/** Both PostgreSQL's largest integer and more than 68 years. */
const LARGEST = 2_147_483_647;

const count = z.int().min(0).max(LARGEST);

/** What a configuration may say beyond the four fields. Null is as good as absent. */
export const retryRules = {
  /** How the wait grows from retry to retry: not at all, or to double. Default `fixed`. */
  backoff: z.enum(['fixed', 'exponential']).nullish(),
  /** Longest wait of `exponential`. Default 3,600. */
  max_retry_interval_seconds: count.min(1).nullish(),
  /** Each wait is shortened by a random share of up to this much: 0 not at all, 1 down to nothing. Default 0. */
  jitter: z.number().min(0).max(1).nullish(),
  /**
   * The waits one by one, instead of interval and backoff. There are as many retries as delays; if `num_retries` is
   * more, the last delay repeats.
   */
  retry_delays_seconds: z.array(count).min(1).max(100).nullish(),
  /** An answer 4xx ends the event, other than 408, 425 and 429. Default false; 410 always does. */
  final_client_errors: z.boolean().nullish(),
};

export const RetryRules = z.strictObject(retryRules);
export type RetryRules = z.infer<typeof RetryRules>;

/** Missing members take the defaults; an absent or null `retry_conf` is all defaults. */
export const RetryConf = z.strictObject({
  /** Calls beyond the first. */
  num_retries: count.default(0),
  retry_interval_seconds: count.default(10),
  timeout_seconds: count.min(1).default(60),
  /** An event that is later than this is no longer called. */
  tolerance_seconds: count.default(21_600),
  ...retryRules,
});
export type RetryConf = z.infer<typeof RetryConf>;
