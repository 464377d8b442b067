/** One call of an event's webhook, and the log entry it leaves, whatever comes of it. */
import type { Cancellation } from '../../base/cancellation.ts';
import { type Environment, expand } from '../../base/environment.ts';
import { type HttpClient, type HttpResponse, UpstreamError } from '../../base/http-client/http-client.ts';
import { storableBytes, storableJson } from '../../base/storable-text.ts';
import type { DestinationHealth } from '../destinations/circuit-breakers.ts';
import type { PendingEvent } from '../types/pending-event.ts';
import { buildRequest, type RequestTools, requestErrorMessage } from './request.ts';

/** What came of a call. */
export interface Attempt {
  readonly delivered: boolean;
  /** Milliseconds since 1970 by the database's clock. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** HTTP status; undefined when no answer came. */
  readonly status: number | undefined;
  /** JSON text for the log. */
  readonly response: string;
  /** As the answer had it, where the call failed. */
  readonly retryAfter: string | undefined;
  /** What it says about the destination; undefined where the call failed before it got there. */
  readonly health: DestinationHealth | undefined;
}

export interface Caller extends RequestTools {
  readonly httpClient: HttpClient;
  /** The database's clock, milliseconds since 1970, with what development mode has advanced it by. */
  readonly now: () => number;
}

export interface CallLimits {
  readonly cutOff: Cancellation;
  /** Whether the request may be sent now, after the wait for a connection. */
  readonly mayStart: () => boolean;
}

/** Bytes of an answer that are kept for the log. */
const KEPT_BODY = 65_536;
/** However long a timeout is asked for. */
const LONGEST_CALL_MS = 30 * 60_000;

/** Answers that speak of the destination as a whole, not of this event. */
const overloaded: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Failures that are ours or this event's. */
const ours: ReadonlySet<string> = new Set(['invalid-url', 'egress', 'aborted', 'too-large', 'other']);

function healthAfter(error: unknown): DestinationHealth | undefined {
  if (!(error instanceof UpstreamError) || ours.has(error.kind)) return undefined;
  return { up: false, reason: error.message };
}

/**
 * Calls the webhook once. Never rejects. Resolves to undefined when the call was cut off, or was not allowed to start:
 * then there is no outcome.
 */
export async function attempt(
  event: PendingEvent,
  payload: string,
  caller: Caller,
  limits: CallLimits,
): Promise<Attempt | undefined> {
  const startedAt = caller.now();
  const started = performance.now();
  try {
    const answer = await caller.httpClient.call({
      ...buildRequest(event, payload, caller),
      timeoutMs: Math.min(event.timeoutSeconds * 1_000, LONGEST_CALL_MS),
      maxBytes: KEPT_BODY,
      overflow: 'truncate',
      signal: limits.cutOff,
      mayStart: limits.mayStart,
      purpose: { kind: 'event', name: '' },
    });
    return answered(answer, startedAt);
  } catch (error) {
    if (error instanceof UpstreamError && error.kind === 'aborted') return undefined;
    return {
      delivered: false,
      startedAt,
      durationMs: performance.now() - started,
      status: undefined,
      response: clientError(httpException(event, error, caller.environment)),
      retryAfter: undefined,
      health: healthAfter(error),
    };
  }
}

function answered(answer: HttpResponse, startedAt: number): Attempt {
  const delivered = answer.status >= 200 && answer.status < 300;
  return {
    delivered,
    startedAt,
    durationMs: answer.durationMs,
    status: answer.status,
    response: answerLog(answer, delivered),
    retryAfter: delivered ? undefined : headerOf(answer, 'retry-after'),
    health: { up: !overloaded.has(answer.status), reason: `status ${answer.status}` },
  };
}

function headerOf(answer: HttpResponse, name: string): string | undefined {
  return answer.headers.find((header) => header[0].toLowerCase() === name)?.[1];
}

/** The reference's two shapes of a log entry; the second carries what the first has as well. */
function answerLog(answer: HttpResponse, delivered: boolean): string {
  const headers = answer.headers.map(([name, value]) => ({ name, value }));
  const { text, escaped } = storableBytes(answer.bytes, answer.truncated);
  const body = delivered ? { body: text } : { message: text };
  const marks = { ...(answer.truncated && { truncated: true }), ...(escaped && { escaped: true }) };
  const data = { ...body, headers, status: answer.status, ...marks };
  return storableJson({ type: delivered ? 'webhook_response' : 'client_error', data, version: '1' });
}

/** JSON text of a log entry for a call without an answer. */
export function clientError(message: string): string {
  return storableJson({ type: 'client_error', data: { message }, version: '1' });
}

/**
 * JSON text in the reference's shape. Host and port are those that were called; path and query are shown as written,
 * because what the environment puts into them may be secret.
 */
function httpException(event: PendingEvent, error: unknown, environment: Environment): string {
  const written = /^(?:[^/?#]*\/\/)?[^/?#]*([^?#]*)(\?[^#]*)?/.exec(event.webhook);
  const origin = originOf(event.lane, environment);
  return storableJson({
    type: 'http_exception',
    message: reasonOf(error),
    request: {
      host: origin?.hostname ?? null,
      port: origin === undefined ? null : Number(origin.port || (origin.protocol === 'https:' ? 443 : 80)),
      secure: origin?.protocol === 'https:',
      path: written?.[1] || '/',
      queryString: written?.[2] ?? '',
      method: 'POST',
      responseTimeout: `${event.timeoutSeconds} s`,
    },
  });
}

function reasonOf(error: unknown): string {
  if (error instanceof UpstreamError) return `${error.kind}: ${error.message}`;
  return requestErrorMessage(error) ?? 'the webhook could not be called: its headers or its address are malformed';
}

/** The URL of a lane with its templates filled in; undefined when it makes no URL. */
export function originOf(lane: string, environment: Environment): URL | undefined {
  try {
    const text = expand(lane, environment);
    return URL.canParse(text) ? new URL(text) : undefined;
  } catch {
    return undefined;
  }
}
