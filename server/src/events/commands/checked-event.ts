/** Validates the members of an event before it is scheduled. */

import type { CreateScheduledEvent } from '@joinery/metadata/api/events/events';
import type { EventDelivery, EventHeader } from '@joinery/metadata/schema/events/delivery';
import type { RetryConf } from '@joinery/metadata/schema/events/retry';
import { type CallTarget, targetDestination } from '@joinery/metadata/schema/events/targets';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import { type Environment, expand, expandHeaders, templateProblem } from '../../base/environment.ts';
import { ServiceError } from '../../base/errors.ts';
import { rejectionOfUrl } from '../../base/http-client/egress.ts';
import { printJson } from '../../base/json-value.ts';
import { isStorable } from '../../base/storable-text.ts';
import { readRequestTransform, TemplateError } from '../../base/templates/transform.ts';
import { signerOf } from '../webhook/request.ts';
import { argumentPath, rejectArgument, withArgumentPath } from './rejected-argument.ts';

/** Largest payload, in bytes of JSON. */
export const LARGEST_PAYLOAD = 1_048_576;
/** Deepest nesting of a payload. PostgreSQL accepts some thousand levels, depending on its settings. */
const DEEPEST_PAYLOAD = 1_000;

type Path = readonly PropertyKey[];
type Headers = readonly z.infer<typeof EventHeader>[];

/** A valid event with the values of its columns. */
export interface CheckedEvent {
  /** The destination of a target. */
  readonly webhook: string;
  /** UTC with microseconds: `2026-09-01T08:00:00.000000Z`. */
  readonly at: string;
  /** JSON text. */
  readonly payload: string;
  /** JSON text. */
  readonly headers: string;
  readonly retry: CheckedRetry;
  readonly comment: string | null;
  readonly key: string | null;
  readonly orderingKey: string | null;
  /** JSON text of the request format; null for the default format. */
  readonly delivery: string | null;
}

export interface CheckedRetry {
  readonly numRetries: number;
  readonly retryIntervalSeconds: number;
  readonly timeoutSeconds: number;
  readonly toleranceSeconds: number;
  /** JSON text of additional retry rules; null without such. */
  readonly policy: string | null;
}

/** Validates an event. `base` is its path in the arguments. */
type CheckEvent = (event: CreateScheduledEvent, base: Path) => CheckedEvent;

/**
 * Returns a function that validates the events of one request. Members that are equal to those of the last event are
 * not validated again. The function throws `parse-failed` with the path of an invalid argument, `invalid-configuration`
 * for an unset environment variable, and `payload-too-large`.
 */
export function createEventCheck(environment: Environment): CheckEvent {
  let lastWebhook: string | undefined;
  let headers: { readonly list: Headers; readonly text: string } | undefined;
  let retry: { readonly conf: RetryConf; readonly checked: CheckedRetry } | undefined;
  return (event, base) => {
    const { target, webhook = '' } = event;
    if (!target && webhook !== lastWebhook) {
      checkWebhook(webhook, environment, base);
      lastWebhook = webhook;
    }
    if (headers?.list !== event.headers) {
      checkHeaders(event.headers, environment, base);
      headers = { list: event.headers, text: printJson(event.headers) };
    }
    const isPlain = !event.body && !target && isAbsent(event.signing) && !event.request_transform;
    if (!isPlain) checkDelivery(event, environment, base);
    if (retry?.conf !== event.retry_conf) {
      retry = { conf: event.retry_conf, checked: checkedRetry(event.retry_conf) };
    }
    return {
      webhook: target ? targetDestination(target) : webhook,
      at: event.at,
      payload: checkPayload(event.payload, base),
      headers: headers.text,
      retry: retry.checked,
      comment: event.comment ?? null,
      key: event.key ?? null,
      orderingKey: event.ordering_key ?? null,
      delivery: isPlain ? null : deliveryColumn(event),
    };
  };
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

export function checkedRetry(conf: RetryConf): CheckedRetry {
  const { num_retries, retry_interval_seconds, timeout_seconds, tolerance_seconds, ...policy } = conf;
  const given = Object.values(policy).some((member) => member !== undefined && member !== null);
  return {
    numRetries: num_retries,
    retryIntervalSeconds: retry_interval_seconds,
    timeoutSeconds: timeout_seconds,
    toleranceSeconds: tolerance_seconds,
    policy: given ? printJson(policy) : null,
  };
}

const notStorable = 'must not contain a NUL character or half of a surrogate pair';

export function checkComment(comment: string | null | undefined, base: Path): void {
  if (!isStorable(comment)) rejectArgument(notStorable, [...base, 'comment']);
}

/** Valid webhooks without variables, which many events share. */
const validWebhooks = new LRUCache<string, true>({ max: 500 });
/** Longer texts differ from event to event. */
const LONGEST_REMEMBERED = 500;

export function checkWebhook(webhook: string, environment: Environment, base: Path): void {
  if (validWebhooks.has(webhook)) return;
  const path = [...base, 'webhook'];
  if (!isStorable(webhook)) rejectArgument(notStorable, path);
  const malformed = templateProblem(webhook);
  if (malformed !== undefined) rejectArgument(malformed, path);
  const url = withArgumentPath(path, () => expand(webhook, environment));
  // A block of YAML and a variable that is read from a file often end in a line break.
  if (/\p{Cc}/u.test(webhook.trimEnd()) || /\p{Cc}/u.test(url.trim())) {
    rejectArgument('must not contain a line break or another control character', path);
  }
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    const suffix = url === webhook ? '' : ' after its variables are expanded';
    rejectArgument(`must be an http or https URL${suffix}`, path);
  }
  const reason = rejectionOfUrl(parsed);
  if (reason !== undefined) rejectArgument(`cannot be called: ${reason}`, path);
  if (url === webhook && webhook.length <= LONGEST_REMEMBERED) validWebhooks.set(webhook, true);
}

