/**
 * The cookies of the console: `session` after the sign-in, `login` during it. They are removed from every request before
 * anything else reads it, so that no handler, remote schema or webhook receives them.
 */
import type { IncomingHttpHeaders } from 'node:http';

export interface ConsoleCookies {
  readonly session: string | undefined;
  readonly login: string | undefined;
  /** Whether a page of the console's origin sent the request. Only then a session counts. */
  readonly isOwnPage: boolean;
}

export interface CookieJar {
  /** Removes the cookies from the headers and remembers them for these headers. */
  take(headers: IncomingHttpHeaders): void;
  /** Remembers the cookies of `from` for `to`, such as for the headers of a message of its websocket. */
  copy(from: object, to: object): void;
  of(headers: object): ConsoleCookies | undefined;
  /** Returns the value of `Set-Cookie`. An empty token deletes the cookie. */
  print(name: 'session' | 'login', token: string, seconds: number): string;
}

/**
 * With https, the prefix `__Host-` makes browsers accept the cookies from this host only, not from its parent domains, and
 * never without TLS.
 */
export function createCookieJar(redirectUrl: string): CookieJar {
  const { origin, protocol } = new URL(redirectUrl);
  const isSecure = protocol === 'https:';
  const names = {
    session: `${isSecure ? '__Host-' : ''}joinery-console`,
    login: `${isSecure ? '__Host-' : ''}joinery-console-login`,
  };
  const taken = new WeakMap<object, ConsoleCookies>();
  // The provider sends the browser to the callback from another site, where only `Lax` cookies are sent.
  const sameSite = { session: 'Strict', login: 'Lax' };
  return {
    take: (headers) => {
      const { cookie } = headers;
      if (cookie === undefined || !cookie.includes('joinery-console')) return;
      const parts = cookie.split(';').map((part) => part.trim());
      const tokenIn = (name: string): string | undefined => {
        const found = parts.filter((part) => part.startsWith(`${name}=`));
        // A cookie that exists twice was also set by another site.
        return found.length === 1 ? found[0]?.slice(name.length + 1) : undefined;
      };
      const isOwn = (part: string) => Object.values(names).some((name) => part.startsWith(`${name}=`));
      const others = parts.filter((part) => part !== '' && !isOwn(part));
      if (others.length === 0) delete headers.cookie;
      else headers.cookie = others.join('; ');
      const { session, login } = { session: tokenIn(names.session), login: tokenIn(names.login) };
      taken.set(headers, { session, login, isOwnPage: isPageOf(origin, headers) });
    },
    copy: (from, to) => {
      const cookies = taken.get(from);
      if (cookies !== undefined) taken.set(to, cookies);
    },
    of: (headers) => taken.get(headers),
    print: (name, token, seconds) =>
      [
        `${names[name]}=${token}`,
        'Path=/',
        'HttpOnly',
        `SameSite=${sameSite[name]}`,
        `Max-Age=${token === '' ? 0 : seconds}`,
        ...(isSecure ? ['Secure'] : []),
      ].join('; '),
  };
}

/** Browsers set both headers, and pages cannot change them. A request without either is sent by no page. */
function isPageOf(origin: string, headers: IncomingHttpHeaders): boolean {
  if (headers.origin !== undefined) return headers.origin === origin;
  return headers['sec-fetch-site'] === 'same-origin';
}
