/** Which browser origins may call, from the written list: `*`, or `https://a.com, https://*.b.com`. */
import type { FastifyCorsOptions } from '@fastify/cors';

export function corsOptions(written: string): FastifyCorsOptions {
  const origins = written.split(',').map((origin) => origin.trim());
  return {
    origin: origins.includes('*') ? true : origins.map(originPattern),
    credentials: true,
    maxAge: 1_728_000,
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    exposedHeaders: ['x-request-id'],
    optionsSuccessStatus: 204,
  };
}

/** May a page of that origin open a socket to the service? `written` as above; undefined: pages of the service itself. */
export function allowsOrigin(written: string | undefined, origin: string, host: string | undefined): boolean {
  if (URL.canParse(origin) && new URL(origin).host === host) return true;
  if (written === undefined) return false;
  const origins = written.split(',').map((one) => one.trim());
  return origins.some((one) => {
    const pattern = one === '*' || originPattern(one);
    return pattern === true || (typeof pattern === 'string' ? pattern === origin : pattern.test(origin));
  });
}

/** A `*` stands for one or more labels of a host name. */
function originPattern(origin: string): string | RegExp {
  if (!origin.includes('*')) return origin;
  const escaped = origin.replace(/[.+?^${}()|[\]\\/]/g, '\\$&').replaceAll('*', '[A-Za-z0-9.-]+');
  return new RegExp(`^${escaped}$`);
}