export function checkHeaders(headers: Headers, environment: Environment, base: Path): void {
  headers.forEach((header, index) => {
    const path = [...base, 'headers', index, 'value' in header ? 'value' : 'value_from_env'];
    const [[, value = ''] = []] = withArgumentPath(path, () => expandHeaders([header], environment));
    checkHeaderValue(value, path);
  });
}

/** Rejects values that an HTTP header cannot have; a variable may have any value. */
function checkHeaderValue(value: string, path: Path): void {
  if (/[\r\n\0]/.test(value)) rejectArgument('must not contain a line break, and its variable does', path);
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
    rejectArgument('must consist of Latin characters that can be printed', path);
}

export function checkDelivery(
  { signing, request_transform }: EventDelivery,
  environment: Environment,
  base: Path,
): void {
  if (signing) withArgumentPath([...base, 'signing', 'key_from_env'], () => signerOf(signing, environment));
  if (!request_transform) return;
  checkTransform(request_transform, base);
  if (!isStorable(request_transform)) rejectArgument(notStorable, [...base, 'request_transform']);
}

/**
 * Returns the request format, or the target, as JSON text; null for the default format. Members that are null are omitted unless
 * `keepNulls` is set.
 */
export function deliveryColumn(
  { body, signing, request_transform, target }: EventDelivery & { readonly target?: CallTarget | null | undefined },
  keepNulls = false,
): string | null {
  const members = { body: body === 'envelope' ? null : body, signing, request_transform, target };
  const given = Object.entries(members).filter(([, value]) => value !== undefined && (keepNulls || value !== null));
  return given.length === 0 ? null : printJson(Object.fromEntries(given));
}

function checkTransform(transform: NonNullable<EventDelivery['request_transform']>, base: Path): void {
  try {
    readRequestTransform(transform);
  } catch (error) {
    const [issue] = error instanceof TemplateError ? error.issues : [];
    if (issue === undefined) throw error;
    const path = `${argumentPath([...base, 'request_transform'])}${issue.path}`;
    throw new ServiceError('parse-failed', issue.message, { path });
  }
}

/** Validates a payload and returns it as JSON text. */
export function checkPayload(payload: unknown, base: Path): string {
  if (isDeeper(payload, DEEPEST_PAYLOAD)) {
    rejectArgument(`must not be nested deeper than ${DEEPEST_PAYLOAD} levels`, [...base, 'payload']);
  }
  const text = printJson(payload);
  // A UTF-16 code unit has at most three bytes.
  if (text.length * 3 <= LARGEST_PAYLOAD) return text;
  const bytes = Buffer.byteLength(text);
  if (bytes <= LARGEST_PAYLOAD) return text;
  throw new ServiceError(
    'payload-too-large',
    `the payload has ${bytes} bytes, the limit is ${LARGEST_PAYLOAD}; send a reference to the data instead`,
    { path: argumentPath([...base, 'payload']) },
  );
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return members.some((member) => isDeeper(member, levels - 1));
}
