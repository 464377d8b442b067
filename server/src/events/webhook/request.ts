/** Builds the HTTP request of one attempt: body, transform, headers and signature. */
import { EventDelivery } from '@joinery/metadata/schema/events/delivery';
import { LRUCache } from 'lru-cache';
import { type Environment, expand, variable } from '../../base/environment.ts';
import { ServiceError } from '../../base/errors.ts';
import { parseJson } from '../../base/json-value.ts';
import { type RequestTransform, readRequestTransform, TemplateError } from '../../base/templates/transform.ts';
import { transformRequest } from '../../base/templates/transform-request.ts';
import type { PendingEvent } from '../types/pending-event.ts';
import { envelope, sentHeaders } from './envelope.ts';
import { readSigner, type Signer, signedMessage } from './signature.ts';

export interface EventRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | undefined;
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

type Signing = NonNullable<EventDelivery['signing']>;

/** The parsed request format of an event. */
interface RequestFormat {
  /** Whether the body is the payload without an envelope. */
  readonly bare: boolean;
  /** Undefined to use the configured signer. */
  readonly signing: Signing | undefined;
  readonly transform: RequestTransform | undefined;
}

const defaultFormat: RequestFormat = { bare: false, signing: undefined, transform: undefined };

/**
 * Builds the request. Throws ServiceError `invalid-configuration` for an unset variable, an invalid signing key and an
 * invalid format column, and TemplateError for a failed transform.
 */
export function buildRequest(event: PendingEvent, payload: string, tools: RequestTools): EventRequest {
  const { environment, agent } = tools;
  const format = event.delivery === undefined ? defaultFormat : readFormat(event.delivery);
  const plain = {
    method: 'POST',
    url: event.webhook.includes('{{') ? expand(event.webhook, environment) : event.webhook,
    headers: sentHeaders(event.headers, agent, environment),
    body: format.bare ? payload : envelope(event, payload),
  };
  const sent =
    format.transform === undefined
      ? plain
      : transformRequest(format.transform, { ...plain, body: parseJson(plain.body) }, {});
  const seconds = Math.floor(tools.realTime() / 1_000);
  const ownHeaders = attemptHeaders(event, seconds);
  const sign = format.signing === undefined ? tools.sign : signerOf(format.signing, environment);
  if (sign !== undefined) {
    ownHeaders.push(['webhook-signature', sign(signedMessage(event.id, seconds, sent.body ?? ''))]);
  }
  const configured = event.headers === '[]' && format === defaultFormat ? sent.headers : withoutReserved(sent.headers);
  return { method: sent.method, url: sent.url, headers: [...configured, ...ownHeaders], body: sent.body };
}

function attemptHeaders(event: PendingEvent, seconds: number): [string, string][] {
  return [
    ['webhook-id', event.id],
    ['webhook-timestamp', String(seconds)],
    ['webhook-attempt', String(event.tries + 1)],
    // All attempts share a trace. It is marked as sampled, or the webhook's tracer would drop it.
    ['traceparent', `00-${event.id.replaceAll('-', '')}-${randomHex()}${randomHex()}-01`],
  ];
}

/** Returns 8 hexadecimal digits of a span id, which need not be unpredictable. */
function randomHex(): string {
  return Math.floor(Math.random() * 0xffff_ffff + 1)
    .toString(16)
    .padStart(8, '0');
}

/** Removes configured headers that would override the headers of the attempt. */
function withoutReserved(headers: EventRequest['headers']): EventRequest['headers'] {
  return headers.filter(([name]) => !/^(webhook-(id|timestamp|attempt|signature)|traceparent)$/i.test(name));
}

/** Formats by their JSON text, which many events share. */
const formats = new LRUCache<string, RequestFormat>({ max: 500 });

function readFormat(text: string): RequestFormat {
  const known = formats.get(text);
  if (known !== undefined) return known;
  const read = EventDelivery.safeParse(JSON.parse(text));
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new ServiceError('invalid-configuration', `${issue?.path.join('.')}: ${issue?.message}`);
  }
  const { body, signing, request_transform } = read.data;
  const format: RequestFormat = {
    bare: body === 'payload',
    signing: signing ?? undefined,
    transform: request_transform ? readRequestTransform(request_transform) : undefined,
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
