/** Retry rules beyond the four basic fields of a retry configuration: their storage and their meaning. */
import { RetryRules, retryRules } from '@joinery/metadata/schema/events/retry';

/** Client errors that a later call may not have: request timeout, too early, too many requests. */
const retriedClientErrors: readonly number[] = [408, 425, 429];
const LONGEST_WAIT_SECONDS = 3_600;

/** Returns JSON text for the column `retry_policy`; null if only the four basic fields are set. */
export function writtenRules(conf: RetryRules): string | null {
  const names = Object.keys(retryRules) as (keyof RetryRules)[];
  const given = names.filter((name) => conf[name] !== undefined && conf[name] !== null);
  if (given.length === 0) return null;
  return JSON.stringify(Object.fromEntries(given.map((name) => [name, conf[name]])));
}

/** Parses the column `retry_policy`. A malformed value, written without the API, counts as no rules. */
export function readRules(text: string | undefined): RetryRules {
  if (text === undefined) return {};
  try {
    return RetryRules.safeParse(JSON.parse(text)).data ?? {};
  } catch {
    return {};
  }
}

export interface Retried {
  readonly numRetries: number;
  readonly retryIntervalSeconds: number;
  /** Number of earlier retries. */
  readonly retries: number;
}

/** Whether the retry budget allows another retry. */
export function mayRetry({ numRetries, retries }: Retried, rules: RetryRules): boolean {
  return retries < Math.max(numRetries, rules.retry_delays_seconds?.length ?? 0);
}

/** Whether a response with this status ends the event regardless of its retry budget. */
export function isFinal(status: number | undefined, rules: RetryRules): boolean {
  if (status === undefined) return false;
  if (status === 410) return true;
  return rules.final_client_errors === true && status >= 400 && status < 500 && !retriedClientErrors.includes(status);
}

/** Returns the delay of the next retry in milliseconds. `random` returns a number from 0 to 1. */
export function waitMs(event: Retried, rules: RetryRules, random: () => number = Math.random): number {
  const seconds = waitSeconds(event, rules);
  return seconds * 1_000 * (1 - (rules.jitter ?? 0) * random());
}

function waitSeconds({ retries, retryIntervalSeconds }: Retried, rules: RetryRules): number {
  const delays = rules.retry_delays_seconds ?? [];
  const delay = delays[retries] ?? delays.at(-1);
  if (delay !== undefined) return delay;
  if (rules.backoff !== 'exponential') return retryIntervalSeconds;
  return Math.min(retryIntervalSeconds * 2 ** retries, rules.max_retry_interval_seconds ?? LONGEST_WAIT_SECONDS);
}
