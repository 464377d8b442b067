/** CORS by the configured list of origins: `*`, or `https://a.com, https://*.b.com`. */
import type { FastifyCorsOptions } from '@fastify/cors';

/** What pages of other origins may read. */
const exposedHeaders = ['x-request-id', 'joinery-position'];

export function corsOptions(configured: string): FastifyCorsOptions {
  return {
    origin: isWildcard(configured) ? true : originsIn(configured).map(originPattern),
    credentials: true,
    maxAge: 1_728_000,
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    exposedHeaders,
    optionsSuccessStatus: 204,
  };
}

/**
 * Returns the headers that the responses to a request other than a preflight have, in the order of `@fastify/cors`, by the
 * origin of the request.
 */
export function corsHeaders(
  configured: string,
): (origin: string | undefined) => readonly (readonly [string, string])[] {
  const isListed = originMatcher(configured);
  const permits = isWildcard(configured) ? () => true : isListed;
  const always = [
    ['access-control-allow-credentials', 'true'],
    ['access-control-expose-headers', exposedHeaders.join(', ')],
  ] as const;
  const none = [['vary', 'Origin'], ...always] as const;
  return (origin) =>
    origin === undefined || !permits(origin)
      ? none
      : [['vary', 'Origin'], ['access-control-allow-origin', origin], ...always];
}

/** Returns whether the list contains an origin; `*` and undefined contain none. */
export function originMatcher(configured: string | undefined): (origin: string) => boolean {
  const patterns = originsIn(configured ?? '')
    .filter((one) => one !== '*' && one !== '')
    .map(originPattern);
  return (origin) => patterns.some((one) => (typeof one === 'string' ? one === origin : one.test(origin)));
}

/** Whether the list permits every origin. */
export function isWildcard(configured: string | undefined): boolean {
  return configured !== undefined && originsIn(configured).includes('*');
}

function originsIn(configured: string): readonly string[] {
  return configured.split(',').map((origin) => origin.trim());
}

/** Returns a pattern for `scheme://*.host`, in which `*` matches one label; any other text matches only itself. */
function originPattern(origin: string): string | RegExp {
  const [, scheme, host] = /^([^*/]+:\/\/)\*(\.[^*]+)$/.exec(origin) ?? [];
  if (scheme === undefined || host === undefined) return origin;
  const escaped = (text: string) => text.replace(/[.+?^${}()|[\]\\/]/g, '\\$&');
  return new RegExp(`^${escaped(scheme)}[A-Za-z0-9_-]+${escaped(host)}$`);
}
