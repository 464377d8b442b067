/** An event that somebody wants to schedule, read and checked as far as it can be before its time. */

import { CreateScheduledEvent } from '@joinery/metadata/api/events';
import type { EventDelivery, EventHeader } from '@joinery/metadata/schema/event-delivery';
import type { RetryConf } from '@joinery/metadata/schema/retry';
import type { z } from 'zod';
import { type Environment, expand, expandHeaders } from '../../base/environment.ts';
import { ServiceError } from '../../base/errors.ts';
import { rejectionOfUrl } from '../../base/http-client/egress.ts';
import { printJson } from '../../base/json-value.ts';
import { isStorable } from '../../base/storable-text.ts';
import { readRequestTransform, TemplateError } from '../../base/templates/transform.ts';
import { signerOf } from '../webhook/request.ts';
import { at, jsonPath, readArguments, rejectArgument } from './arguments.ts';

/** Bytes of a payload as JSON. */
export const LARGEST_PAYLOAD = 1_048_576;
/** Levels of a payload. PostgreSQL reads some thousands, depending on its settings. */
const DEEPEST_PAYLOAD = 1_000;

type Path = readonly PropertyKey[];
type Headers = readonly z.infer<typeof EventHeader>[];

/** As it goes into the table. */
export interface CheckedEvent {
  readonly webhook: string;
  /** UTC with microseconds: `2026-09-01T08:00:00.000000Z`. */
  readonly at: string;
  /** JSON text, as are the others that are called so. */
  readonly payload: string;
  readonly headers: string;
  readonly retry: CheckedRetry;
  readonly comment: string | null;
  readonly key: string | null;
  readonly orderingKey: string | null;
  /** JSON text of how the request is made up; null for the usual way. */
  readonly delivery: string | null;
}

export interface CheckedRetry {
  readonly numRetries: number;
  readonly retryIntervalSeconds: number;
  readonly timeoutSeconds: number;
  readonly toleranceSeconds: number;
  /** JSON text of what the configuration says beyond these; null when it says no more. */
  readonly policy: string | null;
}

/**
 * Throws `parse-failed` with the path of an argument that does not fit, `invalid-configuration` for an environment
 * variable that is not set, `payload-too-large`.
 *
 * @param base where the event stands in the arguments
 */
export function checkEvent(args: unknown, environment: Environment, base: Path = []): CheckedEvent {
  const event = readArguments(CreateScheduledEvent, args, base);
  checkWebhook(event.webhook, environment, base);
  checkHeaders(event.headers, environment, base);
  checkDelivery(event, environment, base);
  return {
    webhook: event.webhook,
    at: event.at,
    payload: checkPayload(event.payload, base),
    headers: printJson(event.headers),
    retry: checkedRetry(event.retry_conf),
    comment: event.comment ?? null,
    key: event.key ?? null,
    orderingKey: event.ordering_key ?? null,
    delivery: writtenDelivery(event),
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
  const url = at(path, () => expand(webhook, environment));
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    const filled = url === webhook ? '' : ' once its variables are filled in';
    rejectArgument(`must be an http or https URL${filled}`, path);
  }
  const refusal = rejectionOfUrl(parsed);
  if (refusal !== undefined) rejectArgument(`cannot be called: ${refusal}`, path);
}

export function checkHeaders(headers: Headers, environment: Environment, base: Path): void {
  headers.forEach((header, index) => {
    const path = [...base, 'headers', index, 'value' in header ? 'value' : 'value_from_env'];
    const [[, value = ''] = []] = at(path, () => expandHeaders([header], environment));
    checkHeaderValue(value, path);
  });
}

/** What an HTTP header may carry; a variable may hold anything. */
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
  if (signing) at([...base, 'signing', 'key_from_env'], () => signerOf(signing, environment));
  if (!request_transform) return;
  checkTransform(request_transform, base);
  if (!isStorable(request_transform)) rejectArgument(notStorable, [...base, 'request_transform']);
}

/**
 * JSON text of how the request is made up; null for the usual way. What is null of it is left out, or with `keepNulls`
 * said to be null.
 */
export function writtenDelivery({ body, signing, request_transform }: EventDelivery, keepNulls = false): string | null {
  const members = { body: body === 'envelope' ? null : body, signing, request_transform };
  const given = Object.entries(members).filter(([, value]) => value !== undefined && (keepNulls || value !== null));
  return given.length === 0 ? null : printJson(Object.fromEntries(given));
}

function checkTransform(transform: NonNullable<EventDelivery['request_transform']>, base: Path): void {
  try {
    readRequestTransform(transform);
  } catch (error) {
    const [fault] = error instanceof TemplateError ? error.issues : [];
    if (fault === undefined) throw error;
    const path = `${jsonPath([...base, 'request_transform'])}${fault.path}`;
    throw new ServiceError('parse-failed', fault.message, { path });
  }
}

/** JSON text of the payload. */
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
    { path: jsonPath([...base, 'payload']) },
  );
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}
