/** Checks which web page sent a request, by the same rules for every endpoint and for websockets. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyAddress from '@fastify/proxy-addr';
import type { FastifyInstance } from 'fastify';
import { secretIn } from '../../auth/session.ts';
import { ServiceError } from '../../base/errors.ts';
import { isLoopback } from '../../base/http-client/loopback.ts';
import type { HttpSettings } from '../settings.ts';
import { isWildcard, originMatcher } from './cors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    sender: Sender;
  }
}

/**
 * `none`: no web page, such as a program, or an address that the user typed. `own`: a page of this service's origin.
 * `listed`: a page whose origin JOINERY_CORS_DOMAIN names; `*` names none. `foreign`: any other page.
 */
export type Sender = 'none' | 'own' | 'listed' | 'foreign';

export type OriginSettings = Pick<
  HttpSettings,
  'host' | 'trustedProxies' | 'session' | 'corsOrigins' | 'sendsCors' | 'allowedHosts' | 'tokenCookies' | 'websocket'
> & { readonly consoleSignIn?: HttpSettings['consoleSignIn'] };

/** The members of a request that decide. */
export type OriginRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'socket'>;

export interface OriginRules {
  /** Removes a cookie that must not authenticate. Throws `access-denied` (403) and `bad-request` (415). */
  admit(request: OriginRequest): Sender;
  /** Does the same for a websocket upgrade. */
  admitUpgrade(request: IncomingMessage): Sender;
}

export function checkOrigins(app: FastifyInstance, settings: OriginSettings): void {
  const rules = originRules(settings);
  app.decorateRequest('sender', 'none');
  app.addHook('onRequest', (request, _reply, done) => {
    try {
      request.sender = rules.admit(request.raw);
      done();
    } catch (error) {
      done(error as Error);
    }
  });
}

export function originRules(settings: OriginSettings): OriginRules {
  const { corsOrigins, sendsCors } = settings;
  const protectedBySecret = settings.session.adminSecrets.length > 0;
  const hosts = hostMatcher(settings, protectedBySecret);
  const isListed = originMatcher(corsOrigins);
  const acceptsAny = sendsCors && isWildcard(corsOrigins);
  const senderOf = senderReader(settings, isListed);

  function admitSender(request: OriginRequest): Sender {
    if (!hosts(request.headers.host)) throw unknownHost(request.headers.host);
    const sender = senderOf(request);
    if (sender === 'foreign' && !protectedBySecret && !acceptsAny && !isConsolePage(request)) {
      throw foreignOrigin(request.headers, 'without an admin secret only pages of this service may send requests');
    }
    return sender;
  }

  // The cookies of the console are removed first: they authenticate by other rules, and nothing else may read them.
  const consoleCookies = settings.consoleSignIn?.cookies;
  return {
    admit: (request) => {
      consoleCookies?.take(request.headers);
      const sender = admitSender(request);
      if (request.method === 'POST' && (sender === 'listed' || sender === 'foreign')) requireJson(request.headers);
      if (sender === 'foreign') dropCookie(request.headers, settings);
      return sender;
    },
    admitUpgrade: (request) => {
      consoleCookies?.take(request.headers);
      const sender = admitSender(request);
      if (sender === 'foreign' && !acceptsAny) {
        throw foreignOrigin(request.headers, 'pages of this origin may not open websockets');
      }
      if (sender === 'foreign' || !settings.websocket.readsCookie) delete request.headers.cookie;
      return sender;
    },
  };
}

function senderReader(
  { trustedProxies }: OriginSettings,
  isListed: (origin: string) => boolean,
): (request: OriginRequest) => Sender {
  const isTrusted = trustedProxies === undefined ? () => false : proxyAddress.compile([...trustedProxies]);

  function isOwn(origin: string, { headers, socket }: OriginRequest): boolean {
    if (!URL.canParse(origin)) return false;
    const { host } = new URL(origin);
    if (host === headers.host?.toLowerCase()) return true;
    const forwarded = headers['x-forwarded-host'];
    return (
      typeof forwarded === 'string' &&
      socket.remoteAddress !== undefined &&
      isTrusted(socket.remoteAddress, 0) &&
      host === forwarded.split(',')[0]?.trim().toLowerCase()
    );
  }

  return (request) => {
    const { origin, referer } = request.headers;
    const site = request.headers['sec-fetch-site'];
    // Pages can neither set nor change this header.
    if (site === 'same-origin') return 'own';
    if (origin === undefined) {
      if (site === undefined || site === 'none') return 'none';
      // A request without CORS, such as a link or an image: its origin is in the referrer.
      return referer !== undefined && URL.canParse(referer) && isListed(new URL(referer).origin) ? 'listed' : 'foreign';
    }
    if (site === undefined && isOwn(origin, request)) return 'own';
    return isListed(origin) ? 'listed' : 'foreign';
  };
}

