/** Sessions of users who signed in to the console: an encrypted cookie, which counts with the header of the console only. */
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../base/errors.ts';
import { type Headers, type Session, sessionOf } from '../session.ts';
import type { CookieJar } from './console-cookies.ts';
import type { SealedTokens } from './sealed-tokens.ts';
import type { ConsoleSignInSettings } from './settings.ts';

export interface ConsoleUser {
  /** The verified e-mail address, or else the subject of the provider. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

export interface ConsoleSessions {
  /** Returns the token of a session for the user, whom this rule of `allowedUsers` permits. */
  start(name: string, rule: string): Promise<string>;
  /** Resolves with the user of a request of the console's pages; undefined without a valid session. */
  user(headers: Headers): Promise<ConsoleUser | undefined>;
  /** Resolves with a session like that of the admin secret. Rejects with `access-denied`. */
  session(headers: Headers): Promise<Session>;
}

export function createConsoleSessions(
  { allowedUsers, sessionSeconds, prefix }: ConsoleSignInSettings,
  { tokens, cookies }: { readonly tokens: SealedTokens; readonly cookies: CookieJar },
  now: () => number = Date.now,
): ConsoleSessions {
  // A page sends many requests with the same token.
  const known = new LRUCache<string, ConsoleUser>({ max: 1_000 });

  async function read(token: string): Promise<ConsoleUser | undefined> {
    const { content, expiresAt = 0 } = (await tokens.open('session', token)) ?? {};
    const { name, rule } = content ?? {};
    // A rule that was removed from the settings permits no user any longer.
    if (typeof name !== 'string' || typeof rule !== 'string' || !allowedUsers.includes(rule)) return undefined;
    const user = { name, expiresAt };
    known.set(token, user);
    return user;
  }

  async function user(headers: Headers): Promise<ConsoleUser | undefined> {
    const { session, isOwnPage = false } = cookies.of(headers) ?? {};
    if (session === undefined || !isOwnPage) return undefined;
    const found = known.get(session) ?? (await read(session));
    return found !== undefined && found.expiresAt > now() ? found : undefined;
  }

  return {
    start: (name, rule) => tokens.seal('session', { name, rule }, sessionSeconds),
    user,
    session: async (headers) => {
      const found = await user(headers);
      if (found === undefined) {
        const advice = 'it has expired, was revoked, or the request is not one of its pages; sign in again';
        throw new ServiceError('access-denied', `the session of the console does not authenticate: ${advice}`);
      }
      const trusted = sessionOf(headers, { prefix, adminSecrets: [], unauthorizedRole: undefined });
      return { ...trusted, author: `oidc:${found.name}`, expiresAt: found.expiresAt };
    },
  };
}
