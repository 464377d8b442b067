/** Which browser origins may call, from the written list: `*`, or `https://a.com, https://*.b.com`. */
import type { FastifyCorsOptions } from '@fastify/cors';

export function corsOptions(written: string): FastifyCorsOptions {
  return {
    origin: isWildcard(written) ? true : originsIn(written).map(originPattern),
    credentials: true,
    maxAge: 1_728_000,
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    exposedHeaders: ['x-request-id'],
    optionsSuccessStatus: 204,
  };
}

/** Whether an origin is named in `written`; `*` names none, and undefined neither. */
export function originMatcher(written: string | undefined): (origin: string) => boolean {
  const patterns = originsIn(written ?? '')
    .filter((one) => one !== '*' && one !== '')
    .map(originPattern);
  return (origin) => patterns.some((one) => (typeof one === 'string' ? one === origin : one.test(origin)));
}

/** Whether `written` permits every origin. */
export function isWildcard(written: string | undefined): boolean {
  return written !== undefined && originsIn(written).includes('*');
}

function originsIn(written: string): readonly string[] {
  return written.split(',').map((origin) => origin.trim());
}

/** A `*` stands for one label of a host name, or a part of it. */
function originPattern(origin: string): string | RegExp {
  if (!origin.includes('*')) return origin;
  const escaped = origin.replace(/[.+?^${}()|[\]\\/]/g, '\\$&').replaceAll('*', '[A-Za-z0-9_-]+');
  return new RegExp(`^${escaped}$`);
}
