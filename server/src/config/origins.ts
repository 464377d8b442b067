/** The options that decide which web pages and host names may reach the service. */
import { z } from 'zod';
import { flag, text } from './values.ts';

/** Names in lower case; an address has no brackets. */
const hosts = z
  .string()
  .transform((written) => written.split(',').map((host) => host.trim().toLowerCase()))
  .pipe(
    z.array(
      z.string().regex(/^(\*|[^\s:/?#@[\]*]+|[\da-f:.]+)$/, 'must be host names without ports, separated by commas'),
    ),
  );

export const originOptions = {
  corsDomain: {
    name: 'CORS_DOMAIN',
    meaning:
      'origins of web pages that may call, separated by commas; a `*` is one label of a name, or alone every origin. Without it: `*` with an admin secret, and only pages of this service without one',
    fallback: undefined,
    parse: text,
  },
  disableCors: { name: 'DISABLE_CORS', meaning: 'send no CORS headers', fallback: 'false', parse: flag },
  wsReadCookie: {
    name: 'WS_READ_COOKIE',
    meaning: 'with JOINERY_DISABLE_CORS, read the cookie of the request that opens a websocket',
    fallback: 'false',
    parse: flag,
  },
  allowedHosts: {
    name: 'ALLOWED_HOSTS',
    meaning:
      'host names that requests may use beside loopback, separated by commas; `*` is every name. Without it: every name with an admin secret, and only loopback without one',
    fallback: undefined,
    parse: hosts,
  },
} as const;
