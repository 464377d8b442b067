/**
 * Protects the local console, which acts with the admin secret of the project: from other users of the machine by a token,
 * from web pages of other origins by `Origin` and `Sec-Fetch-Site`, and from rebound host names by `Host`.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface Guard {
  readonly token: string;
  /** Name of the cookie with the token. It has the port, because browsers share cookies between ports. */
  readonly cookie: string;
  /** Returns why a request is rejected. */
  reject(headers: IncomingHttpHeaders, method: string): string | undefined;
  isToken(given: unknown): boolean;
}

/** Host names of this machine, which no other name server can change. */
const loopback = ['127.0.0.1', 'localhost', '[::1]'];

export function createGuard(port: number, token = randomBytes(24).toString('base64url')): Guard {
  const hosts = new Set(loopback.map((host) => `${host}:${port}`));
  const cookie = `joinery_console_${port}`;
  const isToken = (given: unknown): boolean => {
    if (typeof given !== 'string') return false;
    const [one, other] = [Buffer.from(given), Buffer.from(token)];
    return one.length === other.length && timingSafeEqual(one, other);
  };
  return {
    token,
    cookie,
    isToken,
    reject: (headers, method) => {
      const { host = '', origin, 'sec-fetch-site': site } = headers;
      if (!hosts.has(host.toLowerCase())) return `the host "${host}" is not a name of this machine`;
      if (origin !== undefined && !hosts.has(origin.replace(/^http:\/\//, '').toLowerCase())) {
        return `the origin ${origin} is not the console`;
      }
      const isRead = method === 'GET' || method === 'HEAD';
      // A link to the console is a navigation from another site.
      if (!isRead && site !== undefined && site !== 'same-origin') return 'the request is from another page';
      return isToken(cookieIn(headers.cookie, cookie)) ? undefined : 'no-token';
    },
  };
}

function cookieIn(cookies: string | undefined, name: string): string | undefined {
  const found = (cookies ?? '').split(/;\s*/).find((one) => one.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}
