/** Sessions from a webhook that is asked who a caller is: by GET with the caller's headers, or by POST. */
import { createHash } from 'node:crypto';
import { RoleName } from '@joinery/metadata/names';
import { ServiceError } from '../base/errors.ts';
import { clientHeaders, endToEnd, headerText, hopByHopHeaders } from '../base/http-client/headers.ts';
import { type HttpClient, type HttpResponse, UpstreamError } from '../base/http-client/http-client.ts';
import type { Span } from '../base/telemetry/trace.ts';
import { maxAgeOf } from './max-age.ts';
import type { Headers, Session } from './session.ts';

export interface HookSettings {
  readonly url: string;
  readonly mode: 'GET' | 'POST';
  /** In mode POST: `request` of the hook's body holds the caller's GraphQL request. */
  readonly sendsBody: boolean;
}

/** Rejects with `access-denied` where the hook says so, and with `unexpected` where it cannot be understood. */
export type HookSession = (headers: Headers, body: string | undefined, span?: Span) => Promise<Session>;

const timeoutMs = 10_000;
const mostBytes = 1_000_000;
const mostRemembered = 5_000;

/** About the connection, the body and the program that sends it, not about the caller. */
const unsent: ReadonlySet<string> = new Set([
  ...hopByHopHeaders,
  ...clientHeaders,
  ...['sec-websocket-key', 'sec-websocket-version', 'sec-websocket-extensions', 'sec-websocket-protocol'],
]);

/** They differ from one request of the same caller to the next. */
const passing: ReadonlySet<string> = new Set(['x-request-id', 'traceparent', 'tracestate', 'if-none-match']);

export function createHookSessions(
  settings: HookSettings,
  prefix: string,
  httpClient: HttpClient,
  now: () => number = Date.now,
): HookSession {
  const remembered = new Map<string, { readonly session: Session; readonly until: number }>();
  const asking = new Map<string, Promise<Session>>();

  async function ask(
    sent: readonly (readonly [string, string])[],
    body: string | undefined,
    span: Span | undefined,
  ): Promise<Session> {
    const post = settings.mode === 'POST';
    const answer = await httpClient
      .call({
        purpose: { kind: 'auth-hook', name: '' },
        span,
        method: settings.mode,
        url: settings.url,
        headers: post ? [['content-type', 'application/json']] : sent,
        body: post ? JSON.stringify({ headers: Object.fromEntries(sent), ...requestIn(settings, body) }) : undefined,
        timeoutMs,
        maxBytes: mostBytes,
        overflow: 'fail',
      })
      .catch((error: unknown) => {
        throw error instanceof UpstreamError ? broken(`it could not be asked: ${error.message}`) : error;
      });
    return sessionFrom(answer, prefix, now());
  }

  return (headers, body, span) => {
    const sent = sentHeaders(headers);
    // What the hook says may depend on the request, where it is shown the request.
    if (settings.sendsBody && settings.mode === 'POST') return ask(sent, body, span);
    const key = keyOf(sent);
    const known = remembered.get(key);
    if (known !== undefined && known.until > now()) return Promise.resolve(known.session);
    const under = asking.get(key);
    if (under !== undefined) return under;
    const asked = ask(sent, body, span).then((session) => {
      remembered.delete(key);
      if (session.expiresAt !== undefined && session.expiresAt > now()) {
        if (remembered.size >= mostRemembered) remembered.delete(remembered.keys().next().value ?? '');
        remembered.set(key, { session, until: session.expiresAt });
      }
      return session;
    });
    asking.set(key, asked);
    return asked.finally(() => asking.delete(key));
  };
}

function sentHeaders(headers: Headers): (readonly [string, string])[] {
  return Object.entries(endToEnd(headers)).flatMap(([name, value]): (readonly [string, string])[] => {
    if (value === undefined || unsent.has(name)) return [];
    return [[name, headerText(value)]];
  });
}

function keyOf(sent: readonly (readonly [string, string])[]): string {
  const telling = sent.filter(([name]) => !passing.has(name)).sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(telling)).digest('base64');
}

function requestIn({ sendsBody }: HookSettings, body: string | undefined): { request?: unknown } {
  if (!sendsBody || body === undefined) return {};
  try {
    return { request: JSON.parse(body) };
  } catch {
    return {};
  }
}

function sessionFrom(answer: HttpResponse, prefix: string, now: number): Session {
  if (answer.status === 401) {
    throw new ServiceError('access-denied', 'Authentication hook unauthorized this request');
  }
  if (answer.status !== 200) throw broken(`it answered with status ${answer.status}`);
  const said = readAnswer(answer.body);
  const variables = new Map([...said].filter(([name]) => name.startsWith(prefix)));
  const role = variables.get(`${prefix}role`);
  if (role === undefined || role === '') throw broken(`its answer lacks ${prefix}role`);
  const maxAge = ageOf(answer, said, now);
  return { role: RoleName.parse(role), variables, ...(maxAge !== undefined && { expiresAt: now + maxAge }) };
}

/** By lower-case name. */
function readAnswer(body: string): ReadonlyMap<string, string> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw broken('its answer is not JSON');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw broken('its answer is not an object');
  return new Map(
    Object.entries(parsed).map(([name, value]): [string, string] => {
      if (typeof value !== 'string') throw broken(`in its answer "${name}" is not a text`);
      return [name.toLowerCase(), value];
    }),
  );
}

/** Milliseconds that the answer holds: members of the body count before headers. Undefined without either. */
function ageOf(answer: HttpResponse, said: ReadonlyMap<string, string>, now: number): number | undefined {
  const isAge = ([name]: readonly [string, string]) => /^(cache-control|expires)$/i.test(name);
  const inBody = [...said].filter(isAge);
  const given = inBody.length > 0 ? inBody : answer.headers.filter(isAge);
  return given.length === 0 ? undefined : maxAgeOf(given, now);
}

/** The hook's failure is nothing that the caller can mend, and none of the caller's business. */
function broken(reason: string): ServiceError {
  return new ServiceError('unexpected', 'the authentication hook failed', { internal: { reason } });
}
