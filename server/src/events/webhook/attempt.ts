/** Calls the webhook of an event once and creates the log entry of the call. */
import type { Cancellation } from '../../base/cancellation.ts';
import { type Environment, expand } from '../../base/environment.ts';
import { type HttpClient, type HttpResponse, UpstreamError } from '../../base/http-client/http-client.ts';
import { storableBytes, storableJson, storableJsonText } from '../../base/storable-text.ts';
import { TemplateError } from '../../base/templates/transform.ts';
import type { DeliverableEvent } from '../types/deliverable-event.ts';
import { type EventRequest, type RequestTools, requestErrorMessage } from './request.ts';

/** What a call shows about the health of its destination. */
export interface DestinationHealth {
  readonly up: boolean;
  /** Shown with an open circuit. */
  readonly reason: string;
}

/** The result of a call. */
export interface Attempt {
  readonly delivered: boolean;
  /** The outcome of an event that must not be retried; undefined: the retry policy decides. */
  readonly ending?: 'error' | 'dead';
  /** Milliseconds since 1970 by the database's clock. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** HTTP status; undefined without a response. */
  readonly status: number | undefined;
  /** JSON text of the log entry of the request; undefined if it is derived from the event. */
  readonly request?: string | undefined;
  /** JSON text of the log entry. */
  readonly response: string;
  /** The header `Retry-After` of a failed call. */
  readonly retryAfter: string | undefined;
  /** Undefined if the call failed before it reached the destination. */
  readonly health: DestinationHealth | undefined;
}

export interface Caller extends RequestTools {
  readonly httpClient: HttpClient;
  /** The database's clock as advanced by development mode, milliseconds since 1970. */
  readonly now: () => number;
}

export interface CallLimits {
  readonly cutOff: Cancellation;
  /** Whether the request may be sent; evaluated when a connection is available. */
  readonly mayStart: () => boolean;
}

/** Bytes of a response body that are logged. */
export const MAX_LOGGED_BYTES = 65_536;
/** Upper limit of configured timeouts. */
export const MAX_TIMEOUT_MS = 30 * 60_000;

/** Statuses that indicate a failure of the destination, not of this event. */
export const unhealthyStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Errors that the destination did not cause. */
const localErrors: ReadonlySet<string> = new Set(['invalid-url', 'egress', 'aborted', 'too-large', 'other']);

function healthAfter(error: unknown): DestinationHealth | undefined {
  if (!(error instanceof UpstreamError) || localErrors.has(error.kind)) return undefined;
  return { up: false, reason: error.message };
}

/**
 * Calls the webhook once. Never rejects. Resolves to undefined if the call was canceled or not allowed to start: then
 * there is no outcome.
 *
 * @param build builds the request; its errors are outcomes
 */
export async function attempt(
  event: DeliverableEvent,
  build: () => EventRequest,
  caller: Caller,
  limits: CallLimits,
): Promise<Attempt | undefined> {
  const startedAt = caller.now();
  const started = performance.now();
  let request: EventRequest | undefined;
  try {
    request = build();
    const response = await caller.httpClient.call({
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: request.body,
      timeoutMs: Math.min(event.timeoutSeconds * 1_000, MAX_TIMEOUT_MS),
      maxBytes: MAX_LOGGED_BYTES,
      overflow: 'truncate',
      signal: limits.cutOff,
      mayStart: limits.mayStart,
      purpose: { kind: 'event', name: '' },
    });
    return attemptOf(request, response, startedAt);
  } catch (error) {
    if (error instanceof UpstreamError && error.kind === 'aborted') return undefined;
    return {
      delivered: false,
      startedAt,
      durationMs: performance.now() - started,
      status: undefined,
      request: request?.logged,
      response: clientError(httpException(event, error, caller.environment)),
      retryAfter: undefined,
      health: healthAfter(error),
    };
  }
}

function attemptOf(request: EventRequest, response: HttpResponse, startedAt: number): Attempt {
  const delivered = response.status >= 200 && response.status < 300;
  return {
    delivered,
    startedAt,
    durationMs: response.durationMs,
    status: response.status,
    request: request.logged,
    response: responseLog(request, response, delivered),
    retryAfter: delivered ? undefined : headerOf(response, 'retry-after'),
    health: { up: !unhealthyStatuses.has(response.status), reason: `status ${response.status}` },
  };
}

function headerOf(response: HttpResponse, name: string): string | undefined {
  return response.headers.find((header) => header[0].toLowerCase() === name)?.[1];
}

/** Returns a log entry in one of the two formats of Hasura v2, `webhook_response` and `client_error`. */
function responseLog({ loggedBody }: EventRequest, response: HttpResponse, delivered: boolean): string {
  const { status, truncated } = response;
  const { text, escaped } = storableBytes(response.bytes, truncated);
  const body = delivered ? bodyLog(text, truncated ? undefined : loggedBody, status) : { message: text };
  const headers = response.headers.map(([name, value]) => ({ name, value }));
  // As text, which takes half of the time of one object with the members of others.
  const members = `${JSON.stringify(body).slice(0, -1)},"headers":${JSON.stringify(headers)},"status":${status}`;
  const marks = `${truncated ? ',"truncated":true' : ''}${escaped ? ',"escaped":true' : ''}`;
  const type = delivered ? 'webhook_response' : 'client_error';
  return storableJsonText(`{"type":"${type}","data":${members}${marks}},"version":"1"}`);
}

/** A transform that fails does not make a successful call fail: its error is logged beside the body. */
function bodyLog(
  text: string,
  transform: EventRequest['loggedBody'],
  status: number,
): { readonly body: string; readonly transform_error?: string } {
  if (transform === undefined) return { body: text };
  try {
    return { body: transform(status, text) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { body: text, transform_error: error.message };
  }
}

/** Returns the log entry of a call without a response. */
export function clientError(message: string): string {
  return storableJson({ type: 'client_error', data: { message }, version: '1' });
}

/**
 * Returns JSON text in the format of Hasura v2. Host and port are those that were called. Path and query are unexpanded,
 * because environment variables may hold secrets.
 */
function httpException(event: DeliverableEvent, error: unknown, environment: Environment): string {
  const configured = /^(?:[^/?#]*\/\/)?[^/?#]*([^?#]*)(\?[^#]*)?/.exec(event.webhook);
  const origin = originOf(event.lane, environment);
  return storableJson({
    type: 'http_exception',
    message: reasonOf(error),
    request: {
      host: origin?.hostname ?? null,
      port: origin === undefined ? null : Number(origin.port || (origin.protocol === 'https:' ? 443 : 80)),
      secure: origin?.protocol === 'https:',
      path: configured?.[1] || '/',
      queryString: configured?.[2] ?? '',
      method: 'POST',
      responseTimeout: `${event.timeoutSeconds} s`,
    },
  });
}

function reasonOf(error: unknown): string {
  if (error instanceof UpstreamError) return `${error.kind}: ${error.message}`;
  return requestErrorMessage(error) ?? 'the webhook could not be called: its URL or a header is malformed';
}

/** Returns the URL of a lane with templates expanded; undefined if it is not a valid URL. */
export function originOf(lane: string, environment: Environment): URL | undefined {
  try {
    const text = expand(lane, environment);
    return URL.canParse(text) ? new URL(text) : undefined;
  } catch {
    return undefined;
  }
}
