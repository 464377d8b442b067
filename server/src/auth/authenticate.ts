/** Who asks, by every way that is configured: admin secret, token, webhook, or nobody in particular. */

import { ServiceError } from '../base/errors.ts';
import type { Span } from '../base/telemetry/trace.ts';
import type { HookSession } from './hook.ts';
import type { TokenSession } from './jwt/jwt.ts';
import { type Headers, type Session, type SessionSettings, sessionOf, unauthorizedSession } from './session.ts';

/**
 * The session of a request with these headers (names in lower case); `body` is that of a GraphQL request. At once where
 * headers alone decide; whoever has to be asked is asked within `span`. Throws or rejects with `access-denied`,
 * `invalid-headers`, `invalid-jwt`, ...
 */
export type Authenticate = (headers: Headers, body?: string, span?: Span) => Session | Promise<Session>;

export interface AuthenticationMethods {
  readonly settings: SessionSettings;
  readonly token?: TokenSession | undefined;
  readonly hook?: HookSession | undefined;
}

export function createAuthenticate({ settings, token, hook }: AuthenticationMethods): Authenticate {
  if (token === undefined && hook === undefined) return (headers) => sessionOf(headers, settings);
  const secretHeader = `${settings.prefix}admin-secret`;
  return (headers, body, span) => {
    // Whoever sends a secret wants to be judged by it.
    if (headers[secretHeader] !== undefined) return sessionOf(headers, settings);
    if (hook !== undefined) return hook(headers, body, span);
    const session = token?.(headers);
    if (session !== undefined) return session;
    if (settings.unauthorizedRole !== undefined) return unauthorizedSession(headers, settings);
    throw new ServiceError(
      'invalid-headers',
      'the request holds no JWT where one is expected, such as in the header "Authorization: Bearer <token>"',
    );
  };
}
