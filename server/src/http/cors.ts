/** Which browser origins may call, from the written list: `*`, or `https://a.com, https://*.b.com`. */
import type { FastifyCorsOptions } from '@fastify/cors';

export function corsOptions(written: string): FastifyCorsOptions {
  const origins = written.split(',').map((origin) => origin.trim());
  return {
    origin: origins.includes('*') ? true : origins.map(originPattern),
    credentials: true,
    maxAge: 1_728_000,
    methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    optionsSuccessStatus: 204,
  };
}

/** A `*` stands for one or more labels of a host name. */
function originPattern(origin: string): string | RegExp {
  if (!origin.includes('*')) return origin;
  const escaped = origin.replace(/[.+?^${}()|[\]\\/]/g, '\\$&').replaceAll('*', '[A-Za-z0-9.-]+');
  return new RegExp(`^${escaped}$`);
}
