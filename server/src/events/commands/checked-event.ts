/** Validates the members of an event before it is scheduled. */

import type { CreateScheduledEvent } from '@joinery/metadata/api/events/events';
import type { EventDelivery, EventHeader } from '@joinery/metadata/schema/events/delivery';
import type { RetryConf } from '@joinery/metadata/schema/events/retry';
import { type CallTarget, targetDestination } from '@joinery/metadata/schema/events/targets';
import type { z } from 'zod';
import { type Environment, expand, expandHeaders } from '../../base/environment.ts';
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

/**
 * Validates an event. Throws `parse-failed` with the path of an invalid argument, `invalid-configuration` for
 * an unset environment variable, and `payload-too-large`.
 *
 * @param base path of the event in the arguments
 */
export function checkEvent(event: CreateScheduledEvent, environment: Environment, base: Path = []): CheckedEvent {
  const { webhook = '', target } = event;
  if (!target) checkWebhook(webhook, environment, base);
  checkHeaders(event.headers, environment, base);
  checkDelivery(event, environment, base);
  return {
    webhook: target ? targetDestination(target) : webhook,
    at: event.at,
    payload: checkPayload(event.payload, base),
    headers: printJson(event.headers),
    retry: checkedRetry(event.retry_conf),
    comment: event.comment ?? null,
    key: event.key ?? null,
    orderingKey: event.ordering_key ?? null,
    delivery: deliveryColumn(event),
  };
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

export function checkWebhook(webhook: string, environment: Environment, base: Path): void {
  const path = [...base, 'webhook'];
  if (!isStorable(webhook)) rejectArgument(notStorable, path);
  const url = withArgumentPath(path, () => expand(webhook, environment));
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    const suffix = url === webhook ? '' : ' after its variables are expanded';
    rejectArgument(`must be an http or https URL${suffix}`, path);
  }
  const reason = rejectionOfUrl(parsed);
  if (reason !== undefined) rejectArgument(`cannot be called: ${reason}`, path);
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
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}
