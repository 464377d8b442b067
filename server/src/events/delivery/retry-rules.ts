/** What a retry configuration says beyond its four fields: how it is stored, and what follows from it. Pure. */
import { RetryRules, retryRules } from '@joinery/metadata/schema/retry';

/** As in the reference's conventions: the caller is not at fault, or will not be in a while. */
const retriedClientErrors: readonly number[] = [408, 425, 429];
const LONGEST_WAIT_SECONDS = 3_600;

/** JSON text for the column `retry_policy`; null where the configuration says nothing beyond the four fields. */
export function writtenRules(conf: RetryRules): string | null {
  const names = Object.keys(retryRules) as (keyof RetryRules)[];
  const given = names.filter((name) => conf[name] !== undefined && conf[name] !== null);
  if (given.length === 0) return null;
  return JSON.stringify(Object.fromEntries(given.map((name) => [name, conf[name]])));
}

/** Of a row. What somebody has written past the API and cannot be read says nothing. */
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
  /** Retries that were made before. */
  readonly retries: number;
}

/** Whether one more retry is within the budget. */
export function mayRetry({ numRetries, retries }: Retried, rules: RetryRules): boolean {
  return retries < Math.max(numRetries, rules.retry_delays_seconds?.length ?? 0);
}

/** True when an answer with this status ends the event, however many retries are left. */
export function isFinal(status: number | undefined, rules: RetryRules): boolean {
  if (status === undefined) return false;
  if (status === 410) return true;
  return rules.final_client_errors === true && status >= 400 && status < 500 && !retriedClientErrors.includes(status);
}

/** Milliseconds to wait for the next retry. `random` gives 0 to 1. */
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
