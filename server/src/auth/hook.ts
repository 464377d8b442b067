/** Sessions from an authentication webhook, called by GET with the caller's headers or by POST. */

import { createHash } from 'node:crypto';
import { RoleName } from '@joinery/metadata/names';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../base/errors.ts';
import { clientHeaders, endToEnd, headerText, hopByHopHeaders } from '../base/http-client/headers.ts';
import { type HttpClient, type HttpResponse, UpstreamError } from '../base/http-client/http-client.ts';
import { isJsonObject } from '../base/json-value.ts';
import type { Span } from '../base/telemetry/trace.ts';
import { expiresIn, longestAge } from './max-age.ts';
import type { Headers, Session } from './session.ts';

export interface HookSettings {
  readonly url: string;
  readonly mode: 'GET' | 'POST';
  /** In mode POST, the member `request` of the body is the caller's GraphQL request. */
  readonly sendsBody: boolean;
}

/** Rejects with `access-denied` if the webhook denies access, and with `unexpected` if it fails. */
export type HookSession = (headers: Headers, body: string | undefined, span?: Span) => Promise<Session>;

const timeoutMs = 10_000;
const maxBytes = 1_000_000;
const maxCached = 5_000;

/** Headers that describe the body or the client program, and so do not fit a GET request of the service. */
const unsentByGet: ReadonlySet<string> = new Set([...hopByHopHeaders, ...clientHeaders]);

/** Headers that differ between requests of one caller; they are not part of the cache key. */
const perRequestHeaders: ReadonlySet<string> = new Set(['x-request-id', 'traceparent', 'tracestate', 'if-none-match']);

/** The clocks of sessions, in milliseconds. */
export interface SessionClocks {
  /** The time of day, of which expiries are. */
  readonly now: () => number;
  /** Never jumps: a correction of the time of day neither extends nor ends what is cached. */
  readonly steady: () => number;
}

const systemClocks: SessionClocks = { now: Date.now, steady: () => performance.now() };

export function createHookSessions(
  settings: HookSettings,
  prefix: string,
  httpClient: HttpClient,
  { now, steady }: SessionClocks = systemClocks,
): HookSession {
  /** `until` is a time of the steady clock. */
  const cache = new LRUCache<string, { readonly session: Session; readonly until: number }>({ max: maxCached });
  const pending = new Map<string, Promise<Session>>();

  async function callHook(
    sent: readonly (readonly [string, string])[],
    body: string | undefined,
    span: Span | undefined,
  ): Promise<Session> {
    const post = settings.mode === 'POST';
    const response = await httpClient
      .call({
        purpose: { kind: 'auth-hook', name: '' },
        span,
        method: settings.mode,
        url: settings.url,
        headers: post ? [['content-type', 'application/json']] : sent,
        body: post ? JSON.stringify({ headers: Object.fromEntries(sent), ...requestIn(settings, body) }) : undefined,
        timeoutMs,
        maxBytes,
        overflow: 'fail',
      })
      .catch((error: unknown) => {
        if (!(error instanceof UpstreamError)) throw error;
        throw hookFailed(`it could not be called: ${error.message}`, 'webhook authentication request failed');
      });
    return sessionFrom(response, prefix, now());
  }

  return (headers, body, span) => {
    const sent = sentHeaders(headers, settings.mode === 'GET' ? unsentByGet : hopByHopHeaders);
    // With the request in the body, the session may depend on the request and is not cached.
    if (settings.sendsBody && settings.mode === 'POST') return callHook(sent, body, span);
    const key = keyOf(sent);
    const cached = cache.get(key);
    if (cached !== undefined && cached.until > steady()) return Promise.resolve(cached.session);
    const underWay = pending.get(key);
    if (underWay !== undefined) return underWay;
    const called = callHook(sent, body, span).then((session) => {
      cache.delete(key);
      const age = (session.expiresAt ?? 0) - now();
      // Cookies are for one response.
      if (session.cookies === undefined && age > 0) cache.set(key, { session, until: steady() + age });
      return session;
    });
    pending.set(key, called);
    return called.finally(() => pending.delete(key));
  };
}

function sentHeaders(headers: Headers, unsent: ReadonlySet<string>): (readonly [string, string])[] {
  return Object.entries(endToEnd(headers)).flatMap(([name, value]): (readonly [string, string])[] => {
    if (value === undefined || unsent.has(name)) return [];
    return [[name, headerText(value)]];
  });
}

function keyOf(sent: readonly (readonly [string, string])[]): string {
  const identifying = sent
    .filter(([name]) => !perRequestHeaders.has(name))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(identifying)).digest('base64');
}

/** The member `request`: null for other requests than GraphQL, and for a body that is not JSON. */
function requestIn({ sendsBody }: HookSettings, body: string | undefined): { request?: unknown } {
  if (!sendsBody) return {};
  try {
    return { request: body === undefined ? null : JSON.parse(body) };
  } catch {
    return { request: null };
  }
}

function sessionFrom(response: HttpResponse, prefix: string, now: number): Session {
  if (response.status === 401) {
    throw new ServiceError('access-denied', 'Authentication hook unauthorized this request');
  }
  if (response.status !== 200) throw hookFailed(`it responded with status ${response.status}`);
  const members = readBody(response.body);
  const variables = new Map([...members].filter(([name]) => name.startsWith(prefix)));
  const role = variables.get(`${prefix}role`);
  if (role === undefined || role === '') {
    throw new ServiceError('invalid-params', `"${prefix}role" not found in session variables`);
  }
  const expiresAt = expiryOf(members, now);
  const cookies = response.headers.flatMap(([name, value]) => (/^set-cookie$/i.test(name) ? [value] : []));
  return {
    role: RoleName.parse(role),
    variables,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(cookies.length > 0 && { cookies }),
  };
}

/** Returns the members of the body by lower-case name. */
function readBody(body: string): ReadonlyMap<string, string> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw hookFailed('its response is not JSON');
  }
  if (!isJsonObject(parsed)) throw hookFailed('its response is not an object');
  return new Map(
    Object.entries(parsed).map(([name, value]): [string, string] => {
      if (typeof value !== 'string') throw hookFailed(`the member "${name}" of its response is not a string`);
      return [name.toLowerCase(), value];
    }),
  );
}

/** Returns the expiry by the member `Cache-Control` or else `Expires` of the body. A malformed one counts as absent. */
function expiryOf(members: ReadonlyMap<string, string>, now: number): number | undefined {
  const seconds = /\b(?:s-maxage|max-age)=(\d+)/i.exec(members.get('cache-control') ?? '')?.[1];
  const age = seconds === undefined ? expiresIn(members.get('expires') ?? '', now) : Number(seconds) * 1000;
  return age === undefined ? undefined : now + Math.min(Math.max(age, 0), longestAge);
}

/** Hides the reason from callers: only `internal` has it. */
function hookFailed(reason: string, message = 'Invalid response from authorization hook'): ServiceError {
  return new ServiceError('unexpected', message, { internal: { reason } });
}
