/**
 * What a call sends, in the log. A call stores what does not follow from its event and the number of the call, and lists print the
 * whole request of it. Values of environment variables are stored as templates with their names, and signatures not at all.
 */
import type { SentRequest } from '@joinery/metadata/api/events/lists';
import { type Environment, variablesIn, type WrittenHeader } from '../../base/environment.ts';
import { isJsonObject } from '../../base/json-value.ts';

export type HeaderPair = readonly [name: string, value: string];

/** The members that the log of a call stores. */
export interface StoredRequest {
  readonly url: string;
  readonly timestamp: string;
  readonly traceparent: string;
  readonly signed?: true;
  /** The value of `webhook-id` where it is not the id of the event. */
  readonly id?: string;
  /** Undefined: POST. */
  readonly method?: string;
  /** Without those of the attempt; undefined: the default headers. */
  readonly headers?: readonly HeaderPair[];
  /** Undefined: it follows from the event; null: there was none. */
  readonly body?: string | null;
  /** Bytes of the body as sent, where `body` has templates in place of values. */
  readonly length?: number;
}

/** Returns the names of the environment variables that the headers use. */
export function variablesOf(headers: readonly WrittenHeader[]): readonly string[] {
  return headers.flatMap((header) => ('value' in header ? variablesIn(header.value) : [header.value_from_env]));
}

/** Replaces the values of the variables by templates with their names, also where they are encoded for URLs or JSON. */
export function hideValues(text: string, names: readonly string[], environment: Environment): string {
  const values = names.flatMap((name) => {
    const value = environment[name] ?? '';
    const forms = new Set([value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]);
    return [...forms].map((form) => [form, `{{${name}}}`] as const);
  });
  // A value may be a part of another one.
  values.sort(([one], [other]) => other.length - one.length);
  return values.reduce((hidden, [value, name]) => (value === '' ? hidden : hidden.replaceAll(value, name)), text);
}

/** Does the same in the strings and in the names of members of a JSON value. */
export function hideInJson(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === 'string') return hide(value);
  if (Array.isArray(value)) return value.map((item) => hideInJson(item, hide));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [hide(name), hideInJson(member, hide)]));
}

/** Returns the member of a listed call that has the time between its claim and its start; none for calls of earlier versions. */
export function waitedBefore(ms: unknown): { readonly waited_ms?: number } {
  return ms === undefined ? {} : { waited_ms: Number(ms) };
}

export interface LoggedCall {
  readonly id: string;
  readonly attempt: number;
  readonly agent: string;
  /** The body that follows from the event; null where the event has been removed. */
  readonly body: string | null;
}

/** Returns the whole request; undefined for a call that an earlier version logged, and for the call of another target. */
export function readSent(stored: unknown, { id, attempt, agent, body }: LoggedCall): SentRequest | undefined {
  if (!isJsonObject(stored)) return undefined;
  const sent = stored as unknown as StoredRequest;
  const headers = sent.headers ?? [
    ['Content-Type', 'application/json'],
    ['User-Agent', agent],
  ];
  const own: HeaderPair[] = [
    ['webhook-id', sent.id ?? id],
    ['webhook-timestamp', sent.timestamp],
    ['webhook-attempt', String(attempt)],
    ['traceparent', sent.traceparent],
    ...(sent.signed ? [['webhook-signature', '***'] as const] : []),
  ];
  const method = sent.method ?? 'POST';
  const written = sent.body === undefined ? body : sent.body;
  const length =
    sent.length ?? (sent.body === undefined && body === null ? undefined : Buffer.byteLength(written ?? ''));
  return wholeRequest({ method, url: sent.url, headers: [...headers, ...own], body: written, length });
}

interface BuiltRequest {
  readonly method: string;
  /** With templates in place of the values of environment variables. */
  readonly url: string;
  /** Without those that the HTTP client adds. */
  readonly headers: readonly HeaderPair[];
  readonly body: string | null;
  /** Bytes of the body as sent; undefined if they are not known. */
  readonly length: number | undefined;
}

const credentials = /^([^/?#]*\/\/)[^/?#@]*@/;

/** Returns the request with the headers that the HTTP client adds, and without credentials in its URL. */
export function wholeRequest({ method, url, headers, body, length }: BuiltRequest): SentRequest {
  const isEmpty = length === undefined || (length === 0 && !/^(POST|PUT|PATCH)$/i.test(method));
  const all: readonly HeaderPair[] = [
    ['Host', hostOf(url)],
    ['Connection', 'keep-alive'],
    ...headers,
    ...(credentials.test(url) ? [['Authorization', '***'] as const] : []),
    ...(isEmpty ? [] : [['Content-Length', String(length)] as const]),
  ];
  return {
    method,
    // The configuration shows the address as it is written; a log is read by more people.
    url: url.replace(credentials, '$1***@'),
    headers: all.map(([name, value]) => ({ name, value })),
    body,
  };
}

/** Returns the host with the port of a URL, which may have templates. */
function hostOf(url: string): string {
  if (URL.canParse(url)) return new URL(url).host;
  return /^(?:[^/?#]*\/\/)?(?:[^/?#@]*@)?([^/?#]*)/.exec(url)?.[1] ?? '';
}
