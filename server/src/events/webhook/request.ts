/** Builds the HTTP request of one attempt: body, transform, headers and signature. */
import { EventDelivery } from '@joinery/metadata/schema/events/delivery';
import { CallTarget } from '@joinery/metadata/schema/events/targets';
import { LRUCache } from 'lru-cache';
import { type Environment, expand, variable, variablesIn } from '../../base/environment.ts';
import { ServiceError } from '../../base/errors.ts';
import { parseJson } from '../../base/json-value.ts';
import {
  type RequestTransform,
  readRequestTransform,
  type SessionVariables,
  TemplateError,
} from '../../base/templates/transform.ts';
import { transformRequest } from '../../base/templates/transform-request.ts';
import { type ParsedTarget, parseTarget, type TargetEvent } from '../targets/target.ts';
import type { PendingEvent } from '../types/pending-event.ts';
import { configuredHeaders, envelope, sentHeaders } from './envelope.ts';
import { hideValues, type StoredRequest, variablesOf } from './sent-request.ts';
import { readSigner, type Signer, signedMessage } from './signature.ts';

export interface EventRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | undefined;
  /** JSON text for the log of the request. */
  readonly logged: string;
  /** Returns the text to log in place of the body of a successful response. Throws TemplateError. */
  readonly loggedBody?: ((status: number, body: string) => string) | undefined;
}

export interface RequestTools {
  readonly environment: Environment;
  /** The value of `User-Agent`. */
  readonly agent: string;
  /** Signs events without a signing configuration of their own; undefined to leave them unsigned. */
  readonly sign: Signer | undefined;
  /** The database's clock without the advance of development mode, milliseconds since 1970. */
  readonly realTime: () => number;
}

export type Signing = NonNullable<EventDelivery['signing']>;

/** The parsed request format of an event. */
interface RequestFormat {
  /** Whether the body is the payload without an envelope. */
  readonly bare: boolean;
  /** Undefined to use the configured signer. */
  readonly signing: Signing | undefined;
  readonly transform: RequestTransform | undefined;
  /** What is called in place of the webhook. */
  readonly target: ParsedTarget | undefined;
}

const defaultFormat: RequestFormat = { bare: false, signing: undefined, transform: undefined, target: undefined };

/** The request of an event before its transform, its own headers and its signature. */
export interface UnsignedRequest {
  /** The event: the value of `webhook-id`. */
  readonly id: string;
  /** Number of the call, from 1. */
  readonly attempt: number;
  /** As configured. */
  readonly webhook: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** JSON text. */
  readonly body: string;
  /** Undefined to use the configured signer. */
  readonly signing: Signing | undefined;
  readonly transform: RequestTransform | undefined;
  readonly session: SessionVariables;
  /** 32 hexadecimal digits; all attempts of an event share a trace. */
  readonly traceId: string;
  /** The environment variables of the headers. */
  readonly headerVariables: readonly string[];
  /** False marks the trace as not sampled, so that the webhook's tracer drops it. */
  readonly sampled: boolean;
  /** Whether `headers` are the default headers, which need no check. */
  readonly plain: boolean;
}

/**
 * Builds the request. Throws ServiceError `invalid-configuration` for an unset variable, an invalid signing key and an
 * invalid format column, and TemplateError for a failed transform.
 */
export function buildRequest(event: PendingEvent, payload: string, tools: RequestTools): EventRequest {
  const format = event.delivery === undefined ? defaultFormat : readFormat(event.delivery);
  const { stored, method, url, headers, body } = finishRequest(
    {
      id: event.id,
      attempt: event.tries + 1,
      webhook: event.webhook,
      headers: sentHeaders(event.headers, tools.agent, tools.environment),
      body: format.bare ? payload : envelope(event, payload),
      signing: format.signing,
      transform: format.transform,
      session: {},
      traceId: event.id.replaceAll('-', ''),
      sampled: true,
      headerVariables: event.headers === '[]' ? [] : variablesOf(configuredHeaders(event.headers, tools.agent)),
      plain: event.headers === '[]' && format === defaultFormat,
    },
    tools,
  );
  return { method, url, headers, body, logged: JSON.stringify({ sent: stored }) };
}

/** Returns how to read the target of an event; undefined for an event with a webhook. See `EventStore.targetOf`. */
export function targetOf(event: PendingEvent, payload: string): (() => TargetEvent) | undefined {
  const { id, delivery } = event;
  if (delivery === undefined || !delivery.includes('"target"')) return undefined;
  // The text may occur elsewhere, such as in a template.
  const parsed = JSON.parse(delivery) as { readonly target?: unknown };
  if (parsed.target === undefined || parsed.target === null) return undefined;
  return () => {
    const { target } = readFormat(delivery);
    if (target === undefined) throw new TypeError('a format without its target');
    return { id, target, body: envelope(event, payload), sessions: [], session: {} };
  };
}

export interface FinishedRequest extends Omit<EventRequest, 'logged'> {
  /** For the log. */
  readonly stored: StoredRequest;
  /** Replaces the values of environment variables by templates with their names. */
  readonly hide: (text: string) => string;
}

