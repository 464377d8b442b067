/** The request of one attempt: body, transform, the headers that tell of the attempt, and the signature over it all. */
import { EventDelivery } from '@joinery/metadata/schema/event-delivery';
import { type Environment, expand, variable } from '../../base/environment.ts';
import { ServiceError } from '../../base/errors.ts';
import { parseJson } from '../../base/json-value.ts';
import { type RequestTransform, readRequestTransform, TemplateError } from '../../base/templates/transform.ts';
import { transformRequest } from '../../base/templates/transform-request.ts';
import type { PendingEvent } from '../types/pending-event.ts';
import { envelope, sentHeaders } from './envelope.ts';
import { KeyError, readSigner, type Signer, signedMessage } from './signature.ts';

export interface EventRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | undefined;
}

export interface RequestTools {
  readonly environment: Environment;
  /** The User-Agent. */
  readonly agent: string;
  /** Signs what says nothing else; undefined where nothing is signed. */
  readonly sign: Signer | undefined;
  /** Milliseconds since 1970 by the database's clock, not advanced. */
  readonly realTime: () => number;
}

type Signing = NonNullable<EventDelivery['signing']>;

/** How a request is made up, read from the column. */
interface RequestFormat {
  readonly bare: boolean;
  /** Undefined: as the settings have it. */
  readonly signing: Signing | undefined;
  readonly transform: RequestTransform | undefined;
}

const usual: RequestFormat = { bare: false, signing: undefined, transform: undefined };

/**
 * Throws a ServiceError (`invalid-configuration`) for a variable that is not set or holds no key, and for a column that
 * cannot be read; a TemplateError.
 */
export function buildRequest(event: PendingEvent, payload: string, tools: RequestTools): EventRequest {
  const { environment, agent } = tools;
  const format = event.delivery === undefined ? usual : readFormat(event.delivery);
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
  const told = attemptHeaders(event, seconds);
  const sign = format.signing === undefined ? tools.sign : signerOf(format.signing, environment);
  if (sign !== undefined) {
    told.push(['webhook-signature', sign(signedMessage(event.id, seconds, sent.body ?? ''))]);
  }
  const configured = event.headers === '[]' && format === usual ? sent.headers : withoutOurs(sent.headers);
  return { method: sent.method, url: sent.url, headers: [...configured, ...told], body: sent.body };
}

function attemptHeaders(event: PendingEvent, seconds: number): [string, string][] {
  return [
    ['webhook-id', event.id],
    ['webhook-timestamp', String(seconds)],
    ['webhook-attempt', String(event.tries + 1)],
    // One trace for all attempts. Sampled: otherwise those who trace the webhook would drop it.
    ['traceparent', `00-${event.id.replaceAll('-', '')}-${half()}${half()}-01`],
  ];
}

/** Of the id of a span, which need not be hard to guess. */
function half(): string {
  return Math.floor(Math.random() * 0xffff_ffff + 1)
    .toString(16)
    .padStart(8, '0');
}

/** A configured header of such a name would pretend to be what it is not. */
function withoutOurs(headers: EventRequest['headers']): EventRequest['headers'] {
  return headers.filter(([name]) => !/^(webhook-(id|timestamp|attempt|signature)|traceparent)$/i.test(name));
}

/** Many events have the same text. */
const formats = new Map<string, RequestFormat>();
const MOST_FORMATS = 500;

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
  const [oldest] = formats.keys();
  if (formats.size >= MOST_FORMATS && oldest !== undefined) formats.delete(oldest);
  formats.set(text, format);
  return format;
}

/** By the text of the keys; a variable that is set anew makes another. */
const signers = new Map<string, Signer>();
const MOST_SIGNERS = 100;

/** Throws `invalid-configuration` where the variable is not set or holds no key. */
export function signerOf(signing: Signing, environment: Environment): Signer | undefined {
  if (signing === false) return undefined;
  const keys = variable(signing.key_from_env, environment);
  const known = signers.get(keys);
  if (known !== undefined) return known;
  try {
    const signer = readSigner(keys);
    if (signers.size >= MOST_SIGNERS) signers.clear();
    signers.set(keys, signer);
    return signer;
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
    const message = `environment variable "${signing.key_from_env}" ${error.message}`;
    throw new ServiceError('invalid-configuration', message);
  }
}

/** What stands in the log where a request could not be made up. */
export function requestErrorMessage(error: unknown): string | undefined {
  if (error instanceof TemplateError) return `the request_transform failed: ${error.message}`;
  return error instanceof ServiceError ? error.message : undefined;
}
