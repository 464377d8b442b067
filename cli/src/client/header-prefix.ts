/** The prefix of a service's headers, which the service publishes in the configuration of its console. */
import type { HttpResponse } from './http-request.ts';

/** Returns `X-Hasura-` for `x-hasura-`. */
function capitalized(prefix: string): string {
  return prefix.toLowerCase().replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase());
}

/** Reads the prefix from the response of `/console/config.json`; undefined where the service does not serve it. */
export function publishedPrefix({ status, body }: HttpResponse): string | undefined {
  const { headerPrefix } = (typeof body === 'object' && body !== null ? body : {}) as {
    readonly headerPrefix?: unknown;
  };
  if (status !== 200 || typeof headerPrefix !== 'string' || !/^[\w-]+-$/.test(headerPrefix)) return undefined;
  return capitalized(headerPrefix);
}

/** Reads the prefix from the error of a request without a valid secret, which names the missing header. */
export function prefixInError({ status, body }: HttpResponse): string | undefined {
  if (status !== 401 && status !== 400 && status !== 200) return undefined;
  const { code, error } = (typeof body === 'object' && body !== null ? body : {}) as {
    readonly code?: unknown;
    readonly error?: unknown;
  };
  if (code !== 'access-denied' || typeof error !== 'string') return undefined;
  const [, prefix] = /\b([a-z][\w-]*-)admin-secret\b/i.exec(error) ?? [];
  return prefix === undefined ? undefined : capitalized(prefix);
}