/** Applies the transform and adds the headers of the attempt and the signature. Throws as `buildRequest` does. */
export function finishRequest(unsigned: UnsignedRequest, tools: RequestTools): FinishedRequest {
  const { id, webhook, headers, body, signing, transform } = unsigned;
  const url = webhook.includes('{{') ? expand(webhook, tools.environment) : webhook;
  const plain = { method: 'POST', url, headers, body };
  const sent =
    transform === undefined
      ? plain
      : transformRequest(transform, { ...plain, body: parseJson(body) }, unsigned.session);
  const seconds = Math.floor(tools.realTime() / 1_000);
  const traceparent = traceparentOf(unsigned);
  const ownHeaders = attemptHeaders(unsigned, seconds, traceparent);
  const sign = signing === undefined ? tools.sign : signerOf(signing, tools.environment);
  if (sign !== undefined) {
    ownHeaders.push(['webhook-signature', sign(signedMessage(id, seconds, sent.body ?? ''))]);
  }
  const configured = unsigned.plain ? sent.headers : withoutReserved(sent.headers);
  let names: readonly string[] | undefined;
  const hide = (text: string): string => {
    names ??= [...variablesIn(webhook), ...unsigned.headerVariables];
    return names.length === 0 ? text : hideValues(text, names, tools.environment);
  };
  const stored: StoredRequest = {
    // As configured, without values of variables.
    url: webhook,
    timestamp: String(seconds),
    traceparent,
    ...(sign !== undefined && { signed: true }),
    ...(!unsigned.plain && storedChanges(unsigned, { ...sent, headers: configured }, hide)),
  };
  return { method: sent.method, url: sent.url, headers: [...configured, ...ownHeaders], body: sent.body, stored, hide };
}

/** What does not follow from an event with headers or a transform. */
function storedChanges(
  { transform }: UnsignedRequest,
  { method, url, headers, body }: Pick<EventRequest, 'method' | 'url' | 'headers' | 'body'>,
  hide: FinishedRequest['hide'],
): Partial<StoredRequest> {
  const shown = { headers: headers.map(([name, value]) => [name, hide(value)] as const) };
  if (transform === undefined) return shown;
  const hidden = body === undefined ? null : hide(body);
  const length = body === undefined || hidden === body ? {} : { length: Buffer.byteLength(body) };
  return { ...shown, method, url: hide(url), body: hidden, ...length };
}

/** With a new span. */
function traceparentOf({ traceId, sampled }: UnsignedRequest): string {
  return `00-${traceId}-${randomHex()}${randomHex()}-${sampled ? '01' : '00'}`;
}

function attemptHeaders({ id, attempt }: UnsignedRequest, seconds: number, traceparent: string): [string, string][] {
  return [
    ['webhook-id', id],
    ['webhook-timestamp', String(seconds)],
    ['webhook-attempt', String(attempt)],
    ['traceparent', traceparent],
  ];
}

/** Returns 8 hexadecimal digits of a span id, which need not be unpredictable. Numbers of 32 bits take four times as long to print. */
function randomHex(): string {
  return Math.floor(Math.random() * 0x7fff_ffff + 1)
    .toString(16)
    .padStart(8, '0');
}

/** Removes configured headers that would override the headers of the attempt. */
function withoutReserved(headers: EventRequest['headers']): EventRequest['headers'] {
  return headers.filter(([name]) => !/^(webhook-(id|timestamp|attempt|signature)|traceparent)$/i.test(name));
}

/** The column `delivery`. */
const StoredDelivery = EventDelivery.extend({ target: CallTarget.nullish() });

/** Formats by their JSON text, which many events share. */
const formats = new LRUCache<string, RequestFormat>({ max: 500 });

function readFormat(text: string): RequestFormat {
  const known = formats.get(text);
  if (known !== undefined) return known;
  const read = StoredDelivery.safeParse(JSON.parse(text));
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new ServiceError('invalid-configuration', `${issue?.path.join('.')}: ${issue?.message}`);
  }
  const { body, signing, request_transform, target } = read.data;
  const format: RequestFormat = {
    bare: body === 'payload',
    signing: signing ?? undefined,
    transform: request_transform ? readRequestTransform(request_transform) : undefined,
    target: target ? parseTarget(target) : undefined,
  };
  formats.set(text, format);
  return format;
}

/** Signers by the text of their keys. */
const signers = new LRUCache<string, Signer>({ max: 100 });

/** Returns the signer of an event. Throws `invalid-configuration` if the variable is unset or holds no valid key. */
export function signerOf(signing: Signing, environment: Environment): Signer | undefined {
  if (signing === false) return undefined;
  const keys = variable(signing.key_from_env, environment);
  const known = signers.get(keys);
  if (known !== undefined) return known;
  try {
    const signer = readSigner(keys);
    signers.set(keys, signer);
    return signer;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const message = `environment variable "${signing.key_from_env}" ${error.message}`;
    throw new ServiceError('invalid-configuration', message);
  }
}

/** Returns the message for the log if the request could not be built. */
export function requestErrorMessage(error: unknown): string | undefined {
  if (error instanceof TemplateError) return `the request_transform failed: ${error.message}`;
  return error instanceof ServiceError ? error.message : undefined;
}