/**
 * Accepts every host where a secret protects the service and no hosts are configured. A page whose name resolves to the
 * address of this service (DNS rebinding) sends its own name, and never an address.
 */
function hostMatcher(
  { host: bound, allowedHosts }: OriginSettings,
  protectedBySecret: boolean,
): (host: string | undefined) => boolean {
  if (allowedHosts === undefined && protectedBySecret) return () => true;
  const names = new Set([bound.toLowerCase(), ...(allowedHosts ?? [])]);
  const beyondLoopback = !isLoopback(bound);
  if (names.has('*')) return () => true;
  return (host) => {
    // Only HTTP/1.0 requests lack the header, and browsers do not send them.
    if (host === undefined) return true;
    const name = hostName(host);
    if (name === undefined) return false;
    return isLoopback(name) || names.has(name) || (beyondLoopback && isIP(name) !== 0);
  };
}

/** The name or address in a `Host` header, in lower case, without the port and brackets; undefined if malformed. */
function hostName(host: string): string | undefined {
  const match = /^(?:\[([\da-f:.]+)\]|([^\s:/?#@[\]]+))(?::\d*)?$/i.exec(host);
  return (match?.[1] ?? match?.[2])?.toLowerCase().replace(/\.$/, '');
}

/** A link from another site may open the console: its pages hold no data, and cannot be framed. */
function isConsolePage({ method, url, headers }: OriginRequest): boolean {
  return method === 'GET' && headers.origin === undefined && /^\/console(\/|\?|$)/.test(url ?? '');
}

/** Requires JSON: browsers send it across origins only after a preflight, but forms and plain text without one. */
function requireJson(headers: IncomingHttpHeaders): void {
  const type = mediaType(headers);
  if (isJson(type)) return;
  const found = type === '' ? 'there is none' : `not ${type}`;
  throw new ServiceError(
    'bad-request',
    `a request of a web page of another origin must have the content type application/json, ${found}`,
    { status: 415 },
  );
}

/** The media type of the body in lower case, without parameters; empty if there is none. */
export function mediaType(headers: IncomingHttpHeaders): string {
  return headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
}

function isJson(type: string): boolean {
  return /^application\/([\w.+-]+\+)?json$/.test(type);
}

/** Whether a cookie authenticates the request: no other credentials are sent, and it has a token or the webhook reads it. */
export function hasCookieSession(
  headers: IncomingHttpHeaders,
  { session, tokenCookies }: Pick<HttpSettings, 'session' | 'tokenCookies'>,
): boolean {
  const { cookie } = headers;
  if (cookie === undefined) return false;
  if (headers.authorization !== undefined || secretIn(headers, session.prefix) !== undefined) return false;
  if (tokenCookies === 'any') return true;
  return cookie.split(';').some((part) => tokenCookies.includes(part.split('=')[0]?.trim() ?? ''));
}

/** Removes the cookie header: browsers send cookies with requests of any page, without the user's intent. */
function dropCookie(headers: IncomingHttpHeaders, settings: OriginSettings): void {
  // With a webhook, the session may come from another header, so the cookie is only removed.
  if (settings.tokenCookies !== 'any' && hasCookieSession(headers, settings)) {
    throw foreignOrigin(headers, 'a cookie does not authenticate requests of pages of another origin');
  }
  delete headers.cookie;
}

function unknownHost(host = ''): ServiceError {
  const advice = `add it to JOINERY_ALLOWED_HOSTS, or set JOINERY_ADMIN_SECRET`;
  return new ServiceError('access-denied', `"${host}" is not a host name of this service; ${advice}`, { status: 403 });
}

function foreignOrigin({ origin }: IncomingHttpHeaders, rule: string): ServiceError {
  const from = origin === undefined ? 'the origin of the page' : `the origin "${origin}"`;
  return new ServiceError('access-denied', `${rule}; name ${from} in JOINERY_CORS_DOMAIN if it is yours`, {
    status: 403,
  });
}
