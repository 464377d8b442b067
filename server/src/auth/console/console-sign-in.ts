/** The sign-in to the console by OpenID Connect: from the provider to the token of a session. */
import { z } from 'zod';
import { ServiceError } from '../../base/errors.ts';
import type { HttpClient } from '../../base/http-client/http-client.ts';
import type { Headers } from '../session.ts';
import { type Claims, permittingRule, verifiedEmail } from './allowed-users.ts';
import { type CookieJar, createCookieJar } from './console-cookies.ts';
import { type ConsoleSessions, createConsoleSessions } from './console-sessions.ts';
import type { Provider } from './provider.ts';
import { createSealedTokens } from './sealed-tokens.ts';
import type { ConsoleSignInSettings } from './settings.ts';

export interface ConsoleSignIn {
  /** The name of the provider. */
  readonly name: string;
  readonly cookies: CookieJar;
  readonly sessions: ConsoleSessions;
  /** Resolves with the address of the provider and the cookie of the login. Rejects with a ServiceError. */
  begin(returnTo: string): Promise<SignInStep>;
  /**
   * Resolves with the page to open and the cookies of the session. Rejects with a ServiceError for a callback that does not
   * belong to the login of this browser, and for a user who may not sign in.
   */
  finish(headers: Headers, query: string): Promise<SignInStep>;
  /** Returns the cookie that shows an error on the sign-in page. */
  fail(message: string): Promise<string>;
  /** Resolves with the message of `fail`; undefined if there is none. */
  failure(headers: Headers): Promise<string | undefined>;
}

export interface SignInStep {
  readonly location: string;
  /** Values of `Set-Cookie`. */
  readonly cookies: readonly string[];
}

/** What the cookie of a login contains. */
const Login = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), returnTo: z.string() });

/** Time for the user to sign in at the provider. */
const LOGIN_SECONDS = 900;
/** Time for the sign-in page to read an error. */
const FAILURE_SECONDS = 60;

export function createConsoleSignIn(
  settings: ConsoleSignInSettings,
  httpClient: HttpClient,
  now: () => number = Date.now,
): ConsoleSignIn {
  const tokens = createSealedTokens(settings, now);
  const cookies = createCookieJar(settings.redirectUrl);
  const sessions = createConsoleSessions(settings, { tokens, cookies }, now);
  let loading: Promise<Provider> | undefined;
  const provider = (): Promise<Provider> => {
    loading ??= import('./provider.ts').then(({ createProvider }) => createProvider(settings, httpClient));
    return loading;
  };

  async function login(headers: Headers): Promise<z.output<typeof Login>> {
    const token = cookies.of(headers)?.login;
    const { content } = (token === undefined ? undefined : await tokens.open('login', token)) ?? {};
    const parsed = Login.safeParse(content);
    if (!parsed.success) throw expired();
    return parsed.data;
  }

  return {
    name: settings.name,
    cookies,
    sessions,
    begin: async (returnTo) => {
      const { address, checks } = await (await provider()).begin();
      const token = await tokens.seal('login', { ...checks, returnTo: consolePath(returnTo) }, LOGIN_SECONDS);
      return { location: address, cookies: [cookies.print('login', token, LOGIN_SECONDS)] };
    },
    finish: async (headers, query) => {
      const { returnTo, ...checks } = await login(headers);
      const claims = await (await provider()).finish(query, checks);
      const rule = permittingRule(settings.allowedUsers, claims);
      if (rule === undefined) throw notAllowed(claims);
      const token = await sessions.start(nameOf(claims), rule);
      return {
        location: returnTo,
        cookies: [cookies.print('session', token, settings.sessionSeconds), cookies.print('login', '', 0)],
      };
    },
    fail: async (message) => {
      const token = await tokens.seal('failure', { message }, FAILURE_SECONDS);
      return cookies.print('login', token, FAILURE_SECONDS);
    },
    failure: async (headers) => {
      const { login: token, isOwnPage = false } = cookies.of(headers) ?? {};
      if (token === undefined || !isOwnPage) return undefined;
      const { content } = (await tokens.open('failure', token)) ?? {};
      return typeof content?.message === 'string' ? content.message : undefined;
    },
  };
}

/** Returns the path if it is one of the console, and otherwise that of its first page. */
function consolePath(path: string): string {
  return /^\/console[/?][\w\-.~%!$&'()*+,;=:@/?]*$/.test(path) ? path : '/console';
}

function nameOf(claims: Claims): string {
  return verifiedEmail(claims) ?? String(claims.sub);
}

function expired(): ServiceError {
  return new ServiceError(
    'access-denied',
    'this sign-in has expired, was started in another browser, or was replaced by another one; sign in again',
    { status: 403 },
  );
}

function notAllowed(claims: Claims): ServiceError {
  const { email, email_verified: verified } = claims;
  const user = typeof email === 'string' ? email : String(claims.sub);
  const reason =
    typeof email === 'string' && verified !== true && verified !== 'true'
      ? 'the provider has not verified the e-mail address, so that no rule for addresses and domains permits it'
      : 'JOINERY_CONSOLE_OIDC_ALLOWED does not permit it';
  return new ServiceError('access-denied', `${user.slice(0, 200)} may not sign in: ${reason}`, { status: 403 });
}
