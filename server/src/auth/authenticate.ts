/** Authenticates requests by the configured methods: admin secret, token, webhook or the unauthorized role. */
import { ServiceError } from '../base/errors.ts';
import type { Span } from '../base/telemetry/trace.ts';
import { CONSOLE_HEADER } from './console/console-header.ts';
import type { HookSession } from './hook.ts';
import type { TokenSession } from './jwt/jwt.ts';
import {
  type Headers,
  type Session,
  type SessionSettings,
  secretIn,
  sessionOf,
  unauthorizedSession,
} from './session.ts';

/**
 * Returns the session of a request with these headers (names in lower case) and the body of a GraphQL request. Returns a
 * promise only if the webhook is called, within `span`, or a token is verified. Throws or rejects with `access-denied`,
 * `invalid-headers`, `invalid-jwt` and others.
 */
export type Authenticate = (headers: Headers, body?: string, span?: Span) => Session | Promise<Session>;

export interface AuthenticationMethods {
  readonly settings: SessionSettings;
  readonly token?: TokenSession | undefined;
  readonly hook?: HookSession | undefined;
  /** The session of a user of the console, for requests with its header. */
  readonly console?: ((headers: Headers) => Promise<Session>) | undefined;
}

export function createAuthenticate({ console: signedIn, ...methods }: AuthenticationMethods): Authenticate {
  const authenticate = authenticateClients(methods);
  if (signedIn === undefined) return authenticate;
  const { prefix } = methods.settings;
  return (headers, body, span) =>
    headers[CONSOLE_HEADER] !== undefined && secretIn(headers, prefix) === undefined
      ? signedIn(headers)
      : authenticate(headers, body, span);
}

function authenticateClients({ settings, token, hook }: AuthenticationMethods): Authenticate {
  if (token === undefined && hook === undefined) return cachedSession(settings);
  return (headers, body, span) => {
    // A request with a secret is authenticated by the secret only.
    if (secretIn(headers, settings.prefix) !== undefined) return sessionOf(headers, settings);
    if (hook !== undefined) return hook(headers, body, span);
    const session = token?.(headers);
    if (session !== undefined) return session;
    if (settings.unauthorizedRole !== undefined) return unauthorizedSession(headers, settings);
    throw new ServiceError(
      'invalid-headers',
      'the request has no JWT where one is expected, such as in the header "Authorization: Bearer <token>"',
    );
  };
}

/** A connection that repeats its headers passes the same object, whose session is read once. */
function cachedSession(settings: SessionSettings): Authenticate {
  const sessions = new WeakMap<Headers, Session>();
  return (headers) => {
    const known = sessions.get(headers);
    if (known !== undefined) return known;
    const session = sessionOf(headers, settings);
    sessions.set(headers, session);
    return session;
  };
}
