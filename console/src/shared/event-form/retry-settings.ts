/** Draft of retry options beyond the basic four and their arguments. Pure. */
import { validationErrors } from '@joinery/metadata/commands/edit/arguments';
import type { RetryConf } from '@joinery/metadata/schema/events/retry';
import { RetryRules } from '@joinery/metadata/schema/events/retry';

export const backoffFields = [
  'backoff',
  'max_retry_interval_seconds',
  'jitter',
  'retry_delays_seconds',
  'final_client_errors',
] as const satisfies readonly (keyof RetryConf)[];
export type BackoffField = (typeof backoffFields)[number];

export interface RetryDraft {
  readonly backoff: 'fixed' | 'exponential';
  /** The text of the input. Empty values are omitted. */
  readonly max_retry_interval_seconds: string;
  readonly jitter: string;
  /** Seconds, separated by commas. */
  readonly retry_delays_seconds: string;
  readonly final_client_errors: boolean;
}

export const emptyRetry: RetryDraft = {
  backoff: 'fixed',
  max_retry_interval_seconds: '',
  jitter: '',
  retry_delays_seconds: '',
  final_client_errors: false,
};

/** The retry options of any kind of event. */
type SavedRules = Omit<RetryRules, 'retry_delays_seconds'> & {
  readonly num_retries: number;
  readonly retry_delays_seconds?: readonly number[] | null | undefined;
};

export function retryDraftOf(conf: SavedRules): RetryDraft {
  const text = (number: number | null | undefined): string => (typeof number === 'number' ? String(number) : '');
  return {
    backoff: conf.backoff ?? 'fixed',
    max_retry_interval_seconds: text(conf.max_retry_interval_seconds),
    jitter: text(conf.jitter),
    retry_delays_seconds: (conf.retry_delays_seconds ?? []).join(', '),
    final_client_errors: conf.final_client_errors === true,
  };
}

/** Returns the arguments that differ from the defaults. */
export function readRetry(draft: RetryDraft): Readonly<Record<string, unknown>> {
  const { backoff, max_retry_interval_seconds, jitter, retry_delays_seconds, final_client_errors } = draft;
  return {
    ...(backoff === 'exponential' && { backoff }),
    ...(max_retry_interval_seconds.trim() !== '' && {
      max_retry_interval_seconds: numberIn(max_retry_interval_seconds),
    }),
    ...(jitter.trim() !== '' && { jitter: numberIn(jitter) }),
    ...(retry_delays_seconds.trim() !== '' && { retry_delays_seconds: retry_delays_seconds.split(',').map(numberIn) }),
    ...(final_client_errors && { final_client_errors }),
  };
}

/** Text that is not a number is passed on, so that validation rejects it. */
function numberIn(text: string): number | string {
  const number = Number(text.trim());
  return text.trim() === '' || Number.isNaN(number) ? text : number;
}

export function retryProblems(draft: RetryDraft): ReadonlyMap<BackoffField, string> {
  const found = new Map<BackoffField, string>();
  for (const { path, message } of validationErrors(RetryRules, readRetry(draft))) {
    const field = backoffFields.find((one) => path.startsWith(`$.args.${one}`) || path.startsWith(`$.${one}`));
    if (field !== undefined && !found.has(field)) {
      found.set(field, field === 'retry_delays_seconds' ? `must be seconds with commas between: ${message}` : message);
    }
  }
  return found;
}
